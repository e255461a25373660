/* Fields as topics, and what is made of fields and events: types, values of the envelope, services, passages. */
#include "catalog/catalog.h"
#include "cmd/explain.h"
#include "json/json_line.h"
#include "payload/edit.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What an event has in a field of the envelope whose values are only in the rows of events; NULL: nothing. */
static const char *envelope_value(const struct catalog_event *e, const char *field)
{
	return strcmp(field, "event") == 0    ? e->event
	       : strcmp(field, "method") == 0 ? e->method
	       : strcmp(field, "path") == 0   ? e->path
	                                      : NULL;
}

/* Distinct values among the events, in the order of the first. */
static const char *value_at(const char *field, size_t index)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const char *value = envelope_value(&catalog_events[i], field);
		bool seen = !value;
		for (size_t j = 0; j < i && !seen; j++) {
			const char *earlier = envelope_value(&catalog_events[j], field);
			seen = earlier && strcmp(earlier, value) == 0;
		}
		if (!seen && index-- == 0)
			return value;
	}
	return NULL;
}

bool topic_field_at(size_t index, struct topic *t)
{
	if (index >= catalog_envelope_count + catalog_field_count)
		return false;
	bool inside = index >= catalog_envelope_count;
	const struct catalog_field *f =
	        inside ? catalog_fields[index - catalog_envelope_count] : catalog_envelope[index];
	const struct catalog_field *owner = inside ? catalog_field_owner(f) : NULL;
	topic_set(t, f->name, NULL, f->meaning, f->section, f);
	t->qualifier = catalog_type_name(f->type);
	snprintf(t->full, sizeof t->full, "%s%s%s%s", inside ? "details." : "", owner ? owner->name : "",
	         owner ? "." : "", f->name);
	return true;
}

/* details.appKey, /details/appKey, appKey, address.street. */
bool topic_field_answers(const struct topic *t, const char *asked)
{
	asked += asked[0] == '/';
	size_t length = strlen(asked), all = strlen(t->full);
	if (length == 0 || length > all || (length < all && t->full[all - length - 1] != '.'))
		return false;
	const char *end = t->full + all - length;
	for (size_t i = 0; i < length; i++)
		if (asked[i] == '/' ? end[i] != '.' : strncasecmp(&end[i], &asked[i], 1) != 0)
			return false;
	return true;
}

/* The events that have it, and how it stands in the first of them. */
static void print_use(struct explanation *to, const char *path)
{
	char pointer[sizeof((struct topic *)0)->full + 1];
	const struct catalog_event *first = NULL;
	snprintf(pointer, sizeof pointer, "/%s", path);
	for (char *c = pointer; *c; c++)
		*c = *c == '.' ? '/' : *c;
	for (size_t i = 0; strchr(path, '.') && i < catalog_event_count; i++) {
		const struct catalog_member *member = edit_member(&catalog_events[i], pointer);
		if (!member)
			continue;
		explain_row(to, "in", "%s (%s)", catalog_events[i].name, catalog_type_name(member->type));
		first = first ? first : &catalog_events[i];
	}
	explain_sample(to, (struct catalog_kind){ first ? first : &catalog_events[0], NULL }, pointer);
}

void topic_field_print(struct explanation *to, const struct topic *t)
{
	const struct catalog_field *field = t->row;
	const char *value;
	explain_title(to, t->full, "field");
	explain_row(to, "type", "%s", catalog_type_name(field->type));
	explain_row(to, "required", "%s",
	            field->required ? field->required : "not specified; credhook requires it in each event below");
	explain_row(to, "meaning", "%s", field->meaning);
	for (size_t i = 0; i < field->value_count; i++)
		explain_row(to, "values", "%s: %s", field->values[i].name, field->values[i].meaning);
	for (size_t i = 0; field->required && (value = value_at(field->name, i)); i++)
		explain_row(to, "values", "%s", value);
	for (size_t i = 0; i < field->member_count; i++)
		explain_row(to, "contains", "%s", field->members[i].field->name);
	if (field->open)
		explain_row(to, "not specified", "%s", field->open);
	for (size_t i = 0; i < catalog_passage_count; i++)
		if (strcmp(catalog_passages[i].topic, field->name) == 0 && !catalog_passages[i].open)
			explain_row(to, "rule", "%s", catalog_passages[i].text);
	explain_source(to, field->section);
	print_use(to, t->full);
}

void topic_field_json(struct buffer *out, const struct topic *t)
{
	const struct catalog_field *field = t->row;
	json_line_text(out, "type", catalog_type_name(field->type));
	json_line_text(out, "required", field->required);
	json_line_text(out, "not_specified", field->open);
}

/* Services and dispute statuses. */

bool topic_service_at(size_t index, struct topic *t)
{
	const struct catalog_value *v = &catalog_services[index];
	return index < catalog_service_count && topic_set(t, v->name, NULL, v->meaning, v->section, v);
}

void topic_service_print(struct explanation *to, const struct topic *t)
{
	explain_row(to, "area", "%s", t->summary);
	for (size_t e = 0; e < catalog_event_count; e++)
		if (strcmp(catalog_events[e].service, t->name) == 0)
			explain_row(to, "events", "%s", catalog_events[e].name);
	explain_source(to, t->section);
}

