/* build: valid payloads (or, with --break, payloads with one defect) on stdout or in files. */
#include "base/file.h"
#include "base/quoted.h"
#include "base/text.h"
#include "capture/replace.h"
#include "cmd/args/make.h"
#include "cmd/cmd.h"
#include "cmd/words/misplaced.h"

#include <string.h>
#include <sys/stat.h>

struct build_args {
	struct global_options global;
	bool pretty;
	const char *output;
	bool force;
	struct make_options make;
};

#define BUILD(field) offsetof(struct build_args, field)
static const struct option rows[] = {
	{ 0, "pretty", NULL, "format each payload on several lines", OPTION_FLAG, .offset = BUILD(pretty),
	  .also = "format beautify indent" },
	{ 'o', "output", "DIR/|FILE", "write to FILE (.ndjson: lines), or a file each in DIR/", OPTION_TEXT,
	  COMPLETE_OUTPUT, .offset = BUILD(output), .also = "out out-dir output-dir dir file write dest-dir save" },
	{ 0, "force", NULL, "replace files with other content, too", OPTION_FLAG, .offset = BUILD(force),
	  .needs = "output", .also = "overwrite" },
};

static const struct option_way output_ways[] = {
	{ "event -e", "write the event's name alone: credhook build user-created" },
	{ "null", "--set PATH:=null" },
	{ "valid valid-only", "payloads are valid unless --break makes a defect: leave it out" },
	{ "every", "credhook build all" },
	{ "list -l", "credhook events lists the events" },
	{ "stdout", "that is the default: leave it out" },
	{ "minify compact", "one line is the default: leave it out" },
	{ "yaml", "payloads are JSON; --pretty writes them over several lines" },
	{ "to url", "credhook send user-created --to WHERE sends what it makes" },
	{ NULL, NULL },
};
static const struct option_group output_group = OPTION_GROUP_WITH("Output", rows, 0, output_ways);

static const struct option_use uses[] = {
	{ &output_group, 0 },
	{ &make_set_option_group, BUILD(make.edits) },
	{ &make_edit_option_group, BUILD(make.edits) },
	{ &make_option_group, BUILD(make) },
};

struct builder {
	struct context *context;
	const struct build_args *args;
	struct maker maker;
	enum { TO_STDOUT, TO_FILES, TO_FILE } to;
	bool as_lines;
	struct output_file file; /* that all payloads go to, or the next */
	uint64_t done[2];        /* files: that were the same, that were written */
};

/* Where -o leads: a folder is one, or its name ends with '/'. Several payloads in a file are lines. */
static int choose_output(struct builder *b, struct error *err)
{
	const char *output = b->args->output;
	struct stat status;
	size_t length = output ? strlen(output) : 0;
	b->as_lines = !b->args->pretty;
	if (!output || strcmp(output, "-") == 0)
		return 0;
	b->file = (struct output_file){ .force = b->args->force,
		                        .in_use = b->context->in_use,
		                        .signals = b->context->signals };
	b->as_lines = text_ends_with(output, length, ".ndjson") || text_ends_with(output, length, ".jsonl");
	if (text_ends_with(output, length, "/") || (stat(output, &status) == 0 && S_ISDIR(status.st_mode))) {
		b->to = TO_FILES;
		b->file.is_in_folder = true;
		b->as_lines = false;
		return file_make_folders_above(output, err);
	}
	b->to = TO_FILE;
	b->file.path = output;
	if (output_check_plain(output, err) < 0)
		return -1;
	if (b->as_lines && b->args->pretty)
		return error_set(err, EXIT_CODE_USAGE, "--pretty does not go with lines, as '%s' has them", output);
	if (!b->as_lines && b->maker.total > 1) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is the name of a file for one payload, and there are %llu",
		          output, (unsigned long long)b->maker.total);
		return error_hint(err, "end it with / for a file of each, or with .ndjson for lines");
	}
	return output_begin(&b->file, err);
}

/* DIR/user-created.json, DIR/monitored-element-added-email.json, DIR/user-created-city=emoji.json, and where there are
 * more DIR/user-created-2.json. */
static int write_file(struct builder *b, const struct buffer *payload, struct error *err)
{
	const char *folder = b->args->output;
	LOCAL_BUFFER path = BUFFER_INIT;
	buffer_printf(&path, "%s%s", folder, text_ends_with(folder, strlen(folder), "/") ? "" : "/");
	for (const char *c = b->maker.name; *c; c++)
		buffer_append_byte(&path, *c == '/' || *c == ' ' ? '-' : *c);
	if (b->args->make.count > 1 || b->maker.number > 1)
		buffer_printf(&path, "-%llu", (unsigned long long)b->maker.number);
	buffer_append_text(&path, ".json");
	if (path.failed || payload->failed)
		return error_no_memory(err);
	b->file.path = path.data;
	int result = output_write(&b->file, payload->data, payload->length, err);
	if (result >= 0)
		b->done[result]++;
	return result;
}

