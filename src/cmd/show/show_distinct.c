#include "cmd/show/show_distinct.h"

#include "base/text.h"
#include "cmd/list/spool.h"

#include <stdlib.h>

/* What the spool of those that were chosen does not know of one. */
struct chosen {
	uint64_t number;
	uint32_t shape;
	struct repeat repeat;
};

struct chosen_list {
	struct chosen *items;
	size_t count;
	size_t capacity;
	struct spool *spool; /* of their records */
};

static void release(struct chosen_list *list)
{
	free(list->items);
	spool_free(list->spool);
}

static int keep(struct chosen_list *list, struct listing *l, struct buffer *line, struct error *err)
{
	buffer_clear(line);
	if (!ARRAY_ROOM(list->items, list->capacity, list->count + 1))
		return error_no_memory(err);
	list->items[list->count++] = (struct chosen){ l->number, l->selection.distinct_for.shape, l->repeat };
	if (listing_append_record(l, line, err) < 0)
		return -1;
	return spool_add_record(list->spool, &l->record, (struct text){ line->data, line->length }, err);
}

static int append(const struct chosen_list *list, size_t at, struct listing *l, struct error *err)
{
	struct spool_facts facts;
	if (spool_read(list->spool, at + 1, &l->line, &facts, &l->kept, err) < 0 ||
	    capture_record_parse(&l->scratch, l->line.text, l->line.length, &l->record, err) < 0)
		return -1;
	l->number = list->items[at].number;
	l->repeat = list->items[at].repeat;
	l->style.alike = distinct_count(l->selection.distinct, list->items[at].shape);
	return listing_append(l, err);
}

enum selection_answer show_distinct(struct listing *l, struct error *err)
{
	LOCAL(release) struct chosen_list list = { .spool = spool_new(err) };
	LOCAL_BUFFER line = BUFFER_INIT;
	enum selection_answer answer;
	uint64_t most = 0;
	if (!list.spool)
		return SELECTION_FAILED;
	while ((answer = listing_next(l, err)) == SELECTION_YES)
		if (keep(&list, l, &line, err) < 0)
			return SELECTION_FAILED;
	for (size_t i = 0; i < list.count; i++) {
		uint64_t count = distinct_count(l->selection.distinct, list.items[i].shape);
		most = count > most ? count : most;
	}
	l->style.alike_columns = (int)strlen(COUNT_TEXT(most)) + 1;
	for (size_t i = 0; i < list.count && answer != SELECTION_FAILED; i++)
		if (append(&list, i, l, err) < 0)
			answer = SELECTION_FAILED;
	return answer;
}
