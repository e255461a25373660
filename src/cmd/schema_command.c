/* schema: the catalogue for other tools. */
#include "base/quoted.h"
#include "capture/replace.h"
#include "cmd/args/kinds.h"
#include "cmd/cmd.h"
#include "schema/schema.h"

#include <stdlib.h>
#include <string.h>

enum document { DOCUMENT_JSON_SCHEMA, DOCUMENT_OPENAPI };
enum purpose { FOR_TYPES, FOR_VALIDATORS };

struct schema_args {
	struct global_options global;
	int document; /* enum document */
	int purpose;  /* enum purpose */
	const char *output;
	bool force;
};

static const char *const documents[] = { "json-schema", "openapi", NULL };
static const char *const purposes[] = { "types", "validators", NULL };

#define SCHEMA(field) offsetof(struct schema_args, field)
static const struct option rows[] = {
	{ 0, "format", "FORMAT", "format to write", OPTION_CHOICE, .offset = SCHEMA(document), .choices = documents,
	  .also = "type language dialect lang -f" },
	{ 0, "for", "PURPOSE", "JSON Schema for type generators or for validators", OPTION_CHOICE,
	  .offset = SCHEMA(purpose), .choices = purposes },
	{ 'o', "output", "FILE", "write to FILE (default: stdout)", OPTION_TEXT, COMPLETE_OUTPUT,
	  .offset = SCHEMA(output), .also = "out write out-file file" },
	{ 0, "force", NULL, "replace files with other content, too", OPTION_FLAG, .offset = SCHEMA(force),
	  .needs = "output", .also = "overwrite" },
};
static const struct option_group output_group = OPTION_GROUP("Output", rows, 0);
static const struct option_use uses[] = { { &output_group, 0 } };

/* The events that the operands name, each once and in the catalogue's order; all of them where there are none. The
 * array has room for all. */
static int choose_events(const struct text_list *operands, const struct catalog_event **events, size_t *count,
                         struct error *err)
{
	struct kind_list named = { .items = NULL };
	int result = kinds_read(&named, operands->items, operands->count, err);
	for (size_t i = 0; i < catalog_event_count; i++) {
		bool is_chosen = operands->count == 0;
		for (size_t k = 0; k < named.count; k++)
			is_chosen |= !named.items[k].event || named.items[k].event == &catalog_events[i];
		if (is_chosen)
			events[(*count)++] = &catalog_events[i];
	}
	free(named.items);
	return result;
}

static int run_schema(struct context *context, void *args, struct error *err)
{
	const struct schema_args *a = args;
	enum schema_format format = a->document == DOCUMENT_OPENAPI ? SCHEMA_OPENAPI : SCHEMA_TYPES;
	if (a->purpose == FOR_VALIDATORS) {
		if (a->document != DOCUMENT_JSON_SCHEMA)
			return error_set(err, EXIT_CODE_USAGE, "--for validators needs --format json-schema");
		format = SCHEMA_VALIDATORS;
	}
	const struct catalog_event **events = calloc(catalog_event_count, sizeof *events);
	LOCAL_BUFFER out = BUFFER_INIT, name = BUFFER_INIT;
	size_t count = 0;
	int result = events ? choose_events(context->operands, events, &count, err) : error_no_memory(err);
	if (result == 0)
		schema_write(format, events, count, !context->global->json, &out);
	if (out.failed)
		result = error_no_memory(err);
	free(events);
	struct output_file file = {
		.path = a->output, .force = a->force, .in_use = context->in_use, .signals = context->signals
	};
	if (!a->output || strcmp(a->output, "-") == 0)
		terminal_write_buffer(context->terminal, &out);
	else if (result == 0 && (result = output_check_plain(a->output, err)) == 0 &&
	         (result = output_write(&file, buffer_text(&out), out.length, err)) >= 0)
		terminal_note(context->terminal, "written to %s", quoted_word(&name, a->output));
	return result < 0 ? -1 : EXIT_CODE_OK;
}

static const struct help_example examples[] = {
	{ "credhook schema --for validators -o notification.schema.json", "for ajv and other validators" },
	{ "credhook schema -o notification.types.json", "for type generators and editors" },
	{ "credhook schema --format openapi bureau-alert", "one webhook" },
	{ NULL, NULL },
};

const struct command command_schema = {
	.name = "schema",
	.group = COMMAND_MAKE,
	.also = (const struct command_also[]){ { "types jsonschema", "" },
	                                       { "openapi swagger", "--format openapi" },
	                                       { NULL, NULL } },
	.phrase = "write JSON Schema or OpenAPI",
	.common = (const char *const[]){ "format", "for", "output", "force", NULL },
	.operands = "[EVENT]...",
	.complete = COMPLETE_EVENTS,
	.summary = "Write the events as JSON Schema or OpenAPI, for other tools.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct schema_args),
	.run = run_schema,
	.examples = examples,
};
