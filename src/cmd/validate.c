/* validate: judge payloads in files, folders and streams. */
#include "capture/record.h"
#include "capture/source.h"
#include "capture/source_files.h"
#include "cmd/body_map.h"
#include "cmd/cmd.h"
#include "payload/check.h"
#include "ui/finding_report.h"

#include <string.h>

/* How many payloads are judged before looking for a signal. */
#define PAYLOADS_PER_LOOK 256

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
};
static const char *const format_names[] = { "text", "json", NULL };

struct validate_args {
	struct global_options global;
	bool lines;
	bool single;
	bool strict;
	int format;
	struct catalog_kind event;
};

static int parse_event(void *field, const char *value, struct error *err)
{
	return command_find_kind(value, field, err);
}

#define VALIDATE(field) offsetof(struct validate_args, field)
static const struct option rows[] = {
	{ 0, "lines", NULL, "every input holds one payload per line", OPTION_FLAG, .offset = VALIDATE(lines) },
	{ 0, "single", NULL, "every input holds one payload", OPTION_FLAG, .offset = VALIDATE(single) },
	{ 0, "event", "EVENT", "the payloads have to be this event", OPTION_CALL, .offset = VALIDATE(event),
	  .parse = parse_event },
	{ 0, "strict", NULL, "warnings are errors", OPTION_FLAG, .offset = VALIDATE(strict) },
	{ 0, "format", "FORMAT", "form of the findings", OPTION_CHOICE, .offset = VALIDATE(format),
	  .choices = format_names },
};
static const struct option_group group = OPTION_GROUP("Validating", rows, 0);
static const struct option_use uses[] = { { &group, 0 } };

/* One run over all inputs. */
struct run {
	struct context *context;
	const struct validate_args *args;
	struct checker *checker;
	struct capture_scratch scratch;
	struct buffer out;
	int width;
	enum exit_code code;
	size_t payloads;
	size_t invalid;
	size_t blank_lines;
	size_t by_finding[FINDING_ID_COUNT];
	bool interrupted;
};

static void tell(struct run *run, const struct verdict *verdict, const struct payload_origin *origin)
{
	run->payloads++;
	for (size_t i = 0; i < verdict->finding_count; i++)
		run->by_finding[verdict->findings[i].id]++;
	if (!verdict->valid || (run->args->strict && verdict->warnings > 0)) {
		run->invalid++;
		run->code = exit_code_worse(run->code, EXIT_CODE_FAILED);
	}
	buffer_clear(&run->out);
	if (run->args->format == FORMAT_JSON)
		finding_report_json(verdict, origin, &run->out);
	else if (verdict->finding_count > 0)
		finding_report_text(verdict, origin, run->context->terminal->color_out, run->width, &run->out);
	terminal_write(run->context->terminal, buffer_text(&run->out), run->out.length);
}

/* Warnings are told as what --strict makes of them. */
static const struct verdict *hardened(const struct run *run, const struct verdict *verdict)
{
	if (!run->args->strict || verdict->warnings == 0)
		return verdict;
	return check_harden(run->checker);
}

static int judge_record(struct run *run, const struct json_doc *doc, struct payload_origin *origin, struct error *err)
{
	struct capture_record record;
	struct error problem;
	const struct verdict *verdict;
	if (capture_record_from_doc(doc, &run->scratch, &record, &problem) < 0) {
		verdict = check_refused(run->checker, FINDING_WRONG_TYPE, problem.message, problem.hint, err);
		if (!verdict)
			return -1;
		tell(run, hardened(run, verdict), origin);
		return 0;
	}
	struct body_map map;
	struct capture_text body = record.body;
	const struct capture_text *type = capture_record_header(&record, "Content-Type");
	struct check_options options = { .expected = run->args->event,
		                         .judge_content_type = true,
		                         .content_type = type ? type->text : NULL };
	body_map_init(&map, doc, &record);
	origin->map = body_map_offset;
	origin->map_context = &map;
	verdict = check_payload(run->checker, body.text, body.length, &options, err);
	if (!verdict)
		return -1;
	tell(run, hardened(run, verdict), origin);
	return 0;
}

/* A record begins as the writer begins it, or is found out by what it lacks. */
static bool begins_as_record(const struct source_item *item)
{
	static const char start[] = "{\"v\":";
	return item->length > strlen(start) && memcmp(item->text, start, strlen(start)) == 0;
}

static int judge_item(struct run *run, const char *file, const struct source_item *item, struct error *err)
{
	struct payload_origin origin = { file, item->line, item->text, item->length, NULL, NULL };
	struct check_options options = { .expected = run->args->event };
	struct json_fault fault;
	const struct verdict *verdict;
	if (item->too_long) {
		verdict = check_too_long(run->checker, err);
	} else {
		if (begins_as_record(item) && json_read(&run->scratch.doc, item->text, item->length, &fault) &&
		    capture_looks_like_record(&run->scratch.doc))
			return judge_record(run, &run->scratch.doc, &origin, err);
		verdict = check_payload(run->checker, item->text, item->length, &options, err);
		if (verdict && !verdict->valid && verdict->doc->count > 0 && capture_looks_like_record(verdict->doc) &&
		    json_read(&run->scratch.doc, item->text, item->length, &fault))
			return judge_record(run, &run->scratch.doc, &origin, err);
	}
	if (!verdict)
		return -1;
	tell(run, hardened(run, verdict), &origin);
	return 0;
}

