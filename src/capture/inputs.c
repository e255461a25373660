#include "capture/inputs.h"

#include "base/file.h"
#include "base/hash.h"
#include "capture/entry.h"
#include "capture/format.h"
#include "json/other_text.h"
#include "json/scan.h"
#include "json/unwrap.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int capture_reader_open(struct capture_reader *reader, const struct source_file *file,
                        const struct source_options *options, struct error *err)
{
	*reader = (struct capture_reader){ .path = file->path,
		                           .limit = options->limit ? options->limit : SOURCE_PAYLOAD_MAX };
	if (file->problem)
		return file_cannot("open", file->path, file->problem, err);
	reader->source = source_open(file->path, options, err);
	return reader->source ? 0 : -1;
}

void capture_reader_close(struct capture_reader *reader)
{
	entries_free(reader->entries);
	source_close(reader->source);
	*reader = (struct capture_reader){ 0 };
}

enum source_result capture_reader_look(struct capture_reader *reader, struct error *err)
{
	const struct format *format = reader->forced;
	if (reader->is_looked_at)
		return SOURCE_ITEM;
	enum source_result got = format ? SOURCE_ITEM : format_look(reader->source, &format, err);
	if (got == SOURCE_ITEM && format && format->reader && (reader->forced || !reader->takes_bytes)) {
		reader->entries = entries_new(reader->source, format, reader->limit, err);
		got = reader->entries ? SOURCE_ITEM : SOURCE_ERROR;
	} else if (got == SOURCE_ITEM && format && !reader->forced) {
		struct mend_file file = source_mend_file(reader->source, reader->path);
		format_refuse(format, &file, err);
		got = SOURCE_ERROR;
	}
	reader->is_looked_at = got == SOURCE_ITEM;
	return got;
}

enum source_result capture_reader_next(struct capture_reader *reader, struct capture_item *item, struct error *err)
{
	enum source_result got = capture_reader_look(reader, err);
	if (got != SOURCE_ITEM)
		return got;
	if (reader->entries)
		return entries_next(reader->entries, item, err);
	got = source_next(reader->source, &item->source, err);
	item->type = CAPTURE_ITEM_BAD;
	item->line = item->source.line;
	item->column = 1;
	item->fault = (struct json_place){ 0 };
	item->format = NULL;
	item->doc = NULL;
	return got;
}

/* Takes the text for a payload, whatever it is. */
static void take_payload(struct capture_item *item)
{
	item->type = CAPTURE_ITEM_PAYLOAD;
	item->record = (struct capture_record){ .request.body = { item->source.text, item->source.length },
		                                .body_token = JSON_NONE };
}

bool capture_item_read(struct capture_scratch *scratch, struct capture_item *item, struct json_fault *fault)
{
	item->type = CAPTURE_ITEM_BAD;
	if (!json_read(&scratch->doc, item->source.text, item->source.length, fault)) {
		if (json_fault_is_memory(fault))
			error_no_memory(&item->problem);
		return json_fault_is_memory(fault);
	}
	item->doc = &scratch->doc;
	item->type = capture_line_of(item->doc);
	if (item->type == CAPTURE_ITEM_PAYLOAD) {
		take_payload(item);
	} else if (item->type == CAPTURE_ITEM_BODILESS) {
		error_set(&item->problem, EXIT_CODE_FAILED, "an event of 'listen --json' without its body");
		error_hint(&item->problem, "use 'listen --json -v', which prints whole records");
	} else if (item->type == CAPTURE_ITEM_RECORD &&
	           capture_record_from_doc(scratch, &item->record, &item->problem) < 0) {
		item->type = CAPTURE_ITEM_BAD;
	}
	return true;
}

/* What to do about a document that is not a notification. Of another tool's that is not all of the file a line would
 * take what is in the file besides. */
static void hint_other(const struct format *format, const struct json_doc *doc, const struct mend_file *file,
                       bool is_first, struct error *err)
{
	LOCAL_BUFFER hint = BUFFER_INIT;
	struct mend_file mended = *file;
	if (format && !is_first)
		return;
	if (format && format->reader)
		buffer_printf(&hint, "read it so: credhook convert FILE --from %s -o FILE.ndjson", format->name);
	else if (format)
		buffer_append_text(&hint, format->hint ? format->hint : "");
	else
		json_append_unwrap(doc, entry_notification_names, json_depth_of(file->is_lines, 1), &hint, &mended.key);
	if (hint.length > 0)
		mend_hint(err, hint.data, &mended);
}

