/* build: valid payloads (or, with --break, payloads with one defect) on stdout or in files. */
#include "base/file.h"
#include "base/text.h"
#include "capture/replace.h"
#include "cmd/cmd.h"
#include "cmd/make.h"
#include "cmd/mistakes.h"

#include <string.h>

struct build_args {
	struct global_options global;
	bool pretty;
	const char *out_dir;
	struct make_options make;
};

#define BUILD(field) offsetof(struct build_args, field)
static const struct option rows[] = {
	{ 0, "pretty", NULL, "format each payload on several lines", OPTION_FLAG, .offset = BUILD(pretty) },
	{ 0, "out-dir", "DIR", "write a file per payload, named after its event", OPTION_TEXT, COMPLETE_FILE,
	  .offset = BUILD(out_dir) },
};

static const struct option_group output_group = OPTION_GROUP("Output", rows, 0);

static const struct option_use uses[] = {
	{ &output_group, 0 },
	{ &make_set_option_group, BUILD(make.edits) },
	{ &make_edit_option_group, BUILD(make.edits) },
	{ &make_option_group, BUILD(make) },
};

static int build_all(struct context *context, const struct build_args *args, struct maker *maker,
                     const struct source_files *in_use, struct error *err)
{
	LOCAL_BUFFER payload = BUFFER_INIT;
	struct catalog_kind kind;
	uint64_t written = 0;
	int result = 0, code = EXIT_CODE_OK;
	while (!terminal_is_closed(context->terminal)) {
		result = maker_next(maker, args->pretty || args->out_dir, &kind, &payload, err);
		if (result <= 0)
			break;
		buffer_append_byte(&payload, '\n');
		if (args->out_dir) {
			/* DIR/user-created.json, DIR/monitored-element-added-email.json,
			 * DIR/user-created-city=emoji.json, and where there are more DIR/user-created-2.json. */
			LOCAL_BUFFER path = BUFFER_INIT;
			buffer_printf(&path, "%s/", args->out_dir);
			for (const char *c = maker->name; *c; c++)
				buffer_append_byte(&path, *c == '/' || *c == ' ' ? '-' : *c);
			if (args->make.count > 1 || maker->number > 1)
				buffer_printf(&path, "-%llu", (unsigned long long)maker->number);
			buffer_append_text(&path, ".json");
			result = path.failed ? error_no_memory(err) : replace_check(path.data, in_use, err);
			if (result == 0)
				result = file_write_whole(path.data, payload.data, payload.length, context->signals,
				                          err);
			if (result < 0)
				break;
			written++;
		} else if (args->pretty) {
			terminal_write_lines(context->terminal, &payload);
		} else {
			/* On one line: a newline in a payload is white space. */
			for (char *c = payload.data;
			     (c = memchr(c, '\n', payload.length - (size_t)(c - payload.data) - 1)) != NULL;)
				*c = ' ';
			terminal_write_lines(context->terminal, &payload);
		}
		if (context->terminal->verbose)
			terminal_note(context->terminal, "%s", maker->name);
		if (signals_take(context->signals)) {
			code = EXIT_CODE_INTERRUPTED;
			break;
		}
	}
	if (args->out_dir && result >= 0)
		terminal_note(context->terminal, "%s file%s written to %s", COUNT_TEXT(written),
		              written == 1 ? "" : "s", args->out_dir);
	return result < 0 ? -1 : code;
}

/* What it reads itself: the files of --merge. */
static int list_read(const struct build_args *a, struct source_files *in_use, struct error *err)
{
	for (size_t i = 0; i < a->make.edits.count; i++)
		if (a->make.edits.list[i].type == EDIT_MERGE &&
		    source_files_add_path(in_use, a->make.edits.list[i].source, err) < 0)
			return -1;
	return 0;
}

static int run_build(struct context *context, void *args, struct error *err)
{
	struct build_args *a = args;
	LOCAL(config_release) struct config config = CONFIG_INIT;
	LOCAL(source_files_release) struct source_files in_use = { .also_in_use = context->in_use };
	struct maker maker;
	int code = -1;
	if (context->operands->count == 0) {
		error_set(err, EXIT_CODE_USAGE, "build needs an EVENT");
		return error_hint(err, "credhook build all makes every event; credhook events lists them");
	}
	if (mistake_among(context, OPERAND_EVENT, 0, err) < 0 ||
	    config_load(&config, a->global.config, a->global.no_config, err) < 0)
		return -1;
	if (maker_init(&maker, &a->make, context, &config, err) == 0) {
		if (list_read(a, &in_use, err) == 0 && (!a->out_dir || file_make_folders(a->out_dir, err) == 0))
			code = build_all(context, a, &maker, &in_use, err);
		maker_release(&maker);
	}
	return code;
}

static const struct help_example examples[] = {
	{ "credhook build user-created --pretty", "make one event, formatted for reading" },
	{ "credhook build all --seed 7 --out-dir fixtures", "make a file per event and element, the same each time" },
	{ "credhook build bureau-alert --set details.alertType=demo", "set a field" },
	{ "credhook build user-created --break missing-key:details.appKey", "make a payload with exactly one defect" },
	{ "credhook build all --variants --out-dir variants", "make every other valid form, to test a parser" },
	{ NULL, NULL },
};

const struct command command_build = {
	.name = "build",
	.group = COMMAND_MAKE,
	.phrase = "make valid (or deliberately broken) payloads",
	.common = (const char *const[]){ "set", "unset", "merge", "break", "seed", "count", "pretty", "out-dir", NULL },
	.operands = "EVENT...|all",
	.complete = COMPLETE_EVENTS,
	.summary = "Make valid payloads of events, one per line.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct build_args),
	.run = run_build,
	.examples = examples,
};
