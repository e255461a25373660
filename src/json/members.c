#include "json/located.h"
#include "json/unescape.h"

#include <stdlib.h>
#include <string.h>

static bool is_container(const struct json_doc *doc, uint32_t token, enum json_token_type type)
{
	return token < doc->count && doc->tokens[token].type == type;
}

/* The next key of the same object, or the end of the object. */
static uint32_t next_key(const struct json_doc *doc, uint32_t key)
{
	return doc->tokens[key + 1].next;
}

uint32_t json_member(const struct json_doc *doc, uint32_t object, const char *key, size_t key_length)
{
	if (!is_container(doc, object, JSON_OBJECT))
		return JSON_NONE;
	uint32_t found = JSON_NONE;
	for (uint32_t at = object + 1; at < doc->tokens[object].next; at = next_key(doc, at))
		if (json_string_is(doc, at, key, key_length))
			found = at + 1;
	return found;
}

uint32_t json_element(const struct json_doc *doc, uint32_t array, size_t index)
{
	if (!is_container(doc, array, JSON_ARRAY))
		return JSON_NONE;
	uint32_t end = doc->tokens[array].next, at = array + 1;
	for (; at < end && index > 0; index--)
		at = doc->tokens[at].next;
	return at < end ? at : JSON_NONE;
}

/* One of 64 bits, the same for equal keys without escapes: a small Bloom filter. */
static uint64_t key_bit(const struct json_doc *doc, uint32_t key)
{
	const struct json_token *t = &doc->tokens[key];
	unsigned first = (unsigned char)doc->text[t->start + 1], last = (unsigned char)doc->text[t->end - 2];
	return 1ull << ((first * 5 + last * 11 + (t->end - t->start) * 23) % 64);
}

#define FEW 16

/* Compares a key with those before it only if its bit was seen, or if it has escapes. */
static void repeated_among_few(const struct json_doc *doc, const uint32_t *keys, size_t count,
                               void (*found)(void *context, uint32_t key, uint32_t earlier), void *context)
{
	uint64_t seen = 0;
	for (size_t i = 0; i < count; i++) {
		bool escaped = json_is_escaped(doc, keys[i]);
		uint64_t bit = escaped ? UINT64_MAX : key_bit(doc, keys[i]);
		for (size_t j = (seen & bit) != 0 ? i : 0; j > 0; j--) {
			if (json_strings_equal(doc, keys[j - 1], keys[i])) {
				found(context, keys[i], keys[j - 1]);
				break;
			}
		}
		seen |= bit;
	}
}

static int compare_keys(const struct json_doc *doc, uint32_t a, uint32_t b)
{
	if (json_is_escaped(doc, a) || json_is_escaped(doc, b)) {
		struct json_unescape left, right;
		json_unescape_init(&left, doc, a);
		json_unescape_init(&right, doc, b);
		for (;;) {
			int x = json_unescape_next(&left), y = json_unescape_next(&right);
			if (x != y)
				return x < y ? -1 : 1;
			if (x < 0)
				return 0;
		}
	}
	size_t a_length, b_length;
	const char *a_text = json_inside(doc, a, &a_length), *b_text = json_inside(doc, b, &b_length);
	int order = memcmp(a_text, b_text, a_length < b_length ? a_length : b_length);
	return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

/* Merges the sorted runs [from, middle) and [middle, to) of `order` into `merged`. */
static void merge(const struct json_doc *doc, const uint32_t *keys, const uint32_t *order, size_t from, size_t middle,
                  size_t to, uint32_t *merged)
{
	size_t left = from, right = middle;
	for (size_t i = from; i < to; i++) {
		bool take_left =
		        right == to || (left < middle && compare_keys(doc, keys[order[left]], keys[order[right]]) <= 0);
		merged[i] = take_left ? order[left++] : order[right++];
	}
}

/* Sorts the indices 0 to count - 1 by their keys with a merge sort. qsort() guarantees neither stability nor a worst
 * case. */
static void sort_places(const struct json_doc *doc, const uint32_t *keys, size_t count, uint32_t **order,
                        uint32_t **spare)
{
	for (size_t i = 0; i < count; i++)
		(*order)[i] = (uint32_t)i;
	for (size_t width = 1; width < count; width *= 2) {
		for (size_t from = 0; from < count; from += 2 * width) {
			size_t middle = from + width < count ? from + width : count;
			size_t to = from + 2 * width < count ? from + 2 * width : count;
			merge(doc, keys, *order, from, middle, to, *spare);
		}
		uint32_t *sorted = *spare;
		*spare = *order;
		*order = sorted;
	}
}

static bool repeated_among_many(const struct json_doc *doc, uint32_t object, size_t count,
                                void (*found)(void *context, uint32_t key, uint32_t earlier), void *context)
{
	uint32_t *room = calloc(count, 3 * sizeof *room);
	if (!room)
		return false;
	uint32_t *keys = room, *order = room + count, *earlier = room + 2 * count;
	size_t filled = 0;
	for (uint32_t key = object + 1; key < doc->tokens[object].next; key = next_key(doc, key))
		keys[filled++] = key;
	sort_places(doc, keys, count, &order, &earlier);
	earlier[order[0]] = JSON_NONE;
	for (size_t i = 1; i < count; i++) {
		uint32_t before = keys[order[i - 1]];
		earlier[order[i]] = json_strings_equal(doc, before, keys[order[i]]) ? before : JSON_NONE;
	}
	for (size_t i = 0; i < count; i++)
		if (earlier[i] != JSON_NONE)
			found(context, keys[i], earlier[i]);
	free(room);
	return true;
}

bool json_repeated_keys(const struct json_doc *doc, uint32_t object,
                        void (*found)(void *context, uint32_t key, uint32_t earlier), void *context)
{
	if (!is_container(doc, object, JSON_OBJECT))
		return true;
	uint32_t few[FEW];
	size_t count = 0;
	for (uint32_t key = object + 1; key < doc->tokens[object].next; key = next_key(doc, key)) {
		if (count < FEW)
			few[count] = key;
		count++;
	}
	if (count > FEW)
		return repeated_among_many(doc, object, count, found, context);
	repeated_among_few(doc, few, count, found, context);
	return true;
}
