/* How each kind of topic is told; all from the catalogue's rows. */
#include "base/exit_code.h"
#include "catalog/catalog.h"
#include "cmd/explain.h"
#include "json/located.h"
#include "payload/build.h"
#include "payload/edit.h"
#include "ui/help.h"
#include "ui/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SAMPLE_SEED 1

void explain_title(struct explanation *to, const char *name, const char *kind)
{
	style_append(&to->text, to->color, STYLE_BOLD, "%s", name);
	buffer_printf(&to->text, " (%s)\n", kind);
}

void explain_row(struct explanation *to, const char *label, const char *text)
{
	help_append_row(&to->text, label, text, 14, to->width);
}

static void section(struct explanation *to, const char *number)
{
	struct buffer text = BUFFER_INIT;
	buffer_printf(&text, "the specification, section %s", number);
	explain_row(to, "source", buffer_text(&text));
	buffer_release(&text);
}

/* The payload that samples show: the same bytes each time. */
static int sample_payload(struct catalog_kind kind, struct buffer *text, struct error *err)
{
	struct random random;
	random_seed(&random, SAMPLE_SEED);
	return build_payload(kind, &random, text, err);
}

static void sample(struct explanation *to, struct catalog_kind kind)
{
	struct error err;
	struct buffer text = BUFFER_INIT, pretty = BUFFER_INIT;
	if (sample_payload(kind, &text, &err) == 0 && build_pretty(text.data, text.length, &pretty, &err) == 0)
		buffer_printf(&to->text, "\n%s\n", buffer_text(&pretty));
	buffer_release(&text);
	buffer_release(&pretty);
}

/* The member that the pointer names, as it stands in the sample of the event. */
static void sample_member(struct explanation *to, const struct catalog_event *event, const char *pointer)
{
	struct error err;
	struct json_doc doc;
	struct json_fault fault;
	struct buffer text = BUFFER_INIT, pretty = BUFFER_INIT;
	json_doc_init(&doc);
	if (sample_payload((struct catalog_kind){ event, NULL }, &text, &err) == 0 &&
	    json_read(&doc, text.data, text.length, &fault)) {
		uint32_t value = json_resolve(&doc, pointer);
		const struct json_token *t = value != JSON_NONE ? &doc.tokens[value] : NULL;
		if (t && build_pretty(doc.text + t->start, t->end - t->start, &pretty, &err) == 0)
			buffer_printf(&to->text, "\n\"%s\": %s\n", strrchr(pointer, '/') + 1, buffer_text(&pretty));
	}
	json_doc_release(&doc);
	buffer_release(&text);
	buffer_release(&pretty);
}

static void members(struct explanation *to, const struct catalog_member *list, size_t count, const char *prefix)
{
	for (size_t i = 0; i < count; i++) {
		struct buffer name = BUFFER_INIT, text = BUFFER_INIT;
		const struct catalog_field *field = list[i].field;
		buffer_printf(&name, "%s.%s", prefix, field->name);
		buffer_printf(&text, "%s: %s", catalog_type_name(list[i].type), field->meaning);
		help_append_row(&to->text, buffer_text(&name), buffer_text(&text), 30, to->width);
		members(to, field->members, field->member_count, buffer_text(&name));
		buffer_release(&name);
		buffer_release(&text);
	}
}

static void open_points(struct explanation *to, const struct catalog_member *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct buffer text = BUFFER_INIT;
		buffer_printf(&text, "%s: %s", list[i].field->name, list[i].field->open ? list[i].field->open : "");
		if (list[i].field->open)
			explain_row(to, "not specified", buffer_text(&text));
		buffer_release(&text);
		open_points(to, list[i].field->members, list[i].field->member_count);
	}
}

static void event_source(struct explanation *to, const char *trigger_section)
{
	struct buffer text = BUFFER_INIT;
	bool apart = trigger_section[0] != '6';
	buffer_printf(&text, "6%s%s%s", apart ? ", and section " : trigger_section + 1, apart ? trigger_section : "",
	              apart ? " for its trigger" : "");
	section(to, buffer_text(&text));
	buffer_release(&text);
}

