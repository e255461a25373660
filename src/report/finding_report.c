#include "report/finding_report.h"

#include "base/fit.h"
#include "base/utf8.h"
#include "json/json_line.h"
#include "report/excerpt.h"

#include <stdio.h>
#include <string.h>

#define CARET_BYTES 4096

/* Counting lines back to an earlier place costs a pass over the text: not for each of the many keys of a huge one. */
#define SMALL_TEXT ((size_t)64 << 10)

static size_t in_text(const struct payload_origin *origin, size_t offset, bool keep)
{
	size_t at = origin->map ? origin->map(origin->map_context, offset, keep) : offset;
	return at < origin->length ? at : origin->length;
}

void finding_walk_init(struct finding_walk *walk, const struct verdict *verdict, const struct payload_origin *origin,
                       struct buffer *out)
{
	*walk = (struct finding_walk){ .verdict = verdict,
		                       .origin = origin,
		                       .message = BUFFER_FOR(out),
		                       .hint = BUFFER_FOR(out),
		                       .pointer = BUFFER_FOR(out) };
	json_locator_init(&walk->locator, origin->text, origin->length);
	json_pointer_walk_init(&walk->pointers, verdict->doc);
	walk->encoded = origin->map && verdict->doc->length > 0 && verdict->finding_count > 0 &&
	                in_text(origin, verdict->doc->length, false) == in_text(origin, 0, false);
}

void finding_walk_release(struct finding_walk *walk)
{
	buffer_release(&walk->pointer);
	buffer_release(&walk->message);
	buffer_release(&walk->hint);
}

static struct json_place place_of(const struct finding_walk *walk, struct json_locator *locator, size_t offset)
{
	struct json_place place = json_locator_find(locator, offset);
	place.column += place.line == 1 ? walk->origin->column - 1 : 0;
	place.line += walk->origin->line - 1;
	return place;
}

bool finding_walk_next(struct finding_walk *walk)
{
	if (walk->at == walk->verdict->finding_count || walk->reported >= FINDING_TEXT_MAX)
		return false;
	const struct finding *f =
	        walk->errors_first ? verdict_finding(walk->verdict, walk->at) : &walk->verdict->findings[walk->at];
	walk->at++;
	size_t end = f->end - f->start < CARET_BYTES ? f->end : f->start + CARET_BYTES;
	walk->finding = f;
	walk->start = in_text(walk->origin, f->start, true);
	walk->stop = in_text(walk->origin, end, false);
	walk->place = place_of(walk, &walk->locator, walk->start);
	/* The next finding may stand before this one's end: the locator stays at the start. */
	struct json_locator onward = walk->locator;
	walk->end = place_of(walk, &onward, walk->stop);
	walk->pointed = false;
	const char *hint = verdict_hint(walk->verdict, f);
	buffer_clear(&walk->message);
	buffer_append_text(&walk->message, verdict_message(walk->verdict, f));
	if (f->earlier != FINDING_NO_PLACE && walk->origin->length <= SMALL_TEXT && !walk->encoded) {
		struct json_locator locator;
		json_locator_init(&locator, walk->origin->text, walk->origin->length);
		struct json_place earlier = place_of(walk, &locator, in_text(walk->origin, f->earlier, false));
		bool is_near = earlier.line == walk->place.line;
		buffer_printf(&walk->message, "; first at %s %zu", is_near ? "column" : "line",
		              is_near ? earlier.column : earlier.line);
	}
	buffer_clear(&walk->hint);
	buffer_append_text(&walk->hint, hint ? hint : "");
	walk->reported += walk->message.length + walk->hint.length;
	return true;
}

const struct buffer *finding_walk_pointer(struct finding_walk *walk)
{
	if (!walk->pointed) {
		buffer_clear(&walk->pointer);
		verdict_append_pointer(walk->verdict, walk->finding, &walk->pointers, &walk->pointer);
		walk->reported += walk->pointer.length;
		walk->pointed = true;
	}
	return &walk->pointer;
}

size_t finding_walk_unlisted(const struct finding_walk *walk)
{
	return walk->verdict->unlisted + walk->verdict->finding_count - walk->at;
}

bool finding_walk_append_unlisted(const struct finding_walk *walk, struct buffer *out)
{
	size_t unlisted = finding_walk_unlisted(walk);
	if (unlisted > 0)
		buffer_printf(out, "and %zu more finding%s in this payload", unlisted, unlisted == 1 ? "" : "s");
	return unlisted > 0;
}

#define FIX        "   fix: "
#define FIX_INDENT 8

/* Text from outside that begins at column `at`. */
static void append_words(struct buffer *out, const struct buffer *text, int at, int indent, int width, bool wraps)
{
	LOCAL_BUFFER safe = BUFFER_FOR(out);
	utf8_append_safe(&safe, buffer_text(text), text->length);
	if (wraps)
		fit_append_wrapped(out, buffer_text(&safe), at, indent, width);
	else
		buffer_append(out, buffer_text(&safe), safe.length);
}

