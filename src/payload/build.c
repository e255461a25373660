#include "payload/build.h"

#include "json/located.h"
#include "json/tree.h"

#include <stdio.h>
#include <string.h>

#define LARGEST_SAMPLE_ID 1000000

static struct json_object *make_value(const struct catalog_member *member, struct random *random);

static struct json_object *make_text(const struct catalog_member *member, struct random *random)
{
	char text[64];
	if (member->field->example)
		return json_object_new_string(member->field->example);
	if (member->type == CATALOG_UUID)
		random_uuid(random, text);
	else
		snprintf(text, sizeof text, "%.24s-%010llx", member->field->name,
		         (unsigned long long)random_below(random, UINT64_C(1) << 40));
	return json_object_new_string(text);
}

static struct json_object *make_integer(const struct catalog_field *field, struct random *random)
{
	long long number = 0;
	if (field->example && sscanf(field->example, "%lld", &number) == 1)
		return json_object_new_int64(number);
	return json_object_new_int64(1 + (int64_t)random_below(random, LARGEST_SAMPLE_ID));
}

/* Adds the value, which is then the object's; a NULL value is one that memory did not suffice for. */
static int add(struct json_object *object, const char *key, struct json_object *value)
{
	if (value && object && json_object_object_add(object, key, value) == 0)
		return 0;
	json_object_put(value);
	return -1;
}

static struct json_object *make_object(const struct catalog_member *members, size_t count, struct random *random)
{
	struct json_object *object = json_object_new_object();
	for (size_t i = 0; object && i < count; i++) {
		if (add(object, members[i].field->name, make_value(&members[i], random)) < 0) {
			json_object_put(object);
			object = NULL;
		}
	}
	return object;
}

static struct json_object *make_value(const struct catalog_member *member, struct random *random)
{
	if (member->type == CATALOG_OBJECT)
		return make_object(member->field->members, member->field->member_count, random);
	if (member->type == CATALOG_INTEGER)
		return make_integer(member->field, random);
	return make_text(member, random);
}

int build_payload(struct catalog_kind kind, struct random *random, struct buffer *out, struct error *err)
{
	const struct catalog_event *event = kind.event;
	if (event->element_count > 0 && !kind.element)
		kind.element = &event->elements[0];
	const char *path = catalog_kind_path(kind);
	struct json_object *payload = json_object_new_object();
	int failed = add(payload, "service", json_object_new_string(event->service));
	failed |= add(payload, "event", json_object_new_string(event->event));
	failed |= add(payload, "method", json_object_new_string(event->method));
	if (path)
		failed |= add(payload, "path", json_object_new_string(path));
	failed |= add(payload, "details", make_object(event->details, event->detail_count, random));
	if (!failed)
		tree_append_text(payload, false, out);
	json_object_put(payload);
	return failed || out->failed ? error_no_memory(err) : 0;
}

int build_pretty(const char *text, size_t length, struct buffer *out, struct error *err)
{
	struct json_object *tree = NULL;
	if (tree_parse(text, length, "payload", &tree, err) < 0)
		return -1;
	tree_append_text(tree, true, out);
	json_object_put(tree);
	return out->failed ? error_no_memory(err) : 0;
}