static void tell_event(struct explanation *to, struct catalog_kind kind)
{
	const struct catalog_event *e = kind.event;
	char name[CATALOG_KIND_NAME_SIZE];
	catalog_kind_name(kind, name);
	explain_title(to, name, kind.element ? kind.element->title : e->title);
	explain_row(to, "when", e->trigger);
	explain_row(to, "service", e->service);
	explain_row(to, "event", e->event);
	explain_row(to, "method", e->method);
	explain_row(to, "path", e->path ? catalog_kind_path(kind) : "none: an alert has no path");
	for (size_t i = 0; !kind.element && i < e->element_count; i++)
		explain_row(to, i == 0 ? "elements" : "", e->elements[i].path);
	if (e->note)
		explain_row(to, "note", e->note);
	event_source(to, e->trigger_section);
	members(to, e->details, e->detail_count, "details");
	open_points(to, e->details, e->detail_count);
	sample(to, kind);
}

bool explain_event_beginning(struct explanation *to, const char *topic)
{
	struct catalog_kind kind;
	const char *nearest;
	if (catalog_find_kind(topic, &kind, &nearest) != CATALOG_FOUND)
		return false;
	tell_event(to, kind);
	return true;
}

bool explain_event(struct explanation *to, const char *topic)
{
	struct catalog_kind kind;
	const char *nearest;
	size_t length = strcspn(topic, "/");
	bool whole = catalog_find_kind(topic, &kind, &nearest) == CATALOG_FOUND && length == strlen(kind.event->name) &&
	             strncmp(kind.event->name, topic, length) == 0;
	if (whole) {
		tell_event(to, kind);
		return true;
	}
	for (size_t i = 0; i < catalog_event_count; i++) {
		if (strcasecmp(catalog_events[i].title, topic) == 0) {
			tell_event(to, (struct catalog_kind){ &catalog_events[i], NULL });
			return true;
		}
	}
	return false;
}

/* The event that is sent for the element. */
static struct catalog_kind kind_of_element(const struct catalog_element *element)
{
	for (size_t i = 0; i < catalog_kind_count(); i++)
		if (catalog_kind_at(i).element == element)
			return catalog_kind_at(i);
	return (struct catalog_kind){ NULL, NULL };
}

bool explain_element(struct explanation *to, const char *topic)
{
	for (size_t i = 0; i < catalog_element_count; i++) {
		const struct catalog_element *e = &catalog_elements[i];
		if (strcmp(e->name, topic) != 0 && strcasecmp(e->title, topic) != 0)
			continue;
		explain_title(to, e->name, "monitored element");
		explain_row(to, "type", e->title);
		explain_row(to, "path", e->path);
		explain_row(to, "event", "monitored-element-added, identical in form for every element type");
		section(to, "6, trigger condition 4");
		sample(to, kind_of_element(e));
		return true;
	}
	return false;
}

/* `path`: the operation's, or a real one that it stands for. */
static void tell_operation(struct explanation *to, const struct catalog_operation *o, const char *path)
{
	struct buffer name = BUFFER_INIT;
	buffer_printf(&name, "%s %s", o->method, o->path);
	explain_title(to, buffer_text(&name), "operation");
	explain_row(to, "status", o->outcome);
	for (size_t i = 0; i < o->event_count; i++)
		explain_row(to, i == 0 ? "triggers" : "", o->events[i]->name);
	if (o->event_count == 0)
		explain_row(to, "triggers", "no event of section 6; 'credhook explain disputes' tells more");
	section(to, "4.2");
	explain_row(to, "not specified", "request and response payload shapes of the operation");
	if (o->event_count > 0) {
		struct catalog_kind kind = { o->events[0], NULL };
		for (size_t i = 0; i < kind.event->element_count; i++)
			if (strcmp(kind.event->elements[i].path, path) == 0)
				kind.element = &kind.event->elements[i];
		sample(to, kind);
	}
	buffer_release(&name);
}

