#include "cmd/show/show_distinct.h"

#include "base/text.h"
#include "cmd/list/spool.h"

#include <stdlib.h>

struct chosen {
	uint64_t number;
	uint64_t kept_as; /* its number in the spool */
	uint32_t shape;
	struct repeat repeat;
};

struct chosen_list {
	struct chosen *items;
	size_t count;
	size_t capacity;
	struct spool *spool; /* of their records: the session's, */
	struct spool *own;   /* or one that is made for them */
};

static void release(struct chosen_list *list)
{
	free(list->items);
	spool_free(list->own);
}

static int keep(struct chosen_list *list, struct listing *l, struct buffer *line, struct error *err)
{
	if (!ARRAY_ROOM(list->items, list->capacity, list->count + 1))
		return error_no_memory(err);
	struct chosen *chosen = &list->items[list->count++];
	*chosen = (struct chosen){ l->number, l->number, l->selection.distinct_for.shape, l->repeat };
	if (!list->own)
		return 0;
	buffer_clear(line);
	if (listing_append_record(l, line, err) < 0 ||
	    spool_add_record(list->own, &l->record, (struct text){ line->data, line->length }, err) < 0)
		return -1;
	chosen->kept_as = list->count;
	return 0;
}

/* Makes it the one at hand of the listing again, with all that was known of it, and lists it. */
static int append(const struct chosen_list *list, const struct chosen *chosen, struct listing *l, struct error *err)
{
	if (spool_read(list->spool, chosen->kept_as, &l->line, &l->facts, &l->kept, err) < 0 ||
	    capture_record_parse(&l->scratch, l->line.text, l->line.length, &l->record, err) < 0)
		return -1;
	l->number = chosen->number;
	l->repeat = chosen->repeat;
	l->style.alike = distinct_count(l->selection.distinct, chosen->shape);
	return listing_append(l, err);
}

enum selection_answer show_distinct(struct listing *l, struct error *err)
{
	LOCAL(release) struct chosen_list list = { .spool = l->list ? l->list->spool : NULL };
	LOCAL_BUFFER line = BUFFER_INIT;
	enum selection_answer answer;
	uint64_t most = 0;
	if (!l->list && !(list.spool = list.own = spool_new(err)))
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
		if (append(&list, &list.items[i], l, err) < 0)
			answer = SELECTION_FAILED;
	return answer;
}
