#include "base/quoted.h"
#include "base/text.h"
#include "json/pointer.h"
#include "json/print.h"
#include "json/splice.h"
#include "payload/edit_internal.h"
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
		const char *colon = sign ? NULL : strchr(assignment, ':');
		error_set(err, EXIT_CODE_USAGE, "'%s' is not PATH=TEXT", assignment);
		if (colon && colon > assignment && !quoted_hides(assignment, strlen(assignment)))
			return error_hint(err, "write %.*s=%s", (int)(colon - assignment), assignment, colon + 1);
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

bool edit_convert(const struct edit *edit, const struct catalog_member *member, struct buffer *json)
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

int edit_refuse_text(const struct edit *edit, const struct catalog_member *member, const struct catalog_event *event,
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
	if (!edit_convert(edit, member, &json))
		return edit_refuse_text(edit, member, event, err);
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
		buffer_swap(&now, &next);
	}
	buffer_append(out, buffer_text(&now), now.length);
	return now.failed || out->failed ? error_no_memory(err) : 0;
}