/* An operation's path against a real one: <element_path> and the like stand for one segment. */
static bool path_fits(const char *pattern, const char *path)
{
	while (*pattern && *pattern != '<') {
		if (*pattern != *path)
			return false;
		pattern++;
		path++;
	}
	if (*pattern == '\0')
		return *path == '\0';
	const char *rest = strchr(pattern, '>');
	size_t segment = strcspn(path, "/");
	return segment > 0 && rest && strcmp(rest + 1, path + segment) == 0;
}

bool explain_operation(struct explanation *to, const char *topic)
{
	size_t length = strcspn(topic, " ");
	const char *path = topic[length] == ' ' ? topic + length + 1 : NULL; /* NULL: all of the method */
	bool found = false;
	for (size_t i = 0; i < catalog_operation_count; i++) {
		const struct catalog_operation *o = &catalog_operations[i];
		bool method = strlen(o->method) == length && strncasecmp(o->method, topic, length) == 0;
		if (!method || (path && strcmp(o->path, path) != 0 && !path_fits(o->path, path)))
			continue;
		if (found)
			buffer_append_byte(&to->text, '\n');
		tell_operation(to, o, path ? path : o->path);
		found = true;
	}
	return found;
}

bool explain_path(struct explanation *to, const char *topic)
{
	bool found = false;
	if (topic[0] != '/')
		return false;
	for (size_t i = 0; i < catalog_operation_count; i++) {
		const struct catalog_operation *o = &catalog_operations[i];
		if (strcmp(o->path, topic) != 0 && !path_fits(o->path, topic))
			continue;
		if (found)
			buffer_append_byte(&to->text, '\n');
		tell_operation(to, o, topic);
		found = true;
	}
	return found;
}

/* The events that have it, and how it stands in the first of them. */
static void used_by(struct explanation *to, const char *pointer)
{
	const struct catalog_event *first = NULL;
	bool in_details = strncmp(pointer, "/details/", strlen("/details/")) == 0; /* the envelope is everybody's */
	for (size_t i = 0; in_details && i < catalog_event_count; i++) {
		const struct catalog_member *member = edit_member(&catalog_events[i], pointer);
		struct buffer text = BUFFER_INIT;
		if (!member)
			continue;
		buffer_printf(&text, "%s (%s)", catalog_events[i].name, catalog_type_name(member->type));
		explain_row(to, first ? "" : "in", buffer_text(&text));
		first = first ? first : &catalog_events[i];
		buffer_release(&text);
	}
	sample_member(to, first ? first : &catalog_events[0], pointer);
}

static void tell_field(struct explanation *to, const char *pointer, const struct catalog_field *field)
{
	explain_title(to, pointer + 1, "field");
	explain_row(to, "type", catalog_type_name(field->type));
	explain_row(to, "meaning", field->meaning);
	for (size_t i = 0; i < field->value_count; i++) {
		struct buffer text = BUFFER_INIT;
		buffer_printf(&text, "%s: %s", field->values[i].name, field->values[i].meaning);
		explain_row(to, i == 0 ? "values" : "", buffer_text(&text));
		buffer_release(&text);
	}
	for (size_t i = 0; i < field->member_count; i++)
		explain_row(to, i == 0 ? "contains" : "", field->members[i].field->name);
	if (field->open)
		explain_row(to, "not specified", field->open);
	for (size_t i = 0; i < catalog_passage_count; i++)
		if (strcmp(catalog_passages[i].topic, field->name) == 0)
			explain_row(to, "rule", catalog_passages[i].text);
	section(to, field->section);
}

