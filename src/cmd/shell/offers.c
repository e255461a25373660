#include "cmd/shell/offers.h"

#include "payload/break.h"
#include "payload/edit.h"
#include "payload/finding.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define TEXT_SIZE 512

static void offer(struct offer *o, const char *text)
{
	choices_offer(o->choices, text, o->stem);
}

void offer_commands(struct offer *o)
{
	for (size_t i = 0; i < shell_command_count; i++)
		offer(o, shell_commands[i].name);
	for (size_t i = 0; i < command_count; i++)
		if (commands[i] != &command_shell)
			offer(o, commands[i]->name);
}

/* The stem begins behind the last `separator` in it. */
static bool move_behind(struct offer *o, char separator)
{
	const char *found = strrchr(o->stem, separator);
	if (found)
		o->stem = found + 1;
	return found != NULL;
}

static void offer_events(struct offer *o, const char *argument)
{
	char name[CATALOG_KIND_NAME_SIZE];
	bool with_elements;
	if (strstr(argument, ",..."))
		move_behind(o, ',');
	with_elements = strchr(o->stem, '/') != NULL;
	for (size_t i = 0; !with_elements && i < catalog_event_count; i++)
		offer(o, catalog_events[i].name);
	for (size_t i = 0; with_elements && i < catalog_kind_count(); i++) {
		catalog_kind_name(catalog_kind_at(i), name);
		offer(o, name);
	}
	if (strstr(argument, "all"))
		offer(o, "all");
}

/* Whether the line names the kind among its words; a line that names none means every kind. */
static bool is_at_hand(const struct offer *o, struct catalog_kind kind)
{
	bool names_one = false;
	for (size_t i = 1; i + 1 < o->line->count; i++) {
		struct catalog_kind named;
		const char *nearest;
		if (strcmp(o->line->words[i], "all") == 0)
			return true;
		if (catalog_find_kind(o->line->words[i], &named, &nearest) != CATALOG_FOUND)
			continue;
		names_one = true;
		if (named.event == kind.event)
			return true;
	}
	return !names_one;
}

static void offer_members(struct offer *o, const struct catalog_member *members, size_t count, const char *parent,
                          const char *end)
{
	char text[TEXT_SIZE], path[TEXT_SIZE];
	char separator = o->stem[0] == '/' ? '/' : '.';
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		int length = snprintf(path, sizeof path, "%s%c%s", parent, separator, field->name);
		if (length < 0 || (size_t)length + 2 >= sizeof path)
			continue;
		snprintf(text, sizeof text, "%.*s%s", (int)sizeof path, path, end);
		offer(o, text);
		if (field->member_count > 0)
			offer_members(o, field->members, field->member_count, path, end);
	}
}

/* The values that a field may have, behind PATH=. */
static void offer_values(struct offer *o)
{
	struct buffer path = BUFFER_INIT, pointer = BUFFER_INIT;
	struct error ignored;
	size_t length = strcspn(o->stem, "=");
	buffer_append(&path, o->stem, length);
	o->stem += length + 1;
	bool readable = edit_pointer(buffer_text(&path), &pointer, &ignored) == 0;
	for (size_t i = 0; readable && i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		const struct catalog_member *m =
		        is_at_hand(o, kind) ? edit_member(kind.event, buffer_text(&pointer)) : NULL;
		for (size_t v = 0; m && v < m->field->value_count; v++)
			offer(o, m->field->values[v].name);
		if (m && m->type == CATALOG_BOOLEAN_TEXT) {
			offer(o, "true");
			offer(o, "false");
		}
	}
	buffer_release(&path);
	buffer_release(&pointer);
}

static void offer_fields(struct offer *o, const char *argument)
{
	bool assigns = strchr(argument, '=') != NULL;
	char envelope[TEXT_SIZE];
	if (assigns && strchr(o->stem, '=')) {
		offer_values(o);
		return;
	}
	for (size_t i = 0; i < catalog_envelope_count; i++) {
		snprintf(envelope, sizeof envelope, "%s%s%s", o->stem[0] == '/' ? "/" : "", catalog_envelope[i]->name,
		         assigns ? "=" : "");
		if (strcmp(catalog_envelope[i]->name, "details") != 0)
			offer(o, envelope);
	}
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *e = &catalog_events[i];
		if (is_at_hand(o, (struct catalog_kind){ e, NULL }))
			offer_members(o, e->details, e->detail_count, o->stem[0] == '/' ? "/details" : "details",
			              assigns ? "=" : "");
	}
}

