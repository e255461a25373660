/* The documents of an input, one after the other: lines, or all of it. */
#include "capture/record.h"
#include "capture/source_internal.h"
#include "json/located.h"
#include "json/scan.h"

#include <string.h>

/* The length of the JSON white space at the start of the text. */
static size_t blank_length(const char *text, size_t length)
{
	return (size_t)(json_skip_space(text, text + length) - text);
}

bool source_is_blank(const char *text, size_t length)
{
	return blank_length(text, length) == length;
}

/* The limit of the document at `text`: a capture record contains its payload as a string, so it may be longer. */
static size_t limit_of(const struct source *s, const char *text, size_t length)
{
	if (!capture_begins_as_record(text, length))
		return s->limit;
	return s->limit > (SIZE_MAX - SOURCE_RECORD_EXTRA) / 2 ? SIZE_MAX : 2 * s->limit + SOURCE_RECORD_EXTRA;
}

/* The first LF of the window, or NULL. Sets `scanned` to it, or to the end of the window. */
static const char *scan_line(struct source *s)
{
	const char *lf = memchr(s->window + s->scanned, '\n', s->end - s->scanned);
	s->scanned = lf ? (size_t)(lf - s->window) : s->end;
	return lf;
}

/* The next line that is not blank. Of a line over the limit the rest is skipped by the next call. */
static enum source_result next_line(struct source *s, struct source_item *item, struct error *err)
{
	for (;;) {
		const char *lf = scan_line(s), *text = s->window + s->start;
		size_t line_end = lf ? 1 : 0, length = s->scanned - s->start;
		if (s->skipping) {
			s->start = s->scanned += line_end;
			if (lf || s->at_end) {
				s->skipping = false;
				s->line++;
				continue;
			}
			length = 0;
		}
		if (lf && length > 0 && lf[-1] == '\r') {
			length--;
			line_end = 2;
		}
		size_t limit = length > s->limit ? limit_of(s, text, length) : s->limit;
		/* One byte over the limit may be a CR whose LF is not read yet. */
		bool too_long = length > limit && (lf || s->at_end || length - limit > 1);
		if (!too_long && !lf && !s->at_end) {
			enum source_result result = source_fill(s, err);
			if (result != SOURCE_ITEM)
				return result;
			continue;
		}
		if (length == 0 && !lf)
			return SOURCE_END;
		*item = (struct source_item){ text, too_long ? limit : length, s->line, too_long, !lf && !too_long };
		s->start += too_long ? limit : length + line_end;
		s->scanned = s->start;
		s->skipping = too_long;
		if (too_long)
			return SOURCE_ITEM;
		s->line++;
		if (!source_is_blank(text, length))
			return SOURCE_ITEM;
		s->blank++;
	}
}

static enum source_result next_single(struct source *s, struct source_item *item, struct error *err)
{
	if (s->done)
		return SOURCE_END;
	size_t limit;
	for (;;) {
		limit = limit_of(s, s->window + s->start, s->end - s->start);
		if (s->at_end || s->end - s->start > limit)
			break;
		enum source_result result = source_fill(s, err);
		if (result != SOURCE_ITEM)
			return result;
	}
	size_t length = s->end - s->start;
	bool too_long = length > limit;
	*item = (struct source_item){ s->window + s->start, too_long ? limit : length, s->line, too_long, false };
	s->done = true;
	return SOURCE_ITEM;
}

/* Blank lines before the first that is not are harmless: JSON ignores white space. */
enum source_result source_detect(struct source *s, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	doc.stop = source_stop(s->signals);
	for (;;) {
		const char *lf = scan_line(s);
		size_t length = s->scanned - s->start;
		bool too_long = length > limit_of(s, s->window + s->start, length);
		s->blank_to += blank_length(s->window + s->blank_to, s->scanned - s->blank_to);
		bool blank = s->blank_to == s->scanned;
		if (too_long || s->at_end || (lf && !blank)) {
			struct json_fault fault = { 0 };
			bool lines =
			        too_long || (lf && !blank && json_read(&doc, s->window + s->start, length, &fault));
			if (!lines && json_fault_is_memory(&fault))
				return source_no_memory(err);
			if (!lines && json_fault_is_stopped(&fault))
				return SOURCE_INTERRUPTED;
			s->type = lines ? SOURCE_LINES : SOURCE_SINGLE;
			s->scanned = s->start;
			return SOURCE_ITEM;
		}
		if (lf) {
			s->blank_to = ++s->scanned;
			continue;
		}
		enum source_result result = source_fill(s, err);
		if (result != SOURCE_ITEM)
			return result;
	}
}

enum source_result source_next(struct source *source, struct source_item *item, struct error *err)
{
	*item = (struct source_item){ 0 };
	if (source->type == SOURCE_DETECT) {
		enum source_result result = source_detect(source, err);
		if (result != SOURCE_ITEM)
			return result;
	}
	return source->type == SOURCE_LINES ? next_line(source, item, err) : next_single(source, item, err);
}
