/*
 * JUnit XML as Jenkins, GitLab and others read it: one testsuite, a testcase per payload. The counts stand in the
 * opening tag and are known at the end, so room is left for them.
 */
#include "base/utf8.h"
#include "ui/report_format.h"

#include <string.h>

#define ROOM_FOR_COUNTS 96

/* Text in XML 1.0, made safe: after utf8_append_safe() what it forbids is left in two characters only, and markup. */
static void append_xml(struct buffer *out, const char *text, size_t length)
{
	struct buffer safe = BUFFER_INIT;
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
	buffer_release(&safe);
}

static void append_attribute(struct buffer *out, const char *name, const char *value)
{
	buffer_printf(out, " %s=\"", name);
	append_xml(out, value, strlen(value));
	buffer_append_byte(out, '"');
}

static size_t begin(struct buffer *out)
{
	buffer_append_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
	                        "<testsuite name=\"credhook validate\"");
	size_t room = out->length;
	buffer_append_repeat(out, ' ', ROOM_FOR_COUNTS);
	buffer_append_text(out, ">\n");
	return room;
}

static void append_findings(const struct report_case *c, struct buffer *out)
{
	struct finding_walk walk;
	struct buffer line = BUFFER_INIT;
	finding_walk_init(&walk, c->verdict, c->origin);
	while (finding_walk_next(&walk)) {
		buffer_clear(&line);
		report_finding_line(&walk, &line);
		append_xml(out, buffer_text(&line), line.length);
		buffer_append_byte(out, '\n');
	}
	if (finding_walk_append_unlisted(&walk, out))
		buffer_append_byte(out, '\n');
	finding_walk_release(&walk);
	buffer_release(&line);
}

static void append_failure(const struct report_case *c, struct buffer *out)
{
	const struct verdict *v = c->verdict;
	buffer_append_text(out, "<failure");
	if (c->unexpected) {
		append_attribute(out, "message", "valid, where an invalid payload is expected");
		append_attribute(out, "type", "unexpected-valid");
	} else if (v->finding_count > 0) {
		append_attribute(out, "message", verdict_message(v, &v->findings[0]));
		append_attribute(out, "type", finding_rows[v->findings[0].id].name);
	}
	buffer_append_byte(out, '>');
	append_findings(c, out);
	buffer_append_text(out, "</failure>");
}

static void payload(const struct report_case *c, struct buffer *out)
{
	struct buffer name = BUFFER_INIT;
	report_case_name(c, &name);
	buffer_append_text(out, "<testcase");
	append_attribute(out, "classname", c->origin->file);
	append_attribute(out, "name", buffer_text(&name));
	append_attribute(out, "file", c->origin->file);
	buffer_printf(out, " line=\"%zu\"", c->origin->line);
	buffer_release(&name);
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

static void problem(const char *message, struct buffer *out, struct buffer *notices)
{
	(void)notices;
	buffer_append_text(out, "<testcase classname=\"inputs\" name=\"readable\"><error");
	append_attribute(out, "message", message);
	buffer_append_text(out, "/></testcase>\n");
}

static void coverage(const char *event, bool covered, struct buffer *out)
{
	buffer_append_text(out, "<testcase classname=\"coverage\"");
	append_attribute(out, "name", event);
	buffer_append_text(out, covered ? "/>\n"
	                                : "><failure message=\"no valid payload covers it\" type=\"not-covered\"/>"
	                                  "</testcase>\n");
}

static void end(const struct report_totals *totals, struct buffer *out)
{
	(void)totals;
	buffer_append_text(out, "</testsuite>\n</testsuites>\n");
}

static void patch(const struct report_totals *totals, struct buffer *out)
{
	buffer_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", totals->cases + totals->problems,
	              totals->failed, totals->problems);
}

const struct report_format report_junit = { "junit", "", begin, payload, problem, coverage, end, patch };
