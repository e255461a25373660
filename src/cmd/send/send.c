/* send: deliver payloads, made from the catalogue or taken from files, to a listener. */
#include "cmd/send/send.h"

#include "cmd/args/make.h"
#include "cmd/cmd.h"
#include "cmd/words/misplaced.h"
#include "cmd/words/notes.h"
#include "json/json_line.h"
#include "payload/check.h"
#include "report/report_format.h"

#include <stdio.h>
#include <string.h>

/* Payloads refused in one go before the loop gets to look at the rest again. */
#define REFUSED_AT_ONCE 100

enum validate { VALIDATE_REJECT, VALIDATE_REPORT, VALIDATE_OFF };
static const char *const validate_names[] = { "reject", "report", "off", NULL };

struct send_args {
	struct global_options global;
	struct text_list files;
	int validate; /* enum validate */
	struct make_options make;
	struct send_options delivery;
};

#define SEND(field) offsetof(struct send_args, field)
static const struct option rows[] = {
	{ 'f', "file", "FILE|-", "send these payloads, captures or folders", OPTION_LIST, COMPLETE_FILE,
	  .offset = SEND(files), .also = "-d data data-raw data-binary json-body body payload input from -F" },
	{ 0, "validate", "HOW", "report findings, reject invalid ones, or do not check", OPTION_CHOICE,
	  .offset = SEND(validate), .choices = validate_names, .also = "no-validate skip-validation no-check force" },
};
static const struct option_way ways[] = {
	{ "list -l", "credhook events lists the events" },
	{ "stdin", "write - for standard input: credhook send --file - --to WHERE" },
	{ "status expect", "--expect-status LIST says which are good" },
	{ "out-dir", "credhook build EVENT -o DIR/ writes it to a file" },
	{ "event -e", "write the event's name alone: credhook send user-created --to WHERE" },
	{ "unset remove delete merge",
	  "build makes it: credhook build EVENT --unset PATH | credhook send --file - --validate off --to WHERE" },
	{ NULL, NULL },
};
static const struct option_group group = OPTION_GROUP_WITH("What to send", rows, 0, ways);
static const struct option_use uses[] = {
	{ &group, 0 },
	{ &route_option_group, SEND(delivery.route) },
	{ &send_option_group, SEND(delivery) },
	{ &send_retry_option_group, SEND(delivery) },
	{ &send_results_option_group, SEND(delivery) },
	{ &make_set_option_group, SEND(make.edits) },
	{ &make_option_group, SEND(make) },
};

struct sender {
	struct send_run run;
	const struct send_args *args;
	struct maker maker;
	struct checker *checker;
	uint64_t made;
	uint64_t loaded;  /* from the files */
	uint64_t refused; /* of both, since they are invalid */
};

/* Whether everything wrong with the payload is what --break was asked for. */
static bool broken_on_purpose(const struct sender *s, const struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->finding_count; i++)
		if (verdict->findings[i].severity == SEVERITY_ERROR &&
		    verdict->findings[i].id != s->args->make.broken.id)
			return false;
	return s->args->make.broken.source != NULL;
}

/* That it is not sent is a failed case of --report; what is sent has a case of its own. */
static void report_invalid(struct sender *s, const struct job *job, const struct verdict *verdict,
                           const struct payload_origin *origin)
{
	struct terminal *t = s->run.context->terminal;
	LOCAL_BUFFER text = BUFFER_INIT;
	bool is_entry = job->input && strcmp(input_name(job->input), origin->file) != 0;
	bool is_sent = s->args->validate == VALIDATE_REPORT;
	s->refused += !is_sent;
	if (!is_sent)
		report_files_payload(&s->run.reports, &(struct report_payload){ verdict, origin, .failed = true });
	if (s->run.context->global->json) {
		json_line_begin_type(&text, is_sent ? "invalid" : "not_sent");
		json_line_text(&text, "input", job->input);
		json_line_number(&text, "record", (int64_t)job->record);
		json_line_text(&text, "event", verdict->kind.event ? KIND_NAME(verdict->kind) : NULL);
		finding_report_json_findings(verdict, origin, &text);
		json_line_finish(&text);
		terminal_write_buffer(t, &text);
		return;
	}
	finding_report_text(verdict, origin, t->quiet, false, terminal_err_width(t), &text);
	terminal_flush(t);
	terminal_lines(t, &text);
	buffer_clear(&text);
	buffer_append_text(&text, origin->file);
	if (!is_entry)
		buffer_printf(&text, ":%zu", origin->line);
	terminal_announce(t, "%s: invalid, %s", buffer_text(&text),
	                  is_sent ? "sent" : "not sent (--validate report sends it)");
}

