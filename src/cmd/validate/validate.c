/* validate: check payloads in files, folders and streams. */
#include "cmd/input_notes.h"
#include "cmd/validate/run.h"

static int collect(const struct text_list *operands, struct source_files *files, struct error *err)
{
	if (operands->count == 0)
		return source_files_add(files, "-", err);
	for (size_t i = 0; i < operands->count; i++)
		if (source_files_add(files, operands->items[i], err) < 0)
			return -1;
	return 0;
}

static int run_validate(struct context *context, void *args, struct error *err)
{
	LOCAL(source_files_release) struct source_files files = { .also_in_use = context->in_use };
	struct run run = { 0 };
	int code = -1;
	if (validate_check_args(args, err) < 0)
		return -1;
	if (collect(context->operands, &files, err) == 0 && run_init(&run, context, args, &files, err) == 0) {
		if (files.count > 0) /* else it fails, and says so */
			input_notes_warn_empty(context->terminal, &files);
		if (run_files(&run, err) == 0)
			code = run_finish(&run, err);
	}
	progress_stop(&run.progress);
	run_release(&run);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook validate fixtures", "check every .json, .ndjson and .jsonl file under a folder" },
	{ "credhook build all | credhook validate -", "check a stream, one payload per line" },
	{ "credhook validate --json capture.ndjson", "check captured notifications, for a program" },
	{ "credhook validate fixtures --require all --report junit=out/junit.xml", "check fixtures in CI" },
	{ "credhook validate broken --expect-invalid", "check that each of these fixtures is invalid" },
	{ NULL, NULL },
};

const struct command command_validate = {
	.name = "validate",
	.group = COMMAND_CHECK,
	.phrase = "check payloads, fixtures and captures",
	.common = (const char *const[]){ "event", "strict", "ignore", "require", "expect-invalid", "lines", "coverage",
	                                 "format", "report", NULL },
	.operands = "[FILE|DIR|-]...",
	.complete = COMPLETE_INPUT,
	.summary = "Check payloads, fixtures and captures, and report where each problem is.",
	.uses = validate_option_uses,
	.use_count = VALIDATE_OPTION_USES,
	.args_size = sizeof(struct validate_args),
	.run = run_validate,
	.release = validate_release,
	.examples = examples,
};
