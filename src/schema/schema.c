#include "schema/schema.h"

#include "json/json_line.h"
#include "json/print.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define SCHEMA_TITLE   "Credit-data service notifications"
#define SCHEMA_VERSION "2" /* the version segment of the API paths (section 9) */
#define SCHEMA_ABOUT                                                                                                   \
	"Event notifications that a credit-data service sends by HTTP POST to a client's listener URL. Made from "     \
	"the catalogue of credhook. That the keys of details are required is a rule of credhook: section 2.2 does "    \
	"not say so. Further keys are allowed."

/* 8-4-4-4-12 in either case; "format" alone is an annotation in many tools. */
#define UUID_PATTERN    "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"
#define INTEGER_PATTERN "^[+-]?[0-9]+$"
#define SAMPLE_UUID     "00000000-0000-4000-8000-000000000001"

#define DEFINITIONS "#/$defs/"
#define SCHEMAS     "#/components/schemas/"

/* A document in the making. */
struct document {
	struct buffer *out;
	const char *where; /* what references to its schemas begin with */
	const struct catalog_event *const *events;
	size_t count;
};

/* The keys of the envelope but for details, in the order in which validators look at them. */
enum envelope_column { COLUMN_SERVICE, COLUMN_PATH, COLUMN_METHOD, COLUMN_EVENT, COLUMN_COUNT };
static const char *const envelope_keys[COLUMN_COUNT] = { "service", "path", "method", "event" };

/* NULL: it has no path. */
static const char *envelope_value(const struct catalog_event *event, enum envelope_column column)
{
	const char *const values[COLUMN_COUNT] = { event->service, event->path, event->method, event->event };
	return values[column];
}

/* The event's value, or the path of each of its elements. */
static void append_values(struct buffer *out, const struct catalog_event *event, enum envelope_column column)
{
	if (column != COLUMN_PATH || event->element_count == 0)
		json_line_element(out, envelope_value(event, column));
	else
		for (size_t i = 0; i < event->element_count; i++)
			json_line_element(out, event->elements[i].path);
}

#define NAME_SIZE 96

/* UserCreatedDetails of "User Created" and "Details", AlertDetails of "alertDetails": generators make types of these
 * names. */
static const char *name_of(const char *words, const char *suffix, char out[NAME_SIZE])
{
	size_t length = 0;
	bool begins = true;
	for (; *words && length < NAME_SIZE - 1; words++) {
		if (isalnum((unsigned char)*words))
			out[length++] = begins ? (char)toupper((unsigned char)*words) : *words;
		begins = !isalnum((unsigned char)*words);
	}
	snprintf(out + length, NAME_SIZE - length, "%s", suffix);
	return out;
}

static void append_reference(const struct document *d, const char *name)
{
	LOCAL_BUFFER text = BUFFER_FOR(d->out);
	buffer_printf(&text, "%s%s", d->where, name);
	json_line_text(d->out, "$ref", buffer_text(&text));
}

/* A sentence of a description: with a capital unless it begins with a key such as appKey. */
static void append_sentence(struct buffer *out, const char *text)
{
	bool is_key = false;
	for (const char *c = text; *c && *c != ' '; c++)
		is_key |= isupper((unsigned char)*c) != 0;
	buffer_append_byte(out, is_key ? text[0] : (char)toupper((unsigned char)text[0]));
	buffer_append_text(out, text + 1);
}

/* MEANING (section X). With a label LABEL: MORE behind it, else MORE as a sentence. */
static void describe(struct buffer *out, const char *meaning, const char *section, const char *label, const char *more)
{
	LOCAL_BUFFER words = BUFFER_FOR(out);
	append_sentence(&words, meaning);
	buffer_printf(&words, " (section %s).", section);
	if (more) {
		buffer_append_text(&words, label ? label : " ");
		if (label)
			buffer_append_text(&words, more);
		else
			append_sentence(&words, more);
		buffer_append_byte(&words, '.');
	}
	json_line_text(out, "description", buffer_text(&words));
}

static void describe_field(struct buffer *out, const struct catalog_field *field)
{
	describe(out, field->meaning, field->section, " Not specified: ", field->open);
}

