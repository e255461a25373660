/* convert: write captures in another format, or a selection of their records, or their redacted form, which is proven
 * to hold none of the original values. */
#include "base/mend.h"
#include "base/quoted.h"
#include "base/text.h"
#include "capture/format.h"
#include "capture/gzip.h"
#include "capture/replace.h"
#include "cmd/args/selection.h"
#include "cmd/list/listing.h"
#include "cmd/show/show.h"
#include "cmd/words/misplaced.h"
#include "cmd/words/notes.h"
#include "payload/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Output is collected up to this many bytes. */
#define OUTPUT_BLOCK ((size_t)64 << 10)

struct convert_args {
	struct global_options global;
	int format; /* index of format_output_names; 0: as the name says */
	int from;   /* index of format_input_names; 0: as recognised */
	const char *output;
	bool force;
	bool redacts;
	struct text_list keep; /* paths */
	const char *key_file;  /* NULL: a random key */
	struct selection_options select;
};

#define CONVERT(field) offsetof(struct convert_args, field)
static const struct option rows[] = {
	{ 0, "format", "FORMAT", "format to write", OPTION_CHOICE, .offset = CONVERT(format),
	  .choices = format_output_names, .also = "output-format as" },
	{ 'o', "output", "FILE|DIR/", "write to FILE (default: stdout), or each body to DIR/", OPTION_TEXT,
	  COMPLETE_OUTPUT, .offset = CONVERT(output), .also = "to dest out into outfile out-file output-dir -O" },
	{ 0, "force", NULL, "replace files with other content, too", OPTION_FLAG, .offset = CONVERT(force),
	  .needs = "output", .also = "overwrite replace-existing" },
	{ 0, "from", "FORMAT", "format of the inputs", OPTION_CHOICE, .offset = CONVERT(from),
	  .choices = format_input_names, .also = "input-format input-type" },
};
static const struct option redaction_rows[] = {
	{ 0, "redact", NULL, "replace personal data, and prove that none is left", OPTION_FLAG,
	  .offset = CONVERT(redacts), .also = "anonymize anonymise mask scrub pseudonymize hide" },
	{ 0, "keep", "PATH,...", "fields that --redact keeps", OPTION_LIST, COMPLETE_FIELD, .offset = CONVERT(keep),
	  .needs = " redact ", .also = "allow preserve except" },
	{ 0, "redact-key", "FILE", "key of --redact (default: random)", OPTION_TEXT, COMPLETE_FILE,
	  .offset = CONVERT(key_file), .needs = " redact ", .also = "key salt hash-key" },
};
static const struct option_group group = OPTION_GROUP("Formats", rows, 0);
static const struct option_way redaction_ways[] = {
	{ "in-place inplace -i", "write another file: -o FILE, then move it" },
	{ "gzip compress gz -z", "end the name in .gz: -o FILE.ndjson.gz" },
	{ "sort merge", "several files come one after the other: credhook convert FILE FILE -o ALL.ndjson" },
	{ "csv", "credhook convert FILE | jq -r '[.received_at, .event] | @csv' makes columns" },
	{ "input file -f", "name the file alone: credhook convert FILE" },
	{ "preview", "verify only: --redact -o /dev/null" },
	{ NULL, NULL },
};
static const struct option_group redaction_group = OPTION_GROUP_WITH("Redaction", redaction_rows, 0, redaction_ways);
static const struct option_use uses[] = { { &group, 0 },
	                                  { &redaction_group, 0 },
	                                  { &selection_option_group, CONVERT(select) } };

struct converter {
	struct context *context;
	const struct convert_args *args;
	const struct format *to;     /* NULL: each body is a file in a folder */
	const struct format *format; /* the same; ours, where something else is made of the records: a page, files */
	struct inputs inputs;
	struct selection selection;
	struct checker *checker;
	struct convert_redaction redaction;
	struct format_written written;
	/* Instead of the format, which is still what a proof looks at; NULL: none. */
	struct convert_page *page;
	struct list_causes *causes; /* of a page; NULL: none are looked for */
	struct convert_files *files;
	struct buffer out;
	const char *path;  /* of the output; NULL: standard output */
	struct gzip *gzip; /* NULL: not compressed */
	struct buffer packed;
	struct output_file output;
	bool reads_pipe; /* whose writer gets the same Ctrl-C and has more to say: it goes on to the end */
};

static bool has_own_form(const struct converter *c)
{
	return c->page || c->files;
}

