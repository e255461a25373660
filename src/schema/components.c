#include "schema/components.h"

#include "base/buffer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 8-4-4-4-12 in either case; "format" alone is an annotation in many tools. */
#define UUID_PATTERN    "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"
#define INTEGER_PATTERN "^[+-]?[0-9]+$"
#define SAMPLE_UUID     "00000000-0000-4000-8000-000000000001"

const char *const envelope_keys[COLUMN_COUNT] = { "service", "path", "method", "event" };

/* "User Created" and "userCreated" become UserCreated. */
static void pascal_case(const char *words, const char *suffix, char out[COMPONENT_NAME_SIZE])
{
	size_t length = 0;
	bool begins = true;
	for (; *words && length < COMPONENT_NAME_SIZE - 1; words++) {
		if (isalnum((unsigned char)*words))
			out[length++] = begins ? (char)toupper((unsigned char)*words) : *words;
		begins = !isalnum((unsigned char)*words);
	}
	for (; *suffix && length < COMPONENT_NAME_SIZE - 1; suffix++)
		out[length++] = *suffix;
	out[length] = '\0';
}

void component_name(const struct catalog_event *event, const char *suffix, char out[COMPONENT_NAME_SIZE])
{
	pascal_case(event->title, suffix, out);
}

const char *envelope_value(const struct catalog_event *event, enum envelope_column column)
{
	switch (column) {
	case COLUMN_SERVICE:
		return event->service;
	case COLUMN_PATH:
		return event->path;
	case COLUMN_METHOD:
		return event->method;
	default:
		return event->event;
	}
}

void envelope_append_values(struct making *m, struct json_object *array, const struct catalog_event *event,
                            enum envelope_column column)
{
	if (column != COLUMN_PATH || event->element_count == 0) {
		append_text(m, array, envelope_value(event, column));
		return;
	}
	for (size_t i = 0; i < event->element_count; i++)
		append_text(m, array, event->elements[i].path);
}

/* A sentence of the description: with a capital unless it begins with a key such as appKey. */
static void append_sentence(struct buffer *out, const char *text)
{
	size_t word = strcspn(text, " ");
	bool is_key = false;
	for (size_t i = 0; i < word; i++)
		is_key = is_key || isupper((unsigned char)text[i]);
	if (buffer_text(out)[0])
		buffer_append_byte(out, ' ');
	buffer_append_byte(out, is_key ? text[0] : (char)toupper((unsigned char)text[0]));
	buffer_append_text(out, text + 1);
}

static void describe(struct making *m, struct json_object *to, struct buffer *words)
{
	if (words->failed)
		m->failed = true;
	else
		put_text(m, to, "description", buffer_text(words));
	buffer_release(words);
}

static void describe_field(struct making *m, struct json_object *to, const struct catalog_field *field)
{
	struct buffer words = BUFFER_INIT;
	append_sentence(&words, field->meaning);
	buffer_printf(&words, " (section %s).", field->section);
	if (field->open)
		buffer_printf(&words, " Not specified: %s.", field->open);
	describe(m, to, &words);
}

void component_describe_event(struct making *m, struct json_object *to, const struct catalog_event *event)
{
	struct buffer words = BUFFER_INIT;
	append_sentence(&words, event->trigger);
	buffer_printf(&words, " (section %s).", event->trigger_section);
	if (event->note) {
		append_sentence(&words, event->note);
		buffer_append_byte(&words, '.');
	}
	describe(m, to, &words);
}

static void make_string(struct making *m, struct json_object *to, const struct catalog_member *member)
{
	put_text(m, to, "type", "string");
	switch (member->type) {
	case CATALOG_UUID:
		put_text(m, to, "format", "uuid");
		put_text(m, to, "pattern", UUID_PATTERN);
		break;
	case CATALOG_INTEGER_TEXT:
		put_text(m, to, "pattern", INTEGER_PATTERN);
		break;
	case CATALOG_BOOLEAN_TEXT: {
		struct json_object *values = put_array(m, to, "enum");
		append_text(m, values, "true");
		append_text(m, values, "false");
		break;
	}
	case CATALOG_CHOICE: {
		struct json_object *values = put_array(m, to, "enum");
		for (size_t i = 0; i < member->field->value_count; i++)
			append_text(m, values, member->field->values[i].name);
		break;
	}
	default:
		break;
	}
}

static void make_member(struct making *m, struct json_object *to, const char *where,
                        const struct catalog_member *member)
{
	char name[COMPONENT_NAME_SIZE];
	if (member->type == CATALOG_OBJECT) {
		pascal_case(member->field->name, "", name);
		put_reference(m, to, where, name);
		return;
	}
	describe_field(m, to, member->field);
	if (member->type == CATALOG_INTEGER)
		put_text(m, to, "type", "integer");
	else
		make_string(m, to, member);
	const char *text = member->type == CATALOG_UUID ? SAMPLE_UUID : member->field->example;
	if (!text)
		return;
	struct json_object *examples = put_array(m, to, "examples");
	if (member->type == CATALOG_INTEGER)
		append_integer(m, examples, strtoll(text, NULL, 10));
	else
		append_text(m, examples, text);
}