static void append_type(struct buffer *out, const struct catalog_member *member)
{
	json_line_text(out, "type", member->type == CATALOG_INTEGER ? "integer" : "string");
	if (member->type == CATALOG_UUID)
		json_line_text(out, "format", "uuid");
	if (member->type == CATALOG_UUID || member->type == CATALOG_INTEGER_TEXT)
		json_line_text(out, "pattern", member->type == CATALOG_UUID ? UUID_PATTERN : INTEGER_PATTERN);
	if (member->type != CATALOG_BOOLEAN_TEXT && member->type != CATALOG_CHOICE)
		return;
	json_line_array(out, "enum");
	if (member->type == CATALOG_BOOLEAN_TEXT) {
		json_line_element(out, "true");
		json_line_element(out, "false");
	}
	for (size_t i = 0; i < member->field->value_count; i++)
		json_line_element(out, member->field->values[i].name);
	json_line_array_end(out);
}

static void append_member(const struct document *d, const struct catalog_member *member)
{
	char name[NAME_SIZE];
	const struct catalog_field *field = member->field;
	bool invented;
	const char *personal = catalog_personal(field, 0, &invented);
	const char *example = member->type == CATALOG_UUID ? SAMPLE_UUID : personal ? personal : field->example;
	json_line_object(d->out, field->name);
	if (member->type == CATALOG_OBJECT) {
		append_reference(d, name_of(field->name, "", name));
	} else {
		describe_field(d->out, field);
		append_type(d->out, member);
		if (example)
			json_line_array(d->out, "examples");
		if (example && member->type == CATALOG_INTEGER)
			buffer_append_text(d->out, example);
		else if (example)
			json_line_element(d->out, example);
		if (example)
			json_line_array_end(d->out);
	}
	json_line_end(d->out);
}

static void append_members(const struct document *d, const struct catalog_member *members, size_t count)
{
	json_line_object(d->out, "properties");
	for (size_t i = 0; i < count; i++)
		append_member(d, &members[i]);
	json_line_end(d->out);
	if (count == 0)
		return;
	json_line_array(d->out, "required");
	for (size_t i = 0; i < count; i++)
		json_line_element(d->out, members[i].field->name);
	json_line_array_end(d->out);
}

/* Whether an event of the document has the field in its details. */
static bool is_used(const struct document *d, const struct catalog_field *field)
{
	const struct catalog_field *owner = catalog_field_owner(field);
	for (size_t i = 0; !owner && i < d->count; i++)
		if (catalog_member_named(d->events[i]->details, d->events[i]->detail_count, field->name,
		                         field->name_length))
			return true;
	return owner && is_used(d, owner);
}

/* The schemas of the details of each event, and of the objects within them, which are the same in every event. */
static void append_details(const struct document *d)
{
	char name[NAME_SIZE];
	for (size_t i = 0; i < d->count; i++) {
		const struct catalog_event *event = d->events[i];
		json_line_object(d->out, name_of(event->title, "Details", name));
		json_line_text(d->out, "title", name);
		json_line_text(d->out, "type", "object");
		append_members(d, event->details, event->detail_count);
		json_line_end(d->out);
	}
	for (size_t i = 0; i < catalog_field_count; i++) {
		const struct catalog_field *field = catalog_fields[i];
		if (field->type != CATALOG_OBJECT || !is_used(d, field))
			continue;
		json_line_object(d->out, name_of(field->name, "", name));
		json_line_text(d->out, "title", name);
		describe_field(d->out, field);
		json_line_text(d->out, "type", "object");
		append_members(d, field->members, field->member_count);
		if (field->open_members)
			json_line_bool(d->out, "additionalProperties", true);
		json_line_end(d->out);
	}
}

/* The schema of an event, whose service, event, method and path are constants. */
static void append_event(const struct document *d, const struct catalog_event *event)
{
	static const enum envelope_column order[] = { COLUMN_SERVICE, COLUMN_EVENT, COLUMN_METHOD, COLUMN_PATH };
	size_t columns = event->path ? COLUMN_COUNT : COLUMN_COUNT - 1;
	char name[NAME_SIZE];
	struct buffer *out = d->out;
	json_line_object(out, name_of(event->title, "", name));
	json_line_text(out, "title", name);
	describe(out, event->trigger, event->trigger_section, NULL, event->note);
	json_line_text(out, "type", "object");
	json_line_object(out, "properties");
	for (size_t i = 0; i < columns; i++) {
		json_line_object(out, envelope_keys[order[i]]);
		json_line_text(out, "type", "string");
		if (order[i] == COLUMN_PATH && event->element_count > 0) {
			json_line_array(out, "enum");
			append_values(out, event, COLUMN_PATH);
			json_line_array_end(out);
		} else {
			json_line_text(out, "const", envelope_value(event, order[i]));
		}
		json_line_end(out);
	}
	json_line_object(out, "details");
	append_reference(d, name_of(event->title, "Details", name));
	buffer_append_text(out, "}}");
	json_line_array(out, "required");
	for (size_t i = 0; i < columns; i++)
		json_line_element(out, envelope_keys[order[i]]);
	json_line_element(out, "details");
	json_line_array_end(out);
	if (!event->path) /* "path": false would say so too, but generators of types stumble over it */
		buffer_append_text(out, ",\"not\":{\"properties\":{\"path\":{}},\"required\":[\"path\"]}");
	json_line_end(out);
}

