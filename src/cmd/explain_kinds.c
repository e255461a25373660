/* Events, elements and operations as topics. */
#include "catalog/catalog.h"
#include "cmd/explain.h"
#include "json/located.h"
#include "payload/build.h"
#include "ui/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SAMPLE_SEED   1
#define FIELD_COLUMNS 30

static void print_text(struct explanation *to, const char *label, const char *before, const char *text)
{
	struct buffer line = BUFFER_INIT;
	buffer_printf(&line, "%s%s", before, text);
	explain_row(to, label, buffer_text(&line));
	buffer_release(&line);
}

void explain_sample(struct explanation *to, struct catalog_kind kind, const char *pointer)
{
	struct error err;
	struct random random;
	struct json_doc doc;
	struct json_fault fault;
	struct buffer text = BUFFER_INIT, pretty = BUFFER_INIT;
	json_doc_init(&doc);
	random_seed(&random, SAMPLE_SEED);
	uint32_t value = JSON_NONE;
	if (build_payload(kind, &random, &text, &err) == 0 && json_read(&doc, text.data, text.length, &fault))
		value = json_resolve(&doc, pointer ? pointer : "");
	const struct json_token *t = value != JSON_NONE ? &doc.tokens[value] : NULL;
	if (t && build_pretty(doc.text + t->start, t->end - t->start, &pretty, &err) == 0 && pointer)
		buffer_printf(&to->text, "\n\"%s\": %s\n", strrchr(pointer, '/') + 1, buffer_text(&pretty));
	else if (t)
		buffer_printf(&to->text, "\n%s\n", buffer_text(&pretty));
	json_doc_release(&doc);
	buffer_release(&text);
	buffer_release(&pretty);
}

/* Events. */

static bool event_at(size_t index, struct topic *t)
{
	if (index >= catalog_event_count)
		return false;
	const struct catalog_event *e = &catalog_events[index];
	*t = (struct topic){ .name = e->name, .other = e->title, .summary = e->trigger, .section = "6", .row = e };
	return true;
}

static bool find_kind(const char *asked, struct catalog_kind *kind)
{
	char name[CATALOG_KIND_NAME_SIZE];
	const char *nearest;
	size_t length = strlen(asked);
	if (length >= sizeof name)
		return false;
	for (size_t i = 0; i <= length; i++)
		name[i] = (char)tolower((unsigned char)asked[i]);
	return catalog_find_kind(name, kind, &nearest) == CATALOG_FOUND;
}

/* Its names, or its name with an element. */
static bool event_answers(const struct topic *t, const char *asked)
{
	struct catalog_kind kind;
	size_t length = strlen(t->name);
	if (strcasecmp(t->name, asked) == 0 || strcasecmp(t->other, asked) == 0)
		return true;
	return strncasecmp(t->name, asked, length) == 0 && asked[length] == '/' && find_kind(asked, &kind);
}

static void print_members(struct explanation *to, const struct catalog_member *list, size_t count, const char *prefix)
{
	for (size_t i = 0; i < count; i++) {
		struct buffer name = BUFFER_INIT, text = BUFFER_INIT;
		const struct catalog_field *field = list[i].field;
		buffer_printf(&name, "%s.%s", prefix, field->name);
		buffer_printf(&text, "%s: %s", catalog_type_name(list[i].type), field->meaning);
		help_append_row(&to->text, buffer_text(&name), buffer_text(&text), FIELD_COLUMNS, to->width);
		print_members(to, field->members, field->member_count, buffer_text(&name));
		buffer_release(&name);
		buffer_release(&text);
	}
}

static void print_open_points(struct explanation *to, const struct catalog_member *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = list[i].field;
		struct buffer name = BUFFER_INIT;
		buffer_printf(&name, "%s: ", field->name);
		if (field->open)
			print_text(to, "not specified", buffer_text(&name), field->open);
		buffer_release(&name);
		print_open_points(to, field->members, field->member_count);
	}
}