static void report_output(const struct builder *b, int result)
{
	struct terminal *terminal = b->context->terminal;
	LOCAL_BUFFER name = BUFFER_INIT;
	const char *output = b->args->output ? quoted_word(&name, b->args->output) : "";
	uint64_t all = b->done[0] + b->done[1];
	if (b->to == TO_FILE)
		terminal_note(terminal, result > 0 ? "written to %s" : "unchanged: %s", output);
	else if (b->to == TO_FILES && b->done[0] > 0 && b->done[1] > 0)
		terminal_note(terminal, "%s of %s file%s written to %s, the rest unchanged", COUNT_TEXT(b->done[1]),
		              COUNT_TEXT(all), all == 1 ? "" : "s", output);
	else if (b->to == TO_FILES)
		terminal_note(terminal, "%s file%s %s %s", COUNT_TEXT(all), all == 1 ? "" : "s",
		              b->done[0] > 0 ? "unchanged in" : "written to", output);
}

static int build_all(struct builder *b, struct error *err)
{
	LOCAL_BUFFER payload = BUFFER_INIT;
	struct context *context = b->context;
	struct catalog_kind kind;
	int result = choose_output(b, err), code = EXIT_CODE_OK;
	while (result >= 0 && code == EXIT_CODE_OK && !terminal_is_closed(context->terminal)) {
		result = maker_next(&b->maker, !b->as_lines, &kind, &payload, err);
		if (result <= 0)
			break;
		buffer_append_byte(&payload, '\n');
		if (payload.failed) {
			result = error_no_memory(err);
			break;
		}
		/* On one line: a newline in a payload is white space. */
		for (char *c = payload.data, *end = c + payload.length - 1;
		     b->as_lines && (c = memchr(c, '\n', (size_t)(end - c))) != NULL;)
			*c = ' ';
		if (b->to == TO_STDOUT)
			terminal_write_lines(context->terminal, &payload);
		else
			result = b->to == TO_FILES ? write_file(b, &payload, err)
			                           : output_append(&b->file, payload.data, payload.length, err);
		if (context->terminal->verbose && result >= 0)
			terminal_note(context->terminal, "%s", b->maker.name);
		if (signals_take(context->signals))
			code = EXIT_CODE_INTERRUPTED;
	}
	if (result >= 0 && code == EXIT_CODE_OK && b->to == TO_FILE)
		result = output_finish(&b->file, err);
	output_abandon(&b->file);
	if (b->to == TO_FILES ? result >= 0 || b->done[1] > 0 : result >= 0 && code == EXIT_CODE_OK)
		report_output(b, result);
	return result < 0 ? -1 : code;
}

static int run_build(struct context *context, void *args, struct error *err)
{
	struct build_args *a = args;
	LOCAL(config_release) struct config config = CONFIG_INIT;
	struct builder b = { .context = context, .args = a };
	if (context->operands->count == 0) {
		error_set(err, EXIT_CODE_USAGE, "build needs an EVENT");
		return error_hint(err, "credhook build all makes every event; credhook events lists them");
	}
	if (misplaced_operand(context, OPERAND_EVENT, 0, err) < 0 ||
	    config_load(&config, a->global.config, a->global.no_config, err) < 0)
		return -1;
	int result = maker_init(&b.maker, &a->make, context, &config, err);
	int code = result == 0 ? build_all(&b, err) : -1;
	maker_release(&b.maker);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook build user-created --pretty", "make one event, formatted for reading" },
	{ "credhook build all --seed 7 -o fixtures/", "make a file per event and element, the same each time" },
	{ "credhook build bureau-alert --set details.alertType=demo", "set a field" },
	{ "credhook build user-created --break missing-key:details.appKey", "make a payload with exactly one defect" },
	{ "credhook build all --variants -o variants/", "make every other valid form, to test a parser" },
	{ NULL, NULL },
};

const struct command command_build = {
	.name = "build",
	.group = COMMAND_MAKE,
	.also = (const struct command_also[]){ { "generate gen new make create sample fixture example payload",
	                                         "EVENT" },
	                                       { "break corrupt", "EVENT --break FINDING" },
	                                       { NULL, NULL } },
	.usual = "EVENT",
	.phrase = "make valid (or deliberately broken) payloads",
	.common = (const char *const[]){ "set", "unset", "merge", "break", "seed", "count", "pretty", "output", "force",
	                                 NULL },
	.operands = "EVENT...|all",
	.complete = COMPLETE_EVENTS,
	.summary = "Make valid payloads of events, one per line.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct build_args),
	.run = run_build,
	.examples = examples,
};