static int add_to_own_form(struct converter *c, const struct capture_record *record, struct error *err)
{
	if (c->page)
		return convert_page_add(c->page, record, c->checker, &c->out, err);
	if (capture_record_is_withheld(record)) /* is said, and counted */
		return 0;
	const struct text *body = &record->request.body;
	const struct verdict *verdict = check_payload(c->checker, body->text, body->length, NULL, err);
	return verdict ? convert_files_add(c->files, *body, verdict, err) : -1;
}

/* Whole lines, which c->out has no more then; `are_last`: nothing follows. */
static int write_out(struct converter *c, bool are_last, struct error *err)
{
	const struct buffer *bytes = c->gzip ? &c->packed : &c->out;
	int result = c->out.failed ? error_no_memory(err) : 0;
	if (result == 0 && c->gzip)
		result = gzip_append(c->gzip, buffer_text(&c->out), c->out.length, are_last, &c->packed, err);
	if (result == 0 && c->output.is_open)
		result = output_append(&c->output, buffer_text(bytes), bytes->length, err);
	else if (result == 0)
		terminal_write_lines(c->context->terminal, &c->out);
	buffer_clear(&c->out);
	buffer_clear(&c->packed);
	return result;
}

/* What a redacted page compares is what it shows. */
static int see_redacted(struct converter *c, const struct capture_record *redacted, struct error *err)
{
	return c->causes && c->redaction.redactor ? list_causes_see(c->causes, redacted, c->inputs.number, true, err)
	                                          : 0;
}

/* A record of which a value may be left is left out, and where or why is said; the others are written. */
static int write_redacted(struct converter *c, const struct capture_item *item, const struct capture_record *record,
                          struct error *err)
{
	struct capture_record redacted;
	const struct text *form = &c->redaction.form;
	int proven = convert_redact(&c->redaction, record, &redacted, &c->written, err);
	if (proven == 0) {
		convert_redact_warn(&c->redaction, item, c->inputs.reader.path, c->context->terminal);
		if (c->selection.distinct)
			selection_untake(&c->selection);
	} else if (proven > 0 && has_own_form(c)) {
		return see_redacted(c, &redacted, err) < 0 ? -1 : add_to_own_form(c, &redacted, err);
	} else if (proven > 0) {
		buffer_append(&c->out, form->text, form->length);
	}
	return proven < 0 ? -1 : 0;
}

static int convert(struct converter *c, const struct capture_item *item, struct error *err)
{
	char name[CATALOG_KIND_NAME_SIZE];
	struct capture_record record = item->record;
	bool was_redacted = c->redaction.redactor && record.redacted.text &&
	                    redact_is_stamp(record.redacted.text, record.redacted.length);
	bool redacts = c->redaction.redactor && !was_redacted;
	c->redaction.already += was_redacted;
	if (!redacts && !has_own_form(c) && listing_is_line(item) && strcmp(c->format->name, FORMAT_RECORD) == 0) {
		buffer_append(&c->out, item->source.text, item->source.length);
		buffer_append_byte(&c->out, '\n');
		c->written.records++;
	} else if (listing_complete(c->checker, item, c->written.records + 1, name, &record, err) < 0) {
		return -1;
	} else if (redacts) {
		if (write_redacted(c, item, &record, err) < 0)
			return -1;
	} else if (has_own_form(c)) {
		if (see_redacted(c, &record, err) < 0 || add_to_own_form(c, &record, err) < 0)
			return -1;
		c->written.records++;
	} else {
		format_write(c->format, &record, &c->written, &c->out);
	}
	return c->out.length >= OUTPUT_BLOCK || c->out.failed ? write_out(c, false, err) : 0;
}

/* The next record; what was converted is passed on before waiting for a pipe. */
static enum inputs_got next(struct converter *c, struct capture_item *item, struct error *err)
{
	c->inputs.no_wait = true;
	enum inputs_got got = inputs_next(&c->inputs, item, err);
	if (got != INPUTS_LATER)
		return got;
	if (write_out(c, false, err) < 0)
		return INPUTS_FAILED;
	terminal_flush(c->context->terminal);
	c->inputs.no_wait = false;
	return inputs_next(&c->inputs, item, err);
}

