/* Guessing the mistake behind a value or an event. Nothing here decides whether a payload is valid. */
#include "base/text.h"
#include "payload/check_internal.h"
#include "payload/form.h"

#include <string.h>
#include <strings.h>

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* An object that begins a line where the one before is whole, or was cut off: several payloads. */
void hint_syntax(struct checker *c, struct finding *f, const char *text, size_t length, size_t offset)
{
	size_t first = 0;
	while (first < length && form_is_space(text[first]))
		first++;
	if (offset < length && text[offset] == '\n') /* cut off inside a string */
		offset++;
	if (first >= offset || offset == length || text[first] != '{' || text[offset] != '{' ||
	    text[offset - 1] != '\n')
		return;
	size_t end = offset;
	while (form_is_space(text[end - 1]))
		end--;
	if (!memchr(text + first, '\n', end - first))
		report_hint(c, f, "for one payload per line, use --lines or name the file .ndjson");
	else
		report_hint(c, f, "put each payload on a line of its own: jq -c . FILE > FILE.ndjson");
}

void hint_quoted_json(struct checker *c, struct finding *f, uint32_t value)
{
	const struct json_token *t = &c->doc.tokens[value];
	const char *text = c->doc.text + t->start + 1;
	if (t->type == JSON_STRING && t->end - t->start > 2 && (*text == '{' || *text == '['))
		report_hint(c, f, "write the object itself; this looks like JSON inside a string");
}

void hint_root_type(struct checker *c, struct finding *f)
{
	if (c->doc.tokens[0].type == JSON_ARRAY)
		report_hint(c, f, "split the array into one payload per line: jq -c '.[]' FILE > FILE.ndjson");
	else
		hint_quoted_json(c, f, 0);
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
		else if (t->type == JSON_NUMBER && length == 1 && (*text == '0' || *text == '1'))
			report_hint(c, f, "write \"%s\", with the quotes", *text == '1' ? "true" : "false");
		break;
	case CATALOG_INTEGER:
		if (t->type == JSON_STRING && !(t->flags & JSON_ESCAPED) &&
		    form_is_integer_text(text + 1, t->end - t->start - 2))
			report_hint(c, f, "write the number without quotes");
		break;
	case CATALOG_UUID:
		break;
	case CATALOG_STRING:
	case CATALOG_CHOICE:
	case CATALOG_INTEGER_TEXT:
		if (t->type == JSON_NUMBER)
			report_hint(c, f, "put it in quotes: \"%.*s\"", length, text);
		break;
	case CATALOG_OBJECT:
		if (t->type == JSON_ARRAY && member->field->open_members && member->field->member_count == 0)
			report_hint(c, f, "write an object; each property declares one modification (section 2.2)");
		else
			hint_quoted_json(c, f, value);
		break;
	}
}

/* What the user asked for is known: another value would not help. */
static bool is_worth_naming(const struct checker *c, enum envelope_key key, const char *value)
{
	const char *expected = identify_expected(key, c->identity.kind);
	return !c->identity.expected || (expected && strcmp(expected, value) == 0);
}

static void hint_with_value(struct checker *c, struct finding *f, enum envelope_key key, const char *hint,
                            const char *value)
{
	if (is_worth_naming(c, key, value))
		report_hint(c, f, "%s: \"%s\"", hint, value);
	else
		report_hint(c, f, "%s", hint);
}

/* A method of the catalogue in other letters. */
static void hint_method(struct checker *c, struct finding *f, const char *text)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const char *method = catalog_events[i].method;
		if (strcasecmp(text, method) != 0 || strcmp(text, method) == 0)
			continue;
		hint_with_value(c, f, ENVELOPE_METHOD, "write it in lower case", method);
		return;
	}
}

/* Whether the path begins as those of the elements do. */
static bool is_among_elements(const char *path)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *event = &catalog_events[i];
		size_t length = event->element_count > 0 ? strcspn(event->path, "<") : 0;
		if (length > 0 && strncmp(path, event->path, length) == 0)
			return true;
	}
	return false;
}

/* A path under .../idp/ that does not end in an element. */
static void hint_element(struct checker *c, struct finding *f, const char *path)
{
	struct nearest n;
	LOCAL_BUFFER list = BUFFER_INIT;
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
		report_hint(c, f, "end the path in an element: %s", buffer_text(&list));
	c->out_of_memory |= list.failed;
}

/* A path without /api in front: as the specification's overview has it, perhaps. */
static void hint_prefix(struct checker *c, struct finding *f, const char *path)
{
	LOCAL_BUFFER whole = BUFFER_INIT;
	buffer_printf(&whole, "/api%s", path);
	hint_with_value(c, f, ENVELOPE_PATH, "begin the path with /api (section 6, note 3)", buffer_text(&whole));
	c->out_of_memory |= whole.failed;
}

/* Whether the path begins with the overview's segment, with /api in front or without. */
static bool is_overview_monitoring(const char *path)
{
	const char *at = begins_with(path, "/api/") ? path + strlen("/api") : path;
	size_t length = strlen(CATALOG_OVERVIEW_MONITORING);
	return begins_with(at, CATALOG_OVERVIEW_MONITORING) && (at[length] == '/' || at[length] == '\0');
}

