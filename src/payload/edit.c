#include "payload/edit.h"

#include "json/located.h"
#include "json/splice.h"
#include "json/tree.h"
#include "payload/form.h"

#include <stdlib.h>
#include <string.h>

void edits_release(struct edits *edits)
{
	for (size_t i = 0; i < edits->count; i++) {
		free(edits->list[i].source);
		free(edits->list[i].pointer);
		free(edits->list[i].value);
	}
	free(edits->list);
	*edits = (struct edits)EDITS_INIT;
}

/* Takes over what the edit owns, in every case. */
static int add_edit(struct edits *edits, struct edit edit, struct error *err)
{
	bool has_room = ARRAY_ROOM(edits->list, edits->capacity, edits->count + 1);
	bool complete =
	        edit.source && (edit.kind == EDIT_MERGE || edit.pointer) && (edit.kind == EDIT_UNSET || edit.value);
	if (!has_room || !complete) {
		free(edit.source);
		free(edit.pointer);
		free(edit.value);
		return error_no_memory(err);
	}
	edits->list[edits->count++] = edit;
	return 0;
}

int edit_pointer(const char *path, struct buffer *pointer, struct error *err)
{
	if (path[0] == '/') {
		for (const char *c = path; *c; c++)
			if (*c == '~' && c[1] != '0' && c[1] != '1')
				return error_set(err, EXIT_CODE_USAGE,
				                 "'%s' is not a JSON Pointer: '~' is written ~0 in it", path);
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

/* The pointer of a path as a string of its own, or NULL with *err set. */
static char *copy_pointer(const char *path, struct error *err)
{
	struct buffer pointer = BUFFER_INIT;
	if (edit_pointer(path, &pointer, err) < 0) {
		buffer_release(&pointer);
		return NULL;
	}
	return pointer.data; /* the buffer's memory goes to the caller */
}

/* Whether text is JSON: -1 with an error that says where it is not. */
static int require_json(const char *text, size_t length, const char *what, struct error *err)
{
	struct json_doc doc;
	struct json_fault fault;
	int result = 0;
	json_doc_init(&doc);
	if (!json_read(&doc, text, length, &fault)) {
		struct json_place place = json_place_of(text, length, fault.offset);
		result = error_set(err, EXIT_CODE_USAGE, "%s is not JSON: line %zu, column %zu: %s", what, place.line,
		                   place.column, fault.reason);
	}
	json_doc_release(&doc);
	return result;
}

int edits_add_set(struct edits *edits, const char *assignment, struct error *err)
{
	const char *sign = strchr(assignment, '=');
	if (!sign || sign == assignment) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is not PATH=TEXT", assignment);
		return error_hint(err, "for example details.ttlInMinutes=15; PATH:=JSON sets any JSON");
	}
	bool json = sign[-1] == ':';
	struct edit edit = { .kind = json ? EDIT_SET_JSON : EDIT_SET_TEXT, .source = strdup(assignment) };
	char *path = strndup(assignment, (size_t)(sign - assignment) - (json ? 1 : 0));
	int result = -1;
	edit.value = strdup(sign + 1);
	if (!path || !edit.value || !edit.source) {
		error_no_memory(err);
		goto out;
	}
	edit.pointer = copy_pointer(path, err);
	if (!edit.pointer)
		goto out;
	if (json && require_json(sign + 1, strlen(sign + 1), assignment, err) < 0) {
		error_hint(err, "a string needs its quotes: '%s:=\"text\"'", path);
		goto out;
	}
	result = add_edit(edits, edit, err);
	edit = (struct edit){ .kind = EDIT_UNSET };
out:
	free(path);
	free(edit.source);
	free(edit.pointer);
	free(edit.value);
	return result;
}

int edits_add_unset(struct edits *edits, const char *path, struct error *err)
{
	char *pointer = copy_pointer(path, err);
	if (!pointer)
		return -1;
	return add_edit(edits, (struct edit){ .kind = EDIT_UNSET, .source = strdup(path), .pointer = pointer }, err);
}

int edits_add_merge(struct edits *edits, const char *what, const char *text, size_t length, struct error *err)
{
	if (require_json(text, length, what, err) < 0)
		return -1;
	return add_edit(edits,
	                (struct edit){ .kind = EDIT_MERGE, .source = strdup(what), .value = strndup(text, length) },
	                err);
}

const struct catalog_member *edit_member(const struct catalog_event *event, const char *pointer)
{
	static const char details[] = "/details/";
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
		members = member->field->members;
		count = member->field->member_count;
		part += length + 1;
	}
}

