#include "json/located.h"
#include "json/unescape.h"

#include <stdlib.h>
#include <string.h>

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

/* The keys of an object in document order, as many as there is room for; returns how many there are. */
static size_t list_keys(const struct json_doc *doc, uint32_t object, uint32_t *keys, size_t room)
{
	size_t count = 0;
	if (!json_is(doc, object, JSON_OBJECT))
		return 0;
	for (uint32_t key = object + 1; key < doc->tokens[object].next; key = next_key(doc, key), count++)
		if (count < room)
			keys[count] = key;
	return count;
}

uint32_t *json_keys(const struct json_doc *doc, uint32_t object, size_t *count)
{
	*count = list_keys(doc, object, NULL, 0);
	uint32_t *keys = calloc(*count + 1, sizeof *keys);
	if (keys)
		list_keys(doc, object, keys, *count);
	return keys;
}

/* The order of two keys by their text, escapes resolved. */
static int compare_keys(const struct json_doc *doc, uint32_t a, const struct json_doc *other, uint32_t b)
{
	struct json_unescape u, v;
	json_unescape_init(&u, doc, a);
	json_unescape_init(&v, other, b);
	for (;;) {
		int x = json_unescape_next(&u), y = json_unescape_next(&v);
		if (x != y || x < 0)
			return x - y;
	}
}

/* Equal ones in document order. */
static int by_text(const void *left, const void *right, void *context)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = compare_keys(context, a, context, b);
	return order != 0 ? order : a < b ? -1 : 1;
}

static int by_place(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;
	size_t i = a[0] == b[0];
	return a[i] < b[i] ? -1 : a[i] > b[i];
}

bool json_repeated_keys(const struct json_doc *doc, uint32_t object,
                        void (*found)(void *context, uint32_t key, uint32_t earlier), void *context)
{
	uint32_t few[64], *keys = few, *many = NULL, (*pairs)[2] = NULL;
	size_t count = list_keys(doc, object, few, sizeof few / sizeof few[0]), repeated = 0, capacity = 0;
	bool complete = true;
	if (count < 2)
		return true;
	if (count > sizeof few / sizeof few[0])
		keys = many = json_keys(doc, object, &count);
	if (!keys)
		return false;
	qsort_r(keys, count, sizeof *keys, by_text, (void *)(uintptr_t)doc);
	for (size_t i = 1; complete && i < count; i++) {
		if (compare_keys(doc, keys[i - 1], doc, keys[i]) != 0)
			continue;
		complete = ARRAY_ROOM(pairs, capacity, repeated + 1);
		if (complete) {
			pairs[repeated][0] = keys[i];
			pairs[repeated++][1] = keys[i - 1];
		}
	}
	if (repeated > 0)
		qsort(pairs, repeated, sizeof *pairs, by_place);
	for (size_t i = 0; complete && i < repeated; i++)
		found(context, pairs[i][0], pairs[i][1]);
	free(pairs);
	free(many);
	return complete;
}

/* Which object a pair that is not yet joined is of. */
static uint32_t side_of(const struct json_pair *pair)
{
	return pair->keys[0] == JSON_NONE;
}

static int compare_pairs(const struct json_pair *a, const struct json_pair *b, const struct json_doc *const docs[2])
{
	uint32_t i = side_of(a), j = side_of(b);
	return compare_keys(docs[i], a->keys[i], docs[j], b->keys[j]);
}

static int pairs_by_text(const void *left, const void *right, void *context)
{
	int order = compare_pairs(left, right, context);
	return order != 0 ? order : by_place(left, right);
}

struct json_pair *json_pair_members(const struct json_doc *const docs[2], const uint32_t objects[2], size_t *count)
{
	size_t counts[2] = { 0 }, joined = 0;
	uint32_t *keys[2] = { json_keys(docs[0], objects[0], &counts[0]), json_keys(docs[1], objects[1], &counts[1]) };
	size_t all = counts[0] + counts[1];
	struct json_pair *pairs = keys[0] && keys[1] ? calloc(all + 1, sizeof *pairs) : NULL;
	for (size_t i = 0; pairs && i < all; i++) {
		bool is_first = i < counts[0];
		pairs[i].keys[0] = is_first ? keys[0][i] : JSON_NONE;
		pairs[i].keys[1] = is_first ? JSON_NONE : keys[1][i - counts[0]];
	}
	free(keys[0]);
	free(keys[1]);
	if (!pairs)
		return NULL;
	qsort_r(pairs, all, sizeof *pairs, pairs_by_text, (void *)(uintptr_t)docs);
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