/* Checks the job's payload, and names it; it stands in the file (NULL: it was made, or recorded). JOB_YIELD: it must
 * not leave, and that was reported. */
static enum job_got admit(struct sender *s, struct job *job, const struct payload_origin *origin,
                          const struct mend_file *file, struct error *err)
{
	struct check_options options = { .file = file,
		                         .depth = file ? json_depth_of(file->is_lines, origin->line) : JSON_RECEIVED };
	const struct verdict *verdict =
	        check_payload(s->checker, buffer_text(&job->body), job->body.length, &options, err);
	if (!verdict)
		return JOB_FAILED;
	if (verdict->kind.event && job->name[0] == '\0')
		catalog_kind_name(verdict->kind, job->name);
	if (verdict->valid || s->args->validate == VALIDATE_OFF || (!job->input && broken_on_purpose(s, verdict)))
		return JOB_FILLED;
	report_invalid(s, job, verdict, origin);
	return s->args->validate == VALIDATE_REPORT ? JOB_FILLED : JOB_YIELD;
}

static enum job_got next_made(struct sender *s, struct job *job, struct error *err)
{
	struct catalog_kind kind;
	int got = maker_next(&s->maker, false, &kind, &job->body, err);
	if (got <= 0)
		return got < 0 ? JOB_FAILED : JOB_NONE;
	snprintf(job->name, sizeof job->name, "%s", s->maker.name);
	job->record = ++s->made;
	job->made = s->maker.number;
	struct payload_origin origin = { job->name, 1, buffer_text(&job->body), job->body.length, NULL, NULL, 1 };
	return admit(s, job, &origin, NULL, err);
}

/* A payload from a file, edited where that was asked for. */
static int load(struct sender *s, struct job *job, const struct capture_item *item, struct error *err)
{
	const struct text *body = &item->record.request.body;
	const struct edits *edits = &s->args->make.edits;
	job->input = s->run.inputs.reader.path;
	job->record = item->line;
	job->has_id = s->run.journal != NULL;
	if (send_run_check_origin(&s->run, &item->record, err) < 0 ||
	    (job->has_id && inputs_id(&s->run.inputs, item, &job->id, err) < 0))
		return -1;
	if (edits->count == 0) {
		buffer_append(&job->body, body->text, body->length);
		return job->body.failed ? error_no_memory(err) : 0;
	}
	const struct verdict *verdict = check_payload(s->checker, body->text, body->length, NULL, err);
	if (!verdict)
		return -1;
	return edits_apply(edits, verdict->kind.event, body->text, body->length, &job->body, err);
}

static enum job_got next_from_files(struct sender *s, struct job *job, struct error *err)
{
	struct capture_item item;
	enum inputs_got got = inputs_next(&s->run.inputs, &item, err);
	if (got == INPUTS_NONE) /* a signal that is waiting is not for the source to take */
		return inputs_ended(&s->run.inputs) ? JOB_NONE : JOB_YIELD;
	if (got != INPUTS_ITEM)
		return got == INPUTS_LATER ? JOB_LATER : JOB_FAILED;
	s->loaded++;
	if (load(s, job, &item, err) < 0)
		return send_run_refuse(&s->run, &item, err);
	struct payload_origin origin = { input_name(job->input), item.line, buffer_text(&job->body), job->body.length,
		                         .column = 1 };
	struct body_map map;
	LOCAL_BUFFER name = BUFFER_INIT;
	bool is_record = item.type == CAPTURE_ITEM_RECORD && !item.format;
	if (is_record && s->args->make.edits.count == 0) {
		body_map_init(&map, item.doc, &item.record);
		origin.text = item.source.text;
		origin.length = item.source.length;
		origin.map = body_map_offset;
		origin.map_context = &map;
	} else if (item.format || is_record) {
		/* Line and column of what stands nowhere as it is are those of its body. */
		buffer_printf(&name, "%s %s %zu", input_name(job->input), is_record ? "record" : "entry", item.line);
		origin.file = buffer_text(&name);
		origin.line = 1;
	}
	struct mend_file file = source_mend_file(s->run.inputs.reader.source, job->input);
	return admit(s, job, &origin, item.type == CAPTURE_ITEM_PAYLOAD ? &file : NULL, err);
}

static enum job_got next_job(void *context, struct job *job, struct error *err)
{
	struct sender *s = context;
	for (int refused = 0; refused < REFUSED_AT_ONCE; refused++) {
		job_clear(job);
		enum job_got got = next_made(s, job, err);
		if (got == JOB_NONE)
			got = next_from_files(s, job, err);
		if (got != JOB_YIELD)
			return got;
	}
	return JOB_YIELD;
}

