#include "base/fit.h"
#include "base/text.h"
#include "cmd/list/spool.h"
#include "cmd/show/show.h"
#include "payload/codes.h"

#include <stdlib.h>

#define VALUE_COLUMNS 40 /* of a code that a line names */

struct chosen {
	uint64_t number;
	struct distinct_taken taken_for;
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
	list->items[list->count++] = (struct chosen){ l->number, l->selection.distinct_for, l->facts.repeat };
	if (!list->own)
		return 0;
	buffer_clear(line);
	if (listing_append_record(l, line, err) < 0)
		return -1;
	return spool_add_record(list->own, &l->record, (struct text){ line->data, line->length }, err);
}

/* bureau "abc" */
static int append_code(struct listing *l, const struct catalog_field *code, struct buffer *out, struct error *err)
{
	const struct verdict *verdict = listing_check(l->checker, &l->record, err);
	const struct catalog_field *field = NULL;
	LOCAL_BUFFER value = BUFFER_FOR(out);
	uint32_t token = JSON_NONE;
	if (!verdict)
		return -1;
	for (size_t at = 0; field != code && (token = code_next(verdict, &at, &field)) != JSON_NONE;)
		;
	struct text text = json_string_text(verdict->doc, token, &value);
	buffer_printf(out, "%s \"", code->name);
	fit_append(out, text.text, text.length, VALUE_COLUMNS);
	buffer_append_byte(out, '"');
	return 0;
}

/* Makes one the notification at hand of the listing again, with all that was known of it, and lists it. */
static int append(const struct chosen_list *list, size_t at, struct listing *l, struct error *err)
{
	const struct chosen *chosen = &list->items[at];
	const struct catalog_field *code;
	LOCAL_BUFFER named = BUFFER_FOR(&l->out);
	uint64_t kept_as = list->own ? at + 1 : chosen->number;
	if (listing_take_kept(l, list->spool, kept_as, chosen->number, err) < 0)
		return -1;
	l->facts.repeat = chosen->repeat;
	l->style.alike = distinct_count(l->selection.distinct, &chosen->taken_for, &code);
	if (code && append_code(l, code, &named, err) < 0)
		return -1;
	l->style.alike_in = code ? buffer_text(&named) : NULL;
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
		const struct catalog_field *code;
		uint64_t count = distinct_count(l->selection.distinct, &list.items[i].taken_for, &code);
		most = count > most ? count : most;
	}
	l->style.alike_columns = (int)strlen(COUNT_TEXT(most)) + 1;
	for (size_t i = 0; i < list.count && answer != SELECTION_FAILED; i++)
		if (append(&list, i, l, err) < 0)
			answer = SELECTION_FAILED;
	return answer;
}
