#include "payload/build.h"

#include "base/hash.h"
#include "base/random.h"
#include "json/tree.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ID_MOST 1000000000 /* so that numbers counted on from it fit 32 bits */

static struct json_object *make_value(const struct catalog_member *member, const struct story *story);

/* What the identifiers of the field come from, in every payload of the application. */
static struct random random_of(const struct catalog_field *field, const struct story *story)
{
	struct random random;
	random_seed(&random, story->seed + hash_fnv1a(HASH_FNV1A, field->name, strlen(field->name)));
	return random;
}

static uint64_t owner_of(const struct catalog_field *field, const struct story *story)
{
	switch (field->owner) {
	case CATALOG_OF_APPLICATION:
		return 0;
	case CATALOG_OF_CUSTOMER:
		return story->customer;
	case CATALOG_OF_EVENT:
		return story->serial;
	}
	return 0;
}

static struct json_object *make_text(const struct catalog_field *field, const struct story *story)
{
	char uuid[RANDOM_UUID_SIZE];
	if (field->example)
		return json_object_new_string(field->example);
	struct random random = random_of(field, story);
	random_seed(&random, random_next(&random) + owner_of(field, story));
	random_uuid(&random, uuid);
	return json_object_new_string(uuid);
}

/* Identifiers are counted, so that a run never has one twice. */
static struct json_object *make_integer(const struct catalog_field *field, const struct story *story)
{
	if (field->example)
		return json_object_new_int64(strtoll(field->example, NULL, 10));
	struct random random = random_of(field, story);
	return json_object_new_int64((int64_t)(random_below(&random, FIRST_ID_MOST) + owner_of(field, story)));
}

/* Adds the value, which is then the object's; a NULL value is one that memory did not suffice for. */
static int add(struct json_object *object, const char *key, struct json_object *value)
{
	if (value && object && json_object_object_add(object, key, value) == 0)
		return 0;
	json_object_put(value);
	return -1;
}

static struct json_object *make_object(const struct catalog_member *members, size_t count, const struct story *story)
{
	struct json_object *object = json_object_new_object();
	for (size_t i = 0; object && i < count; i++) {
		if (add(object, members[i].field->name, make_value(&members[i], story)) < 0) {
			json_object_put(object);
			object = NULL;
		}
	}
	return object;
}

static struct json_object *make_value(const struct catalog_member *member, const struct story *story)
{
	const struct catalog_field *field = member->field;
	struct json_object *object = NULL;
	struct error err;
	if (member->type == CATALOG_INTEGER)
		return make_integer(field, story);
	if (member->type != CATALOG_OBJECT)
		return make_text(field, story);
	if (!field->example)
		return make_object(field->members, field->member_count, story);
	tree_parse(field->example, strlen(field->example), field->name, &object, &err);
	return object;
}

int build_payload(struct catalog_kind kind, const struct story *story, struct buffer *out, struct error *err)
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
	failed |= add(payload, "details", make_object(event->details, event->detail_count, story));
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
