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

/* The order of two keys by their text, escapes resolved. */
static int compare_keys(const struct json_doc *doc, uint32_t a, uint32_t b)
{
	struct json_unescape u, v;
	json_unescape_init(&u, doc, a);
	json_unescape_init(&v, doc, b);
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
	int order = compare_keys(context, a, b);
	return order != 0 ? order : a < b ? -1 : 1;
}

static int by_first(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;
	return a[0] < b[0] ? -1 : a[0] > b[0];
}

bool json_repeated_keys(const struct json_doc *doc, uint32_t object,
                        void (*found)(void *context, uint32_t key, uint32_t earlier), void *context)
{
	uint32_t few[64], *keys = few, *many = NULL, (*pairs)[2] = NULL;
	size_t count = 0, filled = 0, repeated = 0, capacity = 0;
	bool complete = true;
	if (!is_container(doc, object, JSON_OBJECT))
		return true;
	uint32_t end = doc->tokens[object].next;
	for (uint32_t key = object + 1; key < end; key = next_key(doc, key))
		count++;
	if (count < 2)
		return true;
	if (count > sizeof few / sizeof few[0])
		keys = many = calloc(count, sizeof *many);
	if (!keys)
		return false;
	for (uint32_t key = object + 1; key < end; key = next_key(doc, key))
		keys[filled++] = key;
	qsort_r(keys, count, sizeof *keys, by_text, (void *)(uintptr_t)doc);
	for (size_t i = 1; complete && i < count; i++) {
		if (compare_keys(doc, keys[i - 1], keys[i]) != 0)
			continue;
		complete = ARRAY_ROOM(pairs, capacity, repeated + 1);
		if (complete) {
			pairs[repeated][0] = keys[i];
			pairs[repeated++][1] = keys[i - 1];
		}
	}
	if (repeated > 0)
		qsort(pairs, repeated, sizeof *pairs, by_first);
	for (size_t i = 0; complete && i < repeated; i++)
		found(context, pairs[i][0], pairs[i][1]);
	free(pairs);
	free(many);
	return complete;
}
