/* convert: write captures in another format, or a selection of their records. */
#include "base/text.h"
#include "capture/format_write.h"
#include "cmd/files.h"
#include "cmd/notes.h"
#include "cmd/redaction.h"
#include "cmd/selection.h"
#include "payload/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Output is collected up to this many bytes. */
#define OUTPUT_BLOCK ((size_t)64 << 10)
/* Records that were left out are named up to this many. */
#define WARNINGS_MOST 20

struct convert_args {
	struct global_options global;
	int format; /* index of to_names; 0: as the name of the output says */
	int from;   /* index of from_names; 0: as recognised */
	const char *output;
	struct redaction_args redaction;
	struct selection_options select;
};

static const char *const to_names[] = { "auto", FORMAT_RECORD, "har", NULL };
static const char *const from_names[] = { "auto", FORMAT_RECORD, "har", "aws", NULL };

#define CONVERT(field) offsetof(struct convert_args, field)
static const struct option rows[] = {
	{ 0, "format", "FORMAT", "format to write", OPTION_CHOICE, .offset = CONVERT(format), .choices = to_names },
	{ 'o', "output", "FILE", "write to FILE (default: stdout)", OPTION_TEXT, COMPLETE_FILE,
	  .offset = CONVERT(output) },
	{ 0, "from", "FORMAT", "format of the inputs", OPTION_CHOICE, .offset = CONVERT(from), .choices = from_names },
};
static const struct option redaction_rows[] = {
	{ 0, "redact", NULL, "replace personal data, and prove that none is left", OPTION_FLAG,
	  .offset = CONVERT(redaction.given) },
	{ 0, "keep", "PATH,...", "fields that --redact keeps", OPTION_LIST, COMPLETE_FIELD,
	  .offset = CONVERT(redaction.keep), .needs = " redact " },
	{ 0, "redact-key", "FILE", "key of --redact (default: random)", OPTION_TEXT, COMPLETE_FILE,
	  .offset = CONVERT(redaction.key_file), .needs = " redact " },
};
static const struct option_group group = OPTION_GROUP("Formats", rows, 0);
static const struct option_group redaction_group = OPTION_GROUP("Redaction", redaction_rows, 0);
static const struct option_use uses[] = { { &group, 0 },
	                                  { &redaction_group, 0 },
	                                  { &selection_option_group, CONVERT(select) } };

struct converter {
	struct context *context;
	const struct convert_args *args;
	const struct format *format;
	struct inputs inputs;
	struct source_files kept; /* the key: --output does not replace it */
	struct selection selection;
	struct checker *checker;
	struct redaction *redaction; /* NULL: none */
	struct buffer key;           /* of the selection; not used */
	struct format_written written;
	struct buffer out;
	struct file_writer file; /* with --output */
	bool is_open;
	bool reads_pipe; /* whose writer gets the same Ctrl-C and has more to say: it goes on to the end */
};