/* What was converted goes to standard output, or is in its folder; a file that is not whole is dropped. */
static int interrupted(struct converter *c, uint64_t count, struct error *err)
{
	LOCAL_BUFFER more = BUFFER_FOR(&c->context->terminal->lost);
	if (!c->path && write_out(c, false, err) < 0)
		return -1;
	if (c->path && !c->files) {
		buffer_append_byte(&more, '\'');
		quoted_append(&more, c->path, strlen(c->path));
		buffer_append_text(&more, "' not written");
	} else {
		buffer_printf(&more, "%s written",
		              COUNT_TEXT(c->files ? convert_files_count(c->files) : c->written.records));
	}
	interrupted_after(c->context->terminal, count, "record", buffer_text(&more));
	return EXIT_CODE_INTERRUPTED;
}

/* Records that become files, or are compared with those that are there, take far longer than reading a block of them,
 * which is how often the inputs look at the signals. */
static bool is_stopped(const struct converter *c)
{
	return c->files && !c->reads_pipe && !signals_wait_input(c->context->signals, -1, 0);
}

/* An exit code, or -1. */
static int convert_all(struct converter *c, struct error *err)
{
	struct capture_item item;
	bool redacts = c->redaction.redactor != NULL;
	uint64_t count = 0;
	if (c->to && !c->to->writer) {
		if (!(c->page = calloc(1, sizeof *c->page)) || !(c->page->repeats = repeats_new()))
			return error_no_memory(err);
		report_html.begin("", &c->out);
		if (!c->inputs.forced &&
		    !(c->causes = list_causes_new(c->context, redacts ? NULL : c->context->operands, NULL,
		                                  redacts || source_files_measure(&c->inputs.files) == 0, err)))
			return -1;
	}
	buffer_append_text(&c->out, c->format->writer->begin);
	while (!terminal_is_closed(c->context->terminal)) {
		enum inputs_got got = next(c, &item, err);
		if (got == INPUTS_FAILED)
			return -1;
		if (got == INPUTS_NONE)
			break;
		count++;
		if (c->page) {
			c->page->number = c->inputs.number;
			c->page->repeat = listing_repeat(c->page->repeats, &item.record, c->inputs.number);
		}
		enum selection_answer answer =
		        selection_takes(&c->selection, &item.record, item.line, c->inputs.number, NULL, err);
		if (answer == SELECTION_ENOUGH)
			break;
		if (c->causes && !redacts && answer != SELECTION_FAILED &&
		    list_causes_see(c->causes, &item.record, c->inputs.number, answer == SELECTION_YES, err) < 0)
			return -1;
		bool is_done = answer != SELECTION_FAILED && (answer != SELECTION_YES || convert(c, &item, err) == 0);
		if (!is_done && err->code == EXIT_CODE_INTERRUPTED)
			break;
		if (!is_done)
			return -1;
		if (is_stopped(c))
			break;
	}
	if (c->reads_pipe)
		signals_keep_second(c->context->signals); /* one that was not taken ends nothing any more */
	else if (signals_take(c->context->signals) != 0)
		return interrupted(c, count, err);
	if (c->page) {
		LOCAL_BUFFER given = BUFFER_FOR(&c->out), why = BUFFER_FOR(&c->out);
		if (c->causes && list_causes_find(c->causes, err) < 0)
			return -1;
		if (c->causes)
			list_causes_append(c->causes, &why);
		selection_append_given(uses, sizeof uses / sizeof uses[0], c->args, c->context->words, true, &given);
		convert_page_set_inputs(c->page, c->redaction.redactor ? NULL : c->context->operands);
		if (given.length > 0)
			convert_page_set_part(c->page, c->redaction.redactor ? NULL : buffer_text(&given),
			                      &c->selection, count);
		convert_page_end(c->page, &why, &c->out);
	}
	buffer_append_text(&c->out, c->format->writer->end);
	return write_out(c, true, err) < 0 ? -1 : (int)c->inputs.code;
}

/* Whether something is missing in what was written: with --distinct, of what was left out, another one stands for it.
 */
static bool is_incomplete(const struct converter *c)
{
	return c->selection.distinct ? !distinct_is_complete(c->selection.distinct) : c->redaction.unproven > 0;
}

/* Puts the file into its place, unless there is nothing to put into it, and says what was done. Returns the exit code.
 */
