/* The notifications of a list that words name. */
#include "base/text.h"
#include "cmd/list/listing.h"
#include "cmd/words/notes.h"

#include <stdlib.h>
#include <string.h>

/* One of what a word names. */
struct named {
	const char *word;
	struct selection_range range; /* numbers, 0: the first of all; or if from_end, how many are behind it */
	bool from_end;
	bool is_found;
};

/* From a number to the end: first-last, 5-last. Where it ends, or NULL. */
static const char *parse_to_last(const char *at, struct named *n)
{
	n->range = (struct selection_range){ 1, UINT64_MAX };
	at += *at == '#';
	at = strncmp(at, "first", 5) == 0 ? at + 5 : selection_read_number(at, &n->range.first);
	size_t sign = at ? range_sign_length(at, strlen(at)) : 0;
	if (sign == 0 || n->range.first == 0)
		return NULL;
	at += sign;
	at += *at == '#';
	return strncmp(at, "last", 4) == 0 ? at + 4 : NULL;
}

/* 3, 5-7, 5-, first, last, last-1, each also behind a '#'. Returns where it ends, or NULL. */
static const char *parse_one(const char *at, struct named *n)
{
	const char *end = parse_to_last(at, n);
	if (end)
		return end;
	n->range = (struct selection_range){ 0, 0 };
	at += *at == '#' && strspn(at + 1, "0123456789") == 0;
	if (strncmp(at, "first", 5) == 0)
		return at + 5;
	n->from_end = strncmp(at, "last", 4) == 0;
	if (!n->from_end)
		return selection_read_range(at, &n->range);
	at += 4;
	if (*at == '-')
		at = selection_read_number(at + 1, &n->range.first);
	n->range.last = n->range.first;
	return n->range.first < SELECTED_MOST ? at : NULL;
}

/* `ended`: how the reading of the list ended; SELECTION_YES: before it was all read. */
static int refuse_number(const struct listing *l, const struct named *named, enum selection_answer ended,
                         struct error *err)
{
	uint64_t number = named->from_end ? 0 : named->range.first;
	bool is_part = ended == SELECTION_ENOUGH || l->selection.taken < l->count;
	uint64_t last = l->list ? spool_count(l->list->spool) : ended == SELECTION_NO ? l->number : 0;
	if (l->list && last == 0) {
		error_set(err, EXIT_CODE_USAGE, "nothing has arrived yet");
		return error_hint(err, "'listen 8080' receives in the background, 'open FILE' takes a capture");
	}
	/* It may be in a file that cannot be opened, which is said already. */
	enum exit_code code = l->inputs.code == EXIT_CODE_IO ? EXIT_CODE_IO : EXIT_CODE_USAGE;
	const char *among = is_part ? " among those selected" : "";
	if (number > 0 && number == named->range.last)
		error_set(err, code, "there is no notification '%llu'%s", (unsigned long long)number, among);
	else
		error_set(err, code, "there is no notification '%s'%s", named->word, among);
	if (is_part || (last == 0 && l->count > 0))
		return error_hint(err, "a list of them has their numbers");
	return last == 0 ? error_hint(err, "the inputs hold none")
	                 : error_hint(err, "the last is #%llu; a list of them has their numbers",
	                              (unsigned long long)last);
}

static int add_selected(struct selected_list *list, size_t order, const struct selected_record *from, const char *word,
                        struct error *err)
{
	size_t at = list->count;
	list->bytes += from->line.length;
	if (at == SELECTED_MOST || (at > 0 && list->bytes > SELECTED_BYTES_MOST)) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is more than is shown in full", word);
		return error_hint(err, "-v --record %s lists them with bodies", word);
	}
	if (!ARRAY_ROOM(list->items, list->capacity, at + 1))
		return error_no_memory(err);
	for (list->count++; at > 0 && list->items[at - 1].order > order; at--)
		list->items[at] = list->items[at - 1];
	struct selected_record *to = &list->items[at];
	*to = *from;
	to->order = order;
	to->line = (struct buffer)BUFFER_INIT;
	buffer_append(&to->line, from->line.data, from->line.length);
	return to->line.failed ? error_no_memory(err) : 0;
}

void listing_release_selected(struct selected_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		buffer_release(&list->items[i].line);
	free(list->items);
}

struct search {
	struct named *named;
	size_t count;
	uint64_t highest;             /* number */
	struct selected_record *ring; /* the last ones */
	size_t size;
};

