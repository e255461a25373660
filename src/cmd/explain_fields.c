/* Fields as topics, and what is made of fields and events: types, values of the envelope, services, passages. */
#include "catalog/catalog.h"
#include "cmd/explain.h"
#include "json/json_line.h"
#include "payload/edit.h"
#include "ui/help.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The names that a list of several is printed under, one below another. */
static void add_name(struct explanation *to, const char *label, size_t *count, const char *name)
{
	explain_row(to, (*count)++ == 0 ? label : "", name);
}

/* Distinct values of the envelope among the events, in the order of the first. */
static const char *event_of(const struct catalog_event *e)
{
	return e->event;
}

static const char *method_of(const struct catalog_event *e)
{
	return e->method;
}

static const char *path_of(const struct catalog_event *e)
{
	return e->path;
}

static const char *value_at(const char *(*of)(const struct catalog_event *), size_t index)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const char *value = of(&catalog_events[i]);
		bool seen = !value;
		for (size_t j = 0; j < i && !seen; j++)
			seen = of(&catalog_events[j]) && strcmp(of(&catalog_events[j]), value) == 0;
		if (!seen && index-- == 0)
			return value;
	}
	return NULL;
}

static void print_values(struct explanation *to, const struct catalog_field *field)
{
	static const struct {
		const char *field;
		const char *(*of)(const struct catalog_event *);
	} values[] = { { "event", event_of }, { "method", method_of }, { "path", path_of } };
	size_t count = 0;
	for (size_t i = 0; i < field->value_count; i++) {
		struct buffer text = BUFFER_INIT;
		buffer_printf(&text, "%s: %s", field->values[i].name, field->values[i].meaning);
		add_name(to, "values", &count, buffer_text(&text));
		buffer_release(&text);
	}
	for (size_t i = 0; field->required && i < sizeof values / sizeof values[0]; i++) {
		const char *value;
		for (size_t v = 0; strcmp(values[i].field, field->name) == 0 && (value = value_at(values[i].of, v));
		     v++)
			add_name(to, "values", &count, value);
	}
}

static bool field_at(size_t index, struct topic *t)
{
	if (index >= catalog_envelope_count + catalog_field_count)
		return false;
	bool inside = index >= catalog_envelope_count;
	const struct catalog_field *f =
	        inside ? catalog_fields[index - catalog_envelope_count] : catalog_envelope[index];
	const struct catalog_field *owner = inside ? catalog_field_owner(f) : NULL;
	*t = (struct topic){ .name = f->name, .summary = f->meaning, .section = f->section, .row = f };
	t->qualifier = catalog_type_name(f->type);
	snprintf(t->full, sizeof t->full, "%s%s%s%s", inside ? "details." : "", owner ? owner->name : "",
	         owner ? "." : "", f->name);
	return true;
}

/* details.appKey, /details/appKey, appKey, address.street. */
static bool field_answers(const struct topic *t, const char *asked)
{
	asked += asked[0] == '/';
	size_t length = strlen(asked), all = strlen(t->full);
	if (length > all || (length < all && t->full[all - length - 1] != '.'))
		return false;
	for (size_t i = 0; i < length; i++) {
		char there[] = { t->full[all - length + i], '\0' },
		     wanted[] = { asked[i] == '/' ? '.' : asked[i], '\0' };
		if (strcasecmp(there, wanted) != 0)
			return false;
	}
	return length > 0;
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
		struct buffer text = BUFFER_INIT;
		if (!member)
			continue;
		buffer_printf(&text, "%s (%s)", catalog_events[i].name, catalog_type_name(member->type));
		explain_row(to, first ? "" : "in", buffer_text(&text));
		first = first ? first : &catalog_events[i];
		buffer_release(&text);
	}
	explain_sample(to, (struct catalog_kind){ first ? first : &catalog_events[0], NULL }, pointer);
}

