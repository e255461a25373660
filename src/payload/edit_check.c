/* What is asked of edits before anything is built, and which field a wrong path may have meant. */
#include "base/text.h"
#include "payload/edit.h"

#include <stdlib.h>
#include <string.h>

/* The name of the field that a pointer which no event lists may have meant, or NULL. */
static const char *nearest_field(const char *pointer)
{
	const char *last = strrchr(pointer, '/') + 1;
	struct nearest near;
	nearest_init(&near, last, strlen(last));
	for (size_t i = 0; i < catalog_field_count; i++)
		nearest_offer(&near, catalog_fields[i]->name);
	for (size_t i = 0; i < catalog_envelope_count; i++)
		nearest_offer(&near, catalog_envelope[i]->name);
	return nearest_result(&near);
}

static bool is_listed(const char *pointer, const struct catalog_kind *kinds, size_t kind_count)
{
	for (size_t i = 0; i < kind_count; i++)
		if (edit_member(kinds[i].event, pointer))
			return true;
	return false;
}

/* Looks for a last part in the objects of details. */
static bool find_inside(const char *last, const struct catalog_kind *kinds, size_t kind_count, struct buffer *path)
{
	for (size_t i = 0; i < kind_count; i++) {
		for (size_t j = 0; j < kinds[i].event->detail_count; j++) {
			buffer_clear(path);
			buffer_printf(path, "/details/%s/%s", kinds[i].event->details[j].field->name, last);
			if (!path->failed && is_listed(buffer_text(path), &kinds[i], 1))
				return true;
		}
	}
	return false;
}

/* The pointer that an unlisted one may have meant: with details in front, with another last part, or where else that
 * part is. False: there is none that a chosen event lists. */
static bool guess_path(const char *pointer, const char *near, const struct catalog_kind *kinds, size_t kind_count,
                       struct buffer *path)
{
	int start = (int)(strrchr(pointer, '/') - pointer);
	const char *const lasts[] = { pointer + start + 1, near };
	for (size_t i = 0; i < 2 && lasts[i]; i++) {
		for (size_t before = 0; before < 2; before++) {
			buffer_clear(path);
			buffer_printf(path, "%s%.*s/%s", before ? "" : "/details", start, pointer, lasts[i]);
			if (!path->failed && is_listed(buffer_text(path), kinds, kind_count))
				return true;
		}
		if (find_inside(lasts[i], kinds, kind_count, path))
			return true;
	}
	return false;
}

bool edit_guess_path(const char *pointer, struct buffer *path)
{
	size_t count = catalog_kind_count();
	struct catalog_kind *kinds = calloc(count, sizeof *kinds);
	struct buffer meant = BUFFER_INIT;
	for (size_t i = 0; kinds && i < count; i++)
		kinds[i] = catalog_kind_at(i);
	bool guessed = kinds && !is_listed(pointer, kinds, count) &&
	               guess_path(pointer, nearest_field(pointer), kinds, count, &meant);
	free(kinds);
	if (guessed)
		edit_append_path(buffer_text(&meant), path);
	buffer_release(&meant);
	return guessed;
}

/* Names the path that was probably meant, and the way to set this one anyway. */
static int refuse_unlisted(const struct edit *edit, const struct catalog_kind *kinds, size_t kind_count,
                           struct error *err)
{
	int length = (int)strcspn(edit->source, "=");
	const char *near = nearest_field(edit->pointer);
	struct buffer meant = BUFFER_INIT, path = BUFFER_INIT;
	error_set(err, EXIT_CODE_USAGE, "none of the chosen events has a field '%.*s'", length, edit->source);
	if (guess_path(edit->pointer, near, kinds, kind_count, &meant)) {
		edit_append_path(buffer_text(&meant), &path);
		error_hint(err, "did you mean %s? '%.*s:=JSON' sets any JSON anywhere", buffer_text(&path), length,
		           edit->source);
	} else {
		error_hint(err, "'%.*s:=JSON' sets any JSON anywhere; 'credhook explain %s' lists its events", length,
		           edit->source, near ? near : "EVENT");
	}
	buffer_release(&meant);
	buffer_release(&path);
	return -1;
}