bool edit_convert(const struct catalog_member *member, const char *text, struct buffer *json)
{
	size_t length = strlen(text);
	switch (member->type) {
	case CATALOG_INTEGER: {
		size_t digits = text[0] == '-' ? 1 : 0;
		bool leading_zero = text[digits] == '0' && text[digits + 1] != '\0';
		if (text[0] == '+' || leading_zero || !form_is_integer_text(text, length))
			return false;
		buffer_append_text(json, text);
		return true;
	}
	case CATALOG_OBJECT: {
		struct json_doc doc;
		struct json_fault fault;
		json_doc_init(&doc);
		bool is_object = json_read(&doc, text, length, &fault) && doc.tokens[0].type == JSON_OBJECT;
		json_doc_release(&doc);
		if (is_object)
			buffer_append_text(json, text);
		return is_object;
	}
	case CATALOG_CHOICE:
		if (!form_choice(member->field, text, length))
			return false;
		break;
	case CATALOG_UUID:
	case CATALOG_BOOLEAN_TEXT:
	case CATALOG_INTEGER_TEXT:
		if (!form_fits(member->type, text, length))
			return false;
		break;
	case CATALOG_STRING:
		break;
	}
	json_append_string(json, text, length);
	return true;
}

void edit_append_expectation(const struct catalog_member *member, struct buffer *out)
{
	if (member->type == CATALOG_CHOICE)
		form_append_choices(member->field, out);
	else
		buffer_append_text(out, form_description(member->type));
}

static int merge(const struct json_doc *doc, const struct edit *edit, struct buffer *out, struct error *err)
{
	struct json_object *target = NULL, *patch = NULL;
	int result = tree_from_doc(doc, 0, &target, err);
	if (result == 0)
		result = tree_parse(edit->value, strlen(edit->value), edit->source, &patch, err);
	if (result == 0)
		result = tree_merge_patch(&target, patch, err);
	if (result == 0)
		tree_append_text(target, false, out);
	json_object_put(target);
	json_object_put(patch);
	return result;
}

static int does_not_convert(const struct edit *edit, const struct catalog_member *member, struct error *err)
{
	struct buffer wanted = BUFFER_INIT;
	edit_append_expectation(member, &wanted);
	error_set(err, EXIT_CODE_USAGE, "'%s': the value is not %s", edit->source, buffer_text(&wanted));
	buffer_release(&wanted);
	return -1;
}

static int apply_one(const struct edit *edit, const struct catalog_event *event, const struct json_doc *doc,
                     struct buffer *out, struct error *err)
{
	static const struct catalog_member any_text = { NULL, CATALOG_STRING };
	struct buffer json = BUFFER_INIT;
	int result = 0;
	bool removed;
	if (edit->kind == EDIT_MERGE)
		return merge(doc, edit, out, err);
	if (edit->kind == EDIT_UNSET)
		return json_splice_unset(doc, edit->pointer, out, &removed, err);
	if (edit->kind == EDIT_SET_JSON)
		return json_splice_set(doc, edit->pointer, edit->value, strlen(edit->value), out, err);
	const struct catalog_member *member = event ? edit_member(event, edit->pointer) : &any_text;
	if (!member)
		buffer_append(out, doc->text, doc->length);
	else if (edit_convert(member, edit->value, &json))
		result = json_splice_set(doc, edit->pointer, buffer_text(&json), json.length, out, err);
	else
		result = does_not_convert(edit, member, err);
	buffer_release(&json);
	return result;
}

int edits_apply(const struct edits *edits, const struct catalog_event *event, const char *text, size_t length,
                struct buffer *out, struct error *err)
{
	struct json_doc doc;
	struct buffer now = BUFFER_INIT, next = BUFFER_INIT;
	int result = 0;
	json_doc_init(&doc);
	buffer_append(&now, text, length);
	for (size_t i = 0; result == 0 && i < edits->count; i++) {
		struct json_fault fault;
		buffer_clear(&next);
		if (!json_read(&doc, buffer_text(&now), now.length, &fault))
			result = error_set(err, EXIT_CODE_FAILED, "a payload that is not JSON cannot be edited: %s",
			                   fault.reason);
		else
			result = apply_one(&edits->list[i], event, &doc, &next, err);
		struct buffer swap = now;
		now = next;
		next = swap;
	}
	if (result == 0) {
		buffer_append(out, buffer_text(&now), now.length);
		if (now.failed || out->failed)
			result = error_no_memory(err);
	}
	json_doc_release(&doc);
	buffer_release(&now);
	buffer_release(&next);
	return result;
}
