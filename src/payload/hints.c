/* Guessing the slip behind a value or an event. Nothing here decides whether a payload is valid. */
#include "base/nearest.h"
#include "payload/check_internal.h"
#include "payload/form.h"

#include <string.h>
#include <strings.h>

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

void hint_quoted_json(struct checker *c, struct finding *f, uint32_t value)
{
	const struct json_token *t = &c->doc.tokens[value];
	const char *text = c->doc.text + t->start + 1;
	if (t->type == JSON_STRING && t->end - t->start > 2 && (*text == '{' || *text == '['))
		report_hint(c, f, "it looks like JSON inside a string; write the object itself");
}

void hint_root_type(struct checker *c, struct finding *f)
{
	if (c->doc.tokens[0].type == JSON_ARRAY)
		report_hint(c, f, "to split an array into one payload per line: jq -c '.[]' FILE > FILE.ndjson");
	else
		hint_quoted_json(c, f, 0);
}

static bool is_bit(const char *text, size_t length)
{
	return length == 1 && (*text == '0' || *text == '1');
}

void hint_wrong_type(struct checker *c, struct finding *f, uint32_t value, const struct catalog_member *member)
{
	const struct json_token *t = &c->doc.tokens[value];
	int length = (int)(t->end - t->start < 40 ? t->end - t->start : 40);
	const char *text = c->doc.text + t->start;
	switch (member->type) {
	case CATALOG_BOOLEAN_TEXT:
		if (t->type == JSON_TRUE || t->type == JSON_FALSE)
			report_hint(c, f, "put it in quotes: \"%.*s\"", length, text);
		else if (t->type == JSON_NUMBER && is_bit(text, (size_t)length))
			report_hint(c, f, "write \"%s\", with the quotes", *text == '1' ? "true" : "false");
		break;
	case CATALOG_INTEGER:
		if (t->type == JSON_STRING && !(t->flags & JSON_ESCAPED) &&
		    form_is_integer_text(text + 1, t->end - t->start - 2))
			report_hint(c, f, "write the number without quotes");
		break;
	case CATALOG_STRING:
	case CATALOG_UUID:
	case CATALOG_CHOICE:
	case CATALOG_INTEGER_TEXT:
		if (t->type == JSON_NUMBER)
			report_hint(c, f, "put it in quotes: \"%.*s\"", length, text);
		break;
	case CATALOG_OBJECT:
		if (t->type == JSON_ARRAY && member->field->open_members && member->field->member_count == 0)
			report_hint(c, f, "each property of the object declares one modification (section 2.2)");
		else
			hint_quoted_json(c, f, value);
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

/* A path under .../idp/ whose last segment is no element's. */
static void hint_element(struct checker *c, struct finding *f, const char *path)
{
	struct nearest n;
	struct buffer list = BUFFER_INIT;
	const struct catalog_event *event = c->identity.kind.event;
	const char *word = strrchr(path, '/') + 1;
	nearest_init(&n, word, strlen(word));
	for (size_t i = 0; i < event->element_count; i++) {
		nearest_offer(&n, event->elements[i].name);
		buffer_printf(&list, "%s%s", i == 0 ? "" : ", ", event->elements[i].name);
	}
	const char *near = nearest_result(&n);
	if (near)
		report_hint(c, f, "did you mean \"%.*s%s\"?", (int)(word - path), path, near);
	else
		report_hint(c, f, "the last segment names the element: %s", buffer_text(&list));
	c->out_of_memory |= list.failed;
	buffer_release(&list);
}

/* The specification's own inconsistencies: its overview writes paths in ways that no notification carries. */
static void hint_path(struct checker *c, struct finding *f, const char *path)
{
	static const char under[] = "/api/monitoring/v2/idp/";
	const struct catalog_event *event = c->identity.kind.event;
	size_t length = strlen(path);
	const char *expected = identify_expected(ENVELOPE_PATH, c->identity.kind);
	if (begins_with(path, "/monitor/") || begins_with(path, "/api/monitor/"))
		report_hint(c, f,
		            "notifications carry /api/monitoring/v2...; the overview's /monitor/v2... is no path of "
		            "theirs (section 6, note 2)");
	else if (begins_with(path, "http://") || begins_with(path, "https://"))
		report_hint(c, f, "the path alone is expected, without scheme and host");
	else if (strcspn(path, "?#") < length)
		report_hint(c, f, "the path alone is expected, without what follows '%c'", path[strcspn(path, "?#")]);
	else if (path[0] != '/' && path[0] != '\0')
		report_hint(c, f, "paths begin with '/'");
	else if (path[0] == '/' && !begins_with(path, "/api/"))
		report_hint(c, f, "paths of notifications begin with /api (section 6, note 3): \"/api%.80s\"", path);
	else if (length > 1 && path[length - 1] == '/')
		report_hint(c, f, "take the '/' at the end away");
	else if (begins_with(path, under) && strcmp(event->method, "delete") == 0)
		report_hint(c, f, "a removal has /api/monitoring/v2/idp/monitor for every element (section 6, note 2)");
	else if (begins_with(path, under) && event->element_count > 0)
		hint_element(c, f, path);
	else if (expected && strcasecmp(path, expected) == 0)
		report_hint(c, f, "upper and lower case matter");
	else if (begins_with(path, "/api/") && !strstr(path, "/v2"))
		report_hint(c, f, "all paths carry the version segment v2 (section 9)");
}

static void hint_status(struct checker *c, struct finding *f, const char *text)
{
	const struct catalog_event *near = c->identity.kind.event;
	if (strcmp(text, "401") == 0 && strcmp(near->method, "patch") == 0)
		report_hint(c, f,
		            "custom-authentication-succeeded carries event \"200\"; the 401 is the overview's "
		            "(section 6, note 1)");
	else if (text[strspn(text, "0123456789")] != '\0' && strcmp(near->event, "push") != 0)
		report_hint(c, f, "event is the HTTP status of the operation, as a string: \"%s\"", near->event);
}

static void hint_service(struct checker *c, struct finding *f, const char *text)
{
	struct nearest n;
	nearest_init(&n, text, strlen(text));
	for (size_t i = 0; i < catalog_service_count; i++)
		nearest_offer(&n, catalog_services[i].name);
	if (nearest_result(&n) && strcmp(nearest_result(&n), text) != 0)
		report_hint(c, f, "did you mean \"%s\"?", nearest_result(&n));
}

void hint_unknown_event(struct checker *c, struct finding *f, unsigned keys)
{
	for (int key = 0; f && f->hint == 0 && key < ENVELOPE_KEYED; key++) {
		if (!(keys & 1u << key))
			continue;
		const char *text = report_quoted(c, c->identity.values[key]);
		const char *lower = key == ENVELOPE_METHOD ? method_in_lower_case(text) : NULL;
		if (lower)
			report_hint(c, f, "methods are written in lower case: \"%s\"", lower);
		else if (key == ENVELOPE_EVENT)
			hint_status(c, f, text);
		else if (key == ENVELOPE_PATH)
			hint_path(c, f, text);
		else if (key == ENVELOPE_SERVICE)
			hint_service(c, f, text);
	}
	if (f && f->hint == 0 && !c->identity.clear && c->identity.values[ENVELOPE_DETAILS] != JSON_NONE)
		report_hint(c, f, "its details were not judged, since no event is near enough");
}

void hint_bad_format(struct checker *c, struct finding *f, enum catalog_type type, const char *text, size_t length)
{
	const char *slip = form_slip(type, text, length);
	if (slip)
		report_hint(c, f, "%s", slip);
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
	const struct catalog_value *status = NULL;
	for (size_t i = 0; i < catalog_dispute_status_count; i++)
		if (strlen(catalog_dispute_statuses[i].name) == length &&
		    strncasecmp(catalog_dispute_statuses[i].name, text, length) == 0)
			status = &catalog_dispute_statuses[i];
	if (nearest_result(&n))
		report_hint(c, f, "did you mean \"%s\"?", nearest_result(&n));
	else if (status)
		report_hint(c, f, "that is a status of the dispute itself (section 3); %s is %s", field->name,
		            buffer_text(&list));
	else
		report_hint(c, f, "it is %s", buffer_text(&list));
	c->out_of_memory |= list.failed;
	buffer_release(&list);
}
