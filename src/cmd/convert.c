/* convert: write captures in another format, or a selection of their records. */
#include "base/count.h"
#include "capture/format_write.h"
#include "cmd/files.h"
#include "cmd/input_notes.h"
#include "cmd/redaction.h"
#include "cmd/selection.h"
#include "payload/check.h"
#include "ui/line.h"

#include <stdlib.h>
#include <string.h>

/* Output is collected up to this many bytes. */
#define OUTPUT_BLOCK ((size_t)64 << 10)

struct convert_args {
	struct global_options global;
	int format; /* index of to_names */
	int from;   /* index of from_names; 0: as recognised */
	const char *output;
	bool strict;
	struct redaction_args redaction;
	bool preview;
	struct selection_options select;
};

static const char *const to_names[] = { FORMAT_RECORD, "har", NULL };
static const char *const from_names[] = { "auto", FORMAT_RECORD, "har", "aws", NULL };

#define CONVERT(field) offsetof(struct convert_args, field)
static const struct option rows[] = {
	{ 0, "format", "FORMAT", "format to write", OPTION_CHOICE, .offset = CONVERT(format), .choices = to_names },
	{ 'o', "output", "FILE", "write to FILE (default: stdout)", OPTION_TEXT, COMPLETE_FILE,
	  .offset = CONVERT(output) },
	{ 0, "from", "FORMAT", "format of the inputs", OPTION_CHOICE, .offset = CONVERT(from), .choices = from_names },
	{ 0, "strict", NULL, "fail if the format cannot hold everything", OPTION_FLAG, .offset = CONVERT(strict) },
};
static const struct option redaction_rows[] = {
	REDACTION_OPTIONS(CONVERT(redaction)),
	{ 0, "preview", NULL, "count what --redact would replace, write nothing", OPTION_FLAG,
	  .offset = CONVERT(preview) },
};
static const struct option_group group = OPTION_GROUP("Formats", rows, 0);
static const struct option_group redaction_group = OPTION_GROUP("Redaction", redaction_rows, 0);
static const struct option_use uses[] = { { &group, 0 },
	                                  { &redaction_group, 0 },
	                                  { &selection_option_group, CONVERT(select) } };

static void defaults(void *args)
{
	struct convert_args *a = args;
	selection_options_defaults(&a->select);
}

static void release(void *args)
{
	struct convert_args *a = args;
	selection_options_release(&a->select);
}

struct converter {
	struct context *context;
	const struct convert_args *args;
	const struct format *format;
	struct inputs inputs;
	struct source_files kept; /* the policy and the key: --output replaces neither */
	struct selection selection;
	struct checker *checker;
	struct redaction *redaction; /* NULL: none */
	struct error left;           /* --preview: what --redact would stop at; code 0: nothing */
	struct buffer key;           /* of the selection; not used */
	struct format_written written;
	struct buffer out;
	struct file_writer file; /* with --output */
	bool is_open;
};

static bool goes_to_file(const struct convert_args *a)
{
	return a->output && strcmp(a->output, "-") != 0;
}

static int flush(struct converter *c, struct error *err)
{
	int result = 0;
	if (c->out.failed)
		return error_no_memory(err);
	if (c->args->preview)
		result = 0;
	else if (c->is_open)
		result = file_writer_append(&c->file, buffer_text(&c->out), c->out.length, err);
	else
		terminal_write_lines(c->context->terminal, buffer_text(&c->out), c->out.length);
	buffer_clear(&c->out);
	return result;
}

/* Completes a record that no listener has written: its event, and whether it is valid. */
static int recognise(struct converter *c, const struct capture_item *item, struct catalog_kind kind, char *name,
                     struct capture_record *record, struct error *err)
{
	static const struct capture_header json = { { "Content-Type", 12 }, { "application/json", 16 } };
	const struct capture_text *type = capture_record_header(record, "Content-Type");
	struct check_options options = { .checks_content_type = true, .content_type = type ? type->text : NULL };
	if (item->kind == CAPTURE_ITEM_PAYLOAD) {
		options.checks_content_type = false;
		record->method = (struct capture_text){ "POST", 4 };
		record->target = (struct capture_text){ "/", 1 };
		record->headers = &json;
		record->header_count = 1;
	}
	const struct verdict *verdict =
	        check_payload(c->checker, record->body.text, record->body.length, &options, err);
	if (!verdict)
		return -1;
	record->valid = verdict->valid ? CAPTURE_VALID : CAPTURE_INVALID;
	record->seq = c->written.records + 1;
	if (kind.event) {
		catalog_kind_name(kind, name);
		record->event = (struct capture_text){ name, strlen(name) };
	}
	return 0;
}

/* A record of ours goes into a capture as it is, with the keys that only another version knows. */
static bool is_kept_as_it_is(const struct converter *c, const struct capture_item *item)
{
	const struct source_item *source = &item->source;
	return strcmp(c->format->name, FORMAT_RECORD) == 0 && item->kind == CAPTURE_ITEM_RECORD && !item->format &&
	       capture_begins_as_record(source->text, source->length) && !memchr(source->text, '\n', source->length);
}