static void append_components(const struct document *d)
{
	for (size_t i = 0; i < d->count; i++)
		append_event(d, d->events[i]);
	append_details(d);
}

/* JSON Schema 2020-12. Generators of types want oneOf, which says of one defect that no branch fits; so validators get
 * rules of one condition each. */
static void append_head(struct buffer *out, const char *id)
{
	json_line_text(out, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_line_text(out, "$id", id);
	json_line_text(out, "title", "Notification");
	json_line_text(out, "description", SCHEMA_ABOUT);
	json_line_text(out, "type", "object");
}

static void append_types(const struct document *d)
{
	char name[NAME_SIZE];
	append_head(d->out, "urn:credhook:schema:notification:types");
	json_line_array(d->out, "oneOf");
	for (size_t i = 0; i < d->count; i++) {
		json_line_begin(d->out);
		append_reference(d, name_of(d->events[i]->title, "", name));
		json_line_end(d->out);
	}
	json_line_array_end(d->out);
	json_line_object(d->out, "$defs");
	append_components(d);
	json_line_end(d->out);
}

/* Whether two events have the same values in all columns before this one. */
static bool same_before(const struct catalog_event *a, const struct catalog_event *b, enum envelope_column column)
{
	for (enum envelope_column c = 0; c < column; c++) {
		const char *of_a = envelope_value(a, c), *of_b = envelope_value(b, c);
		if (of_a != of_b && (!of_a || !of_b || strcmp(of_a, of_b) != 0))
			return false;
	}
	return true;
}

/* Whether no event before the one at `index` has its values in all columns before `column`. */
static bool is_first(const struct document *d, size_t index, enum envelope_column column)
{
	for (size_t i = 0; i < index; i++)
		if (same_before(d->events[i], d->events[index], column))
			return false;
	return true;
}

/* A rule, to be ended: "if" the columns before this one have the event's values, "then" what is appended next. */
static void begin_rule(const struct document *d, const struct catalog_event *event, enum envelope_column column)
{
	json_line_begin(d->out);
	json_line_object(d->out, "if");
	json_line_object(d->out, "properties");
	for (enum envelope_column c = 0; c < column; c++) {
		if (!envelope_value(event, c))
			continue;
		json_line_object(d->out, envelope_keys[c]);
		json_line_text(d->out, "type", "string");
		json_line_array(d->out, "enum");
		append_values(d->out, event, c);
		buffer_append_text(d->out, "]}");
	}
	json_line_end(d->out);
	json_line_array(d->out, "required");
	for (enum envelope_column c = 0; c < column; c++)
		if (envelope_value(event, c))
			json_line_element(d->out, envelope_keys[c]);
	buffer_append_text(d->out, "]}");
	json_line_object(d->out, "then");
}

/* What the column may hold in the events that are like the one at `index` in the columns before it. */
static void append_allowed(const struct document *d, size_t index, enum envelope_column column)
{
	const char *key = envelope_keys[column];
	bool present = envelope_value(d->events[index], column) != NULL, is_root = column == COLUMN_SERVICE;
	if (present) {
		json_line_array(d->out, "required");
		json_line_element(d->out, key);
		if (is_root)
			json_line_element(d->out, "details");
		json_line_array_end(d->out);
	}
	json_line_object(d->out, "properties");
	if (present) {
		json_line_object(d->out, key);
		json_line_text(d->out, "type", "string");
		json_line_array(d->out, "enum");
		for (size_t i = index; i < d->count; i++)
			if (same_before(d->events[i], d->events[index], column) && is_first(d, i, column + 1))
				append_values(d->out, d->events[i], column);
		buffer_append_text(d->out, is_root ? "]},\"details\":{\"type\":\"object\"}" : "]}");
	} else {
		json_line_bool(d->out, key, false); /* "not" would not name the place */
	}
	json_line_end(d->out);
}

static void append_validators(const struct document *d)
{
	char name[NAME_SIZE];
	append_head(d->out, "urn:credhook:schema:notification:validators");
	append_allowed(d, 0, COLUMN_SERVICE);
	json_line_array(d->out, "allOf");
	for (enum envelope_column column = COLUMN_PATH; column < COLUMN_COUNT; column++) {
		for (size_t i = 0; i < d->count; i++) {
			if (!is_first(d, i, column))
				continue;
			begin_rule(d, d->events[i], column);
			append_allowed(d, i, column);
			buffer_append_text(d->out, "}}");
		}
	}
	for (size_t i = 0; i < d->count; i++) {
		begin_rule(d, d->events[i], COLUMN_COUNT);
		json_line_object(d->out, "properties");
		json_line_object(d->out, "details");
		append_reference(d, name_of(d->events[i]->title, "Details", name));
		buffer_append_text(d->out, "}}}}");
	}
	json_line_array_end(d->out);
	json_line_object(d->out, "$defs");
	append_details(d);
	json_line_end(d->out);
}

/* OpenAPI 3.1: the notifications as webhooks. */

static void append_webhook(const struct document *d, const struct catalog_event *event)
{
	char name[NAME_SIZE];
	struct buffer *out = d->out;
	json_line_object(out, name_of(event->title, "", name));
	json_line_object(out, "post");
	json_line_text(out, "operationId", name);
	json_line_text(out, "summary", event->title);
	describe(out, event->trigger, event->trigger_section, NULL, event->note);
	json_line_array(out, "tags");
	json_line_element(out, event->service);
	json_line_array_end(out);
	buffer_append_text(out, ",\"requestBody\":{\"required\":true,\"content\":{\"application/json\":{\"schema\":{");
	append_reference(d, name);
	buffer_append_text(out,
	                   "}}}},\"responses\":{\"2XX\":{\"description\":\"The notification was received. Which "
	                   "response the service expects is not specified (section 4.1).\"},"
	                   "\"4XX\":{\"description\":\"The notification was refused. What the service does then is "
	                   "not specified (section 7).\"}}}}");
}

static void append_openapi(const struct document *d)
{
	struct buffer *out = d->out;
	json_line_text(out, "openapi", "3.1.0");
	json_line_object(out, "info");
	json_line_text(out, "title", SCHEMA_TITLE);
	json_line_text(out, "version", SCHEMA_VERSION);
	json_line_text(out, "description", SCHEMA_ABOUT);
	json_line_end(out);
	/* Notifications carry no credentials (section 5). */
	buffer_append_text(out, ",\"servers\":[{\"url\":\"{listener}\","
	                        "\"description\":\"The listener URL that the client registers (section 1).\","
	                        "\"variables\":{\"listener\":{\"default\":\"http://localhost:8080/hook\"}}}],"
	                        "\"security\":[]");
	json_line_array(out, "tags");
	for (size_t i = 0; i < catalog_service_count; i++) {
		json_line_begin(out);
		json_line_text(out, "name", catalog_services[i].name);
		json_line_text(out, "description", catalog_services[i].meaning);
		json_line_end(out);
	}
	json_line_array_end(out);
	json_line_object(out, "webhooks");
	for (size_t i = 0; i < d->count; i++)
		append_webhook(d, d->events[i]);
	json_line_end(out);
	json_line_object(out, "components");
	json_line_object(out, "schemas");
	append_components(d);
	buffer_append_text(out, "}}");
}

int schema_write(enum schema_format format, const struct catalog_event *const *events, size_t count, bool pretty,
                 struct buffer *out, struct error *err)
{
	LOCAL_BUFFER text = BUFFER_FOR(out);
	struct document d = { &text, format == SCHEMA_OPENAPI ? SCHEMAS : DEFINITIONS, events, count };
	json_line_begin(&text);
	if (format == SCHEMA_TYPES)
		append_types(&d);
	else if (format == SCHEMA_VALIDATORS)
		append_validators(&d);
	else
		append_openapi(&d);
	json_line_end(&text);
	if (!pretty)
		buffer_append(out, buffer_text(&text), text.length);
	else
		json_pretty(buffer_text(&text), text.length, out);
	buffer_append_byte(out, '\n');
	return out->failed ? error_no_memory(err) : 0;
}
