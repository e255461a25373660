#include "payload/build.h"

#include "base/hash.h"
#include "base/random.h"
#include "json/json_line.h"
#include "json/located.h"

#include <string.h>

#define FIRST_ID_MOST 1000000000 /* so that numbers counted on from it fit 32 bits */

/* Returns what the identifiers of the field come from, the same in every payload of the application. */
static struct random random_of(const struct catalog_field *field, const struct story *story)
{
	struct random random;
	random_seed(&random, story->seed + hash_fnv1a(HASH_FNV1A, field->name, strlen(field->name)));
	return random;
}

/* The number of what the identifiers of the field belong to. */
static uint64_t owner_of(const struct catalog_field *field, const struct story *story)
{
	const uint64_t owners[] = { [CATALOG_OF_APPLICATION] = 0,
		                    [CATALOG_OF_CUSTOMER] = story->customer,
		                    [CATALOG_OF_EVENT] = story->serial };
	return owners[field->owner];
}

/* Appends a value of the customer, who is one person throughout. False: the field holds nothing of people. */
static bool append_personal(const struct catalog_field *field, const struct story *story, struct buffer *out)
{
	struct random random;
	LOCAL_BUFFER text = BUFFER_FOR(out);
	bool invented;
	random_seed(&random, story->seed);
	const char *value = catalog_personal(field, random_next(&random) + story->customer, &invented);
	if (!value || story->as_specified)
		return false;
	buffer_append_text(&text, value);
	if (invented && story->suffix)
		buffer_printf(&text, "%s%s", strchr(buffer_text(&text), ' ') ? " " : "", story->suffix);
	json_append_string(out, buffer_text(&text), text.length);
	return true;
}

static void append_members(const struct catalog_member *members, size_t count, const struct story *story,
                           struct buffer *out)
{
	buffer_append_byte(out, '{');
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		enum catalog_type type = members[i].type;
		json_line_key(out, field->name);
		if ((story->append_value && story->append_value(story->context, &members[i], out)) ||
		    append_personal(field, story, out))
			continue;
		if (field->example && (type == CATALOG_INTEGER || type == CATALOG_OBJECT)) {
			buffer_append_text(out, field->example);
		} else if (field->example) {
			json_append_string(out, field->example, strlen(field->example));
		} else if (type == CATALOG_OBJECT) {
			append_members(field->members, field->member_count, story, out);
		} else if (type == CATALOG_INTEGER) {
			/* Identifiers are counted, so that a run never has one twice. */
			struct random random = random_of(field, story);
			buffer_append_number(out, random_below(&random, FIRST_ID_MOST) + owner_of(field, story));
		} else {
			char uuid[RANDOM_UUID_SIZE];
			struct random random = random_of(field, story);
			random_seed(&random, random_next(&random) + owner_of(field, story));
			random_uuid(&random, uuid);
			json_append_string(out, uuid, strlen(uuid));
		}
	}
	buffer_append_byte(out, '}');
}

int build_payload(struct catalog_kind kind, const struct story *story, struct buffer *out, struct error *err)
{
	const struct catalog_event *event = kind.event;
	if (event->element_count > 0 && !kind.element)
		kind.element = &event->elements[0];
	const char *path = catalog_kind_path(kind);
	buffer_append_byte(out, '{');
	json_line_text(out, "service", event->service);
	json_line_text(out, "event", event->event);
	json_line_text(out, "method", event->method);
	if (path)
		json_line_text(out, "path", path);
	json_line_key(out, "details");
	append_members(event->details, event->detail_count, story, out);
	buffer_append_byte(out, '}');
	return out->failed ? error_no_memory(err) : 0;
}