/* details.appKey, /details/appKey, appKey and address.street all name a field. */
static const struct catalog_field *find_field(const char *topic, struct buffer *pointer)
{
	struct error ignored;
	if (edit_pointer(topic, pointer, &ignored) < 0)
		return NULL;
	for (size_t i = 0; i < catalog_envelope_count; i++)
		if (strcmp(pointer->data + 1, catalog_envelope[i]->name) == 0)
			return catalog_envelope[i];
	const char *inside = strncmp(pointer->data, "/details/", 9) == 0 ? pointer->data + 9 : pointer->data + 1;
	for (size_t i = 0; i < catalog_field_count; i++) {
		const struct catalog_field *field = catalog_fields[i];
		size_t length = strlen(field->name);
		bool direct = strcmp(inside, field->name) == 0;
		bool nested = strncmp(inside, field->name, length) == 0 && inside[length] == '/';
		const struct catalog_member *member =
		        nested ? catalog_member_named(field->members, field->member_count, inside + length + 1,
		                                      strlen(inside + length + 1))
		               : NULL;
		if (direct || member) {
			struct buffer full = BUFFER_INIT;
			const struct catalog_field *owner = NULL;
			for (size_t o = 0; direct && o < catalog_field_count; o++)
				if (catalog_member_named(catalog_fields[o]->members, catalog_fields[o]->member_count,
				                         inside, length))
					owner = catalog_fields[o];
			buffer_printf(&full, "/details/%s%s%s", owner ? owner->name : "", owner ? "/" : "", inside);
			buffer_release(pointer);
			*pointer = full;
			return member ? member->field : field;
		}
	}
	return NULL;
}

bool explain_field(struct explanation *to, const char *topic)
{
	struct buffer pointer = BUFFER_INIT;
	const struct catalog_field *field = find_field(topic, &pointer);
	if (field) {
		for (char *c = pointer.data + 1; *c; c++)
			if (*c == '/')
				*c = '.';
		tell_field(to, pointer.data, field);
		for (char *c = pointer.data + 1; *c; c++)
			if (*c == '.')
				*c = '/';
		used_by(to, pointer.data);
	}
	buffer_release(&pointer);
	return field != NULL;
}

bool explain_finding(struct explanation *to, const char *topic)
{
	const char *nearest;
	enum finding_id id = finding_named(topic, strlen(topic), &nearest);
	if (strcasecmp(topic, "findings") == 0) {
		explain_title(to, "findings", "what validate can find");
		for (size_t i = 0; i < FINDING_ID_COUNT; i++) {
			struct buffer text = BUFFER_INIT;
			buffer_printf(&text, "%s: %s", severity_name(finding_rows[i].severity),
			              finding_rows[i].summary);
			help_append_row(&to->text, finding_rows[i].name, buffer_text(&text), 20, to->width);
			buffer_release(&text);
		}
		return true;
	}
	if (id == FINDING_ID_COUNT)
		return false;
	const struct finding_row *row = &finding_rows[id];
	explain_title(to, row->name, "finding");
	explain_row(to, "level", severity_name(row->severity));
	explain_row(to, "when", row->summary);
	explain_row(to, "whose rule", row->origin);
	if (id != FINDING_CONTENT_TYPE) {
		struct buffer text = BUFFER_INIT;
		buffer_printf(&text, "credhook build all --break %s", row->name);
		explain_row(to, "try", buffer_text(&text));
		buffer_release(&text);
	}
	return true;
}

bool explain_service(struct explanation *to, const char *topic)
{
	for (size_t i = 0; i < catalog_service_count; i++) {
		if (strcmp(catalog_services[i].name, topic) != 0)
			continue;
		explain_title(to, topic, "service");
		explain_row(to, "area", catalog_services[i].meaning);
		for (size_t e = 0, told = 0; e < catalog_event_count; e++)
			if (strcmp(catalog_events[e].service, topic) == 0)
				explain_row(to, told++ == 0 ? "events" : "", catalog_events[e].name);
		section(to, catalog_services[i].section);
		return true;
	}
	return false;
}

bool explain_dispute_status(struct explanation *to, const char *topic)
{
	for (size_t i = 0; i < catalog_dispute_status_count; i++) {
		const struct catalog_value *status = &catalog_dispute_statuses[i];
		if (strcasecmp(status->name, topic) != 0)
			continue;
		explain_title(to, status->name, "dispute status");
		explain_row(to, "meaning", status->meaning);
		explain_row(to, "where",
		            "field status of GET /api/disputes/v2/<bureau_code>; notifications do not carry it");
		section(to, status->section);
		return true;
	}
	return false;
}

