#include "capture/inputs.h"

#include "base/file.h"
#include "base/hash.h"
#include "capture/format.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_file(const struct source_file *file, bool looks_inside, struct error *err)
{
	const struct format *format = NULL;
	struct source_options options = { .block = FORMAT_LOOK_MAX };
	struct error ignored;
	struct stat status;
	bool is_stdin = strcmp(file->path, "-") == 0;
	int found = is_stdin ? fstat(STDIN_FILENO, &status) : stat(file->path, &status);
	int denied = is_stdin || found < 0 ? found : access(file->path, R_OK);
	if (!is_stdin && (file->problem || denied < 0))
		return file_cannot("open", file->path, file->problem ? file->problem : errno, err);
	if (!looks_inside || found < 0 || !S_ISREG(status.st_mode))
		return 0;
	struct source *source = source_open(is_stdin ? "/dev/stdin" : file->path, &options, &ignored);
	bool is_refused = source && format_look(source, &format, &ignored) == SOURCE_ITEM && format && !format->reader;
	source_close(source);
	return is_refused ? format_refuse(format, file->path, err) : 0;
}

int inputs_init(struct inputs *inputs, const struct text_list *arguments, enum capture_accepted accepted,
                const struct inputs_observer *observer, struct signals *signals, struct error *err)
{
	*inputs = (struct inputs){ .scratch = CAPTURE_SCRATCH_INIT,
		                   .observer = observer,
		                   .signals = signals,
		                   .accepted = accepted,
		                   .limit = SOURCE_PAYLOAD_MAX };
	for (size_t i = 0; i < arguments->count; i++)
		if (source_files_add(&inputs->files, arguments->items[i], err) < 0)
			return -1;
	inputs->whole = source_files_measure(&inputs->files);
	return 0;
}

int inputs_check(const struct inputs *inputs, struct error *err)
{
	bool looks_inside = inputs->accepted != CAPTURE_ACCEPTS_BYTES && !inputs->forced;
	for (size_t i = 0; i < inputs->files.count; i++)
		if (check_file(&inputs->files.files[i], looks_inside, err) < 0)
			return -1;
	return 0;
}

/* Without the file under way, which is neither counted nor reported. */
static void drop_file(struct inputs *inputs)
{
	entries_free(inputs->entries);
	source_close(inputs->source);
	capture_scratch_release(&inputs->scratch);
	inputs->entries = NULL;
	inputs->source = NULL;
	inputs->format = NULL;
	inputs->is_looked_at = inputs->has_any = inputs->is_capture = false;
}

void inputs_release(struct inputs *inputs)
{
	drop_file(inputs);
	hash_sha256_free(inputs->hash);
	inputs->hash = NULL;
	source_files_release(&inputs->files);
}

void inputs_rewind(struct inputs *inputs)
{
	drop_file(inputs);
	inputs->at = 0;
	inputs->passed = 0;
	inputs->is_again = true;
}

void inputs_wait(struct inputs *inputs, bool wait)
{
	inputs->no_wait = !wait;
	if (inputs->source)
		source_set_wait(inputs->source, wait);
}

int inputs_fd(const struct inputs *inputs)
{
	return source_fd(inputs->source);
}

static void report_problem(struct inputs *inputs, const struct error *problem)
{
	if (inputs->observer)
		inputs->observer->problem(inputs->observer->context, problem);
	inputs->code = exit_code_worse(inputs->code, problem->code);
}

/* Opens the next file that can be opened. False: there is none. */
static bool open_next(struct inputs *inputs)
{
	struct source_options options = { .limit = inputs->limit, .signals = inputs->signals };
	struct error problem;
	if (inputs->forced && !inputs->forced->reader)
		options.kind = SOURCE_LINES;
	while (inputs->at < inputs->files.count) {
		const struct source_file *file = &inputs->files.files[inputs->at++];
		if (inputs->observer)
			inputs->observer->opening(inputs->observer->context, file->path);
		if (file->problem)
			file_cannot("open", file->path, file->problem, &problem);
		else
			inputs->source = source_open(file->path, &options, &problem);
		if (inputs->source) {
			source_set_wait(inputs->source, !inputs->no_wait);
			inputs->name = file->path;
			return true;
		}
		report_problem(inputs, &problem);
		inputs->passed += file->size;
	}
	return false;
}

void inputs_measure(const struct inputs *inputs, uint64_t *done, uint64_t *whole)
{
	*done = inputs->passed;
	*whole = inputs->whole;
	if (!inputs->source)
		return;
	uint64_t size = inputs->files.files[inputs->at - 1].size;
	uint64_t position = source_position(inputs->source);
	*done += position < size ? position : size; /* the file may have grown */
}

