#include "payload/break.h"

#include "json/located.h"
#include "json/pointer.h"
#include "json/splice.h"
#include "payload/check.h"
#include "payload/edit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDED_KEY "unexpectedKey"

int breakage_parse(struct breakage *breakage, const char *text, struct error *err)
{
	size_t length = strcspn(text, ":");
	*breakage = (struct breakage){ .everywhere = strcmp(text + length, ":all") == 0 };
	if (finding_parse(text, length, &breakage->id, err) < 0)
		return -1;
	if (breakage->id == FINDING_CONTENT_TYPE) {
		error_set(err, EXIT_CODE_USAGE, "content-type is a defect of a request, not of a payload");
		return error_hint(err, "send the payload with -H 'Content-Type: text/plain'");
	}
	if (breakage->id == FINDING_UNSEEN)
		return error_set(err, EXIT_CODE_USAGE, "unseen is a difference to other payloads, not a defect of one");
	struct buffer pointer = BUFFER_INIT;
	if (text[length] == ':' && !breakage->everywhere && edit_pointer(text + length + 1, &pointer, err) < 0) {
		buffer_release(&pointer);
		return -1;
	}
	breakage->pointer = pointer.data;
	breakage->source = strdup(text);
	return breakage->source ? 0 : error_no_memory(err);
}

void breakage_release(void *field)
{
	struct breakage *breakage = field;
	free(breakage->pointer);
	free(breakage->source);
	breakage->pointer = breakage->source = NULL;
}

struct place_list {
	struct break_place *places;
	size_t count;
};

static void add_place(struct place_list *list, const struct catalog_member *member, const char *parent, const char *key)
{
	if (list->count == BREAK_PLACES_MAX)
		return;
	struct break_place *place = &list->places[list->count];
	place->member = member;
	int length = snprintf(place->pointer, sizeof place->pointer, "%s/%s", parent, key);
	list->count += length > 0 && (size_t)length < sizeof place->pointer;
}

static void add_members(struct place_list *list, enum finding_id id, const char *parent,
                        const struct catalog_member *members, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		char pointer[BREAK_POINTER_SIZE];
		if ((size_t)snprintf(pointer, sizeof pointer, "%s/%s", parent, field->name) >= sizeof pointer)
			continue;
		if (finding_rows[id].types >> members[i].type & 1)
			add_place(list, &members[i], parent, field->name);
		add_members(list, id, pointer, field->members, field->member_count);
		if (id == FINDING_UNKNOWN_KEY && members[i].type == CATALOG_OBJECT && !field->open_members)
			add_place(list, NULL, pointer, ADDED_KEY);
	}
}

static void add_envelope(struct place_list *list, enum finding_id id, const struct catalog_event *event)
{
	bool any_key = finding_rows[id].types == FINDING_EVERY_TYPE;
	for (size_t i = 0; i < catalog_envelope_count; i++) {
		const struct catalog_field *field = catalog_envelope[i];
		bool is_path = strcmp(field->name, "path") == 0;
		if (is_path && !event->path) {
			if (id == FINDING_UNEXPECTED_PATH)
				add_place(list, NULL, "", field->name);
			continue;
		}
		if (any_key || (id == FINDING_UNKNOWN_EVENT && field->type == CATALOG_STRING))
			add_place(list, &catalog_envelope_members[i], "", field->name);
	}
}

size_t break_places(struct catalog_kind kind, enum finding_id id, struct break_place places[BREAK_PLACES_MAX])
{
	struct place_list list = { places, 0 };
	if (id == FINDING_JSON_SYNTAX || id == FINDING_TOO_LONG)
		places[list.count++] = (struct break_place){ .pointer = "" };
	if (id == FINDING_UNKNOWN_KEY) {
		add_place(&list, NULL, "", ADDED_KEY);
		add_place(&list, NULL, "/details", ADDED_KEY);
	}
	add_envelope(&list, id, kind.event);
	add_members(&list, id, "/details", kind.event->details, kind.event->detail_count);
	return list.count;
}

/* Finds a key to add for unknown-key: any that its object does not list. The places name the objects. */
static bool find_unlisted_key(const char *pointer, struct catalog_kind kind, const struct break_place *places,
                              size_t count, struct break_place *place)
{
	const char *slash = strrchr(pointer, '/');
	size_t parent = slash ? (size_t)(slash - pointer) : 0;
	bool listed = edit_member(kind.event, pointer, NULL) || strcmp(pointer, "/details") == 0 ||
	              strcmp(pointer, "/path") == 0;
	if (!slash || listed || strlen(pointer) >= sizeof place->pointer)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (strncmp(places[i].pointer, pointer, parent) != 0 ||
		    strcmp(places[i].pointer + parent, "/" ADDED_KEY) != 0)
			continue;
		*place = places[i];
		snprintf(place->pointer, sizeof place->pointer, "%s", pointer);
		return true;
	}
	return false;
}

