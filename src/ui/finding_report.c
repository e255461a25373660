#include "ui/finding_report.h"

#include "base/utf8.h"
#include "ui/excerpt.h"
#include "ui/json_line.h"
#include "ui/terminal.h"

#include <string.h>

#define MARKED_BYTES 4096

/* Findings come in the order of their places, so that lines and columns are counted on from the one before. */
struct place_counter {
	const struct payload_origin *origin;
	size_t offset;
	struct json_place place;
};

static void count_to(struct place_counter *counter, size_t offset)
{
	const struct payload_origin *o = counter->origin;
	if (offset < counter->offset) {
		counter->offset = 0;
		counter->place = (struct json_place){ o->line, 1 };
	}
	struct json_place step =
	        json_place_of(o->text + counter->offset, offset - counter->offset, offset - counter->offset);
	counter->place.column = step.line > 1 ? step.column : counter->place.column + step.column - 1;
	counter->place.line += step.line - 1;
	counter->offset = offset;
}

static size_t in_text(const struct payload_origin *origin, size_t offset, bool keep)
{
	size_t at = origin->map ? origin->map(origin->map_context, offset, keep) : offset;
	return at < origin->length ? at : origin->length;
}

/* The end of what is marked; an excerpt shows no more of it than this. */
static size_t marked_end(const struct payload_origin *origin, const struct finding *f)
{
	return in_text(origin, f->end - f->start < MARKED_BYTES ? f->end : f->start + MARKED_BYTES, false);
}

static void append_hint(struct buffer *out, const char *hint, bool color)
{
	style_append(out, color, STYLE_BOLD, "  hint: ");
	utf8_append_safe(out, hint, strlen(hint));
	buffer_append_byte(out, '\n');
}

void finding_report_text(const struct verdict *verdict, const struct payload_origin *origin, bool color, int width,
                         struct buffer *out)
{
	struct place_counter counter = { origin, 0, { origin->line, 1 } };
	for (size_t i = 0; i < verdict->finding_count; i++) {
		const struct finding *f = &verdict->findings[i];
		size_t start = in_text(origin, f->start, true), end = marked_end(origin, f);
		struct buffer words = BUFFER_INIT;
		count_to(&counter, start);
		utf8_append_safe(&words, origin->file, strlen(origin->file));
		style_append(out, color, STYLE_BOLD, "%s:%zu:%zu: ", buffer_text(&words), counter.place.line,
		             counter.place.column);
		style_append(out, color, f->severity == SEVERITY_ERROR ? STYLE_ERROR : STYLE_WARNING,
		             "%s: ", severity_name(f->severity));
		utf8_append_safe(out, verdict_message(verdict, f), strlen(verdict_message(verdict, f)));
		style_append(out, color, STYLE_FAINT, " [%s]", finding_rows[f->id].name);
		buffer_append_byte(out, '\n');
		if (origin->length > 0 && f->id != FINDING_TOO_LONG)
			excerpt_append(out, origin->text, origin->length, counter.place.line, start, end, color, width);
		if (verdict_hint(verdict, f))
			append_hint(out, verdict_hint(verdict, f), color);
		buffer_release(&words);
	}
	if (verdict->unlisted > 0)
		buffer_printf(out, "%s: and %zu more findings in this payload\n", origin->file, verdict->unlisted);
}

void finding_report_json_findings(const struct verdict *verdict, const struct payload_origin *origin,
                                  struct buffer *out)
{
	struct place_counter counter = { origin, 0, { origin->line, 1 } };
	struct buffer pointer = BUFFER_INIT;
	json_line_key(out, "findings");
	buffer_append_byte(out, '[');
	for (size_t i = 0; i < verdict->finding_count; i++) {
		const struct finding *f = &verdict->findings[i];
		count_to(&counter, in_text(origin, f->start, true));
		buffer_clear(&pointer);
		verdict_append_pointer(verdict, f, &pointer);
		json_line_comma(out);
		json_line_begin(out);
		json_line_text(out, "severity", severity_name(f->severity));
		json_line_text(out, "finding", finding_rows[f->id].name);
		json_line_bytes(out, "pointer", buffer_text(&pointer), pointer.length);
		json_line_number(out, "line", (int64_t)counter.place.line);
		json_line_number(out, "column", (int64_t)counter.place.column);
		json_line_text(out, "message", verdict_message(verdict, f));
		if (verdict_hint(verdict, f))
			json_line_text(out, "hint", verdict_hint(verdict, f));
		json_line_end(out);
	}
	buffer_append_byte(out, ']');
	if (verdict->unlisted > 0)
		json_line_number(out, "unlisted", (int64_t)verdict->unlisted);
	buffer_release(&pointer);
}

void finding_report_json(const struct verdict *verdict, const struct payload_origin *origin, struct buffer *out)
{
	json_line_begin(out);
	json_line_text(out, "file", origin->file);
	json_line_number(out, "line", (int64_t)origin->line);
	if (verdict->kind.event) {
		char name[CATALOG_KIND_NAME_SIZE];
		catalog_kind_name(verdict->kind, name);
		json_line_text(out, "event", name);
	} else {
		json_line_null(out, "event");
	}
	json_line_bool(out, "valid", verdict->valid);
	finding_report_json_findings(verdict, origin, out);
	json_line_end(out);
	buffer_append_byte(out, '\n');
}
