#include "capture/entries.h"

#include "base/text.h"
#include "base/utf8.h"
#include "capture/entry_draft.h"

#include <stdlib.h>
#include <string.h>

/* Memory that a longer entry needed is given back. */
#define KEPT_MAX ((size_t)2 << 20)

struct entries {
	struct source *source;
	const struct format_reader *reader;
	size_t limit;     /* of a body */
	size_t limit_all; /* of an entry */
	struct json_elements elements;
	struct capture_scratch scratch;
	struct json_doc body_doc;
	struct entry_counts counts;
	int64_t last_us;     /* of the last entry with a time */
	size_t line, column; /* of the first byte of the window */
	size_t taken;        /* bytes of the window that the entry handed out last still needs */
	bool is_begun;       /* a byte order mark was skipped */
	bool is_over;
};

struct entries *entries_new(struct source *source, const struct format *format, size_t limit, struct error *err)
{
	struct entries *e = calloc(1, sizeof *e);
	if (!e) {
		error_no_memory(err);
		return NULL;
	}
	e->source = source;
	e->reader = format->reader;
	e->limit = limit;
	e->limit_all = limit > (SIZE_MAX - SOURCE_RECORD_EXTRA) / 2 ? SIZE_MAX : 2 * limit + SOURCE_RECORD_EXTRA;
	e->line = e->column = 1;
	json_elements_init(&e->elements, e->reader->path);
	capture_scratch_init(&e->scratch);
	json_doc_init(&e->body_doc);
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
}

/* The text of the entry is from here on not JSON. */
static void fail_syntax(struct entry *entry, size_t offset, const char *reason, const char *more)
{
	advance(entry->text, offset, &entry->line, &entry->column);
	entry->text += offset;
	entry->length -= offset;
	entry->kind = ENTRY_BAD;
	entry->is_syntax = true;
	error_set(&entry->problem, EXIT_CODE_FAILED, "%s%s", reason, more);
}

/* Reads an entry whose text, place and number are set already. -1: out of memory. */
static int read_entry(struct entries *e, struct entry *entry, struct error *err)
{
	struct json_fault fault;
	struct entry_draft draft = {
		.entry = entry, .scratch = &e->scratch, .body_doc = &e->body_doc, .limit = e->limit
	};
	if (e->scratch.bytes.capacity + e->scratch.doc.capacity * sizeof *e->scratch.doc.tokens > KEPT_MAX) {
		capture_scratch_release(&e->scratch);
		json_doc_release(&e->body_doc);
	}
	entry_draft_begin(&draft);
	entry->doc = &e->scratch.doc;
	if (json_read(&e->scratch.doc, entry->text, entry->length, &fault)) {
		e->reader->read(&draft);
		entry_draft_finish(&draft);
	} else if (json_fault_is_memory(&fault)) {
		e->scratch.bytes.failed = true;
	} else {
		fail_syntax(entry, fault.offset, fault.reason, "");
	}
	return e->scratch.bytes.failed ? error_no_memory(err) : 0;
}

const struct entry_counts *entries_counts(const struct entries *e)
{
	return &e->counts;
}

static void count(struct entries *e, const struct entry *entry)
{
	struct entry_counts *c = &e->counts;
	int64_t us = entry->record.received_us;
	if (entry->kind == ENTRY_BAD)
		c->bad++;
	if (entry->kind == ENTRY_OTHER)
		c->others++;
	if (entry->kind != ENTRY_NOTIFICATION)
		return;
	c->notifications++;
	c->compressed += entry->compressed;
	c->is_disordered |= us > 0 && us < e->last_us;
	if (us > 0)
		e->last_us = us;
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
	if (c->compressed > 0)
		buffer_printf(out, "; %s compressed", count_text(c->compressed, count_of));
}

/* The entry begins at window[start]. */
static void begin_entry(struct entries *e, const char *window, size_t start, size_t length, struct entry *entry)
{
	*entry = (struct entry){ .number = ++e->counts.entries,
		                 .text = window + start,
		                 .length = length,
		                 .line = e->line,
		                 .column = e->column,
		                 .record = { .body_token = JSON_NONE } };
	advance(window, start, &entry->line, &entry->column);
}

/* The rest of the file is one bad entry, or the entry that is too long. */
static void take_broken(struct entries *e, const char *window, size_t length, struct entry *entry)
{
	const struct json_elements *x = &e->elements;
	if (x->reason == JSON_ELEMENTS_CUT) {
		begin_entry(e, window, x->keep, length - x->keep, entry);
		fail_syntax(entry, 0, "the file is cut off", "");
	} else {
		begin_entry(e, window, x->at, length - x->at, entry);
		fail_syntax(entry, 0, x->reason, "; the rest of the file is skipped");
	}
	e->is_over = true;
	count(e, entry);
}

static bool skip_mark(struct entries *e, const char *window, size_t length)
{
	e->is_begun = true;
	if (length < 3 || memcmp(window, "\xEF\xBB\xBF", 3) != 0)
		return false;
	source_take(e->source, 3);
	return true;
}

/* Examines the window. SOURCE_LATER: it has to be longer than `length`. */
static enum source_result examine(struct entries *e, const char *window, size_t length, bool whole, struct entry *entry,
                                  struct error *err)
{
	struct json_elements *x = &e->elements;
	switch (json_elements_next(x, window, length, whole)) {
	case JSON_ELEMENTS_ELEMENT:
		e->taken = x->at;
		begin_entry(e, window, x->start, x->end - x->start, entry);
		if (read_entry(e, entry, err) < 0)
			return SOURCE_ERROR;
		count(e, entry);
		return SOURCE_ITEM;
	case JSON_ELEMENTS_END:
		e->is_over = true;
		return SOURCE_END;
	case JSON_ELEMENTS_FAULT:
		take_broken(e, window, length, entry);
		return SOURCE_ITEM;
	case JSON_ELEMENTS_MORE:
		break;
	}
	if (length - x->keep > e->limit_all) {
		begin_entry(e, window, x->keep, length - x->keep, entry);
		fail_syntax(entry, 0, "the entry is too long", "");
		count(e, entry);
		json_elements_skip(x); /* it is not held any more */
		e->taken = x->at;
		return SOURCE_ITEM;
	}
	return SOURCE_LATER;
}

enum source_result entries_next(struct entries *e, struct entry *entry, struct error *err)
{
	size_t wanted = 1;
	while (!e->is_over) {
		const char *window;
		size_t length;
		bool whole;
		if (e->taken > 0) { /* of the entry before, which is not needed any more */
			source_peek(e->source, 0, &window, &length, &whole, err);
			remove_bytes(e, window, e->taken);
			json_elements_remove(&e->elements, e->taken);
			e->taken = 0;
		}
		enum source_result got =
		        source_peek(e->source, e->is_begun ? wanted : 3, &window, &length, &whole, err);
		if (got != SOURCE_ITEM)
			return got;
		if (!e->is_begun && skip_mark(e, window, length))
			continue;
		got = examine(e, window, length, whole, entry, err);
		if (got != SOURCE_LATER)
			return got;
		if (e->taken > 0)
			continue;
		remove_bytes(e, window, e->elements.keep);
		wanted = length - e->elements.keep + 1;
		json_elements_remove(&e->elements, e->elements.keep);
	}
	return SOURCE_END;
}