static void input_failed(struct run *run, const struct error *problem)
{
	terminal_flush(run->context->terminal);
	terminal_error(run->context->terminal, problem);
	run->code = exit_code_worse(run->code, problem->code);
}

static int judge_source(struct run *run, const char *file, struct source *source, struct error *err)
{
	struct source_item item;
	struct error problem;
	for (size_t count = 1;; count++) {
		enum source_result got = source_next(source, &item, &problem);
		if (got == SOURCE_ERROR)
			input_failed(run, &problem);
		if (got == SOURCE_END || got == SOURCE_ERROR)
			break;
		if (got == SOURCE_INTERRUPTED ||
		    (count % PAYLOADS_PER_LOOK == 0 && signals_take(run->context->signals, false))) {
			if (got == SOURCE_INTERRUPTED)
				signals_take(run->context->signals, false);
			run->interrupted = true;
			break;
		}
		if (judge_item(run, file, &item, err) < 0)
			return -1;
		if (terminal_is_closed(run->context->terminal))
			break;
	}
	run->blank_lines += source_blank_lines(source);
	return 0;
}

static int judge_file(struct run *run, const struct source_file *file, struct error *err)
{
	struct source_options options = { .signals = run->context->signals };
	struct error problem;
	if (run->args->lines || run->args->single)
		options.kind = run->args->lines ? SOURCE_LINES : SOURCE_SINGLE;
	if (file->problem) {
		error_set(&problem, EXIT_CODE_IO, "%s", file->problem);
		input_failed(run, &problem);
		return 0;
	}
	struct source *source = source_open(file->path, &options, &problem);
	if (!source) {
		input_failed(run, &problem);
		return 0;
	}
	int result = judge_source(run, file->path, source, err);
	source_close(source);
	return result;
}

static int judge_files(struct run *run, const struct source_files *files, struct error *err)
{
	for (size_t i = 0; i < files->count; i++) {
		if (judge_file(run, &files->files[i], err) < 0)
			return -1;
		if (!run->interrupted && signals_take(run->context->signals, false))
			run->interrupted = true;
		if (run->interrupted || terminal_is_closed(run->context->terminal))
			break;
	}
	return 0;
}

static void summarise(struct run *run)
{
	struct buffer text = BUFFER_INIT;
	buffer_printf(&text, "%zu payload%s: %zu valid, %zu invalid", run->payloads, run->payloads == 1 ? "" : "s",
	              run->payloads - run->invalid, run->invalid);
	const char *separator = "; ";
	for (size_t i = 0; i < FINDING_ID_COUNT; i++) {
		if (run->by_finding[i] == 0)
			continue;
		buffer_printf(&text, "%s%zu %s", separator, run->by_finding[i], finding_rows[i].name);
		separator = ", ";
	}
	if (run->blank_lines > 0)
		buffer_printf(&text, "; %zu blank line%s skipped", run->blank_lines, run->blank_lines == 1 ? "" : "s");
	terminal_flush(run->context->terminal);
	terminal_note(run->context->terminal, "%s%s", run->interrupted ? "interrupted after " : "", buffer_text(&text));
	buffer_release(&text);
}

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
	struct validate_args *a = args;
	struct source_files files = SOURCE_FILES_INIT;
	struct run run = { .context = context, .args = a, .width = terminal_width() };
	int code = -1;
	if (context->global->json)
		a->format = FORMAT_JSON;
	if (a->lines && a->single)
		return error_set(err, EXIT_CODE_USAGE, "--lines and --single exclude each other");
	capture_scratch_init(&run.scratch);
	run.checker = checker_new(err);
	if (run.checker && collect(context->operands, &files, err) == 0 && judge_files(&run, &files, err) == 0) {
		summarise(&run);
		if (run.payloads == 0 && run.code == EXIT_CODE_OK && !run.interrupted) {
			error_set(err, EXIT_CODE_FAILED, "no payload found in the inputs");
			error_hint(err, "a folder is searched for .json, .ndjson and .jsonl files");
		} else {
			code = run.interrupted ? EXIT_CODE_INTERRUPTED : (int)run.code;
		}
	}
	checker_free(run.checker);
	capture_scratch_release(&run.scratch);
	buffer_release(&run.out);
	source_files_release(&files);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook validate fixtures", "every .json, .ndjson and .jsonl file under a folder" },
	{ "credhook build all | credhook validate -", "a stream, one payload per line" },
	{ "credhook validate --json capture.ndjson", "captured notifications, for a program" },
	{ NULL, NULL },
};

const struct command command_validate = {
	.name = "validate",
	.operands = "[FILE|DIR|-]...",
	.summary = "Judge payloads, fixtures and captures; every finding is told with its place.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct validate_args),
	.run = run_validate,
	.examples = examples,
};