static void append_place(const struct payload_origin *origin, const struct json_place *place, struct buffer *out)
{
	utf8_append_safe(out, origin->file, strlen(origin->file));
	buffer_printf(out, ":%zu:%zu: ", place->line, place->column);
}

void finding_report_one(struct finding_walk *w, bool color, int width, bool wraps, struct buffer *out)
{
	const struct finding *f = w->finding;
	const char *severity = severity_name(f->severity);
	char gutter[24];
	LOCAL_BUFFER place = BUFFER_FOR(out), words = BUFFER_FOR(out), id = BUFFER_FOR(out);
	append_place(w->origin, &w->place, &place);
	buffer_printf(&id, "[%s]", finding_rows[f->id].name);
	buffer_append(&words, buffer_text(&w->message), w->message.length);
	buffer_printf(&words, " %s", buffer_text(&id));
	style_append(out, color, STYLE_BOLD, "%s", buffer_text(&place));
	style_append(out, color, severity_style(f->severity), "%s: ", severity);
	append_words(out, &words, fit_columns(buffer_text(&place), place.length) + (int)strlen(severity) + 2, 2, width,
	             wraps);
	buffer_consume_end(out, id.length); /* it was laid out with the words, and is of another colour */
	style_append(out, color, STYLE_FAINT, "%s", buffer_text(&id));
	buffer_append_byte(out, '\n');
	snprintf(gutter, sizeof gutter, "%4zu", w->place.line);
	excerpt_append(out, w, gutter, " | ", color, width);
	if (w->encoded && !finding_rows[f->id].unquoted) {
		const struct buffer *pointer = finding_walk_pointer(w);
		buffer_printf(out, "   at byte %zu of the encoded body%s", w->finding->start,
		              pointer->length > 0 ? ": " : "");
		utf8_append_safe(out, buffer_text(pointer), pointer->length);
		buffer_append_byte(out, '\n');
	}
	if (w->hint.length > 0) {
		style_append(out, color, STYLE_BOLD, FIX);
		append_words(out, &w->hint, FIX_INDENT, FIX_INDENT, width, wraps);
		buffer_append_byte(out, '\n');
	}
}

void finding_report_place(const struct payload_origin *origin, struct buffer *out)
{
	append_place(origin, &(struct json_place){ .line = origin->line, .column = origin->column }, out);
}

void finding_report_unlisted(const struct finding_walk *walk, struct buffer *out)
{
	if (finding_walk_unlisted(walk) == 0)
		return;
	finding_report_place(walk->origin, out);
	finding_walk_append_unlisted(walk, out);
	buffer_append_byte(out, '\n');
}

void finding_report_text(const struct verdict *verdict, const struct payload_origin *origin, bool errors_only,
                         bool color, int width, struct buffer *out)
{
	struct finding_walk walk;
	finding_walk_init(&walk, verdict, origin, out);
	walk.errors_first = true;
	while (finding_walk_next(&walk))
		if (!errors_only || walk.finding->severity == SEVERITY_ERROR)
			finding_report_one(&walk, color, width, false, out);
	finding_report_unlisted(&walk, out);
	finding_walk_release(&walk);
}

void finding_report_json_findings(const struct verdict *verdict, const struct payload_origin *origin,
                                  struct buffer *out)
{
	struct finding_walk walk;
	json_line_array(out, "findings");
	finding_walk_init(&walk, verdict, origin, out);
	while (finding_walk_next(&walk)) {
		const struct finding *f = walk.finding;
		json_line_begin(out);
		json_line_text(out, "severity", severity_name(f->severity));
		json_line_text(out, "finding", finding_rows[f->id].name);
		const struct buffer *pointer = finding_walk_pointer(&walk);
		json_line_bytes(out, "pointer", buffer_text(pointer), pointer->length);
		json_line_number(out, "line", (int64_t)walk.place.line);
		json_line_number(out, "column", (int64_t)walk.place.column);
		json_line_number(out, "end_line", (int64_t)walk.end.line);
		json_line_number(out, "end_column", (int64_t)walk.end.column);
		if (walk.encoded)
			json_line_number(out, "offset", (int64_t)f->start);
		json_line_bytes(out, "message", buffer_text(&walk.message), walk.message.length);
		if (walk.hint.length > 0)
			json_line_bytes(out, "hint", buffer_text(&walk.hint), walk.hint.length);
		json_line_end(out);
	}
	json_line_array_end(out);
	size_t unlisted = finding_walk_unlisted(&walk);
	if (unlisted > 0)
		json_line_number(out, "unlisted", (int64_t)unlisted);
	finding_walk_release(&walk);
}

void finding_report_json(const struct verdict *verdict, const struct payload_origin *origin, struct buffer *out)
{
	json_line_begin(out);
	json_line_text(out, "file", origin->file);
	json_line_number(out, "line", (int64_t)origin->line);
	if (verdict->kind.event) {
		json_line_text(out, "event", KIND_NAME(verdict->kind));
	} else {
		json_line_text(out, "event", NULL);
	}
	json_line_bool(out, "valid", verdict->valid);
	finding_report_json_findings(verdict, origin, out);
	json_line_finish(out);
}