bool topic_dispute_status_at(size_t index, struct topic *t)
{
	const struct catalog_value *v = &catalog_dispute_statuses[index];
	return index < catalog_dispute_status_count && topic_set(t, v->name, NULL, v->meaning, v->section, v);
}

void topic_dispute_status_print(struct explanation *to, const struct topic *t)
{
	explain_row(to, "meaning", "%s", t->summary);
	explain_row(to, "where", "field status of GET /api/disputes/v2/<bureau_code>; notifications do not carry it");
	explain_source(to, t->section);
}

/* What is said beside the tables. */

bool topic_passage_at(size_t index, struct topic *t)
{
	const struct catalog_passage *p = &catalog_passages[index];
	if (index >= catalog_passage_count)
		return false;
	topic_set(t, p->topic, NULL, p->text, p->section, p);
	t->qualifier = p->open ? "not specified" : NULL;
	return true;
}

/* Those on a field are printed with it. */
bool topic_passage_answers(const struct topic *t, const char *asked)
{
	return strcasecmp(t->name, asked) == 0 && !catalog_field_named(t->name);
}

void topic_passage_print(struct explanation *to, const struct topic *t)
{
	for (size_t i = 0; i < catalog_passage_count; i++) {
		const struct catalog_passage *p = &catalog_passages[i];
		char label[sizeof to->label];
		snprintf(label, sizeof label, "section %s", p->section);
		if (strcmp(p->topic, t->name) == 0)
			explain_row(to, label, "%s%s", p->open ? "not specified: " : "", p->text);
	}
	for (size_t i = 0; strcmp(t->name, "disputes") == 0 && i < catalog_dispute_status_count; i++)
		explain_row(to, "statuses", "%s", catalog_dispute_statuses[i].name);
}

void topic_passage_json(struct buffer *out, const struct topic *t)
{
	json_line_bool(out, "specified", !((const struct catalog_passage *)t->row)->open);
}

/* A status or a method: the events that carry it, the operations of that method, and the note on statuses. */

bool topic_status_at(size_t index, struct topic *t)
{
	return topic_set(t, value_at("event", index), NULL, NULL, NULL, "event");
}

bool topic_method_at(size_t index, struct topic *t)
{
	return topic_set(t, value_at("method", index), NULL, NULL, NULL, "method");
}

void topic_value_print(struct explanation *to, const struct topic *t)
{
	const char *field = t->row;
	const struct catalog_passage *note = catalog_passage_of("6, note 1");
	explain_title(to, t->name, "value of the field %s", field);
	for (size_t i = 0; i < catalog_event_count; i++)
		if (strcmp(envelope_value(&catalog_events[i], field), t->name) == 0)
			explain_row(to, "events", "%s", catalog_events[i].name);
	explain_source(to, "6");
	for (size_t i = 0; i < catalog_operation_count; i++)
		if (strcasecmp(catalog_operations[i].method, t->name) == 0)
			explain_row(to, "operations", "%s %s", catalog_operations[i].method,
			            catalog_operations[i].path);
	if (strcmp(field, "event") == 0 && strstr(note->text, t->name))
		explain_row(to, "note", "%s", note->text);
}

/* Types. */

static const struct {
	const char *name;
	const char *form;
	enum catalog_type type;
} types[] = {
	{ "uuid", "a string of 8-4-4-4-12 hexadecimal digits, in either case", CATALOG_UUID },
	{ "boolean", "a string that holds true or false; not a JSON boolean", CATALOG_BOOLEAN_TEXT },
	{ "integer", "a JSON number without a fraction, of any size", CATALOG_INTEGER },
	{ "integer", "a string that holds one, with or without a sign", CATALOG_INTEGER_TEXT },
};
#define TYPES (sizeof types / sizeof types[0])

bool topic_type_at(size_t index, struct topic *t)
{
	return index < TYPES && topic_set(t, types[index].name, NULL, NULL, NULL, NULL);
}

/* The fields of that type, and those that have it in one event only. */
static void list_fields(struct explanation *to, enum catalog_type type)
{
	for (size_t i = 0; i < catalog_field_count; i++)
		if (catalog_fields[i]->type == type)
			explain_row(to, "fields", "%s", catalog_fields[i]->name);
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *e = &catalog_events[i];
		for (size_t m = 0; m < e->detail_count; m++)
			if (e->details[m].type == type && e->details[m].field->type != type)
				explain_row(to, "fields", "%s, in %s only", e->details[m].field->name, e->name);
	}
}

void topic_type_print(struct explanation *to, const struct topic *t)
{
	for (size_t i = 0; i < TYPES; i++) {
		if (strcmp(types[i].name, t->name) != 0)
			continue;
		explain_row(to, "form", "%s", types[i].form);
		list_fields(to, types[i].type);
	}
	explain_source(to, "2.2");
}

bool topic_envelope_at(size_t index, struct topic *t)
{
	return index == 0 && topic_set(t, "envelope", NULL, NULL, NULL, NULL);
}

void topic_envelope_print(struct explanation *to, const struct topic *t)
{
	(void)t;
	for (size_t i = 0; i < catalog_envelope_count; i++) {
		const struct catalog_field *f = catalog_envelope[i];
		explain_row(to, f->name, "%s: %s; required: %s", catalog_type_name(f->type), f->meaning, f->required);
	}
	explain_source(to, "2.1");
}