/* A value that would be left stops the run: the file would not be what its owner takes it for. A preview goes on. */
static int write_redacted(struct converter *c, const struct capture_item *item, const struct capture_record *record,
                          struct error *err)
{
	int result = redaction_write(c->redaction, record, c->format, &c->written, &c->out, err);
	if (result <= 0)
		return result;
	struct error found = *err;
	error_set(err, found.code, item->format ? "%s: entry %zu: %s" : "%s:%zu: %s", c->inputs.name, item->line,
	          found.message);
	error_hint(err, "%s", found.hint);
	if (!c->args->preview)
		return -1;
	c->left = c->left.code == EXIT_CODE_OK ? *err : c->left;
	return 0;
}

static int convert(struct converter *c, const struct capture_item *item, const struct selected *selected,
                   struct error *err)
{
	char name[CATALOG_KIND_NAME_SIZE];
	struct capture_record record = item->record;
	bool is_ours = item->kind == CAPTURE_ITEM_RECORD && !item->format;
	bool redacts = c->redaction && !redaction_passes(c->redaction, &record);
	if (!redacts && is_kept_as_it_is(c, item)) {
		buffer_append(&c->out, item->source.text, item->source.length);
		buffer_append_byte(&c->out, '\n');
		c->written.records++;
	} else {
		if (!is_ours && recognise(c, item, selected->kind, name, &record, err) < 0)
			return -1;
		if (!redacts)
			format_write(c->format, &record, &c->written, &c->out);
		else if (write_redacted(c, item, &record, err) < 0)
			return -1;
	}
	return c->out.length >= OUTPUT_BLOCK || c->out.failed ? flush(c, err) : 0;
}

/* The next record; what was converted is passed on before waiting for a pipe. */
static enum inputs_got next(struct converter *c, struct capture_item *item, struct error *err)
{
	inputs_wait(&c->inputs, false);
	enum inputs_got got = inputs_next(&c->inputs, item, err);
	if (got != INPUTS_LATER)
		return got;
	if (flush(c, err) < 0)
		return INPUTS_FAILED;
	terminal_flush(c->context->terminal);
	inputs_wait(&c->inputs, true);
	return inputs_next(&c->inputs, item, err);
}

/* An exit code, or -1. */
static int convert_all(struct converter *c, struct error *err)
{
	struct capture_item item;
	struct selected selected;
	format_write_begin(c->format, &c->out);
	while (!terminal_is_closed(c->context->terminal)) {
		enum inputs_got got = next(c, &item, err);
		if (got == INPUTS_FAILED)
			return -1;
		if (got == INPUTS_NONE)
			break;
		buffer_clear(&c->key);
		enum selection_answer answer =
		        selection_takes(&c->selection, &item.record, item.line, &selected, &c->key, err);
		if (answer == SELECTION_ENOUGH)
			break;
		if (answer == SELECTION_FAILED || (answer == SELECTION_YES && convert(c, &item, &selected, err) < 0))
			return -1;
	}
	if (signals_take(c->context->signals) != 0)
		return EXIT_CODE_INTERRUPTED;
	format_write_end(c->format, &c->out);
	return flush(c, err) < 0 ? -1 : (int)c->inputs.code;
}

static void print_preview(const struct converter *c)
{
	struct terminal *t = c->context->terminal;
	LOCAL_BUFFER text = BUFFER_INIT;
	if (t->json)
		redaction_append_json(c->redaction, &text);
	else
		redaction_append_table(c->redaction, &text, t->out_is_tty ? terminal_width() : COLUMNS_UNLIMITED,
		                       t->color_out);
	terminal_write(t, buffer_text(&text), text.length);
}

static bool report_redaction(const struct converter *c)
{
	if (!c->redaction)
		return false;
	if (c->args->preview)
		print_preview(c);
	else
		redaction_note_key(c->redaction, c->context->terminal);
	redaction_print_summary(c->redaction, c->context->terminal);
	return redaction_counts(c->redaction)->withheld > 0;
}

static int report(struct converter *c, int code)
{
	char count[COUNT_SIZE];
	LOCAL_BUFFER words = BUFFER_INIT;
	format_append_losses(c->format, &c->written, &words);
	if (words.length > 0)
		terminal_note(c->context->terminal, "%s", buffer_text(&words));
	if (c->is_open)
		terminal_note(c->context->terminal, "%s record%s written to %s", count_text(c->written.records, count),
		              c->written.records == 1 ? "" : "s", c->args->output);
	bool is_withheld = report_redaction(c);
	bool has_failed = c->args->strict && (format_has_lost(&c->written) || is_withheld);
	return (int)exit_code_worse((enum exit_code)code, has_failed ? EXIT_CODE_FAILED : EXIT_CODE_OK);
}

/* Every record was redacted before, and no format is to be changed. */
static int check_redacted(const struct converter *c, struct error *err)
{
	const struct redaction_counts *counts = c->redaction ? redaction_counts(c->redaction) : NULL;
	char count[COUNT_SIZE];
	if (!counts || counts->records > 0 || counts->already == 0 || strcmp(c->format->name, FORMAT_RECORD) != 0)
		return 0;
	return error_set(err, EXIT_CODE_USAGE, "nothing to redact: %s record%s already redacted",
	                 count_text(counts->already, count), counts->already == 1 ? " is" : "s are");
}

