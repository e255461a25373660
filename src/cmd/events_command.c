/* events: the catalogue, as a table or as JSON. */
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "schema/schema.h"
#include "ui/help.h"
#include "ui/line.h"

#include <string.h>

static void note_left_out(struct terminal *t, const struct column *columns, size_t count, unsigned left_out)
{
	LOCAL_BUFFER names = BUFFER_FOR(&t->lost);
	for (size_t c = 0; c < count; c++)
		if (left_out >> c & 1)
			buffer_printf(&names, "%s%s", names.length > 0 ? ", " : "", columns[c].title);
	if (left_out)
		terminal_note(t, "no room for: %s; credhook events | cat has all", buffer_text(&names));
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
	unsigned left_out = t->json ? 0
	                            : columns_append_table(&text, columns, COLUMNS, cells[0], catalog_event_count,
	                                                   terminal_out_width(t), t->color_out);
	terminal_write_buffer(t, &text);
	if (!t->json)
		terminal_note(t, "%zu events, %zu elements; details: credhook explain EVENT, credhook explain elements",
		              catalog_event_count, catalog_element_count);
	note_left_out(t, columns, COLUMNS, left_out);
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
	.also = (const struct command_also[]){ { "list catalog get", "" }, { NULL, NULL } },
	.phrase = "list the events",
	.common = (const char *const[]){ "json", NULL },
	.operands = "",
	.instead = "to read about one: credhook explain EVENT",
	.summary = "List the events with status, method and path.",
	.args_size = sizeof(struct global_options),
	.run = run_events,
	.examples = examples,
};
