#include "capture/inputs.h"

#include "base/hash.h"
#include "capture/format.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that cannot be opened or read are reported later, when their turn comes. */
static int refuse_unreadable(const struct source_file *file, struct error *err)
{
	const struct format *format = NULL;
	struct source_options options = { .block = FORMAT_LOOK_MAX };
	struct error ignored;
	struct stat status;
	bool is_stdin = strcmp(file->path, "-") == 0;
	int found = is_stdin ? fstat(STDIN_FILENO, &status) : stat(file->path, &status);
	if (file->problem || found < 0 || !S_ISREG(status.st_mode))
		return 0;
	struct source *source = source_open(is_stdin ? "/dev/stdin" : file->path, &options, &ignored);
	bool is_refused = source && format_look(source, &format, &ignored) == SOURCE_ITEM && format && !format->reader;
	source_close(source);
	return is_refused ? format_refuse(format, file->path, err) : 0;
}

int inputs_init(struct inputs *inputs, const struct text_list *arguments, enum capture_accepted accepted,
                const struct inputs_observer *observer, struct signals *signals, struct error *err)
{
	*inputs = (struct inputs){ .observer = observer, .signals = signals, .accepted = accepted };
	for (size_t i = 0; i < arguments->count; i++)
		if (source_files_add(&inputs->files, arguments->items[i], err) < 0)
			return -1;
	inputs->whole = source_files_measure(&inputs->files);
	for (size_t i = 0; accepted != CAPTURE_ACCEPTS_BYTES && i < inputs->files.count; i++)
		if (refuse_unreadable(&inputs->files.files[i], err) < 0)
			return -1;
	return 0;
}

int inputs_init_as(struct inputs *inputs, const struct text_list *arguments, const struct format *format,
                   const struct inputs_observer *observer, struct signals *signals, struct error *err)
{
	int result = inputs_init(inputs, arguments, CAPTURE_ACCEPTS_BYTES, observer, signals, err);
	inputs->accepted = CAPTURE_ACCEPTS_JSON;
	inputs->forced = format;
	return result;
}

void inputs_release(struct inputs *inputs)
{
	capture_reader_close(inputs->reader);
	inputs->reader = NULL;
	hash_sha256_free(inputs->hash);
	inputs->hash = NULL;
	source_files_release(&inputs->files);
}

void inputs_rewind(struct inputs *inputs)
{
	capture_reader_close(inputs->reader);
	inputs->reader = NULL;
	inputs->at = 0;
	inputs->passed = 0;
	inputs->is_again = true;
}

void inputs_wait(struct inputs *inputs, bool wait)
{
	inputs->no_wait = !wait;
	if (inputs->reader)
		capture_reader_set_wait(inputs->reader, wait);
}

int inputs_fd(const struct inputs *inputs)
{
	return source_fd(capture_reader_source(inputs->reader));
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
	struct source_options options = { .signals = inputs->signals };
	struct error problem;
	if (inputs->forced && !inputs->forced->reader)
		options.kind = SOURCE_LINES;
	while (inputs->at < inputs->files.count) {
		const struct source_file *file = &inputs->files.files[inputs->at++];
		if (inputs->observer)
			inputs->observer->opening(inputs->observer->context, file->path);
		if (file->problem)
			error_set(&problem, EXIT_CODE_IO, "%s", file->problem);
		else
			inputs->reader = capture_reader_open(file->path, &options, inputs->accepted, &problem);
		if (inputs->reader) {
			if (inputs->forced)
				capture_reader_force(inputs->reader, inputs->forced);
			capture_reader_set_wait(inputs->reader, !inputs->no_wait);
			inputs->name = file->path;
			return true;
		}
		report_problem(inputs, &problem);
		inputs->passed += file->size;
	}
	return false;
}

static uint64_t handed_out(const struct inputs *inputs)
{
	if (!inputs->reader)
		return inputs->passed;
	uint64_t size = inputs->files.files[inputs->at - 1].size;
	uint64_t position = capture_reader_position(inputs->reader);
	return inputs->passed + (position < size ? position : size); /* the file may have grown */
}

void inputs_measure(const struct inputs *inputs, uint64_t *done, uint64_t *whole)
{
	uint64_t bytes = handed_out(inputs);
	*done = bytes > inputs->from ? bytes - inputs->from : 0;
	*whole = inputs->whole > inputs->from ? inputs->whole - inputs->from : 0;
}

void inputs_mark_start(struct inputs *inputs)
{
	inputs->from = handed_out(inputs);
}

int inputs_id(struct inputs *inputs, const struct capture_item *item, struct capture_id *id, struct error *err)
{
	unsigned char whole[HASH_SHA256_SIZE];
	if ((!inputs->hash && !(inputs->hash = hash_sha256_new(err))) ||
	    hash_sha256_of(inputs->hash, item->source.text, item->source.length, whole, err) < 0)
		return -1;
	memcpy(id->bytes, whole, sizeof id->bytes);
	return 0;
}

bool inputs_ended(const struct inputs *inputs)
{
	return !inputs->reader && inputs->at == inputs->files.count;
}

static void report_bad(struct inputs *inputs, const struct capture_item *item)
{
	struct error problem;
	inputs->bad++;
	error_set(&problem, item->problem.code, item->format ? "%s: entry %zu: skipped: %s" : "%s:%zu: skipped: %s",
	          inputs->name, item->line, item->problem.message);
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

static void close_input(struct inputs *inputs)
{
	const struct entry_counts *counts = capture_reader_counts(inputs->reader);
	if (counts && !inputs->is_again && inputs->observer)
		inputs->observer->counted(inputs->observer->context, inputs->name, counts);
	inputs->passed += inputs->files.files[inputs->at - 1].size;
	capture_reader_close(inputs->reader);
	inputs->reader = NULL;
}

enum inputs_got inputs_next(struct inputs *inputs, struct capture_item *item, struct error *err)
{
	for (;;) {
		if (!inputs->reader && !open_next(inputs))
			return INPUTS_NONE;
		struct error problem;
		enum source_result got = capture_reader_next(inputs->reader, item, &problem);
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
		close_input(inputs);
	}
}
