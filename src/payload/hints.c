/* Guessing the slip behind a finding. Nothing here decides whether a payload is valid. */
#include "base/nearest.h"
#include "payload/check_internal.h"
#include "payload/form.h"

#include <string.h>
#include <strings.h>

/* Guessing costs a look at all keys: a payload with more findings than this is no slip of the pen. */
#define GUESSED_FINDINGS 20

void hint_root_type(struct checker *c, struct finding *f)
{
	if (c->doc.tokens[0].type == JSON_ARRAY)
		report_hint(c, f, "to split an array into one payload per line: jq -c '.[]' FILE > FILE.ndjson");
}

void hint_wrong_type(struct checker *c, struct finding *f, uint32_t value, const struct catalog_member *member)
{
	const struct json_token *t = &c->doc.tokens[value];
	int length = (int)(t->end - t->start < 40 ? t->end - t->start : 40);
	const char *text = c->doc.text + t->start;
	switch (member->type) {
	case CATALOG_BOOLEAN_TEXT:
		if (t->type == JSON_TRUE || t->type == JSON_FALSE)
			report_hint(c, f, "%s is a string that holds a boolean text: \"%.*s\"", member->field->name,
			            length, text);
		break;
	case CATALOG_INTEGER_TEXT:
		if (t->type == JSON_NUMBER)
			report_hint(c, f, "%s is a string that holds a signed integer: \"%.*s\"", member->field->name,
			            length, text);
		break;
	case CATALOG_INTEGER:
		if (t->type == JSON_STRING && !(t->flags & JSON_ESCAPED) &&
		    form_is_integer_text(text + 1, t->end - t->start - 2))
			report_hint(c, f, "write the number without quotes");
		break;
	case CATALOG_STRING:
	case CATALOG_UUID:
	case CATALOG_CHOICE:
		if (t->type == JSON_NUMBER)
			report_hint(c, f, "put it in quotes: \"%.*s\"", length, text);
		break;
	case CATALOG_OBJECT:
		if (t->type == JSON_STRING)
			report_hint(c, f, "it looks like JSON inside a string; write the object itself");
		break;
	}
}

static const char *method_in_lower_case(const char *text)
{
	static const char *const methods[] = { "get", "post", "put", "patch", "delete", "push" };
	for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
		if (strcasecmp(text, methods[i]) == 0 && strcmp(text, methods[i]) != 0)
			return methods[i];
	return NULL;
}

/* The specification's own inconsistencies: its overview writes paths in ways that no notification carries. */
static void hint_path(struct checker *c, struct finding *f, const char *path)
{
	if (strncmp(path, "/monitor/", 9) == 0 || strncmp(path, "/api/monitor/", 13) == 0)
		report_hint(c, f,
		            "notifications carry /api/monitoring/v2...; the overview's /monitor/v2... is no path of "
		            "theirs (section 6, note 2)");
	else if (strncmp(path, "/api/", 5) != 0 && path[0] == '/')
		report_hint(c, f, "paths of notifications begin with /api (section 6, note 3): \"/api%.80s\"", path);
	else if (strncmp(path, "http://", 7) == 0 || strncmp(path, "https://", 8) == 0)
		report_hint(c, f, "the path alone is expected, without scheme and host");
	else if (strlen(path) > 1 && path[strlen(path) - 1] == '/')
		report_hint(c, f, "take the '/' at the end away");
	else if (strncmp(path, "/api/monitoring/v2/idp/", 23) == 0 &&
	         strcmp(c->identity.kind.event->method, "delete") == 0)
		report_hint(c, f, "a removal has /api/monitoring/v2/idp/monitor for every element (section 6, note 2)");
}

void hint_unknown_event(struct checker *c, struct finding *f, enum envelope_key key)
{
	if (!f)
		return;
	const char *text = report_quoted(c, c->identity.values[key]);
	const struct catalog_event *near = c->identity.kind.event;
	const char *lower = method_in_lower_case(text);
	if (key == ENVELOPE_METHOD && lower)
		report_hint(c, f, "methods are written in lower case: \"%s\"", lower);
	else if (key == ENVELOPE_EVENT && strcmp(text, "401") == 0 && strcmp(near->method, "patch") == 0)
		report_hint(
		        c, f,
		        "custom-authentication-succeeded carries event \"200\"; the 401 is the overview's (section 6, "
		        "note 1)");
	else if (key == ENVELOPE_PATH)
		hint_path(c, f, text);
	else if (key == ENVELOPE_SERVICE) {
		struct nearest n;
		nearest_init(&n, text, strlen(text));
		for (size_t i = 0; i < catalog_service_count; i++)
			nearest_offer(&n, catalog_services[i].name);
		if (nearest_result(&n))
			report_hint(c, f, "did you mean \"%s\"?", nearest_result(&n));
	}
}

