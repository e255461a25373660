#include "capture/entries.h"

#include "base/text.h"
#include "base/utf8.h"
#include "capture/entry.h"
#include "json/elements.h"

#include <stdlib.h>
#include <string.h>

/* Memory that a longer entry needed is given back. */
#define KEPT_MAX ((size_t)2 << 20)
/* Decoded texts of an entry take at most this many times its length: a percent-encoded query three times its own, and
 * a URL or a type is read twice. */
#define TEXTS_FACTOR 4
#define TEXTS_EXTRA  1024

struct entries {
	struct source *source;
	const struct format *format;
	size_t limit;     /* of a body */
	size_t limit_all; /* of an entry */
	struct json_elements elements;
	struct capture_scratch scratch;
	struct json_doc body_doc;
	struct entry_counts counts;
	bool has_elsewhere;  /* a body that is in another file was reported, which stands for all of them */
	int64_t last_us;     /* of the last entry with a time */
	size_t line, column; /* of the first byte of the window */
	size_t taken;        /* bytes of the window that the entry handed out last still needs */
	bool is_begun;       /* a byte order mark was skipped */
	bool is_over;
};

struct entries *entries_new(struct source *source, const struct format *format, size_t limit, struct error *err)
{
	struct entries *e = calloc(1, sizeof *e);
	if (!e)
		return error_no_memory_null(err);
	e->source = source;
	e->format = format;
	e->limit = limit;
	e->limit_all = limit > (SIZE_MAX - SOURCE_RECORD_EXTRA) / 2 ? SIZE_MAX : 2 * limit + SOURCE_RECORD_EXTRA;
	e->line = e->column = 1;
	e->elements.path = format->reader->path;
	e->scratch = CAPTURE_SCRATCH_INIT;
	e->body_doc = JSON_DOC_INIT;
	return e;
}

void entries_free(struct entries *e)
{
	if (!e)
		return;
	capture_scratch_release(&e->scratch);
	json_doc_release(&e->body_doc);
	free(e);
}

const struct entry_counts *entries_counts(const struct entries *e)
{
	return &e->counts;
}

void entry_counts_append(const struct entry_counts *c, struct buffer *out)
{
	char count_of[COUNT_SIZE];
	buffer_printf(out, "%s %s: ", count_text(c->entries, count_of), c->entries == 1 ? "entry" : "entries");
	buffer_printf(out, "%s notification%s", count_text(c->notifications, count_of),
	              c->notifications == 1 ? "" : "s");
	if (c->others > 0)
		buffer_printf(out, ", %s other%s", count_text(c->others, count_of), c->others == 1 ? "" : "s");
	if (c->bad > 0)
		buffer_printf(out, ", %s not readable", count_text(c->bad, count_of));
}

/* Moves a place over the text. */
static void advance(const char *text, size_t length, size_t *line, size_t *column)
{
	const char *end = text + length;
	for (const char *lf; (lf = memchr(text, '\n', (size_t)(end - text))) != NULL; text = lf + 1) {
		++*line;
		*column = 1;
	}
	*column += utf8_count(text, (size_t)(end - text));
}

static void remove_bytes(struct entries *e, const char *window, size_t length)
{
	advance(window, length, &e->line, &e->column);
	source_take(e->source, length);
	json_elements_remove(&e->elements, length);
}

/* Begins the entry at window[start]. */
static void begin_entry(struct entries *e, const char *window, size_t start, size_t length, struct capture_item *item)
{
	*item = (struct capture_item){
		.type = CAPTURE_ITEM_RECORD,
		.line = ++e->counts.entries,
		.format = e->format,
		.source = { .text = window + start, .length = length, .line = e->line },
		.column = e->column,
		.record = { .body_token = JSON_NONE },
	};
	advance(window, start, &item->source.line, &item->column);
}

/* Reports that the text of the entry is not JSON from this offset on. */
static void fail_syntax(struct entries *e, size_t offset, const char *reason, const char *more,
                        struct capture_item *item)
{
	struct source_item *source = &item->source;
	advance(source->text, offset, &source->line, &item->column);
	source->text += offset;
	source->length -= offset;
	item->type = CAPTURE_ITEM_BAD;
	error_set(&item->problem, EXIT_CODE_FAILED, "%s%s", reason, more);
	e->counts.bad++;
}