static void print_field(struct explanation *to, const struct topic *t, const char *asked)
{
	const struct catalog_field *field = t->row;
	(void)asked;
	explain_title(to, t->full, "field");
	explain_row(to, "type", catalog_type_name(field->type));
	explain_row(to, "required",
	            field->required ? field->required : "not specified; credhook requires it in each event below");
	explain_row(to, "meaning", field->meaning);
	print_values(to, field);
	for (size_t i = 0; i < field->member_count; i++)
		explain_row(to, i == 0 ? "contains" : "", field->members[i].field->name);
	if (field->open)
		explain_row(to, "not specified", field->open);
	for (size_t i = 0; i < catalog_passage_count; i++)
		if (strcmp(catalog_passages[i].topic, field->name) == 0 && !catalog_passages[i].open)
			explain_row(to, "rule", catalog_passages[i].text);
	explain_source(to, field->section);
	print_use(to, t->full);
}

static void append_field_json(struct buffer *out, const struct topic *t)
{
	const struct catalog_field *field = t->row;
	json_line_text(out, "type", catalog_type_name(field->type));
	json_line_text(out, "required", field->required);
	json_line_text(out, "not_specified", field->open);
}

/* Services and dispute statuses. */

static bool named_at(const struct catalog_value *values, size_t count, size_t index, struct topic *t)
{
	if (index >= count)
		return false;
	const struct catalog_value *v = &values[index];
	*t = (struct topic){ .name = v->name, .summary = v->meaning, .section = v->section, .row = v };
	return true;
}

static bool service_at(size_t index, struct topic *t)
{
	return named_at(catalog_services, catalog_service_count, index, t);
}

static void print_service(struct explanation *to, const struct topic *t, const char *asked)
{
	size_t count = 0;
	(void)asked;
	explain_title(to, t->name, "service");
	explain_row(to, "area", t->summary);
	for (size_t e = 0; e < catalog_event_count; e++)
		if (strcmp(catalog_events[e].service, t->name) == 0)
			add_name(to, "events", &count, catalog_events[e].name);
	explain_source(to, t->section);
}

static bool dispute_status_at(size_t index, struct topic *t)
{
	return named_at(catalog_dispute_statuses, catalog_dispute_status_count, index, t);
}

static void print_dispute_status(struct explanation *to, const struct topic *t, const char *asked)
{
	(void)asked;
	explain_title(to, t->name, "dispute status");
	explain_row(to, "meaning", t->summary);
	explain_row(to, "where", "field status of GET /api/disputes/v2/<bureau_code>; notifications do not carry it");
	explain_source(to, t->section);
}

/* What is said beside the tables. */

static bool passage_at(size_t index, struct topic *t)
{
	if (index >= catalog_passage_count)
		return false;
	const struct catalog_passage *p = &catalog_passages[index];
	*t = (struct topic){ .name = p->topic, .summary = p->text, .section = p->section, .row = p };
	t->qualifier = p->open ? "not specified" : NULL;
	return true;
}

/* Those on a field are printed with it. */
static bool passage_answers(const struct topic *t, const char *asked)
{
	return strcasecmp(t->name, asked) == 0 && !catalog_field_named(t->name);
}

static void print_passages(struct explanation *to, const struct topic *t, const char *asked)
{
	(void)asked;
	explain_title(to, t->name, "topic");
	for (size_t i = 0; i < catalog_passage_count; i++) {
		const struct catalog_passage *p = &catalog_passages[i];
		struct buffer label = BUFFER_INIT, text = BUFFER_INIT;
		buffer_printf(&label, "section %s", p->section);
		buffer_printf(&text, "%s%s", p->open ? "not specified: " : "", p->text);
		if (strcmp(p->topic, t->name) == 0)
			explain_row(to, buffer_text(&label), buffer_text(&text));
		buffer_release(&label);
		buffer_release(&text);
	}
	for (size_t i = 0; strcmp(t->name, "disputes") == 0 && i < catalog_dispute_status_count; i++)
		explain_row(to, i == 0 ? "statuses" : "", catalog_dispute_statuses[i].name);
}

static void append_passage_json(struct buffer *out, const struct topic *t)
{
	json_line_bool(out, "specified", !((const struct catalog_passage *)t->row)->open);
}

/* A status or a method: the events that carry it, and the notes that concern it. */

static bool status_at(size_t index, struct topic *t)
{
	*t = (struct topic){ .name = value_at(event_of, index) };
	return t->name != NULL;
}

static bool method_at(size_t index, struct topic *t)
{
	*t = (struct topic){ .name = value_at(method_of, index) };
	return t->name != NULL;
}