/* Refuses a file for the first document in it. */
static int refuse_other(const struct mend_file *file, const struct json_doc *doc, struct error *err)
{
	const struct format *format = format_of_document(doc);
	bool is_stdin = strcmp(file->path, "-") == 0;
	const char *quote = is_stdin ? "" : "'", *name = is_stdin ? "standard input" : file->path;
	error_set(err, EXIT_CODE_IO, "%s%s%s %s", quote, name, quote,
	          format ? format->words : "is neither a capture nor a notification");
	hint_other(format, doc, file, true, err);
	return -1;
}

/* Refuses a file whose first document is of a known format, or where only notifications are accepted is neither a
 * record nor a notification. What is not JSON is left to the reading. */
static int check_beginning(const struct inputs *inputs, struct source *source, const char *path, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct source_item item;
	struct error ignored;
	bool notifications_only = inputs->accepted == CAPTURE_ACCEPTS_NOTIFICATIONS;
	doc.stop = source_stop(inputs->signals); /* then the reading ends at once, too */
	if (source_next(source, &item, &ignored) != SOURCE_ITEM || item.too_long ||
	    !json_read(&doc, item.text, item.length, NULL))
		return 0;
	struct mend_file file = source_mend_file(source, path);
	const struct format *format = format_of_document(&doc);
	bool is_other = capture_line_of(&doc) == CAPTURE_ITEM_PAYLOAD &&
	                (format || (notifications_only && !entry_is_notification(&doc, 0)));
	return is_other ? refuse_other(&file, &doc, err) : 0;
}

/* Examines a regular file from its beginning on. */
static int look_inside(const struct inputs *inputs, const char *path, const char *name, struct error *err)
{
	bool is_line_by_line = inputs->forced && !inputs->forced->reader;
	struct source_options options = { .limit = inputs->limit,
		                          .block = FORMAT_LOOK_MAX,
		                          .type = is_line_by_line ? SOURCE_LINES : SOURCE_DETECT,
		                          .signals = inputs->signals };
	const struct format *format = NULL;
	struct error ignored;
	int result = 0;
	struct source *source = source_open(path, &options, &ignored);
	bool any_bytes = inputs->accepted == CAPTURE_ACCEPTS_BYTES;
	bool is_readable = source && (inputs->forced || format_look(source, &format, &ignored) == SOURCE_ITEM);
	struct mend_file file = is_readable ? source_mend_file(source, name) : (struct mend_file){ 0 };
	if (is_readable && format && (!format->reader || any_bytes))
		result = format_refuse(format, &file, err);
	else if (is_readable && !format && inputs->accepted != CAPTURE_ACCEPTS_JSON)
		result = check_beginning(inputs, source, name, err);
	source_close(source);
	return result;
}

static int check_file(const struct inputs *inputs, const struct source_file *file, struct error *err)
{
	struct stat status;
	bool is_stdin = strcmp(file->path, "-") == 0;
	int found = is_stdin ? fstat(STDIN_FILENO, &status) : stat(file->path, &status);
	int denied = is_stdin || found < 0 ? found : access(file->path, R_OK);
	if (!is_stdin && (file->problem || denied < 0))
		return file_cannot("open", file->path, file->problem ? file->problem : errno, err);
	bool looks_inside = !inputs->forced || !inputs->forced->reader;
	if (!looks_inside || found < 0 || !S_ISREG(status.st_mode))
		return 0;
	return look_inside(inputs, is_stdin ? "/dev/stdin" : file->path, file->path, err);
}

int inputs_init(struct inputs *inputs, const struct text_list *arguments, enum capture_accepted accepted,
                const struct inputs_observer *observer, struct signals *signals, struct error *err)
{
	*inputs = (struct inputs){ .scratch = CAPTURE_SCRATCH_INIT,
		                   .observer = observer,
		                   .signals = signals,
		                   .accepted = accepted,
		                   .limit = SOURCE_PAYLOAD_MAX };
	inputs->scratch.doc.stop = source_stop(signals);
	for (size_t i = 0; i < arguments->count; i++)
		if (source_files_add(&inputs->files, arguments->items[i], err) < 0)
			return -1;
	inputs->whole = source_files_measure(&inputs->files);
	return 0;
}

/* Closes the file under way, which is neither counted nor reported. */
static void drop_file(struct inputs *inputs)
{
	capture_reader_close(&inputs->reader);
	capture_scratch_release(&inputs->scratch);
	inputs->has_any = inputs->is_capture = false;
}

