#include "payload/ignore.h"

#include "payload/edit.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(FINDING_ID_COUNT <= 32, "a bit for each in struct ignored");

void ignored_release(void *field)
{
	struct ignored *ignored = field;
	for (size_t i = 0; i < ignored->count; i++)
		free(ignored->places[i].pointer);
	free(ignored->places);
	*ignored = (struct ignored){ 0 };
}

/* Whether an event lists it, or it is an object that all of them have. */
static bool is_listed(const char *pointer)
{
	bool listed = pointer[0] == '\0' || strcmp(pointer, "/details") == 0;
	for (size_t i = 0; !listed && i < catalog_event_count; i++)
		listed = edit_member(&catalog_events[i], pointer, NULL) != NULL;
	return listed;
}

static int add_place(struct ignored *ignored, enum finding_id id, const char *path, struct error *err)
{
	LOCAL_BUFFER pointer = BUFFER_INIT;
	if (id == FINDING_CONTENT_TYPE)
		return error_set(err, EXIT_CODE_USAGE, "content-type is about the request and has no place: '%s'",
		                 path);
	if (strpbrk(path, "*?")) {
		error_set(err, EXIT_CODE_USAGE, "a place is a path, not a pattern: '%s'", path);
		return error_hint(err, "write %s to ignore it anywhere, or each path", finding_rows[id].name);
	}
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
	if (id == FINDING_UNSEEN || is_listed(place.pointer) || (about_keys && is_listed(buffer_text(&pointer))))
		return 0;
	return edit_refuse_path(path, place.pointer, err);
}

int ignored_parse(void *field, const char *text, struct error *err)
{
	struct ignored *ignored = field;
	LOCAL(release_text) char *copy = strdup(text);
	char *rest = copy;
	if (!copy)
		return error_no_memory(err);
	for (char *path; (path = strsep(&rest, ",")) != NULL;) {
		const char *name = strsep(&path, ":");
		enum finding_id id;
		if (finding_parse(name, strlen(name), &id, err) < 0)
			return -1;
		if (id == FINDING_JSON_SYNTAX || id == FINDING_TOO_LONG) {
			error_set(err, EXIT_CODE_USAGE, "%s cannot be ignored: such a payload was not checked",
			          finding_rows[id].name);
			return error_hint(err, "leave the file out, or see --expect-invalid");
		}
		if (!path)
			ignored->everywhere |= UINT32_C(1) << id;
		else if (add_place(ignored, id, path, err) < 0)
			return -1;
	}
	return 0;
}

bool ignored_has(const struct ignored *ignored, const struct finding *f, struct json_pointer_walk *walk,
                 struct buffer *scratch)
{
	if (ignored && ignored->everywhere & UINT32_C(1) << f->id)
		return true;
	for (size_t i = 0; ignored && f->token != JSON_NONE && i < ignored->count; i++) {
		const struct ignored_place *place = &ignored->places[i];
		size_t length = strlen(place->pointer);
		if (place->id != f->id)
			continue;
		buffer_clear(scratch);
		bool whole = json_pointer_walk_append(walk, f->token, length, scratch);
		if (f->missing)
			json_append_pointer_key(scratch, f->missing, strlen(f->missing));
		if (whole && scratch->length == length && memcmp(scratch->data, place->pointer, length) == 0)
			return true;
	}
	return false;
}
