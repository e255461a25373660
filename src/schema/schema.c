#include "schema/schema.h"

#include "json/tree.h"

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

/* What a document is made for. */
struct document {
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
static json_object *add_values(json_object *list, const struct catalog_event *event, enum envelope_column column)
{
	if (column != COLUMN_PATH || event->element_count == 0)
		return tree_add(list, tree_text(envelope_value(event, column)));
	for (size_t i = 0; i < event->element_count; i++)
		list = tree_add(list, tree_text(event->elements[i].path));
	return list;
}

static json_object *list_of(const char *text)
{
	return tree_add(tree_list(), tree_text(text));
}

/* The schema of a string that is one of these. */
static json_object *choice_of(json_object *values)
{
	return tree_object("type", tree_text("string"), "enum", values, NULL);
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

static json_object *reference(const struct document *d, const char *name)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	buffer_printf(&text, "%s%s", d->where, name);
	return tree_object("$ref", tree_text_of(&text), NULL);
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
static json_object *description(const char *meaning, const char *section, const char *label, const char *more)
{
	LOCAL_BUFFER words = BUFFER_INIT;
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
	return tree_text_of(&words);
}

static json_object *field_description(const struct catalog_field *field)
{
	return description(field->meaning, field->section, " Not specified: ", field->open);
}

static json_object *member_schema(const struct document *d, const struct catalog_member *member)
{
	const struct catalog_field *field = member->field;
	const enum catalog_type type = member->type;
	char name[NAME_SIZE];
	bool invented;
	if (type == CATALOG_OBJECT)
		return reference(d, name_of(field->name, "", name));
	json_object *schema = tree_object("description", field_description(field), "type",
	                                  tree_text(type == CATALOG_INTEGER ? "integer" : "string"), NULL);
	if (type == CATALOG_UUID)
		schema = tree_set(schema, "format", tree_text("uuid"));
	if (type == CATALOG_UUID || type == CATALOG_INTEGER_TEXT)
		schema = tree_set(schema, "pattern", tree_text(type == CATALOG_UUID ? UUID_PATTERN : INTEGER_PATTERN));
	if (type == CATALOG_BOOLEAN_TEXT)
		schema = tree_set(schema, "enum", tree_add(list_of("true"), tree_text("false")));
	if (type == CATALOG_CHOICE) {
		json_object *values = tree_list();
		for (size_t i = 0; i < field->value_count; i++)
			values = tree_add(values, tree_text(field->values[i].name));
		schema = tree_set(schema, "enum", values);
	}
	const char *personal = catalog_personal(field, 0, &invented);
	const char *example = type == CATALOG_UUID ? SAMPLE_UUID : personal ? personal : field->example;
	if (!example)
		return schema;
	json_object *value = type == CATALOG_INTEGER ? tree_spelled(example) : tree_text(example);
	return tree_set(schema, "examples", tree_add(tree_list(), value));
}

static json_object *set_members(json_object *schema, const struct document *d, const struct catalog_member *members,
                                size_t count)
{
	json_object *properties = tree_empty(), *required = count > 0 ? tree_list() : NULL;
	for (size_t i = 0; i < count; i++) {
		properties = tree_set(properties, members[i].field->name, member_schema(d, &members[i]));
		required = tree_add(required, tree_text(members[i].field->name));
	}
	schema = tree_set(schema, "properties", properties);
	return count > 0 ? tree_set(schema, "required", required) : schema;
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
static json_object *add_details(json_object *schemas, const struct document *d)
{
	char name[NAME_SIZE];
	for (size_t i = 0; i < d->count; i++) {
		const struct catalog_event *event = d->events[i];
		name_of(event->title, "Details", name);
		json_object *schema = tree_object("title", tree_text(name), "type", tree_text("object"), NULL);
		schemas = tree_set(schemas, name, set_members(schema, d, event->details, event->detail_count));
	}
	for (size_t i = 0; i < catalog_field_count; i++) {
		const struct catalog_field *field = catalog_fields[i];
		if (field->type != CATALOG_OBJECT || !is_used(d, field))
			continue;
		name_of(field->name, "", name);
		json_object *schema = tree_object("title", tree_text(name), "description", field_description(field),
		                                  "type", tree_text("object"), NULL);
		schema = set_members(schema, d, field->members, field->member_count);
		if (field->open_members)
			schema = tree_set(schema, "additionalProperties", tree_bool(true));
		schemas = tree_set(schemas, name, schema);
	}
	return schemas;
}

/* The schema of an event, whose service, event, method and path are constants. */
static json_object *event_schema(const struct document *d, const struct catalog_event *event, const char *name)
{
	static const enum envelope_column order[] = { COLUMN_SERVICE, COLUMN_EVENT, COLUMN_METHOD, COLUMN_PATH };
	size_t columns = event->path ? COLUMN_COUNT : COLUMN_COUNT - 1;
	json_object *properties = tree_empty(), *required = tree_list();
	char details[NAME_SIZE];
	for (size_t i = 0; i < columns; i++) {
		const char *key = envelope_keys[order[i]], *value = envelope_value(event, order[i]);
		bool is_choice = order[i] == COLUMN_PATH && event->element_count > 0;
		properties =
		        tree_set(properties, key,
		                 is_choice ? choice_of(add_values(tree_list(), event, COLUMN_PATH))
		                           : tree_object("type", tree_text("string"), "const", tree_text(value), NULL));
		required = tree_add(required, tree_text(key));
	}
	properties = tree_set(properties, "details", reference(d, name_of(event->title, "Details", details)));
	required = tree_add(required, tree_text("details"));
	json_object *schema =
	        tree_object("title", tree_text(name), "description",
	                    description(event->trigger, event->trigger_section, NULL, event->note), "type",
	                    tree_text("object"), "properties", properties, "required", required, NULL);
	if (event->path)
		return schema;
	/* "path": false would say so too, but generators of types stumble over it */
	json_object *path = tree_object("path", tree_empty(), NULL);
	return tree_set(schema, "not", tree_object("properties", path, "required", list_of("path"), NULL));
}

static json_object *components(const struct document *d)
{
	json_object *schemas = tree_empty();
	char name[NAME_SIZE];
	for (size_t i = 0; i < d->count; i++) {
		name_of(d->events[i]->title, "", name);
		schemas = tree_set(schemas, name, event_schema(d, d->events[i], name));
	}
	return add_details(schemas, d);
}

/* JSON Schema 2020-12. Generators of types want oneOf, which says of one defect that no branch fits; so validators get
 * rules of one condition each. */
static json_object *head(const char *id)
{
	return tree_object("$schema", tree_text("https://json-schema.org/draft/2020-12/schema"), "$id", tree_text(id),
	                   "title", tree_text("Notification"), "description", tree_text(SCHEMA_ABOUT), "type",
	                   tree_text("object"), NULL);
}

static json_object *types(const struct document *d)
{
	json_object *branches = tree_list(), *root = head("urn:credhook:schema:notification:types");
	char name[NAME_SIZE];
	for (size_t i = 0; i < d->count; i++)
		branches = tree_add(branches, reference(d, name_of(d->events[i]->title, "", name)));
	return tree_set(tree_set(root, "oneOf", branches), "$defs", components(d));
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

/* "if" the columns before this one have the event's values, "then". */
static json_object *rule(const struct catalog_event *event, enum envelope_column column, json_object *then)
{
	json_object *properties = tree_empty(), *required = tree_list();
	for (enum envelope_column c = 0; c < column; c++) {
		if (!envelope_value(event, c))
			continue;
		properties = tree_set(properties, envelope_keys[c], choice_of(add_values(tree_list(), event, c)));
		required = tree_add(required, tree_text(envelope_keys[c]));
	}
	return tree_object("if", tree_object("properties", properties, "required", required, NULL), "then", then, NULL);
}

/* Adds what the column may hold in the events that are like the one at `index` in the columns before it. */
static json_object *set_allowed(json_object *schema, const struct document *d, size_t index,
                                enum envelope_column column)
{
	const char *key = envelope_keys[column];
	if (!envelope_value(d->events[index], column)) /* "not" would not name the place */
		return tree_set(schema, "properties", tree_object(key, tree_bool(false), NULL));
	json_object *values = tree_list(), *required = list_of(key);
	for (size_t i = index; i < d->count; i++)
		if (same_before(d->events[i], d->events[index], column) && is_first(d, i, column + 1))
			values = add_values(values, d->events[i], column);
	json_object *properties = tree_object(key, choice_of(values), NULL);
	if (column == COLUMN_SERVICE) {
		required = tree_add(required, tree_text("details"));
		properties = tree_set(properties, "details", tree_object("type", tree_text("object"), NULL));
	}
	return tree_set(tree_set(schema, "required", required), "properties", properties);
}

static json_object *validators(const struct document *d)
{
	json_object *root = set_allowed(head("urn:credhook:schema:notification:validators"), d, 0, COLUMN_SERVICE);
	json_object *rules = tree_list();
	char name[NAME_SIZE];
	for (enum envelope_column column = COLUMN_PATH; column < COLUMN_COUNT; column++)
		for (size_t i = 0; i < d->count; i++)
			if (is_first(d, i, column))
				rules = tree_add(rules,
				                 rule(d->events[i], column, set_allowed(tree_empty(), d, i, column)));
	for (size_t i = 0; i < d->count; i++) {
		json_object *details = reference(d, name_of(d->events[i]->title, "Details", name));
		json_object *properties = tree_object("details", details, NULL);
		rules = tree_add(rules, rule(d->events[i], COLUMN_COUNT, tree_object("properties", properties, NULL)));
	}
	return tree_set(tree_set(root, "allOf", rules), "$defs", add_details(tree_empty(), d));
}

/* OpenAPI 3.1: the notifications as webhooks. */

static json_object *webhook(const struct document *d, const struct catalog_event *event, const char *name)
{
	json_object *content = tree_object("schema", reference(d, name), NULL);
	content = tree_object("application/json", content, NULL);
	json_object *good = tree_text("The notification was received. Which response the service expects is not "
	                              "specified (section 4.1).");
	json_object *bad = tree_text("The notification was refused. What the service does then is not specified "
	                             "(section 7).");
	json_object *responses = tree_object("2XX", tree_object("description", good, NULL), "4XX",
	                                     tree_object("description", bad, NULL), NULL);
	json_object *post = tree_object(
	        "operationId", tree_text(name), "summary", tree_text(event->title), "description",
	        description(event->trigger, event->trigger_section, NULL, event->note), "tags", list_of(event->service),
	        "requestBody", tree_object("required", tree_bool(true), "content", content, NULL), "responses",
	        responses, NULL);
	return tree_object("post", post, NULL);
}

static json_object *openapi(const struct document *d)
{
	json_object *contact = tree_object("name", tree_text("The credhook authors"), NULL);
	json_object *license = tree_object("name", tree_text("MIT"), "identifier", tree_text("MIT"), NULL);
	json_object *info =
	        tree_object("title", tree_text(SCHEMA_TITLE), "version", tree_text(SCHEMA_VERSION), "description",
	                    tree_text(SCHEMA_ABOUT), "contact", contact, "license", license, NULL);
	json_object *listener = tree_object("default", tree_text("http://localhost:8080/hook"), NULL);
	json_object *server = tree_object("url", tree_text("{listener}"), "description",
	                                  tree_text("The listener URL that the client registers (section 1)."),
	                                  "variables", tree_object("listener", listener, NULL), NULL);
	json_object *tags = tree_list(), *webhooks = tree_empty();
	char name[NAME_SIZE];
	for (size_t i = 0; i < catalog_service_count; i++)
		tags = tree_add(tags, tree_object("name", tree_text(catalog_services[i].name), "description",
		                                  tree_text(catalog_services[i].meaning), NULL));
	for (size_t i = 0; i < d->count; i++) {
		name_of(d->events[i]->title, "", name);
		webhooks = tree_set(webhooks, name, webhook(d, d->events[i], name));
	}
	/* Notifications carry no credentials (section 5). */
	return tree_object("openapi", tree_text("3.1.0"), "info", info, "servers", tree_add(tree_list(), server),
	                   "security", tree_list(), "tags", tags, "webhooks", webhooks, "components",
	                   tree_object("schemas", components(d), NULL), NULL);
}

void schema_write(enum schema_format format, const struct catalog_event *const *events, size_t count, bool pretty,
                  struct buffer *out)
{
	struct document d = { format == SCHEMA_OPENAPI ? SCHEMAS : DEFINITIONS, events, count };
	json_object *root = format == SCHEMA_TYPES        ? types(&d)
	                    : format == SCHEMA_VALIDATORS ? validators(&d)
	                                                  : openapi(&d);
	tree_append(root, pretty ? JSON_PRETTY : JSON_COMPACT, out);
	buffer_append_byte(out, '\n');
}
