#include "receive/history.h"

#include <stdlib.h>
#include <string.h>

static void entry_free(struct history_entry *entry)
{
	free(entry->record);
	free(entry);
}

static struct history_entry *entry_new(const struct notification *n)
{
	char name[CATALOG_KIND_NAME_SIZE];
	struct capture_record record;
	struct buffer all = BUFFER_INIT;
	LOCAL_BUFFER error = BUFFER_FOR(&all);
	struct history_entry *e = calloc(1, sizeof *e);
	if (!e)
		return NULL;
	e->arrival = notification_arrival(n, &error);
	notification_record(n, name, &record);
	capture_record_append(&record, &all);
	e->length = all.length;
	const char **texts[] = { &e->arrival.method, &e->arrival.target, &e->arrival.error };
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (*texts[i])
			buffer_append(&all, *texts[i], strlen(*texts[i]) + 1);
	e->record = all.data;
	const char *at = buffer_text(&all) + e->length;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0] && !all.failed; i++)
		if (*texts[i]) {
			*texts[i] = at;
			at += strlen(at) + 1;
		}
	if (!all.failed)
		return e;
	entry_free(e);
	return NULL;
}

uint64_t history_counted(const struct history_counts *counts)
{
	return counts->valid + counts->invalid + counts->unchecked;
}

void history_count(struct history_counts *counts, const struct verdict *verdict)
{
	*(!verdict ? &counts->unchecked : verdict->valid ? &counts->valid : &counts->invalid) += 1;
}

void history_release(struct history *history)
{
	for (size_t i = 0; i < history->count; i++)
		entry_free(history->items[i]);
	history->count = history->bytes = 0;
}

void history_add(struct history *history, struct history_entry *entry)
{
	while (history->count > 0 &&
	       (history->count == HISTORY_COUNT_MAX || history->bytes + entry->length > HISTORY_BYTES_MAX)) {
		history->bytes -= history->items[0]->length;
		entry_free(history->items[0]);
		history->count--;
		memmove(history->items, history->items + 1, history->count * sizeof history->items[0]);
	}
	history->items[history->count++] = entry;
	history->bytes += entry->length;
}

void history_note(struct history *history, const struct notification *n)
{
	struct history_entry *entry = entry_new(n);
	history_count(&history->arrived, n->verdict);
	if (entry)
		history_add(history, entry);
}

void history_move(struct history *from, struct history *to)
{
	for (size_t i = 0; i < from->count; i++)
		history_add(to, from->items[i]);
	to->arrived.unchecked += from->arrived.unchecked;
	to->arrived.valid += from->arrived.valid;
	to->arrived.invalid += from->arrived.invalid;
	*from = (struct history){ .count = 0 };
}

struct history_entry *history_find(const struct history *history, size_t count, uint64_t seq)
{
	for (size_t i = count; i > 0; i--)
		if (history->items[i - 1]->seq == seq)
			return history->items[i - 1];
	return NULL;
}
