/* GitLab's Code Quality report, a JSON array: an issue per finding, and per input that cannot be read. Of issues with
 * the same fingerprint GitLab keeps one, and an issue of a merge request is new if the target branch has not its
 * fingerprint: so equal findings are numbered, and no number of a line is hashed. */
#include "base/hash.h"
#include "base/utf8.h"
#include "json/json_line.h"
#include "report/report_format.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BEGINS "{\"fingerprint\":\""
#define HASH_DIGITS 16
#define NUMBER      "-00000000"

#define SLOTS     65536 /* 1 MiB; a power of 2 */
#define SLOTS_MAX (SLOTS / 4 * 3)

/* How often each fingerprint was written so far. Those that find no slot are numbered all together. */
struct seen {
	struct slot {
		uint64_t hash;
		uint32_t count; /* 0: free */
	} slots[SLOTS];
	size_t used;
	uint32_t others;
};

static uint32_t count_of(struct seen *seen, uint64_t hash)
{
	size_t at = (size_t)hash % SLOTS;
	while (seen->slots[at].count > 0 && seen->slots[at].hash != hash)
		at = (at + 1) % SLOTS;
	struct slot *slot = &seen->slots[at];
	if (slot->count == 0 && seen->used == SLOTS_MAX)
		return UINT32_C(0x80000000) + ++seen->others;
	seen->used += slot->count == 0;
	slot->hash = hash;
	return ++slot->count;
}

static bool number_line(void **state, char *line)
{
	char number[sizeof NUMBER];
	char *hash = line + strlen(LINE_BEGINS);
	struct seen *seen = *state ? *state : calloc(1, sizeof *seen);
	*state = seen;
	if (!seen)
		return false;
	snprintf(number, sizeof number, "-%08" PRIx32, count_of(seen, strtoull(hash, NULL, 16)));
	memcpy(hash + HASH_DIGITS, number, strlen(NUMBER));
	return true;
}

static size_t begin(const char *title, struct buffer *out)
{
	(void)title;
	buffer_append_text(out, "[\n");
	return 0;
}

/* GitLab looks for the path in the repository, whose root a job starts in. */
static void append_path(struct buffer *out, const char *file)
{
	char folder[PATH_MAX];
	report_append_file(file, out);
	size_t length = file[0] == '/' && getcwd(folder, sizeof folder) ? strlen(folder) : 0;
	if (length > 1 && out->length > length + 1 && memcmp(out->data, folder, length) == 0 &&
	    out->data[length] == '/')
		buffer_consume(out, length + 1);
}

static void append_text(struct buffer *out, const char *key, const struct buffer *text)
{
	LOCAL_BUFFER safe = BUFFER_INIT;
	utf8_append_safe(&safe, buffer_text(text), text->length);
	json_line_bytes(out, key, buffer_text(&safe), safe.length);
	out->failed |= safe.failed | text->failed;
}

/* `hash`: of the issue within its file. */
static void append_issue(struct buffer *out, uint64_t hash, const char *check, const char *severity, const char *file,
                         size_t line, const struct buffer *description)
{
	LOCAL_BUFFER path = BUFFER_INIT;
	append_path(&path, file);
	hash = hash_fnv1a(hash, buffer_text(&path), path.length);
	buffer_printf(out, LINE_BEGINS "%016" PRIx64 NUMBER "\"", hash);
	json_line_text(out, "check_name", check);
	json_line_text(out, "severity", severity);
	append_text(out, "description", description);
	json_line_object(out, "location");
	append_text(out, "path", &path);
	json_line_object(out, "lines");
	json_line_number(out, "begin", (int64_t)line);
	json_line_end(out);
	json_line_end(out);
	json_line_end(out);
}

static void append_separator(struct buffer *out, size_t begun)
{
	if (out->length > begun)
		buffer_append_text(out, ",\n");
}

static void append_finding(struct finding_walk *w, struct buffer *out)
{
	const struct finding *f = w->finding;
	LOCAL_BUFFER description = BUFFER_INIT;
	buffer_append(&description, buffer_text(&w->message), w->message.length);
	if (w->hint.length > 0)
		buffer_printf(&description, " (fix: %s)", buffer_text(&w->hint));
	append_issue(out, report_fingerprint(w), finding_rows[f->id].name,
	             f->severity == SEVERITY_ERROR ? "major" : "minor", w->origin->file, w->place.line, &description);
}

/* What is said of a payload as a whole. */
static void append_remark(struct buffer *out, const struct payload_origin *o, const char *check, const char *severity,
                          const struct buffer *description)
{
	uint64_t hash = hash_fnv1a(HASH_FNV1A, check, strlen(check) + 1);
	append_issue(out, hash_fnv1a(hash, o->text, o->length), check, severity, o->file, o->line, description);
}

static void payload(const struct report_payload *p, struct buffer *out)
{
	struct finding_walk walk;
	LOCAL_BUFFER words = BUFFER_INIT;
	size_t begun = out->length;
	finding_walk_init(&walk, p->verdict, p->origin);
	while (finding_walk_next(&walk)) {
		append_separator(out, begun);
		append_finding(&walk, out);
	}
	if (p->unexpected) {
		buffer_append_text(&words, REPORT_UNEXPECTED_MESSAGE);
		append_separator(out, begun);
		append_remark(out, p->origin, REPORT_UNEXPECTED, "major", &words);
	} else if (finding_walk_append_unlisted(&walk, &words)) {
		append_separator(out, begun);
		append_remark(out, p->origin, "unlisted", "info", &words);
	}
	finding_walk_release(&walk);
}

static void problem(const char *file, const char *message, struct buffer *out, struct buffer *notices)
{
	LOCAL_BUFFER words = BUFFER_INIT;
	(void)notices;
	buffer_append_text(&words, message);
	append_issue(out, hash_fnv1a(HASH_FNV1A, message, strlen(message)), "unreadable", "blocker", file, 1, &words);
}

static void coverage(const char *event, bool covered, struct buffer *out)
{
	(void)event;
	(void)covered;
	(void)out; /* it has no place in a file */
}

static void end(const struct report_totals *totals, struct buffer *out)
{
	(void)totals;
	buffer_append_text(out, "\n]\n");
}

const struct report_format report_gitlab = {
	.name = "gitlab",
	.separator = ",\n",
	.begin = begin,
	.line = number_line,
	.payload = payload,
	.problem = problem,
	.coverage = coverage,
	.end = end,
};
