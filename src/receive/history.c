#include "receive/history.h"

#include <stdlib.h>
#include <string.h>

void history_entry_free(struct history_entry *entry)
{
	if (!entry)
		return;
	free(entry->message);
	free(entry->target);
	free(entry->error);
	free(entry->record);
	free(entry);
}

static bool keep_verdict(struct history_entry *e, const struct verdict *v)
{
	e->is_checked = true;
	e->kind = v->kind;
	e->valid = v->valid;
	e->findings = v->finding_count + v->unlisted;
	e->warnings = v->warnings;
	if (v->finding_count == 0)
		return true;
	e->first = v->findings[0].id;
	e->severity = v->findings[0].severity;
	e->message = strdup(verdict_message(v, &v->findings[0]));
	return e->message != NULL;
}

static bool keep_record(struct history_entry *e, const struct notification *n)
{
	struct capture_record record;
	char name[CATALOG_KIND_NAME_SIZE];
	struct buffer line = BUFFER_INIT;
	notification_record(n, name, &record);
	capture_record_append(&record, &line);
	if (line.failed) {
		buffer_release(&line);
		return false;
	}
	e->record = line.data;
	e->length = line.length;
	return true;
}

static bool keep_forwarding(struct history_entry *e, const struct notification *n)
{
	LOCAL_BUFFER error = BUFFER_INIT;
	e->is_forwarded = n->forwarded != NULL;
	e->latency_ns = n->forwarded ? n->forwarded->latency_ns : 0;
	notification_append_error(n, &error);
	e->error = strdup(buffer_text(&error));
	return e->error && !error.failed;
}

struct history_entry *history_entry_new(const struct notification *n)
{
	struct history_entry *e = calloc(1, sizeof *e);
	if (!e)
		return NULL;
	e->number = n->seq;
	e->received_us = n->received_us;
	e->status = n->status;
	e->fault = n->fault;
	e->body_length = n->request->body.length;
	e->repeat = n->repeat;
	e->target = strdup(n->request->target.text);
	if (e->target && (!n->verdict || keep_verdict(e, n->verdict)) && keep_forwarding(e, n) && keep_record(e, n))
		return e;
	history_entry_free(e);
	return NULL;
}

void history_count(struct history_counts *counts, bool is_checked, bool valid)
{
	if (!is_checked)
		counts->unchecked++;
	else if (valid)
		counts->valid++;
	else
		counts->invalid++;
}

uint64_t history_counted(const struct history_counts *counts)
{
	return counts->valid + counts->invalid + counts->unchecked;
}

void history_release(struct history *history)
{
	for (size_t i = 0; i < history->count; i++)
		history_entry_free(history->items[i]);
	history->count = history->bytes = 0;
}

static void drop_oldest(struct history *history)
{
	history->bytes -= history->items[0]->length;
	history_entry_free(history->items[0]);
	history->count--;
	memmove(history->items, history->items + 1, history->count * sizeof history->items[0]);
}

void history_add(struct history *history, struct history_entry *entry)
{
	while (history->count > 0 &&
	       (history->count == HISTORY_COUNT_MAX || history->bytes + entry->length > HISTORY_BYTES_MAX))
		drop_oldest(history);
	history->items[history->count++] = entry;
	history->bytes += entry->length;
	history_count(&history->arrived, entry->is_checked, entry->valid);
}

struct history_entry *history_find(const struct history *history, uint64_t number)
{
	for (size_t i = history->count; i > 0; i--)
		if (history->items[i - 1]->number == number)
			return history->items[i - 1];
	return NULL;
}