/* Reads the words, and what of the list they need. */
static int init_search(struct search *s, struct listing *l, const struct text_list *words, size_t tail,
                       struct error *err)
{
	size_t most = 1;
	for (size_t i = 0; i < words->count; i++)
		most += strlen(words->items[i]);
	*s = (struct search){ .named = calloc(most, sizeof *s->named), .size = tail > 0 ? tail : 1 };
	if (!s->named)
		return error_no_memory(err);
	for (size_t i = 0; i < words->count; i++) {
		const char *at = words->items[i];
		do {
			s->named[s->count].word = words->items[i];
			at = parse_one(at, &s->named[s->count++]);
		} while (at && *at == ',' && at++);
		if (!at || *at != '\0') {
			error_set(err, EXIT_CODE_USAGE, "'%s' is not the number of a notification, nor a range",
			          words->items[i]);
			return error_hint(err, "write 3, 5-7, 5-, 5,9, first, last or last-1%s",
			                  l->list ? "" : "; a file of that name has ./ before it");
		}
	}
	if (tail > 0)
		s->named[s->count++] = (struct named){ "", { tail - 1, 0 }, true, true };
	for (size_t i = 0; i < s->count; i++) {
		struct named *n = &s->named[i];
		uint64_t last = n->from_end ? UINT64_MAX : n->range.last > 0 ? n->range.last : 1;
		s->highest = s->highest > last ? s->highest : last;
		if (n->from_end && s->size <= n->range.first)
			s->size = (size_t)n->range.first + 1;
	}
	s->ring = calloc(s->size, sizeof *s->ring);
	return s->ring ? 0 : error_no_memory(err);
}

/* Reads until all are found. */
static int search(struct search *s, struct listing *l, struct selected_list *list, struct error *err)
{
	enum selection_answer answer = SELECTION_YES;
	uint64_t count = 0;
	while (l->number < s->highest && (answer = listing_next(l, err)) == SELECTION_YES) {
		struct selected_record *at_hand = &s->ring[++count % s->size];
		buffer_clear(&at_hand->line);
		*at_hand = (struct selected_record){ 0, l->number, at_hand->line, l->facts.repeat };
		if (!l->list && listing_append_record(l, &at_hand->line, err) < 0)
			return -1;
		for (size_t i = 0; i < s->count; i++) {
			struct named *n = &s->named[i];
			uint64_t place = n->range.last == 0 ? count - 1 : l->number;
			if (n->from_end || place < n->range.first || place > n->range.last)
				continue;
			n->is_found = true;
			if (add_selected(list, i, at_hand, n->word, err) < 0)
				return -1;
		}
	}
	if (answer == SELECTION_FAILED)
		return -1;
	if (signals_take(l->context->signals) != 0) {
		interrupted_after(l->context->terminal, l->count, "record", NULL);
		return EXIT_CODE_INTERRUPTED;
	}
	for (size_t i = 0; i < s->count; i++) {
		struct named *n = &s->named[i];
		uint64_t back = n->range.first < count ? n->range.first : count - 1;
		for (; n->from_end && back < count && back >= n->range.last; back--) {
			n->is_found = true;
			if (add_selected(list, i, &s->ring[(count - back) % s->size], n->word, err) < 0)
				return -1;
		}
		if (!n->is_found)
			return refuse_number(l, n, answer, err);
	}
	return 0;
}

/* The same of a session's list of which all are chosen: its numbers have no gaps, so none has to be read. */
static int count_numbers(struct search *s, struct listing *l, struct selected_list *list, struct error *err)
{
	uint64_t all = spool_count(l->list->spool);
	l->count = l->selection.taken = all;
	for (size_t i = 0; i < s->count; i++) {
		struct named *n = &s->named[i];
		struct selection_range r = n->range;
		if (r.last == 0 && !n->from_end)
			r = (struct selection_range){ 1, 1 };
		else if (n->from_end)
			r = (struct selection_range){ r.first < all ? all - r.first
				                      : n->is_found ? 1
				                                    : 0,
				                      r.last < all ? all - r.last : 0 };
		for (uint64_t number = r.first; number > 0 && number <= r.last && number <= all; number++) {
			const struct selected_record one = { .number = number, .line = BUFFER_INIT };
			n->is_found = true;
			if (add_selected(list, i, &one, n->word, err) < 0)
				return -1;
		}
		if (!n->is_found)
			return refuse_number(l, n, SELECTION_NO, err);
	}
	return 0;
}

/* The next of those that were named. */
static int next_selected(struct listing *l, struct error *err)
{
	if (l->selected_at == l->selected->count)
		return 0;
	const struct selected_record *next = &l->selected->items[l->selected_at++];
	if (l->list)
		return listing_take_kept(l, l->list->spool, next->number, next->number, err) < 0 ? -1 : 1;
	l->number = next->number;
	l->facts = (struct spool_facts){ .repeat = next->repeat, .error = "" };
	if (listing_take_line(l, (struct text){ buffer_text(&next->line), next->line.length }, err) < 0)
		return -1;
	l->record.seq = l->number;
	return 1;
}

int listing_select(struct listing *l, const struct text_list *words, size_t tail, struct selected_list *list,
                   struct error *err)
{
	struct search s;
	int result = init_search(&s, l, words, tail, err);
	if (result == 0)
		result = l->list && selection_is_all(l->selection.options) ? count_numbers(&s, l, list, err)
		                                                           : search(&s, l, list, err);
	for (size_t i = 0; s.ring && i < s.size; i++)
		buffer_release(&s.ring[i].line);
	free(s.ring);
	free(s.named);
	l->selected = list;
	l->next = next_selected;
	return result;
}