/* Puts the file into its place, unless there is nothing to put into it. */
static int finish(struct converter *c, int code, struct error *err)
{
	if (c->left.code != EXIT_CODE_OK) {
		print_preview(c);
		*err = c->left;
		return -1;
	}
	if (code != EXIT_CODE_INTERRUPTED && c->written.records == 0 && c->written.left_out == 0 &&
	    c->inputs.code == EXIT_CODE_OK)
		return selection_nothing(&c->selection, "convert", err);
	if (code != EXIT_CODE_INTERRUPTED && check_redacted(c, err) < 0)
		return -1;
	if (code == EXIT_CODE_INTERRUPTED || !c->is_open)
		return code == EXIT_CODE_INTERRUPTED ? code : report(c, code);
	if (c->written.records == 0)
		file_writer_abandon(&c->file);
	else if (file_writer_finish(&c->file, err) < 0)
		return -1;
	return report(c, code);
}

static int begin_redaction(struct converter *c, struct error *err)
{
	const struct redaction_args *a = &c->args->redaction;
	const char *const kept[] = { a->policy, a->key_file };
	c->kept.also_in_use = c->context->in_use;
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		if (kept[i] && source_files_add_path(&c->kept, kept[i], err) < 0)
			return -1;
	c->redaction = a->given ? redaction_open(a, NULL, err) : NULL;
	return a->given && !c->redaction ? -1 : 0;
}

static int begin(struct converter *c, const struct inputs_observer *observer, struct error *err)
{
	struct context *context = c->context;
	const struct convert_args *a = c->args;
	int result = a->from > 0 ? inputs_init_as(&c->inputs, context->operands, format_named(from_names[a->from]),
	                                          observer, context->signals, err)
	                         : inputs_init(&c->inputs, context->operands, CAPTURE_ACCEPTS_JSON, observer,
	                                       context->signals, err);
	c->inputs.files.also_in_use = &c->kept;
	if (result < 0)
		return -1;
	input_notes_show(context->terminal, &c->inputs.files);
	selection_note(&c->selection, context->terminal);
	if (!goes_to_file(a))
		return 0;
	c->is_open = file_writer_open_private(&c->file, a->output, &c->inputs.files, err) == 0;
	return c->is_open ? 0 : -1;
}

static int check_args(const struct convert_args *a, const struct text_list *operands, struct error *err)
{
	if (operands->count == 0) {
		error_set(err, EXIT_CODE_USAGE, "convert needs a FILE");
		return error_hint(err, "write 'credhook convert x.har -o capture.ndjson'; - is standard input");
	}
	if (a->preview && !a->redaction.given)
		return error_set(err, EXIT_CODE_USAGE, "--preview goes with --redact");
	if (a->preview && a->output)
		return error_set(err, EXIT_CODE_USAGE, "--preview writes no file: remove --output or --preview");
	if (redaction_args_check(&a->redaction, err) < 0)
		return -1;
	return 0;
}

static int run_convert(struct context *context, void *args, struct error *err)
{
	const struct convert_args *a = args;
	struct inputs_observer observer = input_notes_observer(context);
	struct converter c = { .context = context, .args = a, .format = format_named(to_names[a->format]) };
	int code = -1;
	if (check_args(a, context->operands, err) < 0)
		return -1;
	c.checker = checker_new(err);
	if (c.checker && selection_init(&c.selection, &a->select, err) == 0 && begin_redaction(&c, err) == 0 &&
	    begin(&c, &observer, err) == 0)
		code = convert_all(&c, err);
	if (code >= 0)
		code = finish(&c, code, err);
	if (c.is_open)
		file_writer_abandon(&c.file);
	inputs_release(&c.inputs);
	selection_release(&c.selection);
	checker_free(c.checker);
	redaction_close(c.redaction);
	source_files_release(&c.kept);
	buffer_release(&c.key);
	buffer_release(&c.out);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook convert capture.ndjson --format har -o capture.har", "open a capture in a browser's tools" },
	{ "credhook convert browser.har -o browser.ndjson", "make a capture of a HAR file" },
	{ "credhook convert capture.ndjson --redact -o shared.ndjson", "leave the people out of it" },
	{ "credhook convert capture.ndjson --events bureau-alert -o alerts.ndjson", "keep one kind of event" },
	{ NULL, NULL },
};

const struct command command_convert = {
	.name = "convert",
	.group = COMMAND_MAKE,
	.phrase = "convert or filter captures",
	.common = (const char *const[]){ "format", "output", "redact", "redact-key", "preview", "from", "strict",
	                                 "events", "where", "limit", NULL },
	.operands = "FILE...",
	.complete = COMPLETE_FILE,
	.summary = "Write captures, ours or those of other tools, in another format, or redacted.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct convert_args),
	.defaults = defaults,
	.run = run_convert,
	.release = release,
	.examples = examples,
};
