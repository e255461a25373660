/* TAP 13: a line per payload, the findings below it as a YAML block. The numbers are left out, which TAP allows: what a
 * thread writes does not know them. The plan is at the end. */
#include "base/utf8.h"
#include "json/located.h"
#include "report/report_format.h"

#include <string.h>

static size_t begin(const char *title, struct buffer *out)
{
	(void)title;
	buffer_append_text(out, "TAP version 13\n");
	return 0;
}

/* '#' would begin a directive (skip, todo), a backslash escapes it. */
static void append_text(struct buffer *out, const char *text)
{
	LOCAL_BUFFER safe = BUFFER_INIT;
	utf8_append_safe(&safe, text, strlen(text));
	for (const char *at = buffer_text(&safe); *at; at++) {
		if (*at == '#' || *at == '\\')
			buffer_append_byte(out, '\\');
		buffer_append_byte(out, *at);
	}
	out->failed |= safe.failed;
}

static void append_file(struct buffer *out, const char *path)
{
	LOCAL_BUFFER file = BUFFER_INIT;
	report_append_file(path, &file);
	append_text(out, buffer_text(&file));
	out->failed |= file.failed;
}

/* A JSON string is a double-quoted scalar of YAML. */
static void append_item(struct buffer *out, const char *key, const char *text, size_t length)
{
	LOCAL_BUFFER safe = BUFFER_INIT;
	utf8_append_safe(&safe, text, length);
	buffer_printf(out, "%s: ", key);
	json_append_string(out, buffer_text(&safe), safe.length);
	buffer_append_byte(out, '\n');
	out->failed |= safe.failed;
}

static void append_findings(const struct report_payload *c, struct buffer *out)
{
	struct finding_walk walk;
	finding_walk_init(&walk, c->verdict, c->origin);
	buffer_append_text(out, "  ---\n");
	if (c->unexpected)
		append_item(out, "  message", REPORT_UNEXPECTED_MESSAGE, strlen(REPORT_UNEXPECTED_MESSAGE));
	if (c->verdict->finding_count > 0)
		buffer_append_text(out, "  findings:\n");
	while (finding_walk_next(&walk)) {
		const struct finding *f = walk.finding;
		buffer_printf(out, "    - finding: %s\n      severity: %s\n      line: %zu\n      column: %zu\n",
		              finding_rows[f->id].name, severity_name(f->severity), walk.place.line, walk.place.column);
		const struct buffer *pointer = finding_walk_pointer(&walk);
		append_item(out, "      pointer", buffer_text(pointer), pointer->length);
		append_item(out, "      message", buffer_text(&walk.message), walk.message.length);
		if (walk.hint.length > 0)
			append_item(out, "      hint", buffer_text(&walk.hint), walk.hint.length);
	}
	if (finding_walk_unlisted(&walk) > 0)
		buffer_printf(out, "  unlisted: %zu\n", finding_walk_unlisted(&walk));
	buffer_append_text(out, "  ...\n");
	finding_walk_release(&walk);
}

static void payload(const struct report_payload *c, struct buffer *out)
{
	char event[REPORT_NAME_SIZE];
	report_event_name(c->verdict, event);
	buffer_append_text(out, c->failed ? "not ok - " : "ok - ");
	append_file(out, c->origin->file);
	buffer_printf(out, ":%zu %s\n", c->origin->line, event);
	if (c->failed || c->verdict->finding_count > 0)
		append_findings(c, out);
}

/* As a block: prove takes no list whose items hold a colon. Blanks before a line would be part of the indentation. */
static void append_block(struct buffer *out, const char *text)
{
	LOCAL_BUFFER lines = BUFFER_INIT;
	while (*text) {
		size_t length = strcspn(text, "\n"), blank = strspn(text, " ");
		if (blank < length) {
			buffer_append_text(&lines, "    ");
			utf8_append_safe(&lines, text + blank, length - blank);
			buffer_append_byte(&lines, '\n');
		}
		text += length + (text[length] == '\n');
	}
	if (lines.length > 0)
		buffer_printf(out, "  details: |\n%s", buffer_text(&lines));
	out->failed |= lines.failed;
}

static void add_case(const struct report_case *c, struct buffer *out)
{
	bool failed = c->verdict == REPORT_FAILED || c->verdict == REPORT_ERROR;
	const char *message = c->message ? c->message : "";
	buffer_append_text(out, failed ? "not ok - " : "ok - ");
	append_text(out, c->name);
	if (c->verdict == REPORT_SKIPPED) {
		buffer_append_text(out, " # SKIP ");
		append_text(out, message);
		buffer_append_byte(out, '\n');
		return;
	}
	buffer_printf(out, "\n  ---\n  duration_ms: %.3f\n", (double)c->ns / 1e6);
	if (failed)
		append_item(out, "  type", c->type, strlen(c->type));
	if (message[0])
		append_item(out, "  message", message, strlen(message));
	if (c->details)
		append_block(out, c->details);
	buffer_append_text(out, "  ...\n");
}

static void problem(const char *file, const char *message, struct buffer *out, struct buffer *notices)
{
	(void)file; /* the message names it */
	(void)notices;
	buffer_append_text(out, "not ok - ");
	append_text(out, message);
	buffer_append_byte(out, '\n');
}

static void coverage(const char *event, bool covered, struct buffer *out)
{
	buffer_printf(out, "%s - a valid payload covers %s\n", covered ? "ok" : "not ok", event);
}

static void end(const struct report_totals *totals, struct buffer *out)
{
	size_t count = totals->counts.cases + totals->counts.problems;
	buffer_printf(out, count > 0 ? "1..%zu\n" : "1..%zu # SKIP no payload\n", count);
}

const struct report_format report_tap = {
	.name = "tap",
	.separator = "",
	.begin = begin,
	.payload = payload,
	.add_case = add_case,
	.problem = problem,
	.coverage = coverage,
	.end = end,
};
