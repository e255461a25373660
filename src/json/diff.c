#include "json/diff.h"

#include "json/pointer.h"
#include "json/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct diff {
	const struct json_doc *docs[2]; /* before, after */
	json_diff_found *found;
	void *context;
	struct buffer pointer; /* of the values under comparison */
};

static void compare(struct diff *d, uint32_t before, uint32_t after);

static void compare_child(struct diff *d, const char *key, size_t length, uint32_t before, uint32_t after)
{
	size_t kept = d->pointer.length;
	json_append_pointer_key(&d->pointer, key, length);
	compare(d, before, after);
	buffer_consume_end(&d->pointer, d->pointer.length - kept);
}

static void compare_objects(struct diff *d, uint32_t before, uint32_t after)
{
	size_t count = 0;
	struct json_pair *pairs = json_pair_members(d->docs, (uint32_t[]){ before, after }, &count);
	buffer_fail_if(&d->pointer, !pairs);
	for (size_t i = 0; i < count; i++) {
		LOCAL_BUFFER name = BUFFER_FOR(&d->pointer);
		uint32_t old = pairs[i].keys[0], new = pairs[i].keys[1];
		json_string_decode(d->docs[old == JSON_NONE], old == JSON_NONE ? new : old, &name);
		compare_child(d, buffer_text(&name), name.length, old == JSON_NONE ? JSON_NONE : old + 1,
		              new == JSON_NONE ? JSON_NONE : new + 1);
	}
	free(pairs);
}

static void compare_arrays(struct diff *d, uint32_t before, uint32_t after)
{
	const struct json_token *old = d->docs[0]->tokens, *new = d->docs[1]->tokens;
	uint32_t one = before + 1, other = after + 1;
	char index[24];
	for (size_t i = 0; one < old[before].next || other < new[after].next; i++) {
		bool has_old = one < old[before].next, has_new = other < new[after].next;
		compare_child(d, index, (size_t)snprintf(index, sizeof index, "%zu", i), has_old ? one : JSON_NONE,
		              has_new ? other : JSON_NONE);
		one = has_old ? old[one].next : one;
		other = has_new ? new[other].next : other;
	}
}

/* Numbers are equal where they are written the same. */
static bool is_equal(struct diff *d, uint32_t before, uint32_t after)
{
	LOCAL_BUFFER one = BUFFER_FOR(&d->pointer), other = BUFFER_FOR(&d->pointer);
	json_print(d->docs[0], before, JSON_COMPACT, &one);
	json_print(d->docs[1], after, JSON_COMPACT, &other);
	return one.length == other.length && memcmp(buffer_text(&one), buffer_text(&other), one.length) == 0;
}

static void report(struct diff *d, uint32_t before, uint32_t after)
{
	const struct text pointer = { buffer_text(&d->pointer), d->pointer.length };
	if (!d->pointer.failed)
		d->found(d->context, &pointer, before, after);
}

static void compare(struct diff *d, uint32_t before, uint32_t after)
{
	if (before == JSON_NONE || after == JSON_NONE) {
		report(d, before, after);
		return;
	}
	enum json_token_type type = d->docs[0]->tokens[before].type;
	bool is_same_type = type == d->docs[1]->tokens[after].type;
	if (is_same_type && type == JSON_OBJECT)
		compare_objects(d, before, after);
	else if (is_same_type && type == JSON_ARRAY)
		compare_arrays(d, before, after);
	else if (!is_equal(d, before, after))
		report(d, before, after);
}

bool json_diff(const struct json_doc *const docs[2], json_diff_found *found, void *context)
{
	struct diff d = { { docs[0], docs[1] }, found, context, BUFFER_INIT };
	compare(&d, 0, 0);
	bool is_whole = !d.pointer.failed;
	buffer_release(&d.pointer);
	return is_whole;
}
