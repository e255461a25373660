#include "schema/schema.h"

#include "json/print.h"
#include "schema/components.h"

#include <string.h>

#define SCHEMA_TITLE   "Credit-data service notifications"
#define SCHEMA_VERSION "2" /* the version segment of the API paths (section 9) */
#define SCHEMA_ABOUT                                                                                                   \
	"Event notifications that a credit-data service sends by HTTP POST to a client's listener URL. Made from "     \
	"the catalogue of credhook. That the keys of details are required is a rule of credhook: section 2.2 does "    \
	"not say so. Further keys are allowed."

/* JSON Schema 2020-12. Generators of types want oneOf, which says of one defect that no branch fits; so validators get
 * rules of one condition each. */
#define DEFINITIONS "#/$defs/"

static void make_head(struct making *m, struct json_object *root, const char *id)
{
	put_text(m, root, "$schema", "https://json-schema.org/draft/2020-12/schema");
	put_text(m, root, "$id", id);
	put_text(m, root, "title", "Notification");
	put_text(m, root, "description", SCHEMA_ABOUT);
	put_text(m, root, "type", "object");
}

static void make_types(struct making *m, struct json_object *root, const struct catalog_event *const *events,
                       size_t count)
{
	make_head(m, root, "urn:credhook:schema:notification:types");
	struct json_object *branches = put_array(m, root, "oneOf");
	for (size_t i = 0; i < count; i++) {
		char name[COMPONENT_NAME_SIZE];
		component_name(events[i], "", name);
		put_reference(m, append_object(m, branches), DEFINITIONS, name);
	}
	components_make(m, put_object(m, root, "$defs"), DEFINITIONS, events, count);
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
static bool is_first(const struct catalog_event *const *events, size_t index, enum envelope_column column)
{
	for (size_t i = 0; i < index; i++)
		if (same_before(events[i], events[index], column))
			return false;
	return true;
}

/* "if": the columns before this one have the event's values. */
static void make_condition(struct making *m, struct json_object *rule, const struct catalog_event *event,
                           enum envelope_column column)
{
	struct json_object *condition = put_object(m, rule, "if");
	struct json_object *properties = put_object(m, condition, "properties");
	struct json_object *required = put_array(m, condition, "required");
	for (enum envelope_column c = 0; c < column; c++) {
		if (!envelope_value(event, c))
			continue;
		struct json_object *property = put_object(m, properties, envelope_keys[c]);
		put_text(m, property, "type", "string");
		envelope_append_values(m, put_array(m, property, "enum"), event, c);
		append_text(m, required, envelope_keys[c]);
	}
}

/* What the column may hold in the events that are like the one at `index` in the columns before it. */
static void make_allowed(struct making *m, struct json_object *to, const struct catalog_event *const *events,
                         size_t count, size_t index, enum envelope_column column)
{
	const char *key = envelope_keys[column];
	if (!envelope_value(events[index], column)) {
		put_bool(m, put_object(m, to, "properties"), key, false); /* "not" would not name the place */
		return;
	}
	append_text(m, put_array(m, to, "required"), key);
	struct json_object *property = put_object(m, put_object(m, to, "properties"), key);
	put_text(m, property, "type", "string");
	struct json_object *values = put_array(m, property, "enum");
	for (size_t i = index; i < count; i++)
		if (same_before(events[i], events[index], column) && is_first(events, i, column + 1))
			envelope_append_values(m, values, events[i], column);
}

static void make_validators(struct making *m, struct json_object *root, const struct catalog_event *const *events,
                            size_t count)
{
	make_head(m, root, "urn:credhook:schema:notification:validators");
	make_allowed(m, root, events, count, 0, COLUMN_SERVICE);
	append_text(m, json_object_object_get(root, "required"), "details");
	put_text(m, put_object(m, json_object_object_get(root, "properties"), "details"), "type", "object");
	struct json_object *rules = put_array(m, root, "allOf");
	for (enum envelope_column column = COLUMN_PATH; column < COLUMN_COUNT; column++) {
		for (size_t i = 0; i < count; i++) {
			if (!is_first(events, i, column))
				continue;
			struct json_object *rule = append_object(m, rules);
			make_condition(m, rule, events[i], column);
			make_allowed(m, put_object(m, rule, "then"), events, count, i, column);
		}
	}
	for (size_t i = 0; i < count; i++) {
		char name[COMPONENT_NAME_SIZE];
		component_name(events[i], "Details", name);
		struct json_object *rule = append_object(m, rules);
		make_condition(m, rule, events[i], COLUMN_COUNT);
		struct json_object *properties = put_object(m, put_object(m, rule, "then"), "properties");
		put_reference(m, put_object(m, properties, "details"), DEFINITIONS, name);
	}
	components_make_details(m, put_object(m, root, "$defs"), DEFINITIONS, events, count);
}

/* OpenAPI 3.1: the notifications as webhooks. */
#define SCHEMAS "#/components/schemas/"

static void make_webhook(struct making *m, struct json_object *webhooks, const struct catalog_event *event)
{
	char name[COMPONENT_NAME_SIZE];
	component_name(event, "", name);
	struct json_object *post = put_object(m, put_object(m, webhooks, name), "post");
	put_text(m, post, "operationId", name);
	put_text(m, post, "summary", event->title);
	component_describe_event(m, post, event);
	append_text(m, put_array(m, post, "tags"), event->service);
	struct json_object *body = put_object(m, post, "requestBody");
	put_bool(m, body, "required", true);
	struct json_object *json = put_object(m, put_object(m, body, "content"), "application/json");
	put_reference(m, put_object(m, json, "schema"), SCHEMAS, name);
	struct json_object *responses = put_object(m, post, "responses");
	put_text(m, put_object(m, responses, "2XX"), "description",
	         "The notification was received. Which response the service expects is not specified (section 4.1).");
	put_text(m, put_object(m, responses, "4XX"), "description",
	         "The notification was refused. What the service does then is not specified (section 7).");
}

static void make_openapi(struct making *m, struct json_object *root, const struct catalog_event *const *events,
                         size_t count)
{
	put_text(m, root, "openapi", "3.1.0");
	struct json_object *info = put_object(m, root, "info");
	put_text(m, info, "title", SCHEMA_TITLE);
	put_text(m, info, "version", SCHEMA_VERSION);
	put_text(m, info, "description", SCHEMA_ABOUT);
	struct json_object *server = append_object(m, put_array(m, root, "servers"));
	put_text(m, server, "url", "{listener}");
	put_text(m, server, "description", "The listener URL that the client registers (section 1).");
	struct json_object *variable = put_object(m, put_object(m, server, "variables"), "listener");
	put_text(m, variable, "default", "http://localhost:8080/hook");
	put_array(m, root, "security"); /* notifications carry no credentials (section 5) */
	struct json_object *tags = put_array(m, root, "tags");
	for (size_t i = 0; i < catalog_service_count; i++) {
		struct json_object *tag = append_object(m, tags);
		put_text(m, tag, "name", catalog_services[i].name);
		put_text(m, tag, "description", catalog_services[i].meaning);
	}
	struct json_object *webhooks = put_object(m, root, "webhooks");
	for (size_t i = 0; i < count; i++)
		make_webhook(m, webhooks, events[i]);
	struct json_object *schemas = put_object(m, put_object(m, root, "components"), "schemas");
	components_make(m, schemas, SCHEMAS, events, count);
}

typedef void make_document(struct making *m, struct json_object *root, const struct catalog_event *const *events,
                           size_t count);

static make_document *const formats[] = {
	[SCHEMA_TYPES] = make_types,
	[SCHEMA_VALIDATORS] = make_validators,
	[SCHEMA_OPENAPI] = make_openapi,
};

int schema_write(enum schema_format format, const struct catalog_event *const *events, size_t count, bool pretty,
                 struct buffer *out, struct error *err)
{
	struct making making = { 0 };
	struct json_object *root = json_object_new_object();
	formats[format](&making, root, events, count);
	const char *text =
	        json_object_to_json_string_ext(root, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	making.failed |= !text || (pretty && !json_pretty(text, strlen(text), out));
	if (!making.failed)
		buffer_append_text(out, pretty ? "\n" : text);
	if (!making.failed && !pretty)
		buffer_append_byte(out, '\n');
	json_object_put(root);
	return making.failed || out->failed ? error_no_memory(err) : 0;
}
