/* SARIF 2.1.0 (OASIS), as code scanning reads it: a rule per finding id, a result per finding. */
#include "base/utf8.h"
#include "ui/json_line.h"
#include "ui/report_format.h"

#include <stdio.h>
#include <string.h>

#define NOTICES_MAX ((size_t)1 << 20) /* bytes; saying that more may be missing is better than memory that grows */

/* A run of JSON text with a string in it that may come from outside. */
static void append_safe(struct buffer *out, const char *key, const char *text)
{
	struct buffer safe = BUFFER_INIT;
	utf8_append_safe(&safe, text, strlen(text));
	json_line_bytes(out, key, buffer_text(&safe), safe.length);
	out->failed |= safe.failed;
	buffer_release(&safe);
}

/* {"text":"..."} as the value of a key. */
static void append_message(struct buffer *out, const char *key, const char *text)
{
	json_line_key(out, key);
	json_line_begin(out);
	append_safe(out, "text", text);
	json_line_end(out);
}

/* A path as a URI reference (RFC 3986): every byte that is not unreserved is percent-encoded. */
static void append_uri(struct buffer *out, const char *path)
{
	static const char hex[] = "0123456789ABCDEF";
	struct buffer uri = BUFFER_INIT;
	if (path[0] == '/')
		buffer_append_text(&uri, "file://");
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;
		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/", c)) {
			buffer_append_byte(&uri, (char)c);
		} else {
			char encoded[3] = { '%', hex[c >> 4], hex[c & 0xF] };
			buffer_append(&uri, encoded, sizeof encoded);
		}
	}
	json_line_bytes(out, "uri", buffer_text(&uri), uri.length);
	out->failed |= uri.failed;
	buffer_release(&uri);
}

static void append_rules(struct buffer *out)
{
	json_line_key(out, "rules");
	buffer_append_byte(out, '[');
	for (size_t i = 0; i < FINDING_ID_COUNT; i++) {
		json_line_comma(out);
		json_line_begin(out);
		json_line_text(out, "id", finding_rows[i].name);
		append_message(out, "shortDescription", finding_rows[i].summary);
		append_message(out, "fullDescription", finding_rows[i].origin);
		json_line_key(out, "defaultConfiguration");
		json_line_begin(out);
		json_line_text(out, "level", severity_name(finding_rows[i].severity));
		json_line_end(out);
		json_line_end(out);
	}
	buffer_append_byte(out, ']');
}

static size_t begin(struct buffer *out)
{
	buffer_append_text(out, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\","
	                        "\"runs\":[{\"tool\":{\"driver\":");
	json_line_begin(out);
	json_line_text(out, "name", "credhook");
	json_line_text(out, "version", CREDHOOK_VERSION);
	json_line_text(out, "semanticVersion", CREDHOOK_VERSION);
	append_rules(out);
	json_line_end(out);
	buffer_append_text(out, "},\"columnKind\":\"unicodeCodePoints\",\"results\":[\n");
	return 0;
}

static void append_region(struct buffer *out, const struct finding_walk *w)
{
	json_line_key(out, "region");
	json_line_begin(out);
	json_line_number(out, "startLine", (int64_t)w->place.line);
	json_line_number(out, "startColumn", (int64_t)w->place.column);
	json_line_number(out, "endLine", (int64_t)w->end.line);
	json_line_number(out, "endColumn", (int64_t)w->end.column);
	json_line_end(out);
}

static void append_locations(struct buffer *out, struct finding_walk *w)
{
	struct buffer pointer = BUFFER_INIT;
	const struct buffer *raw = finding_walk_pointer(w);
	utf8_append_safe(&pointer, buffer_text(raw), raw->length);
	json_line_key(out, "locations");
	buffer_append_text(out, "[{\"physicalLocation\":{\"artifactLocation\":{");
	append_uri(out, w->origin->file);
	buffer_append_byte(out, '}');
	append_region(out, w);
	buffer_append_text(out, "},\"logicalLocations\":[{");
	json_line_bytes(out, "fullyQualifiedName", buffer_text(&pointer), pointer.length);
	buffer_append_text(out, "}]}]");
	out->failed |= pointer.failed;
	buffer_release(&pointer);
}

static void append_result(struct finding_walk *w, struct buffer *out)
{
	const struct finding *f = w->finding;
	struct buffer message = BUFFER_INIT;
	buffer_append_text(&message, verdict_message(w->verdict, f));
	if (w->hint.length > 0)
		buffer_printf(&message, " (hint: %s)", buffer_text(&w->hint));
	json_line_begin(out);
	json_line_text(out, "ruleId", finding_rows[f->id].name);
	json_line_number(out, "ruleIndex", (int64_t)f->id);
	json_line_text(out, "level", severity_name(f->severity));
	append_message(out, "message", buffer_text(&message));
	append_locations(out, w);
	json_line_end(out);
	out->failed |= message.failed;
	buffer_release(&message);
}

/* A result of no rule, where the payload begins. */
static void append_unlisted(const struct finding_walk *w, struct buffer *out)
{
	struct buffer words = BUFFER_INIT;
	finding_walk_append_unlisted(w, &words);
	json_line_begin(out);
	json_line_text(out, "level", "note");
	append_message(out, "message", buffer_text(&words));
	json_line_key(out, "locations");
	buffer_append_text(out, "[{\"physicalLocation\":{\"artifactLocation\":{");
	append_uri(out, w->origin->file);
	buffer_printf(out, "},\"region\":{\"startLine\":%zu}}}]", w->origin->line);
	json_line_end(out);
	out->failed |= words.failed;
	buffer_release(&words);
}

static void payload(const struct report_case *c, struct buffer *out)
{
	struct finding_walk walk;
	size_t before = out->length;
	finding_walk_init(&walk, c->verdict, c->origin);
	while (finding_walk_next(&walk)) {
		if (out->length > before)
			buffer_append_text(out, ",\n");
		append_result(&walk, out);
	}
	if (finding_walk_unlisted(&walk) > 0) {
		buffer_append_text(out, ",\n");
		append_unlisted(&walk, out);
	}
	finding_walk_release(&walk);
}

static void append_notice(struct buffer *notices, const char *message)
{
	json_line_comma(notices);
	json_line_begin(notices);
	json_line_text(notices, "level", "error");
	append_message(notices, "message", message);
	json_line_end(notices);
}

static void problem(const char *message, struct buffer *out, struct buffer *notices)
{
	(void)out;
	if (notices->length <= NOTICES_MAX)
		append_notice(notices, message);
}

static void append_more_problems(struct buffer *out, size_t count)
{
	char words[96];
	snprintf(words, sizeof words, "%zu inputs could not be read in all; the last ones may not be listed", count);
	append_notice(out, words);
}

static void coverage(const char *event, bool covered, struct buffer *out)
{
	(void)event;
	(void)covered;
	(void)out; /* no place in a file to tell it at */
}

static void end(const struct report_totals *totals, struct buffer *out)
{
	buffer_append_text(out, "\n],\"invocations\":[");
	json_line_begin(out);
	json_line_bool(out, "executionSuccessful", totals->problems == 0);
	json_line_number(out, "exitCode", (int64_t)totals->exit);
	json_line_key(out, "toolExecutionNotifications");
	buffer_printf(out, "[%s", buffer_text(&totals->notices));
	if (totals->notices.length > NOTICES_MAX)
		append_more_problems(out, totals->problems);
	buffer_append_byte(out, ']');
	json_line_end(out);
	buffer_append_text(out, "]}]}\n");
}

const struct report_format report_sarif = { "sarif", ",\n", begin, payload, problem, coverage, end, NULL };
