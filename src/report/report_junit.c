/*
 * JUnit XML: a testsuite per input, a testcase per payload. It has what both Jenkins' xUnit plugin (junit-10.xsd) and
 * Maven's Surefire (each suite, by surefire-test-report.xsd) accept, and no attribute more: the place of a payload is
 * in its name and in the text of its failure. The counts stand in the opening tags and are known later, so room is
 * left.
 */
#include "base/utf8.h"
#include "report/report_format.h"

#include <string.h>

/* The attributes, with 12 digits in each count and 7 in the seconds. */
#define ROOM_FOR_COUNTS 100

/* Text in XML 1.0, made safe: after utf8_append_safe() what it forbids is left in two characters only, and markup. */
void report_append_xml(struct buffer *out, const char *text, size_t length)
{
	LOCAL_BUFFER safe = BUFFER_INIT;
	utf8_append_safe(&safe, text, length);
	const char *at = buffer_text(&safe), *end = at + safe.length;
	while (at < end) {
		size_t plain = strcspn(at, "&<>\"'\xEF");
		buffer_append(out, at, plain);
		at += plain;
		if (at >= end)
			break;
		if (*at == '&')
			buffer_append_text(out, "&amp;");
		else if (*at == '<')
			buffer_append_text(out, "&lt;");
		else if (*at == '>')
			buffer_append_text(out, "&gt;");
		else if (*at == '"')
			buffer_append_text(out, "&quot;");
		else if (*at == '\'')
			buffer_append_text(out, "&#39;");
		else if (strncmp(at, "\xEF\xBF\xBE", 3) == 0 || strncmp(at, "\xEF\xBF\xBF", 3) == 0)
			buffer_append_text(out, at[2] == '\xBE' ? "\\u{FFFE}" : "\\u{FFFF}");
		else
			buffer_append(out, at, 3);
		at += *at == '\xEF' ? 3 : 1;
	}
	out->failed |= safe.failed;
}

void report_append_attribute(struct buffer *out, const char *name, const char *value)
{
	buffer_printf(out, " %s=\"", name);
	report_append_xml(out, value, strlen(value));
	buffer_append_byte(out, '"');
}

/* In an opening tag, which it ends. */
static size_t leave_room(struct buffer *out)
{
	size_t room = out->length;
	buffer_append_repeat(out, ' ', ROOM_FOR_COUNTS);
	buffer_append_text(out, ">\n");
	return room;
}

static size_t begin(struct buffer *out)
{
	buffer_append_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"credhook validate\"");
	return leave_room(out);
}

static void append_file(struct buffer *out, const char *name, const char *path)
{
	LOCAL_BUFFER file = BUFFER_INIT;
	report_append_file(path, &file);
	report_append_attribute(out, name, buffer_text(&file));
	out->failed |= file.failed;
}

static size_t suite_begin(const char *name, const char *stamp, struct buffer *out)
{
	buffer_append_text(out, "<testsuite");
	append_file(out, "name", name);
	report_append_attribute(out, "timestamp", stamp);
	return leave_room(out);
}

static void suite_end(struct buffer *out)
{
	buffer_append_text(out, "</testsuite>\n");
}

static bool ends_in(const struct buffer *text, const char *end)
{
	size_t length = strlen(end);
	return text->length > length && memcmp(text->data + text->length - length, end, length) == 0;
}

/* A class name is read as packages with dots between: fixtures/user.json is fixtures.user, and no dot is a file's. */
static void append_class(struct buffer *out, const char *path)
{
	static const char *const endings[] = { ".gz", ".json", ".ndjson", ".jsonl" };
	LOCAL_BUFFER file = BUFFER_INIT, name = BUFFER_INIT;
	report_append_file(path, &file);
	for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
		if (ends_in(&file, endings[i]))
			buffer_consume_end(&file, strlen(endings[i]));
	const char *text = buffer_text(&file);
	text += text[0] == '/';
	for (; *text; text++)
		buffer_append_byte(&name, *text == '/' ? '.' : *text == '.' ? '_' : *text);
	report_append_attribute(out, "classname", buffer_text(&name));
	out->failed |= file.failed || name.failed;
}