bool break_find_place(const struct breakage *breakage, struct catalog_kind kind, size_t part, struct break_place *place)
{
	struct break_place places[BREAK_PLACES_MAX];
	size_t count = break_places(kind, breakage->id, places);
	for (size_t i = part; i < count; i++) {
		if (breakage->pointer && strcmp(breakage->pointer, places[i].pointer) != 0)
			continue;
		*place = places[i];
		return true;
	}
	return breakage->id == FINDING_UNKNOWN_KEY && breakage->pointer &&
	       find_unlisted_key(breakage->pointer, kind, places, count, place);
}

/* Appends a value of another type than the place has, of the kind that slips in most easily: a number in quotes, or a
 * number or boolean that has lost them. */
static void append_wrong_type(const struct json_doc *doc, uint32_t token, enum catalog_type type, struct buffer *value)
{
	LOCAL(json_doc_release) struct json_doc inside = JSON_DOC_INIT;
	const struct json_token *t = &doc->tokens[token];
	const char *text = doc->text + t->start;
	size_t length = t->end - t->start;
	if (type == CATALOG_OBJECT)
		buffer_append_text(value, "[]");
	else if (type == CATALOG_INTEGER && t->type == JSON_NUMBER)
		buffer_printf(value, "\"%.*s\"", (int)length, text);
	else if (type != CATALOG_INTEGER && t->type == JSON_STRING && json_read(&inside, text + 1, length - 2, NULL) &&
	         inside.tokens[0].type < JSON_STRING)
		buffer_append(value, text + 1, length - 2);
	else
		buffer_append_text(value, "null");
}

int break_payload(enum finding_id id, const struct break_place *place, const char *text, size_t length,
                  struct buffer *out, struct error *err)
{
	static const char *const badly_formed[] = {
		[CATALOG_UUID] = "\"no-uuid\"",
		[CATALOG_BOOLEAN_TEXT] = "\"yes\"",
		[CATALOG_INTEGER_TEXT] = "\"1.5\"",
	};
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	LOCAL_BUFFER value = BUFFER_FOR(out);
	char parent[BREAK_POINTER_SIZE];
	const char *slash = strrchr(place->pointer, '/');
	bool adds = id == FINDING_UNKNOWN_KEY || id == FINDING_UNEXPECTED_PATH;
	if (!json_read(&doc, text, length, NULL))
		return error_set(err, EXIT_CODE_INTERNAL, "a payload that is not JSON cannot be broken further");
	snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - place->pointer) : 0, place->pointer);
	uint32_t token = json_resolve(&doc, place->pointer);
	if (!json_is(&doc, json_resolve(&doc, parent), JSON_OBJECT) || (token == JSON_NONE && !adds))
		/* Edits come before: they may have removed it, or the object it would be in. */
		return error_set(err, EXIT_CODE_USAGE, "nothing to break at '%s': an edit removed it", place->pointer);
	const struct json_token *t = &doc.tokens[adds ? 0 : token];
	if (id == FINDING_JSON_SYNTAX) {
		buffer_append(out, text, t->end - 1); /* without the last bracket */
	} else if (id == FINDING_TOO_LONG) {
		/* Blanks change nothing but the length. */
		buffer_append(out, text, 1);
		buffer_append_repeat(out, ' ', CHECK_PAYLOAD_MAX);
		buffer_append(out, text + 1, length - 1);
	} else if (id == FINDING_MISSING_KEY) {
		return json_splice_unset(&doc, place->pointer, out, err);
	} else if (id == FINDING_DUPLICATE_KEY) {
		uint32_t from = t[-1].start; /* of the key */
		buffer_append(out, text, t->end);
		buffer_append_text(out, ",");
		buffer_append(out, text + from, length - from);
	} else {
		if (id == FINDING_WRONG_TYPE)
			append_wrong_type(&doc, token, place->member->type, &value);
		else if (id == FINDING_BAD_FORMAT)
			buffer_append_text(&value, badly_formed[place->member->type]);
		else
			buffer_append_text(&value, finding_rows[id].value);
		return json_splice_set(&doc, place->pointer, buffer_text(&value), value.length, out, err);
	}
	return out->failed ? error_no_memory(err) : 0;
}
