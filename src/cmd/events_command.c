/* events: the catalogue, as a table or as JSON. */
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/explain.h"
#include "json/tree.h"
#include "ui/help.h"
#include "ui/line.h"

#include <string.h>

static json_object *members_of(const struct catalog_member *members, size_t count)
{
	json_object *list = tree_list();
	for (size_t i = 0; i < count; i++) {
		const struct catalog_field *field = members[i].field;
		json_object *member = tree_object("name", tree_text(field->name), "type",
		                                  tree_text(catalog_type_name(members[i].type)), "meaning",
		                                  tree_text(field->meaning), NULL);
		if (members[i].type == CATALOG_CHOICE) {
			json_object *values = tree_list();
			for (size_t v = 0; v < field->value_count; v++)
				values = tree_add(values, tree_text(field->values[v].name));
			member = tree_set(member, "values", values);
		}
		if (members[i].type == CATALOG_OBJECT) {
			member = tree_set(member, "open", tree_bool(field->open_members));
			member = tree_set(member, "members", members_of(field->members, field->member_count));
		}
		list = tree_add(list, member);
	}
	return list;
}

void event_append_object(struct buffer *out, const struct catalog_event *event)
{
	json_object *root = tree_object("name", tree_text(event->name), "title", tree_text(event->title), "service",
	                                tree_text(event->service), "event", tree_text(event->event), "method",
	                                tree_text(event->method), NULL);
	if (event->element_count > 0) {
		json_object *paths = tree_list(), *elements = tree_list();
		for (size_t i = 0; i < event->element_count; i++) {
			paths = tree_add(paths, tree_text(event->elements[i].path));
			elements = tree_add(elements, tree_text(event->elements[i].name));
		}
		root = tree_set(tree_set(root, "paths", paths), "elements", elements);
	} else {
		root = tree_set(root, "path", tree_text(event->path));
	}
	root = tree_set(root, "trigger", tree_text(event->trigger));
	root = tree_set(root, "details", members_of(event->details, event->detail_count));
	tree_append(root, JSON_COMPACT, out);
}

static int run_events(struct context *context, void *args, struct error *err)
{
	(void)args;
	(void)err;
	/* The service is the least useful column: it shows in the path. */
	enum { COLUMNS = 5, ROWS_MAX = 64 };
	static const struct column columns[COLUMNS] = {
		{ .title = "event", .rank = 0 },  { .title = "service", .rank = 4 }, { .title = "status", .rank = 1 },
		{ .title = "method", .rank = 2 }, { .title = "path", .rank = 3 },
	};
	const char *cells[ROWS_MAX][COLUMNS];
	struct terminal *t = context->terminal;
	LOCAL_BUFFER text = BUFFER_INIT;
	for (size_t i = 0; i < catalog_event_count && i < ROWS_MAX; i++) {
		const struct catalog_event *e = &catalog_events[i];
		memcpy(cells[i], (const char *[]){ e->name, e->service, e->event, e->method, e->path },
		       sizeof cells[i]);
		if (t->json) {
			event_append_object(&text, e);
			buffer_append_byte(&text, '\n');
		}
	}
	if (!t->json)
		columns_append_table(&text, columns, COLUMNS, cells[0], catalog_event_count, terminal_out_width(t),
		                     t->color_out);
	terminal_write_buffer(t, &text);
	if (!t->json)
		terminal_note(t, "%zu events, %zu elements; details: credhook explain EVENT, credhook explain elements",
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
	.also = (const struct command_also[]){ { "list catalog", "" }, { NULL, NULL } },
	.phrase = "list the events",
	.common = (const char *const[]){ "json", NULL },
	.operands = "",
	.instead = "to read about one: credhook explain EVENT",
	.summary = "List the events with status, method and path.",
	.args_size = sizeof(struct global_options),
	.run = run_events,
	.examples = examples,
};
