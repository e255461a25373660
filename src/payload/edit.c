#include "payload/edit.h"

#include "base/text.h"
#include "json/pointer.h"
#include "json/print.h"
#include "json/splice.h"
#include "payload/form.h"

#include <stdlib.h>
#include <string.h>

static void release_edit(struct edit *edit)
{
	free(edit->source);
	free(edit->pointer);
	free(edit->value);
}

void edits_release(void *field)
{
	struct edits *edits = field;
	for (size_t i = 0; i < edits->count; i++)
		release_edit(&edits->list[i]);
	free(edits->list);
	*edits = (struct edits){ 0 };
}

int edit_pointer(const char *path, struct buffer *pointer, struct error *err)
{
	if (path[0] == '/') {
		if (!json_pointer_is_valid(path))
			return error_set(err, EXIT_CODE_USAGE, "'%s' is not a JSON Pointer: '~' is written ~0 in it",
			                 path);
		buffer_append_text(pointer, path);
		return pointer->failed ? error_no_memory(err) : 0;
	}
	const char *part = path;
	for (;;) {
		size_t length = strcspn(part, ".");
		if (length == 0) {
			error_set(err, EXIT_CODE_USAGE, "'%s' is not a field path", path);
			return error_hint(err,
			                  "write it like details.appKey, or as a JSON Pointer like /details/appKey");
		}
		json_append_pointer_key(pointer, part, length);
		if (part[length] == '\0')
			return pointer->failed ? error_no_memory(err) : 0;
		part += length + 1;
	}
}

void edit_append_path(const char *pointer, struct buffer *out)
{
	bool fits = strlen(pointer) > 1 && !strpbrk(pointer, ".~") && !strstr(pointer, "//");
	for (const char *c = fits ? pointer + 1 : pointer; *c; c++)
		buffer_append_byte(out, fits && *c == '/' ? '.' : *c);
}

/* Whether text is JSON: -1 with an error that says where it is not. */
static int require_json(const char *text, size_t length, const char *what, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct json_fault fault;
	if (json_read(&doc, text, length, &fault))
		return 0;
	struct json_place place = json_place_of(text, length, fault.offset);
	return error_set(err, EXIT_CODE_USAGE, "%s is not JSON: line %zu, column %zu: %s", what, place.line,
	                 place.column, fault.reason);
}

/* path or value NULL: the edit has none. */
static int add_edit(struct edits *edits, enum edit_type kind, const char *source, const char *path, const char *value,
                    size_t length, struct error *err)
{
	LOCAL_BUFFER pointer = BUFFER_INIT;
	if (path && edit_pointer(path, &pointer, err) < 0)
		return -1;
	struct edit edit = { .type = kind, .source = strdup(source) };
	edit.pointer = path ? strdup(buffer_text(&pointer)) : NULL;
	edit.value = value ? strndup(value, length) : NULL;
	bool complete = edit.source && !edit.pointer == !path && !edit.value == !value;
	if (!complete || !ARRAY_ROOM(edits->list, edits->capacity, edits->count + 1)) {
		release_edit(&edit);
		return error_no_memory(err);
	}
	edits->list[edits->count++] = edit;
	return 0;
}

int edits_add_set(struct edits *edits, const char *assignment, struct error *err)
{
	const char *sign = strchr(assignment, '='), *value = sign ? sign + 1 : NULL;
	if (!sign || sign == assignment) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is not PATH=TEXT", assignment);
		return error_hint(err, "for example details.ttlInMinutes=15; PATH:=JSON sets any JSON");
	}
	bool json = sign[-1] == ':';
	LOCAL_BUFFER path = BUFFER_INIT;
	buffer_append(&path, assignment, (size_t)(sign - assignment) - (json ? 1 : 0));
	if (add_edit(edits, json ? EDIT_SET_JSON : EDIT_SET_TEXT, assignment, buffer_text(&path), value, strlen(value),
	             err) < 0)
		return -1;
	if (json && require_json(value, strlen(value), assignment, err) < 0)
		return error_hint(err, "a string needs its quotes: '%s:=\"text\"'", buffer_text(&path));
	return 0;
}

int edits_add_unset(struct edits *edits, const char *path, struct error *err)
{
	return add_edit(edits, EDIT_UNSET, path, path, NULL, 0, err);
}

int edits_add_merge(struct edits *edits, const char *what, const char *text, size_t length, struct error *err)
{
	if (require_json(text, length, what, err) < 0)
		return error_hint(err, "a JSON Merge Patch has what changes: {\"details\":{\"firstName\":\"Ada\"}}");
	return add_edit(edits, EDIT_MERGE, what, NULL, text, length, err);
}

