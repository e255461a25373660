/* Looking things up in a document: strings, members, elements. */
#include "base/system.h"
#include "json/located.h"
#include "json/unescape.h"

#include <stdlib.h>
#include <string.h>

bool json_string_is(const struct json_doc *doc, uint32_t token, const char *text, size_t length)
{
	if (!json_is(doc, token, JSON_STRING))
		return false;
	const struct json_token *t = &doc->tokens[token];
	size_t own_length = t->end - t->start - 2;
	if (!(t->flags & JSON_ESCAPED))
		return own_length == length && (length == 0 || memcmp(doc->text + t->start + 1, text, length) == 0);
	if (own_length < length)
		return false;
	struct json_unescape u = json_unescape_begin(doc, token);
	for (size_t i = 0; i < length; i++)
		if (json_unescape_next(&u) != (unsigned char)text[i])
			return false;
	return json_unescape_next(&u) < 0;
}

bool json_unsigned(const struct json_doc *doc, uint32_t token, uint64_t most, uint64_t *number)
{
	*number = 0;
	if (!json_is(doc, token, JSON_NUMBER))
		return false;
	for (uint32_t i = doc->tokens[token].start; i < doc->tokens[token].end; i++) {
		uint64_t digit = (uint64_t)(doc->text[i] - '0');
		if (digit > 9 || digit > most || *number > (most - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	return true;
}

/* The next key of the same object, or the end of the object. */
static uint32_t next_key(const struct json_doc *doc, uint32_t key)
{
	return doc->tokens[key + 1].next;
}

uint32_t json_member(const struct json_doc *doc, uint32_t object, const char *key, size_t key_length)
{
	if (!json_is(doc, object, JSON_OBJECT))
		return JSON_NONE;
	uint32_t found = JSON_NONE;
	for (uint32_t at = object + 1; at < doc->tokens[object].next; at = next_key(doc, at))
		if (json_string_is(doc, at, key, key_length))
			found = at + 1;
	return found;
}

uint32_t json_element(const struct json_doc *doc, uint32_t array, size_t index)
{
	if (!json_is(doc, array, JSON_ARRAY))
		return JSON_NONE;
	uint32_t end = doc->tokens[array].next, at = array + 1;
	for (; at < end && index > 0; index--)
		at = doc->tokens[at].next;
	return at < end ? at : JSON_NONE;
}

/* Makes a pair for each key of an object in document order, with the key on that side and nothing on the other, as many
 * as there is room for. Returns how many there are. */
static size_t pair_keys(const struct json_doc *doc, uint32_t object, uint32_t side, struct json_pair *pairs,
                        size_t room)
{
	size_t count = 0;
	if (!json_is(doc, object, JSON_OBJECT))
		return 0;
	for (uint32_t key = object + 1; key < doc->tokens[object].next; key = next_key(doc, key), count++) {
		if (count >= room)
			continue;
		pairs[count].keys[side] = key;
		pairs[count].keys[!side] = JSON_NONE;
	}
	return count;
}

/* Which object a pair that is not yet joined is of. */
static uint32_t side_of(const struct json_pair *pair)
{
	return pair->keys[0] == JSON_NONE;
}

/* The order of two pairs, neither of them joined, by the text of their keys, escapes resolved. */
static int compare_pairs(const struct json_pair *a, const struct json_pair *b, const struct json_doc *const docs[2])
{
	uint32_t i = side_of(a), j = side_of(b);
	struct json_unescape u = json_unescape_begin(docs[i], a->keys[i]), v = json_unescape_begin(docs[j], b->keys[j]);
	for (;;) {
		int x = json_unescape_next(&u), y = json_unescape_next(&v);
		if (x != y || x < 0)
			return x - y;
	}
}

static int by_place(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;
	size_t i = a[0] == b[0];
	return a[i] < b[i] ? -1 : a[i] > b[i];
}

/* Equal ones in document order. */
static int by_text(const void *left, const void *right, void *context)
{
	int order = compare_pairs(left, right, context);
	return order != 0 ? order : by_place(left, right);
}

#define SORTED_AT_ONCE 65536 /* pairs, between two questions whether to stop */

/* Merges the sorted runs `a` and `b`, which are neighbours. False: stopped. */
static bool merge_runs(const struct json_pair *a, const struct json_pair *b, const struct json_pair *end,
                       struct json_pair *out, const struct json_doc *const docs[2])
{
	const struct json_pair *middle = b;
	for (size_t i = 1; a < middle || b < end; i++) {
		bool is_first = b == end || (a < middle && by_text(a, b, (void *)(uintptr_t)docs) <= 0);
		*out++ = is_first ? *a++ : *b++;
		if (i % SORTED_AT_ONCE == 0 && json_is_stopped(docs[0]))
			return false;
	}
	return true;
}

/* Sorts by text. `spare`: room for as many where they are more than SORTED_AT_ONCE, which then may hold the result.
 * NULL: stopped, as the first document says. */
static struct json_pair *sort_pairs(struct json_pair *pairs, struct json_pair *spare, size_t count,
                                    const struct json_doc *const docs[2])
{
	for (size_t at = 0, run; at < count; at += run) {
		run = count - at < SORTED_AT_ONCE ? count - at : SORTED_AT_ONCE;
		system_sort(pairs + at, run, sizeof *pairs, by_text, (void *)(uintptr_t)docs);
		if (count > SORTED_AT_ONCE && json_is_stopped(docs[0]))
			return NULL;
	}
	for (size_t run = SORTED_AT_ONCE; run < count; run *= 2) {
		for (size_t at = 0; at < count; at += 2 * run) {
			size_t middle = count - at < run ? count : at + run;
			size_t end = count - middle < run ? count : middle + run;
			if (!merge_runs(pairs + at, pairs + middle, pairs + end, spare + at, docs))
				return NULL;
		}
		struct json_pair *merged = spare;
		spare = pairs;
		pairs = merged;
	}
	return pairs;
}

bool json_repeated_keys(const struct json_doc *doc, uint32_t object,
                        void (*found)(void *context, uint32_t key, uint32_t earlier), void *context)
{
	enum { FEW = 64 };
	const struct json_doc *docs[2] = { doc, doc };
	struct json_pair few[FEW], *pairs = few, *many = NULL;
	size_t count = pair_keys(doc, object, 0, few, FEW), repeated = 0;
	if (count > FEW) {
		pairs = many = calloc(count > SORTED_AT_ONCE ? 2 * count : count, sizeof *many);
		if (!many)
			return false;
		pair_keys(doc, object, 0, many, count);
	}
	pairs = sort_pairs(pairs, pairs + count, count, docs);
	count = pairs ? count : 0;
	/* What is left are those that have an equal one before them, with that. */
	for (size_t i = 1; i < count; i++)
		if (compare_pairs(&pairs[i - 1], &pairs[i], docs) == 0)
			pairs[repeated++] = (struct json_pair){ { pairs[i].keys[0], pairs[i - 1].keys[0] } };
	if (repeated > 1)
		qsort(pairs, repeated, sizeof *pairs, by_place);
	for (size_t i = 0; i < repeated; i++)
		found(context, pairs[i].keys[0], pairs[i].keys[1]);
	free(many);
	return true;
}

struct json_pair *json_pair_members(const struct json_doc *const docs[2], const uint32_t objects[2], size_t *count)
{
	size_t first = pair_keys(docs[0], objects[0], 0, NULL, 0), second = pair_keys(docs[1], objects[1], 1, NULL, 0);
	size_t all = first + second, joined = 0;
	struct json_pair *pairs = calloc(all + 1, sizeof *pairs);
	if (!pairs)
		return NULL;
	pair_keys(docs[0], objects[0], 0, pairs, first);
	pair_keys(docs[1], objects[1], 1, pairs + first, second);
	system_sort(pairs, all, sizeof *pairs, by_text, (void *)(uintptr_t)docs);
	for (size_t i = 0; i < all; i++) {
		struct json_pair one = pairs[i];
		if (joined == 0 || compare_pairs(&pairs[joined - 1], &one, docs) != 0)
			pairs[joined++] = one;
		else
			pairs[joined - 1].keys[side_of(&one)] = one.keys[side_of(&one)];
	}
	qsort(pairs, joined, sizeof *pairs, by_place);
	*count = joined;
	return pairs;
}