static void print_kind(struct explanation *to, struct catalog_kind kind)
{
	const struct catalog_event *e = kind.event;
	char name[CATALOG_KIND_NAME_SIZE];
	struct buffer section = BUFFER_INIT;
	bool apart = e->trigger_section[0] != '6';
	catalog_kind_name(kind, name);
	explain_title(to, name, kind.element ? kind.element->title : e->title);
	explain_row(to, "trigger", e->trigger);
	explain_row(to, "service", e->service);
	explain_row(to, "event", e->event);
	explain_row(to, "method", e->method);
	explain_row(to, "path", e->path ? catalog_kind_path(kind) : "none: an alert has no path");
	for (size_t i = 0; !kind.element && i < e->element_count; i++)
		explain_row(to, i == 0 ? "elements" : "", e->elements[i].path);
	if (e->note)
		explain_row(to, "note", e->note);
	buffer_printf(&section, "6%s%s%s", apart ? ", and section " : e->trigger_section + 1,
	              apart ? e->trigger_section : "", apart ? " for its trigger" : "");
	explain_source(to, buffer_text(&section));
	buffer_release(&section);
	explain_row(to, "required",
	            "all keys below; section 6 lists them, and that each is required is credhook's rule");
	print_members(to, e->details, e->detail_count, "details");
	print_open_points(to, e->details, e->detail_count);
	explain_sample(to, kind, NULL);
}

static void print_event(struct explanation *to, const struct topic *t, const char *asked)
{
	struct catalog_kind kind = { t->row, NULL };
	if (strchr(asked, '/'))
		find_kind(asked, &kind);
	print_kind(to, kind);
}

bool explain_event_beginning(struct explanation *to, const char *asked)
{
	struct catalog_kind kind;
	if (!find_kind(asked, &kind))
		return false;
	print_kind(to, kind);
	return true;
}

/* Elements. */

static bool element_at(size_t index, struct topic *t)
{
	if (index >= catalog_element_count)
		return false;
	const struct catalog_element *e = &catalog_elements[index];
	*t = (struct topic){ .name = e->name, .other = e->title, .summary = e->path, .section = "6", .row = e };
	return true;
}

static void print_element(struct explanation *to, const struct topic *t, const char *asked)
{
	const struct catalog_element *e = t->row;
	(void)asked;
	explain_title(to, e->name, "monitored element");
	explain_row(to, "type", e->title);
	explain_row(to, "path", e->path);
	explain_row(to, "event", "monitored-element-added, identical in form for every element type");
	explain_source(to, "6, trigger condition 4");
	for (size_t i = 0; i < catalog_kind_count(); i++)
		if (catalog_kind_at(i).element == e)
			explain_sample(to, catalog_kind_at(i), NULL);
}

/* Operations, by method and path or by path. */

static bool operation_at(size_t index, struct topic *t)
{
	if (index >= catalog_operation_count)
		return false;
	const struct catalog_operation *o = &catalog_operations[index];
	*t = (struct topic){ .name = t->full, .other = o->path, .summary = o->outcome, .section = "4.2", .row = o };
	snprintf(t->full, sizeof t->full, "%s %s", o->method, o->path);
	return true;
}

/* The element that the path of one is about, among those of the operation's events. */
static const struct catalog_element *element_of(const struct catalog_operation *o, const char *path)
{
	for (size_t i = 0; i < o->event_count; i++)
		for (size_t e = 0; e < o->events[i]->element_count; e++)
			if (strcasecmp(o->events[i]->elements[e].path, path) == 0)
				return &o->events[i]->elements[e];
	return NULL;
}

/* <element_path> stands for the elements of section 6, which closes their list; <bureau_code> for any segment. */
static bool path_fits(const struct catalog_operation *o, const char *path)
{
	size_t fixed = strcspn(o->path, "<");
	if (strcasecmp(o->path, path) == 0 || element_of(o, path))
		return true;
	bool has_elements = o->event_count > 0 && o->events[0]->element_count > 0;
	return o->path[fixed] == '<' && !has_elements && strncasecmp(o->path, path, fixed) == 0 &&
	       path[fixed] != '\0' && !strchr(path + fixed, '/');
}