const struct catalog_member *edit_member(const struct catalog_event *event, const char *pointer, bool *open)
{
	static const char details[] = "/details/";
	bool unused;
	open = open ? open : &unused;
	*open = false;
	if (strncmp(pointer, details, strlen(details)) != 0) {
		for (size_t i = 0; pointer[0] == '/' && i < catalog_envelope_count; i++) {
			const struct catalog_field *field = catalog_envelope[i];
			bool has = field->type == CATALOG_STRING && (strcmp(field->name, "path") != 0 || event->path);
			if (has && strcmp(pointer + 1, field->name) == 0)
				return &catalog_envelope_members[i];
		}
		return NULL;
	}
	const struct catalog_member *members = event->details;
	size_t count = event->detail_count;
	for (const char *part = pointer + strlen(details);;) {
		size_t length = strcspn(part, "/");
		/* The catalogue's names hold no '~' or '/' that would be escaped here. */
		const struct catalog_member *member = catalog_member_named(members, count, part, length);
		if (!member || part[length] == '\0')
			return member;
		*open |= member->field->open_members;
		members = member->field->members;
		count = member->field->member_count;
		part += length + 1;
	}
}

/* Appends the JSON text that the edit's text becomes for the member's type; false: it does not fit. */
static bool convert(const struct edit *edit, const struct catalog_member *member, struct buffer *json)
{
	const char *text = edit->value;
	size_t length = strlen(text);
	if (member->type == CATALOG_INTEGER || member->type == CATALOG_OBJECT) {
		LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
		if (!json_read(&doc, text, length, NULL))
			return false;
		const struct json_token *t = &doc.tokens[0];
		bool is_integer = t->type == JSON_NUMBER && t->end - t->start == length &&
		                  !(t->flags & (JSON_FRACTION | JSON_EXPONENT));
		if (member->type == CATALOG_OBJECT ? t->type != JSON_OBJECT : !is_integer)
			return false;
		buffer_append_text(json, text);
		return true;
	}
	if (!form_fits(member, text, length))
		return false;
	json_append_string(json, text, length);
	return true;
}

static int refuse_text(const struct edit *edit, const struct catalog_member *member, const struct catalog_event *event,
                       struct error *err)
{
	int path_length = (int)strcspn(edit->source, "=");
	LOCAL_BUFFER wanted = BUFFER_INIT;
	form_append_description(member, &wanted);
	error_set(err, EXIT_CODE_USAGE, "'%s' is not %s, as %.*s of %s must be", edit->value, buffer_text(&wanted),
	          path_length, edit->source, event->name);
	return error_hint(err, "'%.*s:=JSON' sets any JSON anywhere", path_length, edit->source);
}

static int apply_one(const struct edit *edit, const struct catalog_event *event, const struct json_doc *doc,
                     struct buffer *out, struct error *err)
{
	static const struct catalog_member any_text = { NULL, CATALOG_STRING };
	LOCAL(json_doc_release) struct json_doc patch = JSON_DOC_INIT;
	LOCAL_BUFFER json = BUFFER_INIT;
	if (edit->type == EDIT_MERGE) {
		if (!json_read(&patch, edit->value, strlen(edit->value), NULL))
			return error_no_memory(err); /* it was read when it was added */
		json_merge_patch(doc, &patch, out);
		return 0;
	}
	if (edit->type == EDIT_UNSET)
		return json_splice_unset(doc, edit->pointer, out, err);
	if (edit->type == EDIT_SET_JSON)
		return json_splice_set(doc, edit->pointer, edit->value, strlen(edit->value), out, err);
	const struct catalog_member *member = event ? edit_member(event, edit->pointer, NULL) : &any_text;
	if (!member) {
		buffer_append(out, doc->text, doc->length);
		return 0;
	}
	if (!convert(edit, member, &json))
		return refuse_text(edit, member, event, err);
	return json_splice_set(doc, edit->pointer, buffer_text(&json), json.length, out, err);
}

int edits_apply(const struct edits *edits, const struct catalog_event *event, const char *text, size_t length,
                struct buffer *out, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER now = BUFFER_INIT, next = BUFFER_INIT;
	buffer_append(&now, text, length);
	for (size_t i = 0; i < edits->count; i++) {
		struct json_fault fault;
		buffer_clear(&next);
		if (!json_read(&doc, buffer_text(&now), now.length, &fault))
			return now.failed || json_fault_is_memory(&fault)
			               ? error_no_memory(err)
			               : error_set(err, EXIT_CODE_FAILED,
			                           "a payload that is not JSON cannot be edited: %s", fault.reason);
		if (apply_one(&edits->list[i], event, &doc, &next, err) < 0)
			return -1;
		struct buffer swap = now;
		now = next;
		next = swap;
	}
	buffer_append(out, buffer_text(&now), now.length);
	return now.failed || out->failed ? error_no_memory(err) : 0;
}

/* The rest checks edits before anything is built, and guesses which field a wrong path may have meant. */

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
	int path_length = (int)(set ? strcspn(path, "=") : strlen(path));
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
			if (set && member && !convert(edit, member, &json))
				return refuse_text(edit, member, event, err);
			listed |= member != NULL;
		}
		if (!listed)
			return refuse_path("none of the chosen events has a", edit->source, edit->pointer, asked, set,
			                   err);
	}
	return 0;
}