void inputs_release(struct inputs *inputs)
{
	drop_file(inputs);
	hash_sha256_free(inputs->hash);
	inputs->hash = NULL;
	source_files_release(&inputs->files);
}

static void report_problem(struct inputs *inputs, const struct error *problem)
{
	if (inputs->observer)
		inputs->observer->problem(inputs->observer->context, problem);
	inputs->code = exit_code_worse(inputs->code, problem->code);
}

/* Opens the next file that can be opened. 0: there is none; -1: out of memory, which says nothing of the file. */
static int open_next(struct inputs *inputs, struct error *err)
{
	struct source_options options = { .limit = inputs->limit, .signals = inputs->signals };
	struct capture_reader *reader = &inputs->reader;
	struct error problem;
	if (inputs->forced && !inputs->forced->reader)
		options.type = SOURCE_LINES;
	while (inputs->at < inputs->files.count) {
		const struct source_file *file = &inputs->files.files[inputs->at++];
		if (inputs->observer)
			inputs->observer->opening(inputs->observer->context, file->path);
		if (capture_reader_open(reader, file, &options, &problem) == 0) {
			reader->forced = inputs->forced;
			reader->takes_bytes = inputs->accepted == CAPTURE_ACCEPTS_BYTES;
			inputs->before = inputs->number;
			return 1;
		}
		if (problem.code == EXIT_CODE_INTERNAL) {
			*err = problem;
			return -1;
		}
		report_problem(inputs, &problem);
		inputs->passed += file->size;
	}
	return 0;
}

void inputs_measure(const struct inputs *inputs, uint64_t *done, uint64_t *whole)
{
	*done = inputs->passed;
	*whole = inputs->whole;
	if (!inputs->reader.source)
		return;
	uint64_t size = inputs->files.files[inputs->at - 1].size;
	uint64_t position = source_position(inputs->reader.source);
	*done += position < size ? position : size; /* the file may have grown */
}

int inputs_id(struct inputs *inputs, const struct capture_item *item, struct capture_id *id, struct error *err)
{
	unsigned char whole[HASH_SHA256_SIZE];
	const char *end = item->source.text + item->source.length, *text = json_skip_space(item->source.text, end);
	while (end > text && json_is_space(end[-1]))
		end--;
	if ((!inputs->hash && !(inputs->hash = hash_sha256_new(err))) ||
	    hash_sha256_of(inputs->hash, text, (size_t)(end - text), whole, err) < 0)
		return -1;
	memcpy(id->bytes, whole, sizeof id->bytes);
	return 0;
}

bool inputs_ended(const struct inputs *inputs)
{
	return !inputs->reader.source && inputs->at == inputs->files.count;
}

static void report_bad(struct inputs *inputs, const struct capture_item *item)
{
	struct error problem;
	inputs->bad++;
	if (item->format)
		error_set(&problem, item->problem.code, "%s: entry %zu: skipped: line %zu, column %zu: %s",
		          input_name(inputs->reader.path), item->line, item->source.line, item->column,
		          item->problem.message);
	else if (item->fault.line > 0)
		error_set(&problem, item->problem.code, "%s:%zu:%zu: skipped: %s", input_name(inputs->reader.path),
		          item->fault.line, item->fault.column, item->problem.message);
	else
		error_set(&problem, item->problem.code, "%s:%zu: skipped: %s", input_name(inputs->reader.path),
		          item->line, item->problem.message);
	if (item->problem.hint[0])
		error_hint(&problem, "%s", item->problem.hint);
	report_problem(inputs, &problem);
}

static void refuse_too_long(const struct inputs *inputs, struct capture_item *item)
{
	item->type = CAPTURE_ITEM_BAD;
	error_set(&item->problem, EXIT_CODE_FAILED, "the payload is longer than %zu bytes", inputs->limit);
}

/* Takes text that is not JSON: a torn record where a record is expected, else a payload if any text may be one. What is
 * of a known format is none. */