/* Reads an entry whose text, place and number are set already. SOURCE_END: it is another request. */
static enum source_result read_entry(struct entries *e, struct capture_item *item, struct error *err)
{
	struct capture_scratch *scratch = &e->scratch;
	struct capture_record *record = &item->record;
	struct json_fault fault;
	struct entry entry = { .record = record,
		               .request = &record->request,
		               .doc = &scratch->doc,
		               .scratch = scratch,
		               .body_doc = &e->body_doc,
		               .limit = e->limit,
		               .body_size = ENTRY_SIZE_UNKNOWN,
		               .problem = &item->problem };
	size_t length = item->source.length;
	bool is_notification = true;
	if (scratch->bytes.capacity + scratch->doc.capacity * sizeof *scratch->doc.tokens > KEPT_MAX) {
		capture_scratch_release(scratch);
		json_doc_release(&e->body_doc);
	}
	capture_scratch_begin(scratch, length > SIZE_MAX / 8 ? SIZE_MAX : TEXTS_FACTOR * length + TEXTS_EXTRA);
	if (json_read(&scratch->doc, item->source.text, length, &fault)) {
		item->doc = &scratch->doc;
		e->format->reader->read(&entry);
		is_notification = entry_finish(&entry);
	} else if (json_fault_is_memory(&fault)) {
		scratch->bytes.failed = true;
	} else {
		fail_syntax(e, fault.offset, fault.reason, "", item);
		return SOURCE_ITEM;
	}
	if (scratch->bytes.failed) {
		error_no_memory(err);
		return SOURCE_ERROR;
	}
	if (entry.is_bad)
		item->type = CAPTURE_ITEM_BAD;
	e->counts.bad += entry.is_bad;
	e->counts.others += !is_notification && !entry.is_bad;
	bool is_elsewhere = entry.is_bad && entry.body_is_elsewhere;
	if ((!is_notification && !entry.is_bad) || (is_elsewhere && e->has_elsewhere))
		return SOURCE_END;
	e->has_elsewhere |= is_elsewhere;
	if (entry.is_bad)
		return SOURCE_ITEM;
	e->counts.notifications++;
	e->counts.is_disordered |= record->received_us > 0 && record->received_us < e->last_us;
	if (record->received_us > 0)
		e->last_us = record->received_us;
	return SOURCE_ITEM;
}

/* Makes one bad entry of the rest of the file, unless the whole is another file. */
static enum source_result take_broken(struct entries *e, const char *window, size_t length, struct capture_item *item,
                                      struct error *err)
{
	const struct json_elements *x = &e->elements;
	bool is_cut = x->reason == JSON_ELEMENTS_CUT;
	size_t from = is_cut ? x->keep : x->at;
	e->is_over = true;
	if (x->reason == JSON_ELEMENTS_OTHER && x->found == 0) {
		error_set(err, EXIT_CODE_IO, "cannot read '%s' as %s: %s", source_name(e->source), e->format->name,
		          x->reason);
		return SOURCE_ERROR;
	}
	begin_entry(e, window, from, length - from, item);
	fail_syntax(e, 0, is_cut ? "the file is cut off" : x->reason, is_cut ? "" : "; the rest of the file is skipped",
	            item);
	return SOURCE_ITEM;
}

enum source_result entries_next(struct entries *e, struct capture_item *item, struct error *err)
{
	struct json_elements *x = &e->elements;
	size_t wanted = e->is_begun ? 1 : 3;
	while (!e->is_over) {
		const char *window;
		size_t length;
		bool whole;
		if (e->taken > 0) { /* of the entry before, which is not needed any more */
			source_peek(e->source, 0, &window, &length, &whole, err);
			remove_bytes(e, window, e->taken);
			e->taken = 0;
		}
		enum source_result got = source_peek(e->source, wanted, &window, &length, &whole, err);
		if (got != SOURCE_ITEM)
			return got;
		if (!e->is_begun && length >= 3 && memcmp(window, "\xEF\xBB\xBF", 3) == 0) {
			source_take(e->source, 3);
			window += 3;
			length -= 3;
		}
		e->is_begun = true;
		enum json_elements_found found = json_elements_next(x, window, length, whole);
		if (found == JSON_ELEMENTS_END)
			break;
		if (found == JSON_ELEMENTS_FAULT)
			return take_broken(e, window, length, item, err);
		bool is_whole = found == JSON_ELEMENTS_ELEMENT;
		size_t from = is_whole ? x->start : x->keep, size = (is_whole ? x->end : length) - from;
		if (!is_whole && size <= e->limit_all) {
			wanted = size + 1;
			remove_bytes(e, window, x->keep);
			continue;
		}
		begin_entry(e, window, from, size, item);
		e->taken = x->at;
		if (size > e->limit_all) {
			fail_syntax(e, 0, "the entry is too long", "", item);
			x->is_element = false; /* the rest of it is not held */
			return SOURCE_ITEM;
		}
		got = read_entry(e, item, err);
		if (got != SOURCE_END)
			return got;
		wanted = 1;
	}
	e->is_over = true;
	return SOURCE_END;
}