static int finish(struct converter *c, int code, struct error *err)
{
	LOCAL_BUFFER losses = BUFFER_FOR(&c->context->terminal->lost);
	if (code == EXIT_CODE_INTERRUPTED)
		return code;
	if (c->written.records == 0 && c->written.left_out == 0 && c->redaction.unproven == 0 &&
	    (c->inputs.code == EXIT_CODE_OK || c->selection.refused.records > 0))
		return selection_nothing(&c->selection, "convert", c->inputs.code, err);
	/* Every record was redacted before, and no format is to be changed. */
	if (c->redaction.redacted == 0 && c->redaction.already > 0 && !has_own_form(c) &&
	    strcmp(c->format->name, FORMAT_RECORD) == 0)
		return error_set(err, EXIT_CODE_USAGE, "nothing to redact: %s record%s already redacted",
		                 COUNT_TEXT(c->redaction.already), c->redaction.already == 1 ? " is" : "s are");
	/* What gets into its place only now. */
	if (c->inputs.code == EXIT_CODE_IO && c->output.is_open &&
	    (c->output.there >= 0 || file_writer_is_whole(&c->output.writer))) {
		error_set(err, EXIT_CODE_IO, "not all of the input could be read; '%s' not written", c->path);
		return error_hint(err, "without -o, what can be read goes to standard output");
	}
	LOCAL_BUFFER name = BUFFER_FOR(&c->out);
	bool is_empty = c->written.records == 0;
	int kept = !is_empty && c->output.is_open ? output_finish(&c->output, err) : 1;
	if (kept < 0)
		return -1;
	format_append_losses(c->format, &c->written, &losses);
	if (losses.length > 0)
		terminal_announce(c->context->terminal, "%s", buffer_text(&losses));
	if (c->files)
		convert_files_note(c->files, c->context->terminal);
	else if (c->path && is_empty)
		terminal_announce(c->context->terminal, "no record is left to write; '%s' not written", c->path);
	else if (c->path)
		terminal_note(c->context->terminal, "%s record%s %s %s", COUNT_TEXT(c->written.records),
		              c->written.records == 1 ? "" : "s", kept == 0 ? "unchanged in" : "written to",
		              quoted_word(&name, c->path));
	selection_note(&c->selection, c->context->terminal);
	if (c->redaction.redactor)
		convert_redaction_report(&c->redaction, c->context->terminal);
	return (int)exit_code_worse((enum exit_code)code, is_incomplete(c) ? EXIT_CODE_FAILED : EXIT_CODE_OK);
}

/* Where it writes: to a file, in the format that its name says, or to standard output. */
static int choose_output(struct converter *c, struct error *err)
{
	const char *path = c->args->output;
	const struct format *asked = c->args->format > 0 ? format_named(format_output_names[c->args->format]) : NULL;
	c->path = path && strcmp(path, "-") != 0 ? path : NULL;
	c->format = format_named(FORMAT_RECORD);
	c->to = asked;
	if (c->path && convert_files_is_folder(c->path)) {
		if (asked) {
			error_set(err, EXIT_CODE_USAGE, "--format %s is for one file, and '%s' is a folder",
			          asked->name, c->path);
			return error_hint(err, "leave out --format: the bodies are written there as they are");
		}
		return 0;
	}
	const char *slash = c->path ? strrchr(c->path, '/') : NULL, *name = slash ? slash + 1 : c->path ? c->path : "";
	const struct format *said = format_of_name(name);
	bool is_gzipped = text_ends_with(name, strlen(name), ".gz"), is_bare = !strchr(name + (name[0] == '.'), '.');
	if (!asked && !said && !is_bare) {
		LOCAL_BUFFER ends = BUFFER_INIT;
		format_append_ends(&ends);
		error_set(err, EXIT_CODE_USAGE, "the name '%s' does not say a format", path);
		return error_hint(err, "end it with %s, or add --format", buffer_text(&ends));
	}
	if (!asked)
		c->to = said ? said : c->format;
	if (is_gzipped && !c->to->is_gzipped) {
		error_set(err, EXIT_CODE_USAGE, "'%s': %s is not compressed", path, c->to->name);
		return error_hint(err, "leave out .gz");
	}
	if (c->to->writer)
		c->format = c->to;
	if (is_gzipped)
		c->gzip = gzip_new(err);
	return is_gzipped && !c->gzip ? -1 : 0;
}