static void take_text(const struct inputs *inputs, const struct json_fault *fault, struct capture_item *item)
{
	const struct source_item *source = &item->source;
	if (fault->offset == source->length && source_is_blank(source->text, source->length)) {
		error_set(&item->problem, EXIT_CODE_FAILED, "the input is empty");
		return;
	}
	bool is_record = inputs->is_capture || capture_begins_as_record(source->text, source->length);
	const struct format *format = is_record ? NULL : format_of_text(source->text, source->length);
	is_record = is_record || (format && format->is_records);
	if (!is_record && inputs->accepted >= CAPTURE_ACCEPTS_TEXT) {
		if (format)
			error_set(&item->problem, EXIT_CODE_FAILED, "it %s", format->words);
		else
			take_payload(item);
		return;
	}
	item->fault = json_place_of(source->text, source->length, fault->offset);
	item->fault.line += source->line - 1;
	error_set(&item->problem, EXIT_CODE_FAILED, "%s: %s",
	          !is_record     ? "not JSON"
	          : source->torn ? "torn record"
	                         : "bad record",
	          fault->reason);
	struct mend_file file = source_mend_file(inputs->reader.source, inputs->reader.path);
	enum json_depth depth = json_depth_of(file.is_lines, source->line);
	const char *other = json_other_text(source->text, source->length, fault, depth);
	if (other)
		mend_hint(&item->problem, other, &file);
}

/* Takes a document that is not a record: one of a known format, or if only notifications are accepted one that is
 * none, is a bad item; where only notifications are accepted, and it is the first, check_first() refuses the file. */
static void take_other(const struct inputs *inputs, struct capture_item *item)
{
	const struct format *format = format_of_document(item->doc);
	bool is_taken = inputs->accepted != CAPTURE_ACCEPTS_NOTIFICATIONS || entry_is_notification(item->doc, 0);
	if (!format && is_taken)
		return;
	struct mend_file file = source_mend_file(inputs->reader.source, inputs->reader.path);
	item->type = CAPTURE_ITEM_BAD;
	error_set(&item->problem, inputs->has_any ? EXIT_CODE_FAILED : EXIT_CODE_IO, "%s%s", format ? "it " : "",
	          format ? format->words : "neither a record nor a notification: no \"service\" and no \"details\"");
	hint_other(format, item->doc, &file, !inputs->has_any, &item->problem);
}

/* Decides what a document counts as by what came before it in its file. */
static void take_document(struct inputs *inputs, struct capture_item *item)
{
	bool is_record = item->type == CAPTURE_ITEM_RECORD || item->type == CAPTURE_ITEM_BAD;
	bool is_payload = item->type == CAPTURE_ITEM_PAYLOAD;
	if (!is_payload && (!is_record || !inputs->has_any))
		inputs->is_capture = true;
	if (item->type == CAPTURE_ITEM_RECORD && item->record.request.body.length > inputs->limit) {
		refuse_too_long(inputs, item);
	} else if (is_payload && inputs->is_capture) {
		item->type = CAPTURE_ITEM_BAD;
		error_set(&item->problem, EXIT_CODE_FAILED, "not a capture record, in a file of capture records");
	} else if (is_payload) {
		take_other(inputs, item);
	}
}

/* Refuses a file, or only reports it, if its first document, which was read, is not a notification. */
static int check_first(struct inputs *inputs, const struct capture_item *item, struct error *err)
{
	bool is_document = item->doc && !item->format && !inputs->is_capture;
	if (!is_document || inputs->accepted > CAPTURE_ACCEPTS_JSON ||
	    capture_line_of(item->doc) != CAPTURE_ITEM_PAYLOAD || entry_is_notification(item->doc, 0))
		return 0;
	struct mend_file file = source_mend_file(inputs->reader.source, inputs->reader.path);
	struct error problem;
	refuse_other(&file, item->doc, &problem);
	if (inputs->accepted == CAPTURE_ACCEPTS_NOTIFICATIONS) {
		*err = problem;
		return -1;
	}
	problem.code = EXIT_CODE_FAILED;
	if (item->type == CAPTURE_ITEM_PAYLOAD) /* a bad one is reported as such */
		report_problem(inputs, &problem);
	return 0;
}