/* Jenkins takes three decimals, no more. */
void report_append_seconds(struct buffer *out, int64_t ns)
{
	buffer_printf(out, " time=\"%lld.%03lld\"", (long long)(ns / 1000000000), (long long)(ns / 1000000 % 1000));
}

static void append_findings(const struct report_case *c, struct buffer *out)
{
	struct finding_walk walk;
	LOCAL_BUFFER line = BUFFER_INIT;
	finding_walk_init(&walk, c->verdict, c->origin);
	while (finding_walk_next(&walk)) {
		buffer_clear(&line);
		report_finding_line(&walk, &line);
		report_append_xml(out, buffer_text(&line), line.length);
		buffer_append_byte(out, '\n');
	}
	if (finding_walk_append_unlisted(&walk, out))
		buffer_append_byte(out, '\n');
	finding_walk_release(&walk);
}

static void append_failure(const struct report_case *c, struct buffer *out)
{
	const struct verdict *v = c->verdict;
	buffer_append_text(out, "<failure");
	if (c->unexpected) {
		report_append_attribute(out, "message", "valid, where an invalid payload is expected");
		report_append_attribute(out, "type", "unexpected-valid");
	} else if (v->finding_count > 0) {
		report_append_attribute(out, "message", verdict_message(v, &v->findings[0]));
		report_append_attribute(out, "type", finding_rows[v->findings[0].id].name);
	}
	buffer_append_byte(out, '>');
	append_findings(c, out);
	buffer_append_text(out, "</failure>");
}

static void payload(const struct report_case *c, struct buffer *out)
{
	LOCAL_BUFFER name = BUFFER_INIT;
	report_case_name(c, &name);
	buffer_append_text(out, "<testcase");
	append_class(out, c->origin->file);
	report_append_attribute(out, "name", buffer_text(&name));
	report_append_seconds(out, c->ns);
	if (!c->failed && c->verdict->finding_count == 0) {
		buffer_append_text(out, "/>\n");
		return;
	}
	buffer_append_byte(out, '>');
	if (c->failed) {
		append_failure(c, out);
	} else {
		buffer_append_text(out, "<system-out>");
		append_findings(c, out);
		buffer_append_text(out, "</system-out>");
	}
	buffer_append_text(out, "</testcase>\n");
}

static void problem(const char *file, const char *message, struct buffer *out, struct buffer *notices)
{
	(void)notices;
	buffer_append_text(out, "<testcase");
	append_class(out, file);
	buffer_append_text(out, " name=\"readable\"");
	report_append_seconds(out, 0);
	buffer_append_text(out, "><error");
	report_append_attribute(out, "message", message);
	report_append_attribute(out, "type", "unreadable");
	buffer_append_text(out, "/></testcase>\n");
}

static void coverage(const char *event, bool covered, struct buffer *out)
{
	buffer_append_text(out, "<testcase classname=\"coverage\"");
	report_append_attribute(out, "name", event);
	report_append_seconds(out, 0);
	buffer_append_text(out, covered ? "/>\n"
	                                : "><failure message=\"no valid payload covers it\" type=\"not-covered\"/>"
	                                  "</testcase>\n");
}

static void end(const struct report_totals *totals, struct buffer *out)
{
	(void)totals;
	buffer_append_text(out, "</testsuites>\n");
}

static void append_counts(const struct report_counts *counts, struct buffer *out)
{
	buffer_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", counts->cases + counts->problems,
	              counts->failed, counts->problems);
	report_append_seconds(out, counts->ns);
}

static void suite_patch(const struct report_counts *counts, struct buffer *out)
{
	append_counts(counts, out);
	buffer_append_text(out, " skipped=\"0\"");
}

static void patch(const struct report_totals *totals, struct buffer *out)
{
	append_counts(&totals->counts, out);
}

const struct report_format report_junit = {
	.name = "junit",
	.separator = "",
	.begin = begin,
	.suite_begin = suite_begin,
	.suite_end = suite_end,
	.suite_patch = suite_patch,
	.payload = payload,
	.problem = problem,
	.coverage = coverage,
	.end = end,
	.patch = patch,
};