static void print_events_of(struct explanation *to, const char *field, const char *value,
                            const char *(*of)(const struct catalog_event *))
{
	size_t count = 0;
	struct buffer kind = BUFFER_INIT;
	buffer_printf(&kind, "value of the field %s", field);
	explain_title(to, value, buffer_text(&kind));
	buffer_release(&kind);
	for (size_t i = 0; i < catalog_event_count; i++)
		if (strcmp(of(&catalog_events[i]), value) == 0)
			add_name(to, "events", &count, catalog_events[i].name);
	explain_source(to, "6");
}

static void print_status(struct explanation *to, const struct topic *t, const char *asked)
{
	const struct catalog_passage *note = catalog_passage_of("6, note 1");
	(void)asked;
	print_events_of(to, "event", t->name, event_of);
	if (strstr(note->text, t->name))
		explain_row(to, "note", note->text);
}

static void print_method(struct explanation *to, const struct topic *t, const char *asked)
{
	size_t count = 0;
	(void)asked;
	print_events_of(to, "method", t->name, method_of);
	for (size_t i = 0; i < catalog_operation_count; i++) {
		struct buffer name = BUFFER_INIT;
		buffer_printf(&name, "%s %s", catalog_operations[i].method, catalog_operations[i].path);
		if (strcasecmp(catalog_operations[i].method, t->name) == 0)
			add_name(to, "operations", &count, buffer_text(&name));
		buffer_release(&name);
	}
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

static bool type_at(size_t index, struct topic *t)
{
	if (index >= sizeof types / sizeof types[0])
		return false;
	*t = (struct topic){ .name = types[index].name };
	return true;
}

/* The fields of that type, and those that have it in one event only. */
static void list_fields(struct explanation *to, enum catalog_type type)
{
	size_t count = 0;
	for (size_t i = 0; i < catalog_field_count; i++)
		if (catalog_fields[i]->type == type)
			add_name(to, "fields", &count, catalog_fields[i]->name);
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *e = &catalog_events[i];
		for (size_t m = 0; m < e->detail_count; m++) {
			struct buffer text = BUFFER_INIT;
			buffer_printf(&text, "%s, in %s only", e->details[m].field->name, e->name);
			if (e->details[m].type == type && e->details[m].field->type != type)
				add_name(to, "fields", &count, buffer_text(&text));
			buffer_release(&text);
		}
	}
}

static void print_type(struct explanation *to, const struct topic *t, const char *asked)
{
	(void)asked;
	explain_title(to, t->name, "type of fields");
	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
		if (strcmp(types[i].name, t->name) != 0)
			continue;
		explain_row(to, "form", types[i].form);
		list_fields(to, types[i].type);
	}
	explain_source(to, "2.2");
}

static bool envelope_at(size_t index, struct topic *t)
{
	*t = (struct topic){ .name = "envelope" };
	return index == 0;
}

static void print_envelope(struct explanation *to, const struct topic *t, const char *asked)
{
	(void)asked;
	explain_title(to, t->name, "what every notification is");
	for (size_t i = 0; i < catalog_envelope_count; i++) {
		const struct catalog_field *f = catalog_envelope[i];
		struct buffer text = BUFFER_INIT;
		buffer_printf(&text, "%s: %s; required: %s", catalog_type_name(f->type), f->meaning, f->required);
		explain_row(to, f->name, buffer_text(&text));
		buffer_release(&text);
	}
	explain_source(to, "2.1");
}

const struct topic_kind topic_kind_field = {
	"field", "fields", field_at, field_answers, print_field, append_field_json
};
const struct topic_kind topic_kind_service = { "service", "services", service_at, NULL, print_service, NULL };
const struct topic_kind topic_kind_dispute_status = { "dispute status",     "dispute statuses",
	                                              dispute_status_at,    NULL,
	                                              print_dispute_status, NULL };
const struct topic_kind topic_kind_passage = { "topic",         "topics",       passage_at,
	                                       passage_answers, print_passages, append_passage_json };
const struct topic_kind topic_kind_status = { "status", NULL, status_at, NULL, print_status, NULL };
const struct topic_kind topic_kind_method = { "method", NULL, method_at, NULL, print_method, NULL };
const struct topic_kind topic_kind_type = { "type", NULL, type_at, NULL, print_type, NULL };
const struct topic_kind topic_kind_envelope = { "envelope", NULL, envelope_at, NULL, print_envelope, NULL };