/* Reads the next entry, line or document; some are bad, or to be skipped. */
static enum source_result next_of_file(struct inputs *inputs, struct capture_item *item, struct error *err)
{
	struct json_fault fault;
	enum source_result got = capture_reader_next(&inputs->reader, item, err);
	if (got != SOURCE_ITEM)
		return got;
	if (item->source.too_long)
		refuse_too_long(inputs, item);
	else if (!item->format && capture_item_read(&inputs->scratch, item, &fault))
		take_document(inputs, item);
	else if (!item->format && json_fault_is_stopped(&fault))
		return SOURCE_INTERRUPTED;
	else if (!item->format)
		take_text(inputs, &fault, item);
	bool is_refused = !inputs->has_any && check_first(inputs, item, err) < 0;
	inputs->has_any = true;
	if (is_refused)
		return SOURCE_ERROR;
	if (item->type == CAPTURE_ITEM_BODILESS) {
		error_set(err, EXIT_CODE_IO, "%s:%zu: %s", input_name(inputs->reader.path), item->line,
		          item->problem.message);
		error_hint(err, "%s", item->problem.hint);
		return SOURCE_ERROR;
	}
	if (item->type != CAPTURE_ITEM_BAD)
		return SOURCE_ITEM;
	item->record = (struct capture_record){ .body_token = JSON_NONE };
	if (item->problem.code != EXIT_CODE_INTERNAL)
		return SOURCE_ITEM;
	*err = item->problem;
	return SOURCE_ERROR;
}

/* The item that was held, or the next one. */
static enum source_result next_item(struct inputs *inputs, struct capture_item *item, struct error *err)
{
	enum source_result got = SOURCE_ITEM;
	if (inputs->is_held)
		*item = inputs->held;
	else
		got = next_of_file(inputs, item, err);
	inputs->is_held = false;
	if (got == SOURCE_ITEM && inputs->needs_bodies && item->type == CAPTURE_ITEM_RECORD &&
	    capture_record_is_withheld(&item->record)) {
		item->type = CAPTURE_ITEM_BAD; /* it would be sent as an empty one */
		error_set(&item->problem, EXIT_CODE_FAILED, "redaction withheld its body");
	}
	return got;
}

enum inputs_got inputs_next(struct inputs *inputs, struct capture_item *item, struct error *err)
{
	for (;;) {
		int is_open = inputs->reader.source ? 1 : open_next(inputs, err);
		if (is_open <= 0)
			return is_open < 0 ? INPUTS_FAILED : INPUTS_NONE;
		source_set_wait(inputs->reader.source, !inputs->no_wait);
		struct error problem;
		enum source_result got = next_item(inputs, item, &problem);
		bool is_bad = got == SOURCE_ITEM && item->type == CAPTURE_ITEM_BAD;
		if (is_bad && inputs->is_checking)
			return INPUTS_ITEM; /* reported when the run has begun */
		if (is_bad) {
			report_bad(inputs, item);
		} else if (got == SOURCE_ITEM && item->type != CAPTURE_ITEM_SKIP) {
			inputs->number = inputs->before + item->line;
			return INPUTS_ITEM;
		}
		if (got == SOURCE_ITEM)
			continue;
		if (got == SOURCE_LATER)
			return INPUTS_LATER;
		if (got == SOURCE_INTERRUPTED)
			return INPUTS_NONE; /* the caller takes the signal */
		if (got == SOURCE_ERROR && (problem.code == EXIT_CODE_INTERNAL || inputs->is_checking)) {
			*err = problem;
			return INPUTS_FAILED;
		}
		if (got == SOURCE_ERROR)
			report_problem(inputs, &problem);
		const struct entry_counts *counts =
		        inputs->reader.entries ? entries_counts(inputs->reader.entries) : NULL;
		if (counts && (got == SOURCE_END || counts->entries > 0) && inputs->observer)
			inputs->observer->counted(inputs->observer->context, inputs->reader.path, counts);
		inputs->passed += inputs->files.files[inputs->at - 1].size;
		drop_file(inputs);
	}
}

/* Waits for the first item, and keeps it for inputs_next(). */
static int hold_first(struct inputs *inputs, struct error *err)
{
	inputs->is_checking = true;
	enum inputs_got got = inputs_next(inputs, &inputs->held, err);
	inputs->is_checking = false;
	inputs->is_held = got == INPUTS_ITEM;
	return got == INPUTS_FAILED ? -1 : 0;
}

int inputs_check(struct inputs *inputs, struct error *err)
{
	struct stat status;
	for (size_t i = 0; i < inputs->files.count; i++)
		if (check_file(inputs, &inputs->files.files[i], err) < 0)
			return -1;
	if (inputs->accepted != CAPTURE_ACCEPTS_NOTIFICATIONS || inputs->files.count == 0)
		return 0;
	const char *first = inputs->files.files[0].path;
	int found = strcmp(first, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(first, &status);
	return found == 0 && !S_ISREG(status.st_mode) ? hold_first(inputs, err) : 0;
}
