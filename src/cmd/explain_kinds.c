/* Events, elements and operations as topics. */
#include "catalog/catalog.h"
#include "cmd/explain.h"
#include "ui/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FIELD_COLUMNS 30

/* Events. */

bool topic_event_at(size_t index, struct topic *t)
{
	const struct catalog_event *e = &catalog_events[index];
	return index < catalog_event_count && topic_set(t, e->name, e->title, e->trigger, "6", e);
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
		if (field->open)
			explain_row(to, "not specified", "%s: %s", field->name, field->open);
		print_open_points(to, field->members, field->member_count);
	}
}

static void print_event_kind(struct explanation *to, struct catalog_kind kind)
{
	const struct catalog_event *e = kind.event;
	char name[CATALOG_KIND_NAME_SIZE];
	catalog_kind_name(kind, name);
	explain_title(to, name, "%s", kind.element ? kind.element->title : e->title);
	explain_row(to, "trigger", "%s", e->trigger);
	explain_row(to, "service", "%s", e->service);
	explain_row(to, "event", "%s", e->event);
	explain_row(to, "method", "%s", e->method);
	explain_row(to, "path", "%s", e->path ? catalog_kind_path(kind) : "none: an alert has no path");
	for (size_t i = 0; !kind.element && i < e->element_count; i++)
		explain_row(to, "elements", "%s", e->elements[i].path);
	if (e->note)
		explain_row(to, "note", "%s", e->note);
	bool apart = e->trigger_section[0] != '6';
	explain_row(to, "source", "the specification, section %s%s%s", apart ? "6, and section " : "",
	            e->trigger_section, apart ? " for its trigger" : "");
	explain_row(to, "required",
	            "all keys below; section 6 lists them, and that each is required is credhook's rule");
	print_members(to, e->details, e->detail_count, "details");
	print_open_points(to, e->details, e->detail_count);
	explain_sample(to, kind, NULL);
}

void topic_event_print(struct explanation *to, const struct topic *t)
{
	print_event_kind(to, (struct catalog_kind){ t->row, NULL });
}

bool explain_event(struct explanation *to, const char *asked)
{
	struct catalog_kind kind;
	char name[CATALOG_KIND_NAME_SIZE];
	const char *nearest;
	size_t length = strlen(asked);
	if (length >= sizeof name)
		return false;
	for (size_t i = 0; i <= length; i++)
		name[i] = (char)tolower((unsigned char)asked[i]);
	if (catalog_find_kind(name, &kind, &nearest) != CATALOG_FOUND)
		return false;
	print_event_kind(to, kind);
	return true;
}

/* Elements. */

bool topic_element_at(size_t index, struct topic *t)
{
	const struct catalog_element *e = &catalog_elements[index];
	return index < catalog_element_count && topic_set(t, e->name, e->title, e->path, "6", e);
}

void topic_element_print(struct explanation *to, const struct topic *t)
{
	explain_row(to, "type", "%s", t->other);
	explain_row(to, "path", "%s", t->summary);
	explain_row(to, "event", "monitored-element-added, identical in form for every element type");
	explain_source(to, "6, trigger condition 4");
	for (size_t i = 0; i < catalog_kind_count(); i++)
		if (catalog_kind_at(i).element == t->row)
			explain_sample(to, catalog_kind_at(i), NULL);
}

/* Operations, by method and path or by path. */

bool topic_operation_at(size_t index, struct topic *t)
{
	const struct catalog_operation *o = &catalog_operations[index];
	if (index >= catalog_operation_count)
		return false;
	snprintf(t->full, sizeof t->full, "%s %s", o->method, o->path);
	return topic_set(t, t->full, o->path, o->outcome, "4.2", o);
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

bool topic_operation_answers(const struct topic *t, const char *asked)
{
	const struct catalog_operation *o = t->row;
	size_t length = strcspn(asked, " ");
	bool has_method = asked[length] == ' ';
	if (has_method && (strlen(o->method) != length || strncasecmp(o->method, asked, length) != 0))
		return false;
	return path_fits(o, path_of(asked));
}

void topic_operation_print(struct explanation *to, const struct topic *t)
{
	const struct catalog_operation *o = t->row;
	explain_row(to, "status", "%s", o->outcome);
	for (size_t i = 0; i < o->event_count; i++)
		explain_row(to, "triggers", "%s", o->events[i]->name);
	if (o->event_count == 0)
		explain_row(to, "triggers", "no event of section 6; see 'credhook explain disputes'");
	explain_source(to, "4.2");
	explain_row(to, "not specified", "%s", catalog_passage_of("4.2")->text);
	if (o->event_count > 0)
		explain_sample(to, (struct catalog_kind){ o->events[0], element_of(o, path_of(to->asked)) }, NULL);
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
	struct topic t;
	bool found = false;
	if (path[0] != '/' || (!monitoring && rest != path))
		return false;
	buffer_printf(&real, "/api%s%s", monitoring ? "/monitoring" : rest, monitoring ? rest + length : "");
	for (size_t i = 0; topic_operation_at(i, &t); i++) {
		if (monitoring ? !share_folder(t.other, buffer_text(&real)) : !path_fits(t.row, buffer_text(&real)))
			continue;
		if (!found) {
			explain_title(to, path, "a path of the specification's overview");
			explain_row(to, "note", "%s", note->text);
			explain_source(to, note->section);
		}
		explain_row(to, "operations", "%s", t.name);
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
