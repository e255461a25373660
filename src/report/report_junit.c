/*
 * JUnit XML: a testsuite per input or command, a testcase per payload or case. It has what both Jenkins' xUnit plugin
 * (junit-10.xsd) and Maven's Surefire (each suite, by surefire-test-report.xsd) accept, and no attribute more: the
 * place of a payload is in its name and in the text of its failure.
 */
#include "base/utf8.h"
#include "report/markup.h"
#include "report/report_format.h"

#include <string.h>

#define DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define SUITES      "<testsuites name=\""

static void append_attribute(struct buffer *out, const char *name, const char *value)
{
	buffer_printf(out, " %s=\"", name);
	report_append_markup_line(out, value);
	buffer_append_byte(out, '"');
}

/* Jenkins takes three decimals, no more. */
static void append_seconds(struct buffer *out, int64_t ns)
{
	buffer_printf(out, " time=\"%lld.%03lld\"", (long long)(ns / 1000000000), (long long)(ns / 1000000 % 1000));
}

static void append_counts(const struct report_counts *counts, struct buffer *out)
{
	buffer_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", counts->cases + counts->problems,
	              counts->failed, counts->problems);
}

static void head(const struct report_totals *totals, struct buffer *out)
{
	buffer_append_text(out, DECLARATION SUITES);
	report_append_markup_line(out, totals->title);
	buffer_append_byte(out, '"');
	/* junit-10.xsd has skipped ones for a suite only. */
	append_counts(&totals->counts, out);
	append_seconds(out, totals->counts.ns);
	buffer_append_text(out, ">\n");
}

static void suite_begin(const char *name, const char *stamp, const struct report_counts *counts, struct buffer *out)
{
	LOCAL_BUFFER file = BUFFER_FOR(out);
	report_append_file(name, &file);
	buffer_append_text(out, "<testsuite");
	append_attribute(out, "name", buffer_text(&file));
	append_attribute(out, "timestamp", stamp);
	append_counts(counts, out);
	buffer_printf(out, " skipped=\"%zu\"", counts->skipped);
	append_seconds(out, counts->ns);
	buffer_append_text(out, ">\n");
}

static void suite_end(struct buffer *out)
{
	buffer_append_text(out, "</testsuite>\n");
}

static void add_case(const struct report_case *c, struct buffer *out, struct buffer *notices)
{
	bool is_wrong = c->failed || c->is_problem, passed = !is_wrong && c->grade != GRADE_SKIP;
	const char *tag = c->is_problem ? "error" : c->failed ? "failure" : passed ? "system-out" : "skipped";
	const char *details = c->details ? c->details : "";
	bool has_fix = c->fix && c->fix[0];
	LOCAL_BUFFER words = BUFFER_FOR(out);
	(void)notices;
	buffer_append_text(&words, c->message ? c->message : "");
	if (has_fix)
		buffer_printf(&words, "%s%s", words.length > 0 ? "; " : "", c->fix);
	const char *message = buffer_text(&words);
	buffer_append_text(out, "<testcase");
	append_attribute(out, "classname", c->group);
	append_attribute(out, "name", c->name);
	append_seconds(out, c->ns);
	bool has_log = c->log && c->log[0];
	if (passed && !message[0] && !details[0] && !has_log) {
		buffer_append_text(out, "/>\n");
		return;
	}
	buffer_printf(out, "><%s", tag);
	if (!passed)
		append_attribute(out, "message", message);
	if (is_wrong)
		append_attribute(out, "type", c->type);
	buffer_append_byte(out, '>');
	if (passed)
		report_append_markup(out, message, strlen(message));
	if (passed && message[0] && details[0])
		buffer_append_byte(out, '\n');
	report_append_markup(out, details, strlen(details));
	buffer_printf(out, "</%s>", tag);
	if (has_log) {
		buffer_append_text(out, "<system-err>");
		report_append_markup(out, c->log, strlen(c->log));
		buffer_append_text(out, "</system-err>");
	}
	buffer_append_text(out, "</testcase>\n");
}

static void payload(const struct report_payload *p, struct buffer *out)
{
	const struct verdict *v = p->verdict;
	LOCAL_BUFFER group = BUFFER_FOR(out), name = BUFFER_FOR(out), file = BUFFER_FOR(out),
	             findings = BUFFER_FOR(out);
	report_append_class(p->origin->file, &group);
	report_append_file(p->origin->file, &file);
	/* "p.ndjson:3: user-created", and where several begin on one line "x.har:1:812: user-created": of cases of one
	 * name CI systems keep one, and some show nothing else. */
	char event[CATALOG_KIND_NAME_SIZE] = "unknown event";
	if (v->kind.event)
		catalog_kind_name(v->kind, event);
	buffer_printf(&name, "%s:%zu:", buffer_text(&file), p->origin->line);
	if (p->origin->column > 1)
		buffer_printf(&name, "%zu:", p->origin->column);
	buffer_printf(&name, " %s", event);
	struct finding_walk walk;
	finding_walk_init(&walk, p->verdict, p->origin, out);
	/* file:line:column: error: message [finding], and the fix, without the source. */
	while (finding_walk_next(&walk)) {
		const struct finding *f = walk.finding;
		utf8_append_safe(&findings, buffer_text(&file), file.length);
		buffer_printf(&findings, ":%zu:%zu: %s: %s [%s]", walk.place.line, walk.place.column,
		              severity_name(f->severity), buffer_text(&walk.message), finding_rows[f->id].name);
		if (walk.hint.length > 0)
			buffer_printf(&findings, " (fix: %s)", buffer_text(&walk.hint));
		buffer_append_byte(&findings, '\n');
	}
	if (finding_walk_append_unlisted(&walk, &findings))
		buffer_append_byte(&findings, '\n');
	finding_walk_release(&walk);
	struct report_case c = {
		.group = buffer_text(&group), .name = buffer_text(&name), .details = buffer_text(&findings), .ns = p->ns
	};
	if (p->unexpected) {
		c.message = REPORT_UNEXPECTED_MESSAGE;
		c.type = REPORT_UNEXPECTED;
	} else if (p->failed) {
		const struct finding *first = verdict_finding(v, 0);
		c.message = verdict_message(v, first);
		c.type = finding_rows[first->id].name;
	}
	c.failed = p->failed;
	add_case(&c, out, NULL);
}

static void end(const struct report_totals *totals, struct buffer *out)
{
	(void)totals;
	buffer_append_text(out, "</testsuites>\n");
}

/* The title begins with the program's name. */
static bool is_ours(const char *begin)
{
	const char *at = strncmp(begin, DECLARATION, strlen(DECLARATION)) == 0 ? begin + strlen(DECLARATION) : begin;
	return strncmp(at, SUITES "credhook ", strlen(SUITES "credhook ")) == 0;
}

const struct report_format report_junit = {
	.name = "junit",
	.holds_cases = true,
	.separator = "",
	.head = head,
	.suite_begin = suite_begin,
	.suite_end = suite_end,
	.payload = payload,
	.add_case = add_case,
	.end = end,
	.is_ours = is_ours,
};
