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

/* By text, equal ones in document order. */
static int compare_keys(const void *left, const void *right, void *context)
{
	const struct json_doc *doc = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	if (!json_is_escaped(doc, a) && !json_is_escaped(doc, b)) {
		size_t a_length, b_length;
		const char *a_text = json_inside(doc, a, &a_length), *b_text = json_inside(doc, b, &b_length);
		int order = memcmp(a_text, b_text, a_length < b_length ? a_length : b_length);
		if (order == 0)
			order = (a_length > b_length) - (a_length < b_length);
		return order != 0 ? order : a < b ? -1 : 1;
	}
	struct json_unescape u, v;
	json_unescape_init(&u, doc, a);
	json_unescape_init(&v, doc, b);
	for (;;) {
		int x = json_unescape_next(&u), y = json_unescape_next(&v);
		if (x != y)
			return x < y ? -1 : 1;
		if (x < 0)
			return a < b ? -1 : 1;
	}
}

static int by_first(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;
	return a[0] < b[0] ? -1 : a[0] > b[0];
}

static bool repeated_among_many(const struct json_doc *doc, uint32_t object, size_t count,
                                void (*found)(void *context, uint32_t key, uint32_t earlier), void *context)
{
	uint32_t *keys = calloc(count, sizeof *keys), (*pairs)[2] = NULL;
	size_t filled = 0, repeated = 0, capacity = 0;
	bool complete = keys != NULL;
	for (uint32_t key = object + 1; keys && key < doc->tokens[object].next; key = next_key(doc, key))
		keys[filled++] = key;
	if (keys)
		qsort_r(keys, count, sizeof *keys, compare_keys, (void *)(uintptr_t)doc);
	for (size_t i = 1; keys && i < count; i++) {
		if (!json_strings_equal(doc, keys[i - 1], keys[i]))
			continue;
		complete = ARRAY_ROOM(pairs, capacity, repeated + 1);
		if (!complete)
			break;
		pairs[repeated][0] = keys[i];
		pairs[repeated++][1] = keys[i - 1];
	}
	if (repeated > 0)
		qsort(pairs, repeated, sizeof *pairs, by_first);
	for (size_t i = 0; complete && i < repeated; i++)
		found(context, pairs[i][0], pairs[i][1]);
	free(pairs);
	free(keys);
	return complete;
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
