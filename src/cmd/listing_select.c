/* The notifications of a list that words name. */
#include "base/text.h"
#include "cmd/listing.h"

#include <stdlib.h>
#include <string.h>

/* One of what a word names. */
struct named {
	const char *word;
	struct selection_range range; /* numbers, 0: the first of all; or if from_end, how many are behind it */
	bool from_end;
	bool is_found;
};

struct named_list {
	struct named *items;
	size_t count;
	size_t capacity;
};

/* 3, 5-7, 5-, first, last, last-1. Returns where it ends, or NULL. */
static const char *parse_one(const char *at, struct named *n)
{
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

/* Adds what the word names, with commas. False: it is not one that names. */
static bool parse_word(const char *word, struct named_list *list, struct error *err)
{
	const char *at = word;
	do {
		struct named named = { .word = word };
		at = parse_one(at, &named);
		if (!at || (*at != ',' && *at != '\0'))
			return error_set(err, EXIT_CODE_USAGE, "'%s' is not the number of a notification", word) == 0;
		if (!ARRAY_ROOM(list->items, list->capacity, list->count + 1))
			return error_no_memory(err) == 0;
		list->items[list->count++] = named;
	} while (*at++ == ',');
	return true;
}

bool listing_is_number(const char *word)
{
	struct named_list list = { .count = 0 };
	struct error ignored;
	bool is_number = parse_word(word, &list, &ignored);
	free(list.items);
	return is_number;
}

static int refuse_number(const struct listing *l, const struct named *named, struct error *err)
{
	uint64_t number = named->from_end ? 0 : named->range.first;
	const struct opened_file *file = session_list_file(l->list, number);
	if (file) {
		error_set(err, EXIT_CODE_FAILED, "'%s' no longer has #%llu where it was", file->path,
		          (unsigned long long)number);
		return error_hint(err, "'open FILE' reads it again");
	}
	if (l->list && l->list->last == 0) {
		error_set(err, EXIT_CODE_USAGE, "nothing has arrived yet");
		return error_hint(err, "'listen 8080' receives in the background, 'open FILE' takes a capture");
	}
	/* It may be in a file that cannot be opened, which is said already. */
	enum exit_code code = l->inputs.code == EXIT_CODE_IO ? EXIT_CODE_IO : EXIT_CODE_USAGE;
	if (number > 0 && number == named->range.last)
		error_set(err, code, "there is no notification '%llu'", (unsigned long long)number);
	else
		error_set(err, code, "there is no notification '%s'", named->word);
	uint64_t last = l->list ? l->list->last : l->number;
	return last == 0 ? error_hint(err, "the inputs hold none")
	                 : error_hint(err, "the last is #%llu; a list of them has their numbers",
	                              (unsigned long long)last);
}

static int add_selected(struct selected_list *list, size_t order, const struct selected_record *from, const char *word,
                        struct error *err)
{
	size_t at = list->count;
	list->bytes += from->line.length;
	if (at == SELECTED_MOST || (at > 0 && list->bytes > HISTORY_BYTES_MAX)) {
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

int listing_restore(struct listing *l, const struct selected_record *from, struct error *err)
{
	l->number = from->number;
	l->repeat = from->repeat;
	l->arrived = from->arrived;
	return capture_record_parse(&l->scratch, from->line.data, from->line.length, &l->record, err);
}

/* Reads until all are found; `ring` has the last ones. */
static int read_named(struct listing *l, struct named_list *named, struct selected_record *ring, size_t size,
                      uint64_t highest, struct selected_list *list, struct error *err)
{
	enum selection_answer answer = SELECTION_YES;
	uint64_t count = 0;
	while (l->number < highest && (answer = listing_next(l, err)) == SELECTION_YES) {
		struct selected_record *at_hand = &ring[++count % size];
		buffer_clear(&at_hand->line);
		*at_hand = (struct selected_record){ 0, l->number, at_hand->line, l->repeat, l->arrived };
		if (listing_append_record(l, &at_hand->line, err) < 0)
			return -1;
		for (size_t i = 0; i < named->count; i++) {
			struct named *n = &named->items[i];
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
	if (signals_take(l->context->signals) != 0)
		return EXIT_CODE_INTERRUPTED;
	for (size_t i = 0; i < named->count; i++) {
		struct named *n = &named->items[i];
		uint64_t back = n->range.first < count ? n->range.first : count - 1;
		for (; n->from_end && count > 0 && back < count && back >= n->range.last; back--) {
			n->is_found |= back == n->range.first;
			if (add_selected(list, i, &ring[(count - back) % size], n->word, err) < 0)
				return -1;
		}
		if (!n->is_found)
			return refuse_number(l, n, err);
	}
	return 0;
}

int listing_select(struct listing *l, const struct text_list *words, size_t tail, struct selected_list *list,
                   struct error *err)
{
	struct named_list named = { .count = 0 };
	size_t size = 1;
	uint64_t highest = 0;
	int result = 0;
	for (size_t i = 0; result == 0 && i < words->count; i++)
		result = parse_word(words->items[i], &named, err) ? 0 : -1;
	if (result == 0 && tail > 0 && (result = parse_word("last", &named, err) ? 0 : -1) == 0) {
		named.items[named.count - 1].range.first = tail - 1;
		named.items[named.count - 1].is_found = true;
	}
	l->is_read = l->list != NULL;
	for (size_t i = 0; i < named.count; i++) {
		struct named *n = &named.items[i];
		if (n->from_end && n->range.first == 0 && l->list &&
		    l->list->last > 0) /* perhaps no file need be read */
			*n = (struct named){ n->word, { l->list->last, l->list->last }, false, false };
		if (n->from_end && size <= n->range.first)
			size = (size_t)n->range.first + 1;
		uint64_t last = n->from_end ? UINT64_MAX : n->range.last > 0 ? n->range.last : 1;
		highest = highest > last ? highest : last;
		if (n->from_end || n->range.first == 0 || n->range.first < last || session_list_file(l->list, last))
			l->is_read = false;
	}
	struct selected_record *ring = calloc(size, sizeof *ring);
	if (result == 0)
		result = ring ? read_named(l, &named, ring, size, highest, list, err) : error_no_memory(err);
	for (size_t i = 0; ring && i < size; i++)
		buffer_release(&ring[i].line);
	free(ring);
	free(named.items);
	return result;
}