static void make_members(struct making *m, struct json_object *to, const char *where,
                         const struct catalog_member *members, size_t count)
{
	struct json_object *properties = put_object(m, to, "properties");
	for (size_t i = 0; i < count; i++)
		make_member(m, put_object(m, properties, members[i].field->name), where, &members[i]);
	if (count == 0)
		return;
	struct json_object *required = put_array(m, to, "required");
	for (size_t i = 0; i < count; i++)
		append_text(m, required, members[i].field->name);
}

/* The schema of an object within details; it has the same name, and is the same, in every event. */
static void make_nested(struct making *m, struct json_object *to, const char *where,
                        const struct catalog_member *members, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		char name[COMPONENT_NAME_SIZE];
		pascal_case(field->name, "", name);
		if (members[i].type != CATALOG_OBJECT || json_object_object_get_ex(to, name, NULL))
			continue;
		struct json_object *schema = put_object(m, to, name);
		put_text(m, schema, "title", name);
		describe_field(m, schema, field);
		put_text(m, schema, "type", "object");
		make_members(m, schema, where, field->members, field->member_count);
		if (field->open_members)
			put_bool(m, schema, "additionalProperties", true);
		make_nested(m, to, where, field->members, field->member_count);
	}
}

void components_make_details(struct making *m, struct json_object *to, const char *where,
                             const struct catalog_event *const *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char name[COMPONENT_NAME_SIZE];
		component_name(events[i], "Details", name);
		struct json_object *schema = put_object(m, to, name);
		put_text(m, schema, "title", name);
		put_text(m, schema, "type", "object");
		make_members(m, schema, where, events[i]->details, events[i]->detail_count);
	}
	for (size_t i = 0; i < count; i++)
		make_nested(m, to, where, events[i]->details, events[i]->detail_count);
}

/* The key must not be there. ("path": false would say so too, but generators of types stumble over it.) */
static void make_absent(struct making *m, struct json_object *to, const char *key)
{
	struct json_object *refused = put_object(m, to, "not");
	put_object(m, put_object(m, refused, "properties"), key);
	append_text(m, put_array(m, refused, "required"), key);
}

static void make_column(struct making *m, struct json_object *properties, const struct catalog_event *event,
                        enum envelope_column column)
{
	struct json_object *schema = put_object(m, properties, envelope_keys[column]);
	put_text(m, schema, "type", "string");
	if (column == COLUMN_PATH && event->element_count > 0)
		envelope_append_values(m, put_array(m, schema, "enum"), event, column);
	else
		put_text(m, schema, "const", envelope_value(event, column));
}

static void make_event(struct making *m, struct json_object *to, const char *where, const struct catalog_event *event)
{
	static const enum envelope_column order[] = { COLUMN_SERVICE, COLUMN_EVENT, COLUMN_METHOD, COLUMN_PATH };
	char name[COMPONENT_NAME_SIZE], details[COMPONENT_NAME_SIZE];
	component_name(event, "", name);
	component_name(event, "Details", details);
	struct json_object *schema = put_object(m, to, name);
	put_text(m, schema, "title", name);
	component_describe_event(m, schema, event);
	put_text(m, schema, "type", "object");
	struct json_object *properties = put_object(m, schema, "properties");
	struct json_object *required = put_array(m, schema, "required");
	for (size_t i = 0; i < COLUMN_COUNT; i++) {
		if (!envelope_value(event, order[i]))
			continue;
		make_column(m, properties, event, order[i]);
		append_text(m, required, envelope_keys[order[i]]);
	}
	put_reference(m, put_object(m, properties, "details"), where, details);
	append_text(m, required, "details");
	if (!event->path)
		make_absent(m, schema, "path");
}

void components_make(struct making *m, struct json_object *to, const char *where,
                     const struct catalog_event *const *events, size_t count)
{
	for (size_t i = 0; i < count; i++)
		make_event(m, to, where, events[i]);
	components_make_details(m, to, where, events, count);
}

static struct json_object *add_member(struct making *m, struct json_object *to, const char *key,
                                      struct json_object *value)
{
	if (value && to && json_object_object_add(to, key, value) == 0)
		return value;
	json_object_put(value);
	m->failed = true;
	return NULL;
}

static struct json_object *add_item(struct making *m, struct json_object *array, struct json_object *value)
{
	if (value && array && json_object_array_add(array, value) == 0)
		return value;
	json_object_put(value);
	m->failed = true;
	return NULL;
}

void put_text(struct making *m, struct json_object *to, const char *key, const char *text)
{
	add_member(m, to, key, json_object_new_string(text));
}

void put_bool(struct making *m, struct json_object *to, const char *key, bool value)
{
	add_member(m, to, key, json_object_new_boolean(value));
}

struct json_object *put_object(struct making *m, struct json_object *to, const char *key)
{
	return add_member(m, to, key, json_object_new_object());
}

struct json_object *put_array(struct making *m, struct json_object *to, const char *key)
{
	return add_member(m, to, key, json_object_new_array());
}

void append_text(struct making *m, struct json_object *array, const char *text)
{
	add_item(m, array, json_object_new_string(text));
}

void append_integer(struct making *m, struct json_object *array, long long value)
{
	add_item(m, array, json_object_new_int64(value));
}

struct json_object *append_object(struct making *m, struct json_object *array)
{
	return add_item(m, array, json_object_new_object());
}

void put_reference(struct making *m, struct json_object *to, const char *where, const char *name)
{
	char text[256];
	snprintf(text, sizeof text, "%s%s", where, name);
	put_text(m, to, "$ref", text);
}