static int send_all(struct sender *s, struct error *err)
{
	s->run.next = next_job;
	s->run.maker = &s->maker;
	s->run.total = s->args->files.count == 0 ? s->maker.total : 0;
	s->run.any_bytes = s->args->validate != VALIDATE_REJECT;
	int code = send_run_deliver(&s->run, err);
	if (code < 0)
		return -1;
	enum exit_code of_inputs = s->run.inputs.code;
	if (s->refused > 0) {
		terminal_note(s->run.context->terminal, "%s invalid, not sent", COUNT_TEXT(s->refused));
		code = (int)exit_code_worse((enum exit_code)code, EXIT_CODE_FAILED);
	}
	if (s->made == 0 && s->loaded == 0 && of_inputs == EXIT_CODE_OK && code == EXIT_CODE_OK)
		return error_set(err, EXIT_CODE_FAILED, "nothing to send: no payload in the inputs");
	return (int)exit_code_worse((enum exit_code)code, of_inputs);
}

static int run_send(struct context *context, void *args, struct error *err)
{
	const struct send_args *a = args;
	struct sender s = { .run = { .context = context, .options = &a->delivery, .files = &a->files }, .args = a };
	struct inputs_observer observer = input_notes_observer(context);
	enum capture_accepted accepted = a->validate == VALIDATE_OFF ? CAPTURE_ACCEPTS_BYTES : CAPTURE_ACCEPTS_TEXT;
	bool has_events = context->operands->count > 0;
	int code = -1;
	if (!has_events && a->files.count == 0) {
		error_set(err, EXIT_CODE_USAGE, "send needs an EVENT or --file");
		return error_hint(err, "for example: credhook send user-created --to :8080");
	}
	if (a->make.broken.source && a->files.count > 0)
		return error_set(err, EXIT_CODE_USAGE, "--break goes with events, not with --file");
	if (a->make.variants && !has_events)
		return error_set(err, EXIT_CODE_USAGE, "--variants needs an EVENT: files are sent as they are");
	if (a->make.count != 1 && !has_events) {
		error_set(err, EXIT_CODE_USAGE, "--count needs an EVENT: files are sent as they are");
		return error_hint(err, "name a file twice to send it twice");
	}
	if (a->make.seed.given && !has_events)
		return error_set(err, EXIT_CODE_USAGE, "--seed needs an EVENT: files are sent as they are");
	if (misplaced_operand(context, OPERAND_EVENT, 0, err) < 0 ||
	    (a->files.count > 0 && edits_check(&a->make.edits, NULL, 0, err) < 0))
		return -1;
	s.checker = checker_new(err);
	if (s.checker && send_run_init(&s.run, err) == 0 &&
	    maker_init(&s.maker, &a->make, context, &s.run.route.config, err) == 0 &&
	    inputs_init(&s.run.inputs, &a->files, accepted, &observer, context->signals, err) == 0 &&
	    inputs_check(&s.run.inputs, err) == 0 && send_run_open(&s.run, "", NULL, err) == 0)
		code = report_files_finish(&s.run.reports, send_all(&s, err), context->terminal, err);
	maker_release(&s.maker);
	send_run_release(&s.run);
	checker_free(s.checker);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook send user-created --to :8080/hook", "one event to a listener on this machine" },
	{ "credhook send all --to http://127.0.0.1:8080/hook --expect-status 2xx", "every event and element" },
	{ "credhook send --file fixtures --to sandbox", "payloads from files to a configured environment" },
	{ "credhook send bureau-alert --to :8080 --dry-run=curl", "the curl command that sends the same" },
	{ NULL, NULL },
};

const struct command command_send = {
	.name = "send",
	.group = COMMAND_DELIVER,
	.also = (const struct command_also[]){ { "post trigger fire emit push publish ping notify simulate curl",
	                                         "EVENT --to WHERE" },
	                                       { "bench load stress", "EVENT --to WHERE --count N --concurrency N" },
	                                       { NULL, NULL } },
	.usual = "EVENT --to WHERE",
	.phrase = "send events or files to a listener",
	.common = (const char *const[]){ "to", "file", "set", "break", "count", "header", "expect-status",
	                                 "expect-within", "retry", "dry-run", NULL },
	.operands = "[EVENT...|all]",
	.complete = COMPLETE_EVENTS,
	.summary = "Send events to a listener, checked before they leave.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct send_args),
	.run = run_send,
	.examples = examples,
};