/* missing-key, and behind its colon the places where the event at hand can have it. */
static void offer_findings(struct offer *o)
{
	struct break_place places[BREAK_PLACES_MAX];
	char name[BREAK_POINTER_SIZE];
	size_t length = strcspn(o->stem, ":");
	bool wants_place = o->stem[length] == ':';
	enum finding_id id = FINDING_ID_COUNT;
	const char *nearest;
	if (wants_place) {
		id = finding_named(o->stem, length, &nearest);
		o->stem += length + 1;
	}
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct catalog_kind kind = catalog_kind_at(i);
		if (!is_at_hand(o, kind))
			continue;
		for (size_t f = 0; !wants_place && f < FINDING_ID_COUNT; f++)
			if (break_places(kind, (enum finding_id)f, places) > 0)
				offer(o, finding_rows[f].name);
		size_t count = id < FINDING_ID_COUNT ? break_places(kind, id, places) : 0;
		for (size_t p = 0; p < count; p++) {
			const char *pointer = places[p].pointer;
			bool dotted = o->stem[0] != '/' && pointer[0] == '/';
			memcpy(name, pointer + (dotted ? 1 : 0), strlen(pointer) + (dotted ? 0 : 1));
			for (char *c = name; dotted && *c; c++)
				*c = *c == '/' ? '.' : *c;
			offer(o, name);
		}
	}
}

static void offer_environments(struct offer *o)
{
	for (size_t i = 0; i < o->shell->config.environment_count; i++)
		offer(o, o->shell->config.environments[i].name);
	if (o->shell->receiver)
		offer(o, strncmp(o->line->words[0], "use", 4) == 0 ? "listener" : receiver_url(o->shell->receiver));
}

static void offer_files(struct offer *o)
{
	if (o->stem[0] == '@')
		o->stem++;
	const char *slash = strrchr(o->stem, '/');
	int folder_length = slash ? (int)(slash - o->stem) + 1 : 0;
	const char *begin = o->stem + folder_length;
	char folder[TEXT_SIZE], path[2 * TEXT_SIZE];
	struct stat status;
	if (folder_length >= TEXT_SIZE)
		return;
	snprintf(folder, sizeof folder, "%.*s", folder_length, o->stem);
	DIR *open = opendir(folder_length > 0 ? folder : ".");
	const struct dirent *entry;
	while (open && (entry = readdir(open))) {
		if (entry->d_name[0] == '.' && begin[0] != '.')
			continue;
		int length = snprintf(path, sizeof path, "%s%s", folder, entry->d_name);
		if (length < 0 || (size_t)length + 2 > sizeof path)
			continue;
		if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
			path[length] = '/';
			path[length + 1] = '\0';
		}
		offer(o, path);
	}
	if (open)
		closedir(open);
}

static void offer_topics(struct offer *o)
{
	offer_events(o, "EVENT");
	for (size_t i = 0; i < catalog_element_count; i++)
		offer(o, catalog_elements[i].name);
	for (size_t i = 0; i < catalog_envelope_count; i++)
		offer(o, catalog_envelope[i]->name);
	offer_fields(o, "PATH");
	for (size_t i = 0; i < FINDING_ID_COUNT; i++)
		offer(o, finding_rows[i].name);
	for (size_t i = 0; i < catalog_passage_count; i++)
		offer(o, catalog_passages[i].topic);
}

static void offer_numbers(struct offer *o)
{
	const struct received *r = o->shell->received;
	char number[32];
	for (size_t i = 0; i < r->count; i++) {
		snprintf(number, sizeof number, "%llu", (unsigned long long)r->items[i]->number);
		offer(o, number);
	}
	if (r->count > 0)
		offer(o, "last");
}

static void offer_defaults(struct offer *o)
{
	for (size_t i = 0; i < o->shell->default_count; i++)
		offer(o, o->shell->defaults[i].path);
}

/* PATH is a field's in these options, and a file's in others (--unix-socket PATH). */
static bool is_field_option(const char *name)
{
	static const char *const names[] = { "set", "unset", "default", "where", "keyed" };
	for (size_t i = 0; name && i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return name == NULL;
}

void offer_argument(struct offer *o, const char *argument, const char *name)
{
	bool is_event_option = name && (strcmp(name, "event") == 0 || strcmp(name, "events") == 0);
	if (strncmp(argument, "/PATH", 5) == 0)
		return;
	if (strstr(argument, "FINDING"))
		offer_findings(o);
	else if (strstr(argument, "EVENT") || is_event_option)
		offer_events(o, argument);
	else if (strstr(argument, "WHERE"))
		offer_environments(o);
	else if (strstr(argument, "TOPIC"))
		offer_topics(o);
	else if (strstr(argument, "COMMAND"))
		offer_commands(o);
	else if (strstr(argument, "DEFAULT"))
		offer_defaults(o);
	else if (strstr(argument, "PATH") && is_field_option(name))
		offer_fields(o, argument);
	else if (strstr(argument, "PORT") && !name)
		offer(o, "stop");
	else if (strstr(argument, "PATH") || strstr(argument, "FILE") || strstr(argument, "DIR"))
		offer_files(o);
	else if (!name && argument[0] == 'N')
		offer_numbers(o);
}