int inputs_id(struct inputs *inputs, const struct capture_item *item, struct capture_id *id, struct error *err)
{
	unsigned char whole[HASH_SHA256_SIZE];
	size_t length = item->source.length;
	const char *text = source_trim(item->source.text, &length);
	if ((!inputs->hash && !(inputs->hash = hash_sha256_new(err))) ||
	    hash_sha256_of(inputs->hash, text, length, whole, err) < 0)
		return -1;
	memcpy(id->bytes, whole, sizeof id->bytes);
	return 0;
}

bool inputs_ended(const struct inputs *inputs)
{
	return !inputs->source && inputs->at == inputs->files.count;
}

static void report_bad(struct inputs *inputs, const struct capture_item *item)
{
	struct error problem;
	inputs->bad++;
	if (item->format)
		error_set(&problem, item->problem.code, "%s: entry %zu: skipped: line %zu, column %zu: %s",
		          inputs->name, item->line, item->source.line, item->column, item->problem.message);
	else
		error_set(&problem, item->problem.code, "%s:%zu: skipped: %s", inputs->name, item->line,
		          item->problem.message);
	if (item->problem.hint[0])
		error_hint(&problem, "%s", item->problem.hint);
	report_problem(inputs, &problem);
}

/* It would be sent as an empty one. */
static void refuse_without_body(struct capture_item *item)
{
	if (item->kind != CAPTURE_ITEM_RECORD || !capture_record_is_withheld(&item->record))
		return;
	item->kind = CAPTURE_ITEM_BAD;
	error_set(&item->problem, EXIT_CODE_FAILED, "redaction withheld its body");
}

static void too_long(const struct inputs *inputs, struct capture_item *item)
{
	error_set(&item->problem, EXIT_CODE_FAILED, "the payload is longer than %zu bytes", inputs->limit);
}

/* Text that is not JSON: a torn record where a record is expected, else a payload if any text may be one. */
static void take_text(const struct inputs *inputs, const struct json_fault *fault, struct capture_item *item)
{
	const struct source_item *source = &item->source;
	if (fault->offset == source->length && source_is_blank(source->text, source->length)) {
		error_set(&item->problem, EXIT_CODE_FAILED, "the input is empty");
		return;
	}
	bool is_record = inputs->is_capture || capture_begins_as_record(source->text, source->length);
	if (!is_record && inputs->accepted != CAPTURE_ACCEPTS_JSON) {
		item->kind = CAPTURE_ITEM_PAYLOAD;
		item->record.request.body = (struct text){ source->text, source->length };
		return;
	}
	error_set(&item->problem, EXIT_CODE_FAILED, "%s: column %zu: %s",
	          !is_record     ? "not JSON"
	          : source->torn ? "torn record"
	                         : "bad record",
	          json_place_of(source->text, source->length, fault->offset).column, fault->reason);
	if (!is_record && source_kind_found(inputs->source) == SOURCE_SINGLE)
		error_hint(&item->problem, "'credhook send --file FILE --no-validate' sends any bytes");
}

static void take_payload(const struct inputs *inputs, struct capture_item *item)
{
	const struct format *format = format_of_document(&inputs->scratch.doc);
	if (format && inputs->accepted != CAPTURE_ACCEPTS_BYTES) {
		error_set(&item->problem, EXIT_CODE_IO, "it %s", format->words);
		if (format->reader)
			error_hint(&item->problem, "'credhook convert FILE --from %s' reads it", format->name);
		return;
	}
	item->kind = CAPTURE_ITEM_PAYLOAD;
	item->record.request.body = (struct text){ item->source.text, item->source.length };
}

/* A document by its kind. SOURCE_END: skip it. */
static enum source_result take_document(struct inputs *inputs, struct capture_item *item, struct error *err)
{
	const struct json_doc *doc = &inputs->scratch.doc;
	enum capture_line line = capture_line_of(doc);
	if (line != CAPTURE_LINE_PAYLOAD && (line != CAPTURE_LINE_RECORD || !inputs->has_any))
		inputs->is_capture = true;
	switch (line) {
	case CAPTURE_LINE_SKIP:
		inputs->has_any = true;
		return SOURCE_END;
	case CAPTURE_LINE_BODILESS:
		error_set(err, EXIT_CODE_IO, "%s:%zu: " CAPTURE_BODILESS_MESSAGE, inputs->name, item->line);
		error_hint(err, CAPTURE_BODILESS_HINT);
		return SOURCE_ERROR;
	case CAPTURE_LINE_RECORD:
		if (capture_record_from_doc(doc, &inputs->scratch, &item->record, &item->problem) < 0)
			break;
		if (item->record.request.body.length > inputs->limit)
			too_long(inputs, item);
		else
			item->kind = CAPTURE_ITEM_RECORD;
		break;
	case CAPTURE_LINE_PAYLOAD:
		if (inputs->is_capture)
			error_set(&item->problem, EXIT_CODE_FAILED,
			          "not a capture record, in a file of capture records");
		else
			take_payload(inputs, item);
	}
	return SOURCE_ITEM;
}