void hint_bad_format(struct checker *c, struct finding *f, enum catalog_type type, const char *text, size_t length)
{
	const char *slip = type == CATALOG_UUID ? form_uuid_slip(text, length) : NULL;
	if (slip)
		report_hint(c, f, "%s", slip);
	else if (type == CATALOG_BOOLEAN_TEXT && length == 4 && strncasecmp(text, "true", 4) == 0)
		report_hint(c, f, "write it in lower case: \"true\"");
	else if (type == CATALOG_BOOLEAN_TEXT && length == 5 && strncasecmp(text, "false", 5) == 0)
		report_hint(c, f, "write it in lower case: \"false\"");
}

void hint_bad_choice(struct checker *c, struct finding *f, const struct catalog_field *field, const char *text,
                     size_t length)
{
	struct nearest n;
	nearest_init(&n, text, length);
	struct buffer list = BUFFER_INIT;
	for (size_t i = 0; i < field->value_count; i++) {
		nearest_offer(&n, field->values[i].name);
		buffer_printf(&list, "%s\"%s\"",
		              i == 0                        ? ""
		              : i + 1 == field->value_count ? " or "
		                                            : ", ",
		              field->values[i].name);
	}
	if (nearest_result(&n))
		report_hint(c, f, "did you mean \"%s\"?", nearest_result(&n));
	else
		report_hint(c, f, "it is %s", buffer_text(&list));
	buffer_release(&list);
}

static bool has_key(const struct checker *c, uint32_t object, const char *name)
{
	return json_member(&c->doc, object, name, strlen(name)) != JSON_NONE;
}

/* The listed key that is absent and most like the unknown one. */
static const char *missing_twin(struct checker *c, const char *key, uint32_t object,
                                const struct catalog_member *members, size_t count)
{
	struct nearest n;
	nearest_init(&n, key, strlen(key));
	for (size_t i = 0; i < count; i++)
		if (!has_key(c, object, members[i].field->name))
			nearest_offer(&n, members[i].field->name);
	for (size_t i = 0; object == 0 && i < catalog_envelope_count; i++)
		if (!has_key(c, object, catalog_envelope[i]->name))
			nearest_offer(&n, catalog_envelope[i]->name);
	return nearest_result(&n);
}

static const struct catalog_event *event_that_lists(const char *key)
{
	for (size_t i = 0; i < catalog_event_count; i++)
		if (catalog_member_named(catalog_events[i].details, catalog_events[i].detail_count, key, strlen(key)))
			return &catalog_events[i];
	return NULL;
}

/* Where else the event has a key of this name: "details", "address", ..., or NULL. */
static const char *right_object(const struct catalog_event *event, const char *key, bool in_envelope)
{
	if (in_envelope && catalog_member_named(event->details, event->detail_count, key, strlen(key)))
		return "details";
	for (size_t i = 0; i < event->detail_count; i++) {
		const struct catalog_field *field = event->details[i].field;
		if (catalog_member_named(field->members, field->member_count, key, strlen(key)))
			return field->name;
	}
	return NULL;
}

void hint_unknown_key(struct checker *c, struct finding *f, uint32_t key, uint32_t object,
                      const struct catalog_member *members, size_t count)
{
	if (!f || c->verdict.finding_count > GUESSED_FINDINGS)
		return;
	const char *name = report_quoted(c, key);
	const char *twin = missing_twin(c, name, object, members, count);
	const struct catalog_event *event = c->identity.kind.event;
	const char *elsewhere = c->identity.clear ? right_object(event, name, object == 0) : NULL;
	const struct catalog_event *other = event_that_lists(name);
	if (twin)
		report_hint(c, f, "did you mean \"%s\", which is missing here?", twin);
	else if (elsewhere)
		report_hint(c, f, "it belongs into %s", elsewhere);
	else if (c->identity.clear && object != 0 && json_string_is(&c->doc, key, "details", 7))
		report_hint(c, f, "details stands at the top of the payload");
	else if (other && other != event)
		report_hint(c, f, "it is a key of %s", other->name);
}

void hint_missing_key(struct checker *c, struct finding *f, const char *name, uint32_t object,
                      const struct catalog_member *members, size_t count)
{
	struct nearest n;
	size_t best = SIZE_MAX;
	char found[64] = "";
	uint32_t looked_at = 0;
	/* A slip is near enough to be seen among the first keys; an object of a million is no slip. */
	for (uint32_t key = object + 1; key < c->doc.tokens[object].next && looked_at < 64;
	     key = c->doc.tokens[key + 1].next, looked_at++) {
		const struct json_token *t = &c->doc.tokens[key];
		size_t length = t->end - t->start - 2;
		if (length >= sizeof found || t->flags & JSON_ESCAPED)
			continue;
		char text[sizeof found];
		memcpy(text, c->doc.text + t->start + 1, length);
		text[length] = '\0';
		bool listed = catalog_member_named(members, count, text, length) != NULL;
		for (size_t i = 0; object == 0 && i < catalog_envelope_count; i++)
			listed = listed || strcmp(catalog_envelope[i]->name, text) == 0;
		if (listed)
			continue;
		nearest_init(&n, name, strlen(name));
		nearest_offer(&n, text);
		if (nearest_result(&n) && n.distance < best) {
			best = n.distance;
			memcpy(found, text, length + 1);
		}
	}
	if (found[0])
		report_hint(c, f, "\"%s\" may be meant for it", found);
}
