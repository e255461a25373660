#include "payload/ignore.h"

#include "base/buffer.h"
#include "payload/edit.h"

#include <stdlib.h>
#include <string.h>

void ignored_release(void *field)
{
	struct ignored *ignored = field;
	for (size_t i = 0; i < ignored->count; i++)
		free(ignored->places[i].pointer);
	free(ignored->places);
	*ignored = (struct ignored){ 0 };
}

static bool is_listed(const char *pointer)
{
	return pointer[0] == '\0' || strcmp(pointer, "/details") == 0 || edit_is_listed(pointer);
}

static int add_place(struct ignored *ignored, enum finding_id id, const char *path, struct error *err)
{
	LOCAL_BUFFER pointer = BUFFER_INIT;
	if (id == FINDING_CONTENT_TYPE)
		return error_set(err, EXIT_CODE_USAGE, "content-type is about the request and has no place: '%s'",
		                 path);
	if (edit_pointer(path, &pointer, err) < 0)
		return -1;
	struct ignored_place place = { id, strdup(buffer_text(&pointer)) };
	if (!place.pointer || !ARRAY_ROOM(ignored->places, ignored->capacity, ignored->count + 1)) {
		free(place.pointer);
		return error_no_memory(err);
	}
	ignored->places[ignored->count++] = place;
	/* Any key may be unknown or repeated in an object that some event lists. */
	buffer_consume_end(&pointer, strlen(strrchr(place.pointer, '/')));
	bool about_keys = id == FINDING_UNKNOWN_KEY || id == FINDING_DUPLICATE_KEY;
	if (is_listed(place.pointer) || (about_keys && is_listed(buffer_text(&pointer))))
		return 0;
	return edit_refuse_path(path, place.pointer, err);
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