static const char *path_of(const char *asked)
{
	const char *space = strchr(asked, ' ');
	return space ? space + 1 : asked;
}

static bool operation_answers(const struct topic *t, const char *asked)
{
	const struct catalog_operation *o = t->row;
	size_t length = strcspn(asked, " ");
	bool has_method = asked[length] == ' ';
	if (has_method && (strlen(o->method) != length || strncasecmp(o->method, asked, length) != 0))
		return false;
	return path_fits(o, path_of(asked));
}

static void print_operation(struct explanation *to, const struct topic *t, const char *asked)
{
	const struct catalog_operation *o = t->row;
	explain_title(to, t->name, "operation");
	explain_row(to, "status", o->outcome);
	for (size_t i = 0; i < o->event_count; i++)
		explain_row(to, i == 0 ? "triggers" : "", o->events[i]->name);
	if (o->event_count == 0)
		explain_row(to, "triggers", "no event of section 6; see 'credhook explain disputes'");
	explain_source(to, "4.2");
	explain_row(to, "not specified", catalog_passage_of("4.2")->text);
	if (o->event_count > 0)
		explain_sample(to, (struct catalog_kind){ o->events[0], element_of(o, path_of(asked)) }, NULL);
}

static bool share_folder(const char *a, const char *b)
{
	size_t length = (size_t)(strrchr(a, '/') - a);
	return length == (size_t)(strrchr(b, '/') - b) && strncmp(a, b, length) == 0;
}

/* Paths as the specification's overview has them: without /api, and /monitor for /api/monitoring, where a removal ends
 * in the element's type. */
bool explain_overview_path(struct explanation *to, const char *asked)
{
	const char *path = path_of(asked);
	const char *rest = strncmp(path, "/api/", 5) == 0 ? path + 4 : path;
	size_t length = strlen(CATALOG_OVERVIEW_MONITORING);
	bool monitoring = strncmp(rest, CATALOG_OVERVIEW_MONITORING, length) == 0 && rest[length] == '/';
	const struct catalog_passage *note = catalog_passage_of(monitoring ? "6, note 2" : "6, note 3");
	struct buffer real = BUFFER_INIT;
	bool found = false;
	if (path[0] != '/' || (!monitoring && rest != path))
		return false;
	buffer_printf(&real, "/api%s%s", monitoring ? "/monitoring" : rest, monitoring ? rest + length : "");
	for (size_t i = 0; i < catalog_operation_count; i++) {
		const struct catalog_operation *o = &catalog_operations[i];
		struct topic operation;
		if (monitoring ? !share_folder(o->path, buffer_text(&real)) : !path_fits(o, buffer_text(&real)))
			continue;
		if (!found) {
			explain_title(to, path, "a path of the specification's overview");
			explain_row(to, "note", note->text);
			explain_source(to, note->section);
		}
		operation_at(i, &operation);
		explain_row(to, found ? "" : "operations", operation.name);
		found = true;
	}
	buffer_release(&real);
	return found;
}

bool explain_hint_element(const char *path, struct error *err)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *e = &catalog_events[i];
		struct buffer names = BUFFER_INIT;
		if (e->element_count == 0 || strncmp(path, e->path, strcspn(e->path, "<")) != 0)
			continue;
		for (size_t n = 0; n < e->element_count; n++)
			buffer_printf(&names, "%s%s", n > 0 ? ", " : "", e->elements[n].name);
		error_hint(err, "section 6 lists these elements only: %s", buffer_text(&names));
		buffer_release(&names);
		return true;
	}
	return false;
}

const struct topic_kind topic_kind_event = { "event", "events", event_at, event_answers, print_event, NULL };
const struct topic_kind topic_kind_element = { "element", "elements", element_at, NULL, print_element, NULL };
const struct topic_kind topic_kind_operation = { "operation",       "operations",    operation_at,
	                                         operation_answers, print_operation, NULL };
