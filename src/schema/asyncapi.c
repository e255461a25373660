/* AsyncAPI 3.0, as a listener sees it: it receives. The channel has no address, since each client registers its own. */
#include "schema/components.h"
#include "schema/formats.h"

#include <stdio.h>

#define SCHEMAS  "#/components/schemas/"
#define MESSAGES "#/components/messages/"
#define CHANNEL  "#/channels/notifications"

static void make_message(struct making *m, struct json_object *messages, const struct catalog_event *event)
{
	char name[COMPONENT_NAME_SIZE];
	component_name(event, "", name);
	struct json_object *message = put_object(m, messages, name);
	put_text(m, message, "name", event->name);
	put_text(m, message, "title", event->title);
	component_describe_event(m, message, event);
	put_text(m, message, "contentType", "application/json");
	put_reference(m, put_object(m, message, "payload"), SCHEMAS, name);
}

static void make_operation(struct making *m, struct json_object *operations, const struct catalog_event *event)
{
	char name[COMPONENT_NAME_SIZE], title[COMPONENT_NAME_SIZE + 8];
	component_name(event, "", name);
	snprintf(title, sizeof title, "receive%s", name);
	struct json_object *operation = put_object(m, operations, title);
	put_text(m, operation, "action", "receive");
	put_text(m, operation, "summary", event->title);
	put_text(m, put_object(m, operation, "channel"), "$ref", CHANNEL);
	put_reference(m, append_object(m, put_array(m, operation, "messages")), CHANNEL "/messages/", name);
}

void make_asyncapi(struct making *m, struct json_object *root, const struct catalog_event *const *events, size_t count)
{
	put_text(m, root, "asyncapi", "3.0.0");
	struct json_object *info = put_object(m, root, "info");
	put_text(m, info, "title", SCHEMA_TITLE);
	put_text(m, info, "version", SCHEMA_VERSION);
	put_text(m, info, "description", SCHEMA_ABOUT);
	put_text(m, root, "defaultContentType", "application/json");
	struct json_object *channel = put_object(m, put_object(m, root, "channels"), "notifications");
	put_text(m, channel, "description", "The listener URL that the client registers (section 1); called by POST.");
	struct json_object *in_channel = put_object(m, channel, "messages");
	struct json_object *operations = put_object(m, root, "operations");
	struct json_object *components = put_object(m, root, "components");
	struct json_object *messages = put_object(m, components, "messages");
	for (size_t i = 0; i < count; i++) {
		char name[COMPONENT_NAME_SIZE];
		component_name(events[i], "", name);
		put_reference(m, put_object(m, in_channel, name), MESSAGES, name);
		make_operation(m, operations, events[i]);
		make_message(m, messages, events[i]);
	}
	components_make(m, put_object(m, components, "schemas"), SCHEMAS, events, count);
}
