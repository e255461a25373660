/* events: the catalogue, as a table or as JSON. */
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "json/json_line.h"
#include "ui/help.h"

#include <string.h>

struct events_args {
	struct global_options global;
};

static void append_members_json(struct buffer *out, const char *key, const struct catalog_member *members, size_t count)
{
	json_line_array(out, key);
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		json_line_comma(out);
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

static void append_event_json(struct buffer *out, const struct catalog_event *event)
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
	buffer_append_byte(out, '\n');
}

#define NAME_COLUMNS     44
#define ENVELOPE_COLUMNS 65 /* of the longest service, status, method and path, in columns of their own */
#define ELEMENT_COLUMNS  16

/* How far what stands below an event's name is indented. */
static int indent_below(int width)
{
	return width >= ENVELOPE_COLUMNS + 4 ? 4 : 2;
}

/* Service, status, method and path: in columns, or where the terminal is too narrow for them, as words. */
static void append_envelope(struct buffer *out, const struct catalog_event *event, int width)
{
	const char *path = event->path ? event->path : "(no path)";
	int indent = indent_below(width);
	struct buffer words = BUFFER_INIT;
	if (width >= indent + ENVELOPE_COLUMNS) {
		buffer_printf(out, "%-15s %-4s %-6s %s\n", event->service, event->event, event->method, path);
		return;
	}
	buffer_printf(&words, "%s %s %s %s", event->service, event->event, event->method, path);
	help_append_wrapped(out, buffer_text(&words), indent, indent, width);
	buffer_append_byte(out, '\n');
	buffer_release(&words);
}

static void append_element_row(struct buffer *out, const struct catalog_element *element, int width)
{
	int at = indent_below(width) + ELEMENT_COLUMNS;
	buffer_printf(out, "%*s/%-*s", indent_below(width), "", ELEMENT_COLUMNS - 1, element->name);
	help_append_wrapped(out, element->title, at, at, width);
	buffer_append_byte(out, '\n');
}

/* A row of the table; on a narrow terminal the envelope goes below the name. */
static void append_event_row(struct buffer *out, const struct catalog_event *event, int width, bool color)
{
	bool beside = width >= NAME_COLUMNS + ENVELOPE_COLUMNS;
	style_append(out, color, STYLE_BOLD, "%-*s", beside ? NAME_COLUMNS : 0, event->name);
	if (!beside)
		buffer_printf(out, "\n%*s", indent_below(width), "");
	append_envelope(out, event, width);
	for (size_t i = 0; i < event->element_count; i++)
		append_element_row(out, &event->elements[i], width);
}

static int run_events(struct context *context, void *args, struct error *err)
{
	(void)args;
	struct buffer text = BUFFER_INIT;
	if (context->operands->count > 0) {
		error_set(err, EXIT_CODE_USAGE, "events takes no argument, such as '%s'", context->operands->items[0]);
		return error_hint(err, "'credhook explain %s' tells about one", context->operands->items[0]);
	}
	int width = context->terminal->out_is_tty ? terminal_width() : 120;
	for (size_t i = 0; i < catalog_event_count; i++) {
		if (context->global->json)
			append_event_json(&text, &catalog_events[i]);
		else
			append_event_row(&text, &catalog_events[i], width, context->terminal->color_out);
	}
	terminal_write(context->terminal, buffer_text(&text), text.length);
	if (!context->global->json)
		terminal_note(context->terminal, "%zu events, %zu elements; 'credhook explain EVENT' tells more",
		              catalog_event_count, catalog_element_count);
	buffer_release(&text);
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
	.summary = "List the catalogue: every event with service, status, method and path.",
	.args_size = sizeof(struct events_args),
	.run = run_events,
	.examples = examples,
};
