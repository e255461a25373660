/* events: the catalogue, as a table or as JSON. */
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/explain.h"
#include "json/json_line.h"
#include "ui/help.h"
#include "ui/line.h"

#include <string.h>

static void append_members_json(struct buffer *out, const char *key, const struct catalog_member *members, size_t count)
{
	json_line_array(out, key);
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		json_line_begin(out);
		json_line_text(out, "name", field->name);
		json_line_text(out, "type", catalog_type_name(members[i].type));
		json_line_text(out, "meaning", field->meaning);
		if (members[i].type == CATALOG_CHOICE) {
			json_line_array(out, "values");
			for (size_t v = 0; v < field->value_count; v++)
				json_line_element(out, field->values[v].name);
			json_line_array_end(out);
		}
		if (members[i].type == CATALOG_OBJECT) {
			json_line_bool(out, "open", field->open_members);
			append_members_json(out, "members", field->members, field->member_count);
		}
		json_line_end(out);
	}
	json_line_array_end(out);
}

void event_append_object(struct buffer *out, const struct catalog_event *event)
{
	json_line_begin(out);
	json_line_text(out, "name", event->name);
	json_line_text(out, "title", event->title);
	json_line_text(out, "service", event->service);
	json_line_text(out, "event", event->event);
	json_line_text(out, "method", event->method);
	if (event->element_count > 0) {
		json_line_array(out, "paths");
		for (size_t i = 0; i < event->element_count; i++)
			json_line_element(out, event->elements[i].path);
		json_line_array_end(out);
		json_line_array(out, "elements");
		for (size_t i = 0; i < event->element_count; i++)
			json_line_element(out, event->elements[i].name);
		json_line_array_end(out);
	} else {
		json_line_text(out, "path", event->path);
	}
	json_line_text(out, "trigger", event->trigger);
	append_members_json(out, "details", event->details, event->detail_count);
	json_line_end(out);
}

/* A row per event. The service is the least useful column: it shows in the path. */
static void append_table(struct buffer *out, int width, bool color)
{
	enum { COLUMNS = 5, ROWS_MAX = 64 };
	static const struct column columns[COLUMNS] = {
		{ .title = "event", .rank = 0 },  { .title = "service", .rank = 4 }, { .title = "status", .rank = 1 },
		{ .title = "method", .rank = 2 }, { .title = "path", .rank = 3 },
	};
	const char *cells[ROWS_MAX * COLUMNS];
	for (size_t i = 0; i < catalog_event_count && i < ROWS_MAX; i++) {
		const struct catalog_event *e = &catalog_events[i];
		const char *row[COLUMNS] = { e->name, e->service, e->event, e->method, e->path };
		memcpy(&cells[i * COLUMNS], row, sizeof row);
	}
	columns_append_table(out, columns, COLUMNS, cells, catalog_event_count, width, color);
}

static int run_events(struct context *context, void *args, struct error *err)
{
	(void)args;
	(void)err;
	LOCAL_BUFFER text = BUFFER_INIT;
	const struct terminal *t = context->terminal;
	int width = terminal_out_width(t);
	for (size_t i = 0; t->json && i < catalog_event_count; i++) {
		event_append_object(&text, &catalog_events[i]);
		buffer_append_byte(&text, '\n');
	}
	if (!t->json)
		append_table(&text, width, t->color_out);
	terminal_write_buffer(context->terminal, &text);
	if (!t->json)
		terminal_note(context->terminal,
		              "%zu events, %zu elements; details: credhook explain EVENT, credhook explain elements",
		              catalog_event_count, catalog_element_count);
	return EXIT_CODE_OK;
}

static const struct help_example examples[] = {
	{ "credhook events", "list the 17 events" },
	{ "credhook events --json | head -1", "the first one with its details, for a program" },
	{ NULL, NULL },
};

const struct command command_events = {
	.name = "events",
	.group = COMMAND_LEARN,
	.phrase = "list the events",
	.common = (const char *const[]){ "json", NULL },
	.operands = "",
	.instead = "to read about one: credhook explain EVENT",
	.summary = "List the events with status, method and path.",
	.args_size = sizeof(struct global_options),
	.run = run_events,
	.examples = examples,
};
