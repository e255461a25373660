#include "capture/entry_window.h"

#include <stdlib.h>
#include <string.h>

struct held {
	char *text; /* owned */
	size_t length, line, column;
	uint64_t offset, number, pair;
	int64_t time_us;
	int status;
};

struct entry_window {
	struct held held[ENTRY_WINDOW];
	size_t count;
	size_t bytes;
	char *text; /* of the entry that was handed out last; owned */
	bool is_over;
	struct error problem; /* with what follows the entries held; code 0: none */
};

struct entry_window *entry_window_new(struct error *err)
{
	struct entry_window *w = calloc(1, sizeof *w);
	if (!w)
		error_no_memory(err);
	return w;
}

void entry_window_free(struct entry_window *w)
{
	for (size_t i = 0; w && i < w->count; i++)
		free(w->held[i].text);
	if (w)
		free(w->text);
	free(w);
}

static void pair_response(struct entry_window *w, const struct entry *response)
{
	for (size_t i = w->count; i > 0; i--) {
		struct held *h = &w->held[i - 1];
		if (h->pair != response->pair)
			continue;
		h->status = response->record.status ? response->record.status : h->status;
		return;
	}
}

static int hold(struct entry_window *w, const struct entry *entry, struct error *err)
{
	char *text = malloc(entry->length + 1);
	if (!text)
		return error_no_memory(err);
	memcpy(text, entry->text, entry->length);
	w->held[w->count++] = (struct held){ .text = text,
		                             .length = entry->length,
		                             .line = entry->line,
		                             .column = entry->column,
		                             .offset = entry->offset,
		                             .number = entry->number,
		                             .pair = entry->pair,
		                             .time_us = entry->record.received_us };
	w->bytes += entry->length;
	return 0;
}

static bool is_before(const struct held *a, const struct held *b)
{
	return a->time_us != b->time_us ? a->time_us < b->time_us : a->number < b->number;
}

static enum source_result release_earliest(struct entry_window *w, struct entries *entries, struct entry *entry,
                                           struct error *err)
{
	size_t best = 0;
	if (w->count == 0) {
		*err = w->problem;
		return err->code == EXIT_CODE_OK ? SOURCE_END : SOURCE_ERROR;
	}
	for (size_t i = 1; i < w->count; i++)
		if (is_before(&w->held[i], &w->held[best]))
			best = i;
	struct held h = w->held[best];
	memmove(&w->held[best], &w->held[best + 1], (w->count - best - 1) * sizeof h);
	w->count--;
	w->bytes -= h.length;
	free(w->text);
	w->text = h.text;
	*entry = (struct entry){ .number = h.number,
		                 .text = h.text,
		                 .length = h.length,
		                 .line = h.line,
		                 .column = h.column,
		                 .offset = h.offset };
	if (entries_read(entries, entry, err) < 0)
		return SOURCE_ERROR;
	entry->record.status = h.status;
	return SOURCE_ITEM;
}

enum source_result entry_window_next(struct entry_window *w, struct entries *entries, struct entry *entry,
                                     struct error *err)
{
	while (!w->is_over && w->count < ENTRY_WINDOW && (w->count == 0 || w->bytes < ENTRY_WINDOW_BYTES)) {
		enum source_result got = entries_next(entries, entry, err);
		if (got == SOURCE_ERROR)
			w->problem = *err;
		if (got == SOURCE_END || got == SOURCE_ERROR)
			w->is_over = true;
		else if (got != SOURCE_ITEM || entry->kind == ENTRY_BAD)
			return got;
		else if (entry->kind == ENTRY_RESPONSE)
			pair_response(w, entry);
		else if (entry->kind == ENTRY_NOTIFICATION && hold(w, entry, err) < 0)
			return SOURCE_ERROR;
	}
	return release_earliest(w, entries, entry, err);
}