/* Looks what the input is before anything is read from it, and refuses what cannot be read. */
static enum source_result look(struct inputs *inputs, struct error *err)
{
	const struct format *format = inputs->forced;
	if (inputs->is_looked_at || (!format && inputs->accepted == CAPTURE_ACCEPTS_BYTES))
		return SOURCE_ITEM;
	enum source_result result = format ? SOURCE_ITEM : format_look(inputs->source, &format, err);
	if (result == SOURCE_ITEM && format && format->reader) {
		inputs->format = format;
		inputs->entries = entries_new(inputs->source, format, inputs->limit, err);
		result = inputs->entries ? SOURCE_ITEM : SOURCE_ERROR;
	} else if (format && !inputs->forced) {
		format_refuse(format, inputs->name, err);
		result = SOURCE_ERROR;
	}
	inputs->is_looked_at = result == SOURCE_ITEM;
	return result;
}

/* The next line or document; SOURCE_END with *skipped for one that is not an item. */
static enum source_result next_item(struct inputs *inputs, struct capture_item *item, bool *skipped, struct error *err)
{
	*item = (struct capture_item){ .kind = CAPTURE_ITEM_BAD, .record.body_token = JSON_NONE };
	*skipped = false;
	enum source_result result = source_next(inputs->source, &item->source, err);
	if (result != SOURCE_ITEM)
		return result;
	item->line = item->source.line;
	struct json_fault fault;
	if (item->source.too_long) {
		too_long(inputs, item);
	} else if (json_read(&inputs->scratch.doc, item->source.text, item->source.length, &fault)) {
		result = take_document(inputs, item, err);
		*skipped = result == SOURCE_END;
	} else if (json_fault_is_memory(&fault)) {
		error_no_memory(err);
		return SOURCE_ERROR;
	} else {
		take_text(inputs, &fault, item);
	}
	inputs->has_any = true;
	return result;
}

static enum source_result next_of_file(struct inputs *inputs, struct capture_item *item, struct error *err)
{
	bool skipped;
	enum source_result result = look(inputs, err);
	if (result != SOURCE_ITEM)
		return result;
	do
		result = inputs->entries ? entries_next(inputs->entries, item, err)
		                         : next_item(inputs, item, &skipped, err);
	while (!inputs->entries && skipped);
	if (result != SOURCE_ITEM || item->kind != CAPTURE_ITEM_BAD)
		return result;
	item->record = (struct capture_record){ .body_token = JSON_NONE };
	if (item->problem.code != EXIT_CODE_INTERNAL)
		return SOURCE_ITEM;
	*err = item->problem;
	return SOURCE_ERROR;
}

enum inputs_got inputs_next(struct inputs *inputs, struct capture_item *item, struct error *err)
{
	for (;;) {
		if (!inputs->source && !open_next(inputs))
			return INPUTS_NONE;
		struct error problem;
		enum source_result got = next_of_file(inputs, item, &problem);
		if (got == SOURCE_ITEM && inputs->needs_bodies)
			refuse_without_body(item);
		if (got == SOURCE_ITEM && item->kind != CAPTURE_ITEM_BAD)
			return INPUTS_ITEM;
		if (got == SOURCE_ITEM) {
			report_bad(inputs, item);
			continue;
		}
		if (got == SOURCE_LATER)
			return INPUTS_LATER;
		if (got == SOURCE_INTERRUPTED)
			return INPUTS_NONE; /* the caller takes the signal */
		if (got == SOURCE_ERROR && problem.code == EXIT_CODE_INTERNAL) {
			*err = problem;
			return INPUTS_FAILED;
		}
		if (got == SOURCE_ERROR)
			report_problem(inputs, &problem);
		bool has_counts =
		        inputs->entries && (got == SOURCE_END || entries_counts(inputs->entries)->entries > 0);
		if (has_counts && !inputs->is_again && inputs->observer)
			inputs->observer->counted(inputs->observer->context, inputs->name,
			                          entries_counts(inputs->entries));
		inputs->passed += inputs->files.files[inputs->at - 1].size;
		drop_file(inputs);
	}
}
