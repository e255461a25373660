/* SARIF 2.1.0 (OASIS), as code scanning reads it: a rule per finding id, a result per finding. */
#include "base/hash.h"
#include "base/url.h"
#include "base/utf8.h"
#include "json/json_line.h"
#include "report/markup.h"
#include "report/report_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a fingerprint is made of, at most, to either side of the finding. */
#define FINGERPRINT_BYTES 2048

#define SCHEMA "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\""

#define SEPARATOR ",\n" /* of results */

/* As many results as GitHub's code scanning takes of a run. */
#define RESULTS_MAX 25000

#define NOTICES_MAX ((size_t)1 << 20) /* bytes; saying that more may be missing is better than memory that grows */

/* {"text":"..."} as the value of a key. */
static void append_message(struct buffer *out, const char *key, const char *text)
{
	json_line_object(out, key);
	/* A run of JSON text with a string in it that may come from outside. */
	LOCAL_BUFFER safe = BUFFER_FOR(out);
	utf8_append_safe(&safe, text, strlen(text));
	json_line_bytes(out, "text", buffer_text(&safe), safe.length);
	json_line_end(out);
}

/* A path as a URI reference (RFC 3986): every byte that is not unreserved is percent-encoded. */
static void append_uri(struct buffer *out, const char *path)
{
	LOCAL_BUFFER uri = BUFFER_FOR(out), file = BUFFER_FOR(out);
	report_append_file(path, &file);
	path = buffer_text(&file);
	if (path[0] == '/')
		buffer_append_text(&uri, "file://");
	for (; *path; path++) {
		if (*path == '/')
			buffer_append_byte(&uri, '/');
		else
			url_append_encoded(&uri, *path);
	}
	json_line_bytes(out, "uri", buffer_text(&uri), uri.length);
}

/* A payload's findings that are not listed are a result too, and every result has a rule. */
static const struct finding_row unlisted_row = {
	.name = "unlisted",
	.severity = SEVERITY_WARNING,
	.summary = "a payload has more findings than are listed",
	.origin = "credhook's own limit",
};

static void append_rule(struct buffer *out, const struct finding_row *row, const char *level)
{
	json_line_begin(out);
	json_line_text(out, "id", row->name);
	append_message(out, "shortDescription", row->summary);
	append_message(out, "fullDescription", row->origin);
	/* What GitHub shows beside a result. */
	LOCAL_BUFFER text = BUFFER_FOR(out);
	buffer_printf(&text, "%s: %s. Defined by: %s.", row->name, row->summary, row->origin);
	append_message(out, "help", buffer_text(&text));
	json_line_object(out, "defaultConfiguration");
	json_line_text(out, "level", level);
	json_line_end(out);
	json_line_end(out);
}

