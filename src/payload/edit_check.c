/* Edits are checked before anything is built, and a wrong path gets the field that it may have meant. */
#include "base/quoted.h"
#include "base/text.h"
#include "payload/edit_internal.h"

#include <string.h>

/* The kinds that an edit may be for; list NULL: any. */
struct kinds {
	const struct catalog_kind *list;
	size_t count;
};

static const struct catalog_event *event_at(struct kinds kinds, size_t index)
{
	if (kinds.list)
		return index < kinds.count ? kinds.list[index].event : NULL;
	return index < catalog_event_count ? &catalog_events[index] : NULL;
}

static bool is_listed(const char *pointer, struct kinds kinds)
{
	const struct catalog_event *event;
	for (size_t i = 0; (event = event_at(kinds, i)) != NULL; i++)
		if (edit_member(event, pointer, NULL))
			return true;
	return false;
}

/* Appends the path that an unlisted pointer may have meant: of the field that its end is nearest to, where one of the
 * kinds has it. */
static bool guess_path(const char *pointer, struct kinds kinds, struct buffer *path)
{
	LOCAL_BUFFER guess = BUFFER_INIT;
	const char *last = strrchr(pointer, '/') + 1;
	struct nearest near;
	nearest_init(&near, last, strlen(last));
	for (size_t i = 0; i < catalog_field_count; i++)
		nearest_offer(&near, catalog_fields[i]->name);
	for (size_t i = 0; i < catalog_envelope_count; i++)
		nearest_offer(&near, catalog_envelope[i]->name);
	const char *name = nearest_result(&near);
	const struct catalog_field *field = name ? catalog_field_named(name) : NULL;
	const struct catalog_field *owner = field ? catalog_field_owner(field) : NULL;
	if (field)
		buffer_append_text(&guess, "/details");
	if (owner)
		buffer_printf(&guess, "/%s", owner->name);
	buffer_printf(&guess, "/%s", name ? name : "");
	if (!name || !is_listed(buffer_text(&guess), kinds))
		return false;
	edit_append_path(buffer_text(&guess), path);
	return true;
}

bool edit_guess_path(const char *pointer, struct buffer *path)
{
	const struct kinds every = { NULL, 0 };
	return !is_listed(pointer, every) && guess_path(pointer, every, path);
}

int edit_place(const char *path, struct buffer *pointer, struct error *err)
{
	LOCAL_BUFFER meant = BUFFER_INIT;
	if (edit_pointer(path, pointer, err) < 0)
		return -1;
	if (path[0] == '/' || !edit_guess_path(buffer_text(pointer), &meant) ||
	    !text_ends_with(buffer_text(&meant), meant.length, path))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "no event has a field '%s'", path);
	return error_hint(err, "write %s; the JSON Pointer %s is taken as it is", buffer_text(&meant),
	                  buffer_text(pointer));
}

/* `what` has no field at the path; `set`: the path ends at a '=', and what follows is for the field. */
static int refuse_path(const char *what, const char *path, const char *pointer, struct kinds kinds, bool set,
                       struct error *err)
{
	struct text shown = quoted_part(path, path, set ? strcspn(path, "=") : strlen(path));
	int path_length = (int)shown.length;
	path = shown.text;
	LOCAL_BUFFER meant = BUFFER_INIT, hint = BUFFER_INIT;
	bool guessed = guess_path(pointer, kinds, &meant);
	error_set(err, EXIT_CODE_USAGE, "%s field '%.*s'", what, path_length, path);
	if (guessed && !set)
		return error_ask(err, "%s", buffer_text(&meant));
	if (guessed)
		buffer_printf(&hint, "did you mean %s? ", buffer_text(&meant));
	if (set)
		buffer_printf(&hint, "'%.*s:=JSON' sets any JSON anywhere%s", path_length, path, guessed ? "" : "; ");
	if (!guessed)
		buffer_append_text(&hint, "'credhook explain EVENT' lists its fields");
	return error_hint(err, "%s", buffer_text(&hint));
}

int edit_refuse_path(const char *path, const char *pointer, struct error *err)
{
	return refuse_path("no event has a", path, pointer, (struct kinds){ NULL, 0 }, false, err);
}

int edit_check_field(const char *pointer, const struct catalog_event *event, struct error *err)
{
	const struct catalog_kind kind = { event, NULL };
	LOCAL_BUFFER path = BUFFER_INIT, what = BUFFER_INIT;
	bool open;
	if (edit_member(event, pointer, &open) || open)
		return 0;
	edit_append_path(pointer, &path);
	buffer_printf(&what, "%s has no", event->name);
	return refuse_path(buffer_text(&what), buffer_text(&path), pointer, (struct kinds){ &kind, 1 }, false, err);
}

int edits_check(const struct edits *edits, const struct catalog_kind *kinds, size_t kind_count, struct error *err)
{
	const struct kinds asked = { kinds, kind_count };
	const struct catalog_event *event;
	LOCAL_BUFFER json = BUFFER_INIT;
	bool takes_any = false; /* an edit before this one may have put something there */
	for (size_t e = 0; e < edits->count; e++) {
		const struct edit *edit = &edits->list[e];
		bool set = edit->type == EDIT_SET_TEXT, listed = false;
		takes_any |= edit->type == EDIT_SET_JSON || edit->type == EDIT_MERGE;
		if (!set && (edit->type != EDIT_UNSET || takes_any || strcmp(edit->pointer, "/details") == 0))
			continue;
		for (size_t i = 0; (event = event_at(asked, i)) != NULL; i++) {
			const struct catalog_member *member = edit_member(event, edit->pointer, NULL);
			buffer_clear(&json);
			if (set && member && !edit_convert(edit, member, &json))
				return edit_refuse_text(edit, member, event, err);
			listed |= member != NULL;
		}
		if (!listed)
			return refuse_path("none of the chosen events has a", edit->source, edit->pointer, asked, set,
			                   err);
	}
	return 0;
}
