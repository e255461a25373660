#include "payload/ignore.h"

#include "base/buffer.h"
#include "payload/edit.h"

#include <stdlib.h>
#include <string.h>

static void release_place(struct ignored_place *place)
{
	free(place->pointer);
	free(place->object);
	free(place->key);
}

void ignored_release(struct ignored *ignored)
{
	for (size_t i = 0; i < ignored->count; i++)
		release_place(&ignored->places[i]);
	free(ignored->places);
	*ignored = (struct ignored){ 0 };
}

static bool is_listed(const char *pointer)
{
	if (strcmp(pointer, "/details") == 0)
		return true;
	for (size_t i = 0; i < catalog_event_count; i++)
		if (edit_member(&catalog_events[i], pointer))
			return true;
	return false;
}

/* Every event has all keys of the envelope but for path, which an alert must not have. */
static bool can_stand_there(const struct ignored_place *place)
{
	bool about_keys = place->id == FINDING_UNKNOWN_KEY || place->id == FINDING_DUPLICATE_KEY;
	return is_listed(place->pointer) || (about_keys && (place->object[0] == '\0' || is_listed(place->object)));
}

/* The key that the last part of a valid pointer names (RFC 6901: ~1 is '/', ~0 is '~'). */
static char *decode_key(const char *part)
{
	char *key = strdup(part), *to = key;
	for (; key && *part; part++)
		*to++ = *part != '~' ? *part : *++part == '1' ? '/' : '~';
	if (key)
		*to = '\0';
	return key;
}

/* Fills the place from its path. */
static int read_path(struct ignored_place *place, const char *path, struct error *err)
{
	struct buffer pointer = BUFFER_INIT;
	if (edit_pointer(path, &pointer, err) < 0) {
		buffer_release(&pointer);
		return -1;
	}
	place->pointer = pointer.data; /* the buffer's memory goes to the place */
	const char *last = strrchr(place->pointer, '/');
	place->key = decode_key(last + 1);
	place->object = strndup(place->pointer, (size_t)(last - place->pointer));
	if (!place->object || !place->key)
		return error_no_memory(err);
	return can_stand_there(place) ? 0 : edit_refuse_path(path, place->pointer, err);
}

static int add_place(struct ignored *ignored, enum finding_id id, const char *path, struct error *err)
{
	struct ignored_place place = { .id = id };
	if (id == FINDING_CONTENT_TYPE)
		return error_set(err, EXIT_CODE_USAGE, "content-type is about the request and has no place: '%s'",
		                 path);
	if (!ARRAY_ROOM(ignored->places, ignored->capacity, ignored->count + 1))
		return error_no_memory(err);
	if (read_path(&place, path, err) < 0) {
		release_place(&place);
		return -1;
	}
	ignored->places[ignored->count++] = place;
	return 0;
}

/* One FINDING[:PATH]. */
static int parse_one(struct ignored *ignored, const char *text, struct error *err)
{
	size_t length = strcspn(text, ":");
	enum finding_id id;
	if (finding_parse(text, length, &id, err) < 0)
		return -1;
	if (id == FINDING_JSON_SYNTAX || id == FINDING_TOO_LONG) {
		error_set(err, EXIT_CODE_USAGE, "%s cannot be ignored: such a payload was not checked",
		          finding_rows[id].name);
		return error_hint(err, "leave the file out, or see --expect-invalid");
	}
	if (text[length] == ':')
		return add_place(ignored, id, text + length + 1, err);
	ignored->everywhere |= UINT32_C(1) << id;
	return 0;
}

int ignored_parse(void *field, const char *text, struct error *err)
{
	struct ignored *ignored = field;
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");
		char *one = strndup(at, length);
		int result = one ? parse_one(ignored, one, err) : error_no_memory(err);
		free(one);
		at += length;
		if (result < 0 || *at == '\0')
			return result;
	}
}