static void begin(const char *title, struct buffer *out)
{
	(void)title;
	buffer_append_text(out, SCHEMA ",\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":");
	json_line_begin(out);
	json_line_text(out, "name", "credhook");
	json_line_text(out, "version", CREDHOOK_VERSION);
	json_line_text(out, "semanticVersion", CREDHOOK_VERSION);
	json_line_array(out, "rules");
	for (size_t i = 0; i < FINDING_ID_COUNT; i++)
		append_rule(out, &finding_rows[i], severity_name(finding_rows[i].severity));
	append_rule(out, &unlisted_row, "note");
	json_line_array_end(out);
	json_line_end(out);
	buffer_append_text(out, "},\"columnKind\":\"unicodeCodePoints\",\"results\":[\n");
}

/* One finding stays the same one when lines are put before it: a hash of the finding, its pointer and the line it is
 * in, not of the line's number. */
static uint64_t fingerprint(struct finding_walk *w)
{
	const struct payload_origin *o = w->origin;
	const struct buffer *pointer = finding_walk_pointer(w);
	const char *rule = finding_rows[w->finding->id].name;
	size_t from = w->start, to = w->start;
	while (from > 0 && w->start - from < FINGERPRINT_BYTES && o->text[from - 1] != '\n')
		from--;
	while (to < o->length && to - w->start < FINGERPRINT_BYTES && o->text[to] != '\n')
		to++;
	uint64_t hash = hash_fnv1a(HASH_FNV1A, rule, strlen(rule) + 1);
	hash = hash_fnv1a(hash, buffer_text(pointer), pointer->length);
	hash = hash_fnv1a(hash, "", 1);
	return hash_fnv1a(hash, o->text + from, to - from);
}

/* A result for the walk's finding; or, where the payload begins, one for all that are not listed. */
static void append_result(struct finding_walk *w, bool listed, struct buffer *out)
{
	LOCAL_BUFFER message = BUFFER_FOR(out), pointer = BUFFER_FOR(out);
	const struct finding *f = w->finding;
	json_line_begin(out);
	json_line_text(out, "ruleId", listed ? finding_rows[f->id].name : unlisted_row.name);
	json_line_number(out, "ruleIndex", listed ? (int64_t)f->id : FINDING_ID_COUNT);
	json_line_text(out, "level", listed ? severity_name(f->severity) : "note");
	if (listed)
		buffer_append(&message, buffer_text(&w->message), w->message.length);
	else
		finding_walk_append_unlisted(w, &message);
	if (listed && w->hint.length > 0)
		buffer_printf(&message, " (fix: %s)", buffer_text(&w->hint));
	append_message(out, "message", buffer_text(&message));
	json_line_key(out, "locations");
	buffer_append_text(out, "[{\"physicalLocation\":{\"artifactLocation\":{");
	append_uri(out, w->origin->file);
	buffer_append_byte(out, '}');
	json_line_object(out, "region");
	json_line_number(out, "startLine", (int64_t)(listed ? w->place.line : w->origin->line));
	if (listed) {
		json_line_number(out, "startColumn", (int64_t)w->place.column);
		json_line_number(out, "endLine", (int64_t)w->end.line);
		json_line_number(out, "endColumn", (int64_t)w->end.column);
	}
	json_line_end(out);
	buffer_append_byte(out, '}');
	if (listed) {
		const struct buffer *raw = finding_walk_pointer(w);
		utf8_append_safe(&pointer, buffer_text(raw), raw->length);
		buffer_append_text(out, ",\"logicalLocations\":[{");
		json_line_bytes(out, "fullyQualifiedName", buffer_text(&pointer), pointer.length);
		buffer_append_text(out, "}]}]");
		json_line_key(out, "partialFingerprints");
		buffer_printf(out, "{\"primaryLocationLineHash\":\"%016" PRIx64 ":1\"}", fingerprint(w));
	} else {
		buffer_append_text(out, "}]");
	}
	json_line_end(out);
	buffer_append_text(out, SEPARATOR);
}

static void payload(const struct report_payload *p, struct buffer *out)
{
	struct finding_walk walk;
	finding_walk_init(&walk, p->verdict, p->origin, out);
	while (finding_walk_next(&walk))
		append_result(&walk, true, out);
	if (finding_walk_unlisted(&walk) > 0)
		append_result(&walk, false, out);
	finding_walk_release(&walk);
}

static void append_notice(struct buffer *notices, const char *level, const char *message)
{
	json_line_begin(notices);
	json_line_text(notices, "level", level);
	append_message(notices, "message", message);
	json_line_end(notices);
}

/* What is wrong with an input or the run; other cases have no place in a file. */
static void add_case(const struct report_case *c, struct buffer *out, struct buffer *notices)
{
	(void)out;
	if (c->is_problem && notices->length <= NOTICES_MAX)
		append_notice(notices, "error", c->message);
}

static void end(const struct report_totals *totals, struct buffer *out)
{
	buffer_append_text(out, "\n],\"invocations\":[");
	json_line_begin(out);
	json_line_bool(out, "executionSuccessful", totals->counts.problems == 0);
	json_line_number(out, "exitCode", (int64_t)totals->exit);
	json_line_key(out, "toolExecutionNotifications");
	buffer_printf(out, "[%s", buffer_text(&totals->notices));
	char words[96];
	if (totals->notices.length > NOTICES_MAX) {
		snprintf(words, sizeof words, "%zu inputs could not be read in all; the last ones may not be listed",
		         totals->counts.problems);
		append_notice(out, "error", words);
	}
	if (totals->left_out > 0) {
		snprintf(words, sizeof words, "%zu further results are left out: code scanning takes %d of a run",
		         totals->left_out, RESULTS_MAX);
		append_notice(out, "note", words);
	}
	json_line_array_end(out);
	json_line_end(out);
	buffer_append_text(out, "]}]}\n");
}

static bool is_ours(const char *begin)
{
	return strncmp(begin, SCHEMA, strlen(SCHEMA)) == 0 && strstr(begin, "\"name\":\"credhook\"");
}

const struct report_format report_sarif = {
	.name = "sarif",
	.separator = SEPARATOR,
	.lines_max = RESULTS_MAX,
	.begin = begin,
	.payload = payload,
	.add_case = add_case,
	.end = end,
	.is_ours = is_ours,
};