/* What the catalogue notes on it: of the nearest event, or of any. */
static void hint_overview_monitoring(struct checker *c, struct finding *f)
{
	const char *note = c->identity.kind.event->note;
	for (size_t i = 0; i < catalog_event_count && !(note && strstr(note, CATALOG_OVERVIEW_MONITORING "/")); i++)
		note = catalog_events[i].note;
	if (note)
		report_hint(c, f, "%s (section 6, note 2)", note);
}

/* The specification's own inconsistencies: its overview writes paths in ways that no notification carries. */
static void hint_path(struct checker *c, struct finding *f, const char *path)
{
	const struct catalog_event *event = c->identity.kind.event;
	size_t length = strlen(path);
	const char *expected = identify_expected(ENVELOPE_PATH, c->identity.kind);
	if (is_overview_monitoring(path))
		hint_overview_monitoring(c, f);
	else if (begins_with(path, "http://") || begins_with(path, "https://"))
		report_hint(c, f, "remove the scheme and the host");
	else if (strcspn(path, "?#") < length)
		report_hint(c, f, "remove the '%c' and what follows it", path[strcspn(path, "?#")]);
	else if (path[0] != '/' && path[0] != '\0')
		report_hint(c, f, "begin the path with '/'");
	else if (path[0] == '/' && !begins_with(path, "/api/"))
		hint_prefix(c, f, path);
	else if (length > 1 && path[length - 1] == '/')
		report_hint(c, f, "remove the '/' at the end");
	else if (is_among_elements(path) && expected && is_among_elements(expected) && event->element_count == 0)
		report_hint(c, f, "write \"%s\", which a removal has for every element (section 6, note 2)", expected);
	else if (is_among_elements(path) && event->element_count > 0 && !c->identity.kind.element)
		hint_element(c, f, path);
	else if (expected && strcasecmp(path, expected) == 0)
		report_hint(c, f, "write \"%s\"; upper and lower case differ", expected);
	else if (begins_with(path, "/api/") && !strstr(path, "/v2"))
		report_hint(c, f, "add the version segment v2, which all paths have (section 9)");
}

static void hint_status(struct checker *c, struct finding *f, const char *text)
{
	const struct catalog_event *near = c->identity.kind.event;
	bool is_status = strlen(text) == 3 && strspn(text, "0123456789") == 3;
	if (!is_status && near->path)
		report_hint(c, f, "write the HTTP status of the operation, as a string: \"%s\"", near->event);
	else if (is_status && near->note && strstr(near->note, text))
		report_hint(c, f, "%s", near->note);
}

static void hint_service(struct checker *c, struct finding *f, const char *text)
{
	struct nearest n;
	nearest_init(&n, text, strlen(text));
	for (size_t i = 0; i < catalog_service_count; i++)
		nearest_offer(&n, catalog_services[i].name);
	const char *near = nearest_result(&n);
	if (near && strcmp(near, text) != 0 && is_worth_naming(c, ENVELOPE_SERVICE, near))
		report_hint(c, f, "did you mean \"%s\"?", near);
}

void hint_unknown_event(struct checker *c, struct finding *f, unsigned keys)
{
	static void (*const hints[ENVELOPE_KEYED])(struct checker *, struct finding *, const char *) = {
		[ENVELOPE_SERVICE] = hint_service,
		[ENVELOPE_EVENT] = hint_status,
		[ENVELOPE_METHOD] = hint_method,
		[ENVELOPE_PATH] = hint_path,
	};
	for (int key = 0; f && f->hint == 0 && key < ENVELOPE_KEYED; key++)
		if (keys & 1u << key)
			hints[key](c, f, report_quoted(c, c->identity.values[key]));
	if (f && f->hint == 0 && !c->identity.clear && c->identity.values[ENVELOPE_DETAILS] != JSON_NONE)
		report_hint(c, f, "correct the envelope first; the details were not checked");
}

void hint_bad_format(struct checker *c, struct finding *f, enum catalog_type type, const char *text, size_t length)
{
	const char *mistake = form_mistake(type, text, length);
	if (mistake)
		report_hint(c, f, "%s", mistake);
}

void hint_bad_choice(struct checker *c, struct finding *f, const struct catalog_field *field, const char *text,
                     size_t length)
{
	struct nearest n;
	nearest_init(&n, text, length);
	LOCAL_BUFFER list = BUFFER_INIT;
	for (size_t i = 0; i < field->value_count; i++)
		nearest_offer(&n, field->values[i].name);
	form_append_choices(field, &list);
	const struct catalog_value *status = NULL;
	for (size_t i = 0; i < catalog_dispute_status_count; i++)
		if (strlen(catalog_dispute_statuses[i].name) == length &&
		    strncasecmp(catalog_dispute_statuses[i].name, text, length) == 0)
			status = &catalog_dispute_statuses[i];
	if (nearest_result(&n))
		report_hint(c, f, "did you mean \"%s\"?", nearest_result(&n));
	else if (status)
		report_hint(c, f, "write %s; this is a status of the dispute itself (section 3)", buffer_text(&list));
	else
		report_hint(c, f, "write %s", buffer_text(&list));
	c->out_of_memory |= list.failed;
}