bool explain_passages(struct explanation *to, const char *topic)
{
	bool found = false;
	if (catalog_field_named(topic))
		return false; /* told with the field */
	for (size_t i = 0; i < catalog_passage_count; i++) {
		struct buffer text = BUFFER_INIT;
		if (strcasecmp(catalog_passages[i].topic, topic) != 0)
			continue;
		if (!found)
			explain_title(to, catalog_passages[i].topic, "topic");
		buffer_printf(&text, "section %s", catalog_passages[i].section);
		explain_row(to, buffer_text(&text), catalog_passages[i].text);
		buffer_release(&text);
		found = true;
	}
	if (found && strcasecmp(topic, "disputes") == 0)
		for (size_t i = 0; i < catalog_dispute_status_count; i++)
			explain_row(to, i == 0 ? "statuses" : "", catalog_dispute_statuses[i].name);
	return found;
}

/* "exit codes" lists them; "exit 4" is one. */
bool explain_exit_code(struct explanation *to, const char *topic)
{
	bool all = strcasecmp(topic, "exit") == 0 || strcasecmp(topic, "exit codes") == 0, found = false;
	for (size_t i = 0; i < exit_code_row_count; i++) {
		struct buffer name = BUFFER_INIT;
		buffer_printf(&name, "exit %d", (int)exit_code_rows[i].code);
		if (all || strcasecmp(topic, buffer_text(&name)) == 0) {
			if (!found)
				explain_title(to, all ? "exit codes" : buffer_text(&name), "what credhook ends with");
			explain_row(to, buffer_text(&name), exit_code_rows[i].meaning);
			found = true;
		}
		buffer_release(&name);
	}
	if (found)
		explain_row(to, "whose rule", "credhook's own");
	return found;
}

static void names(struct explanation *to, const char *label, const struct buffer *text)
{
	explain_row(to, label, buffer_text(text));
}

void explain_list(struct explanation *to)
{
	struct buffer text = BUFFER_INIT;
	style_append(&to->text, to->color, STYLE_BOLD, "Topics:");
	buffer_append_byte(&to->text, '\n');
	for (size_t i = 0; i < catalog_event_count; i++)
		buffer_printf(&text, "%s ", catalog_events[i].name);
	names(to, "events", &text);
	buffer_clear(&text);
	for (size_t i = 0; i < catalog_field_count; i++)
		buffer_printf(&text, "%s ", catalog_fields[i]->name);
	names(to, "fields", &text);
	buffer_clear(&text);
	for (size_t i = 0; i < catalog_element_count; i++)
		buffer_printf(&text, "%s ", catalog_elements[i].name);
	names(to, "elements", &text);
	buffer_clear(&text);
	for (size_t i = 0; i < catalog_service_count; i++)
		buffer_printf(&text, "%s ", catalog_services[i].name);
	names(to, "services", &text);
	buffer_clear(&text);
	for (size_t i = 0; i < FINDING_ID_COUNT; i++)
		buffer_printf(&text, "%s ", finding_rows[i].name);
	names(to, "findings", &text);
	buffer_clear(&text);
	for (size_t i = 0; i < catalog_dispute_status_count; i++)
		buffer_printf(&text, "'%s' ", catalog_dispute_statuses[i].name);
	names(to, "statuses", &text);
	buffer_clear(&text);
	for (size_t i = 0; i < catalog_passage_count; i++)
		if (!catalog_field_named(catalog_passages[i].topic) &&
		    (i == 0 || strcmp(catalog_passages[i].topic, catalog_passages[i - 1].topic) != 0))
			buffer_printf(&text, "%s ", catalog_passages[i].topic);
	names(to, "topics", &text);
	explain_row(to, "exit codes", "exit 0, exit 1, ...");
	buffer_clear(&text);
	const char *meaning;
	for (size_t i = 0; explain_outcome_at(i, &meaning); i++)
		buffer_printf(&text, "%s ", explain_outcome_at(i, &meaning));
	names(to, "outcomes", &text);
	explain_row(to, "also", "a status (401), a type (uuid), a method (put), envelope, section 2.2");
	explain_row(to, "operations", "METHOD PATH, such as PUT /api/report/v2, or a path alone");
	buffer_release(&text);
}