static int check_one(const struct edit *edit, const struct catalog_kind *kinds, size_t kind_count, struct error *err)
{
	bool listed = false;
	struct buffer json = BUFFER_INIT;
	for (size_t i = 0; i < kind_count; i++) {
		const struct catalog_member *member = edit_member(kinds[i].event, edit->pointer);
		if (!member)
			continue;
		listed = true;
		buffer_clear(&json);
		if (edit_convert(member, edit->value, &json))
			continue;
		int path_length = (int)strcspn(edit->source, "=");
		buffer_clear(&json);
		edit_append_expectation(member, &json);
		error_set(err, EXIT_CODE_USAGE, "'%s' is not %s, as %.*s of %s must be", edit->value,
		          buffer_text(&json), path_length, edit->source, kinds[i].event->name);
		error_hint(err, "'%.*s:=JSON' sets any JSON anywhere", path_length, edit->source);
		buffer_release(&json);
		return -1;
	}
	buffer_release(&json);
	return listed ? 0 : refuse_unlisted(edit, kinds, kind_count, err);
}

int edits_check(const struct edits *edits, const struct catalog_kind *kinds, size_t kind_count, struct error *err)
{
	for (size_t i = 0; i < edits->count; i++)
		if (edits->list[i].kind == EDIT_SET_TEXT && check_one(&edits->list[i], kinds, kind_count, err) < 0)
			return -1;
	return 0;
}

/* Whether the edit may have put something at the pointer, or within it. */
static bool may_have_put(const struct edit *edit, const char *pointer)
{
	if (edit->kind != EDIT_SET_JSON)
		return edit->kind == EDIT_MERGE;
	size_t length = strlen(edit->pointer), wanted = strlen(pointer);
	size_t common = length < wanted ? length : wanted;
	return strncmp(edit->pointer, pointer, common) == 0 &&
	       (length <= wanted ? pointer[common] == '\0' || pointer[common] == '/' : edit->pointer[common] == '/');
}

/* Whether the pointer leads into an object of the event that may hold any key. */
static bool is_in_open_object(const struct catalog_event *event, const char *pointer)
{
	char *above = strdup(pointer);
	bool open = false;
	for (char *slash; above && !open && (slash = strrchr(above, '/')) && slash > above;) {
		*slash = '\0';
		const struct catalog_member *member = edit_member(event, above);
		open = member && member->field->open_members;
	}
	free(above);
	return open;
}

int edit_check_field(const char *pointer, const struct catalog_event *event, struct error *err)
{
	const struct catalog_kind kind = { event, NULL };
	LOCAL_BUFFER path = BUFFER_INIT, meant = BUFFER_INIT;
	if (is_listed(pointer, &kind, 1) || is_in_open_object(event, pointer))
		return 0;
	edit_append_path(pointer, &path);
	error_set(err, EXIT_CODE_USAGE, "%s has no field '%s'", event->name, buffer_text(&path));
	buffer_clear(&path);
	if (!guess_path(pointer, nearest_field(pointer), &kind, 1, &meant))
		return error_hint(err, "'credhook explain %s' lists its fields", event->name);
	edit_append_path(buffer_text(&meant), &path);
	return error_hint(err, "did you mean %s?", buffer_text(&path));
}

static int check_unset(const struct edits *edits, const struct edit *edit, const struct catalog_kind *kinds,
                       size_t kind_count, bool made, struct error *err)
{
	if (strcmp(edit->pointer, "/details") == 0)
		return 0;
	for (size_t i = 0; i < kind_count; i++)
		if (edit_member(kinds[i].event, edit->pointer) ||
		    (!made && is_in_open_object(kinds[i].event, edit->pointer)))
			return 0;
	for (const struct edit *before = edits->list; before < edit; before++)
		if (may_have_put(before, edit->pointer))
			return 0;
	const char *found = nearest_field(edit->pointer);
	const char *last = strrchr(edit->pointer, '/') + 1;
	if (!found && !made)
		return 0;
	error_set(err, EXIT_CODE_USAGE,
	          made ? "none of the chosen events has a field '%s'" : "no event has a field '%s'", edit->source);
	if (found && strcmp(found, last) != 0)
		error_hint(err, "did you mean %s?%s", found,
		           made ? "" : " A merge patch (--merge) with null removes any key");
	else
		error_hint(err, "'credhook explain %s' lists its %s", found ? found : "EVENT",
		           found ? "events" : "fields");
	return -1;
}

int edits_check_unsets(const struct edits *edits, const struct catalog_kind *kinds, size_t kind_count, bool made,
                       struct error *err)
{
	for (size_t i = 0; i < edits->count; i++)
		if (edits->list[i].kind == EDIT_UNSET &&
		    check_unset(edits, &edits->list[i], kinds, kind_count, made, err) < 0)
			return -1;
	return 0;
}