static int flush(struct converter *c, struct error *err)
{
	int result = 0;
	if (c->out.failed)
		return error_no_memory(err);
	if (c->is_open)
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
	static const struct header json = { { "Content-Type", 12 }, { "application/json", 16 } };
	const struct text *type = message_header(&record->request, "Content-Type");
	struct check_options options = { .checks_content_type = true, .content_type = type ? type->text : NULL };
	if (item->kind == CAPTURE_ITEM_PAYLOAD) {
		options.checks_content_type = false;
		record->request.method = (struct text){ "POST", 4 };
		record->request.target = (struct text){ "/", 1 };
		record->request.headers = &json;
		record->request.header_count = 1;
	}
	const struct verdict *verdict =
	        check_payload(c->checker, record->request.body.text, record->request.body.length, &options, err);
	if (!verdict)
		return -1;
	record->valid = verdict->valid ? CAPTURE_VALID : CAPTURE_INVALID;
	record->seq = c->written.records + 1;
	if (kind.event) {
		catalog_kind_name(kind, name);
		record->event = text_of(name);
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

/* A record of which a value would be left is left out, and where that is is said; the others are written. */
static int write_redacted(struct converter *c, const struct capture_item *item, const struct capture_record *record,
                          struct error *err)
{
	struct error found;
	int result = redaction_write(c->redaction, record, c->format, &c->written, &c->out, &found);
	uint64_t number = redaction_counts(c->redaction)->unproven;
	if (result < 0)
		*err = found;
	if (result > 0 && number <= WARNINGS_MOST)
		terminal_warn(c->context->terminal,
		              item->format ? "%s: entry %zu: left out: %s" : "%s:%zu: left out: %s", c->inputs.name,
		              item->line, found.message);
	return result < 0 ? -1 : 0;
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
	if (c->reads_pipe)
		signals_keep_second(c->context->signals, true); /* one that was not taken ends nothing any more */
	else if (signals_take(c->context->signals) != 0)
		return EXIT_CODE_INTERRUPTED;
	format_write_end(c->format, &c->out);
	return flush(c, err) < 0 ? -1 : (int)c->inputs.code;
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
	if (c->redaction)
		redaction_print_summary(c->redaction, c->context->terminal);
	bool is_left_out = c->redaction && redaction_counts(c->redaction)->unproven > 0;
	return (int)exit_code_worse((enum exit_code)code, is_left_out ? EXIT_CODE_FAILED : EXIT_CODE_OK);
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
	if (code != EXIT_CODE_INTERRUPTED && c->written.records == 0 && c->written.left_out == 0 &&
	    (!c->redaction || redaction_counts(c->redaction)->unproven == 0) && c->inputs.code == EXIT_CODE_OK)
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
	c->kept.also_in_use = c->context->in_use;
	if (a->key_file && source_files_add_path(&c->kept, a->key_file, err) < 0)
		return -1;
	c->redaction = a->given ? redaction_open(a, c->context->signals, err) : NULL;
	return a->given && !c->redaction ? -1 : 0;
}

static bool is_pipe(const char *path)
{
	struct stat status;
	int found = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(path, &status);
	return found == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

static int begin(struct converter *c, const struct inputs_observer *observer, struct error *err)
{
	struct context *context = c->context;
	const struct convert_args *a = c->args;
	for (size_t i = 0; i < context->operands->count; i++)
		c->reads_pipe = c->reads_pipe || is_pipe(context->operands->items[i]);
	struct signals *signals = c->reads_pipe ? NULL : context->signals;
	int result = a->from > 0
	                     ? inputs_init_as(&c->inputs, context->operands, format_named(from_names[a->from]),
	                                      observer, signals, err)
	                     : inputs_init(&c->inputs, context->operands, CAPTURE_ACCEPTS_JSON, observer, signals, err);
	c->inputs.files.also_in_use = &c->kept;
	if (result < 0)
		return -1;
	input_notes_show(context->terminal, &c->inputs.files);
	selection_note(&c->selection, context->terminal);
	if (!a->output || strcmp(a->output, "-") == 0)
		return 0;
	c->is_open = file_writer_open(&c->file, a->output, true, &c->inputs.files, c->context->signals, err) == 0;
	return c->is_open ? 0 : -1;
}

/* What --format says, else the end of the output's name. */
static const struct format *format_to_write(const struct convert_args *a)
{
	const char *end = a->output ? strrchr(a->output, '.') : NULL;
	bool is_har = a->format == 0 && end && strcmp(end, ".har") == 0;
	return format_named(is_har ? "har" : a->format == 0 ? FORMAT_RECORD : to_names[a->format]);
}

static int run_convert(struct context *context, void *args, struct error *err)
{
	const struct convert_args *a = args;
	struct inputs_observer observer = input_notes_observer(context);
	struct converter c = { .context = context, .args = a, .format = format_to_write(a) };
	int code = -1;
	if (context->operands->count == 0) {
		error_set(err, EXIT_CODE_USAGE, "convert needs a FILE");
		return error_hint(err, "write 'credhook convert x.har -o capture.ndjson'; - is standard input");
	}
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
	{ "credhook convert capture.ndjson -o capture.har", "open a capture in a browser's tools" },
	{ "credhook convert browser.har -o browser.ndjson", "make a capture of a HAR file" },
	{ "credhook convert capture.ndjson --redact -o shared.ndjson", "leave the people out of it" },
	{ "credhook convert capture.ndjson --events bureau-alert -o alerts.ndjson", "keep one kind of event" },
	{ NULL, NULL },
};

const struct command command_convert = {
	.name = "convert",
	.group = COMMAND_MAKE,
	.phrase = "convert or filter captures",
	.common = (const char *const[]){ "format", "output", "redact", "keep", "redact-key", "from", "events", "where",
	                                 "limit", NULL },
	.operands = "FILE...",
	.complete = COMPLETE_FILE,
	.summary = "Write captures, ours or those of other tools, in another format, or redacted.",
	.uses = uses,
	.use_count = sizeof uses / sizeof uses[0],
	.args_size = sizeof(struct convert_args),
	.run = run_convert,
	.examples = examples,
};
