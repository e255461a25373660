/* OpenAPI 3.1: the notifications as webhooks. */
#include "schema/components.h"
#include "schema/formats.h"

#define SCHEMAS "#/components/schemas/"

static void make_info(struct making *m, struct json_object *root)
{
	struct json_object *info = put_object(m, root, "info");
	put_text(m, info, "title", SCHEMA_TITLE);
	put_text(m, info, "version", SCHEMA_VERSION);
	put_text(m, info, "description", SCHEMA_ABOUT);
}

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

void make_openapi(struct making *m, struct json_object *root, const struct catalog_event *const *events, size_t count)
{
	put_text(m, root, "openapi", "3.1.0");
	make_info(m, root);
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