static int begin(struct converter *c, const struct inputs_observer *observer, struct error *err)
{
	struct context *context = c->context;
	const struct convert_args *a = c->args;
	const struct text_list *names = context->operands;
	for (size_t i = 0; i < names->count; i++) {
		struct stat status;
		bool is_stdin = strcmp(names->items[i], "-") == 0;
		if ((is_stdin ? fstat(STDIN_FILENO, &status) : stat(names->items[i], &status)) == 0)
			c->reads_pipe |= S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode);
	}
	struct signals *signals = c->reads_pipe ? NULL : context->signals;
	int result = inputs_init(&c->inputs, names, CAPTURE_ACCEPTS_NOTIFICATIONS, observer, signals, err);
	c->inputs.forced = a->from > 0 ? format_named(format_input_names[a->from]) : NULL;
	c->inputs.files.also_in_use = context->in_use;
	if (result < 0 || inputs_check(&c->inputs, err) < 0) {
		/* A last name that is not there may be that of the output. */
		const char *last = names->items[names->count - 1];
		if (names->count > 1 && format_of_name(last) && !a->output && err->hint[0] == '\0' &&
		    access(last, F_OK) < 0)
			mend_hint(err, "to write it: -o FILE", &(struct mend_file){ .path = last });
		return -1;
	}
	checker_set_stop(c->checker, source_stop(signals));
	selection_set_stop(&c->selection, signals);
	input_notes_show(context->terminal, &c->inputs.files);
	c->output = (struct output_file){ .path = c->path,
		                          .privacy = c->to ? FILE_PRIVATE : FILE_PRIVATE_ONE_OF_MANY,
		                          .is_in_folder = !c->to,
		                          .force = a->force,
		                          .in_use = &c->inputs.files,
		                          .signals = context->signals };
	if (c->to)
		return c->path ? output_begin(&c->output, err) : 0;
	c->files = convert_files_new(c->path, a->select.distinct, &c->output, c->checker, err);
	return c->files ? 0 : -1;
}

static int run_convert(struct context *context, void *args, struct error *err)
{
	struct convert_args *a = args;
	struct inputs_observer observer = input_notes_observer(context);
	struct converter c = { .context = context, .args = a };
	int code = -1;
	if (context->operands->count == 0) {
		error_set(err, EXIT_CODE_USAGE, "convert needs a FILE");
		return error_hint(err, "write 'credhook convert x.har -o capture.ndjson'; - is standard input");
	}
	if (misplaced_operand(context, OPERAND_FILE, 0, err) < 0)
		return -1;
	if (!a->output && !a->redacts && context->terminal->out_is_tty) {
		error_set(err, EXIT_CODE_USAGE, "not redacted, and the output is a terminal");
		return error_hint(err, "add --redact, or -o FILE; -o - writes to the terminal");
	}
	if (choose_output(&c, err) < 0)
		return -1;
	selection_read_day(&a->select, context->operands, 0, context->signals);
	c.redaction.format = c.format;
	c.checker = checker_new(err);
	if (c.checker && selection_init(&c.selection, &a->select, err) == 0 &&
	    (!a->redacts || convert_redaction_begin(&c.redaction, &a->keep, a->key_file, context->signals, err) == 0) &&
	    begin(&c, &observer, err) == 0)
		code = convert_all(&c, err);
	if (code >= 0)
		code = finish(&c, code, err);
	else if (c.files && convert_files_count(c.files) > 0)
		convert_files_note(c.files, context->terminal); /* before the error */
	output_abandon(&c.output);
	gzip_free(c.gzip);
	buffer_release(&c.packed);
	inputs_release(&c.inputs);
	selection_release(&c.selection);
	checker_free(c.checker);
	convert_redaction_release(&c.redaction);
	convert_page_free(c.page);
	list_causes_free(c.causes);
	convert_files_free(c.files);
	buffer_release(&c.out);
	return code;
}

static const struct help_example examples[] = {
	{ "credhook convert capture.ndjson -o capture.har", "open a capture in a browser's tools" },
	{ "credhook convert browser.har -o browser.ndjson", "make a capture of a HAR file" },
	{ "credhook convert capture.ndjson --redact -o shared.ndjson", "a copy without personal data" },
	{ "credhook convert capture.ndjson --events bureau-alert -o alerts.ndjson", "keep one kind of event" },
	{ "credhook convert capture.ndjson --distinct --redact -o golden/", "fixtures: one of each shape" },
	{ NULL, NULL },
};

const struct command command_convert = {
	.name = "convert",
	.group = COMMAND_MAKE,
	.also = (const struct command_also[]){ { "redact anonymize anonymise mask scrub", "--redact" },
	                                       { "export har", "FILE -o FILE.har" },
	                                       { "merge join concat", "FILE FILE -o FILE.ndjson" },
	                                       { "import", "FILE.har -o FILE.ndjson" },
	                                       { "report page html", "FILE -o FILE.html" },
	                                       { NULL, NULL } },
	.usual = "FILE",
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
