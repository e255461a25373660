/* Reading the inputs of a batch, in any thread, with nothing but the batch and the thread's own part. */
#include "capture/format.h"
#include "cmd/validate/batch.h"

#include <stdlib.h>

/* Documents up to this size come from small windows, so that a folder of small files costs no big ones. */
#define SMALL_BLOCK ((size_t)32 << 10)

static bool output_full(const struct check_thread *thread, const struct batch *batch)
{
	size_t length = batch->out.length;
	for (size_t i = 0; i < thread->args->reports.count; i++)
		length += batch->reports[i].length;
	return length >= thread->output_max || batch->no_memory;
}

static void trim_memory(struct check_thread *thread, const struct source_item *item)
{
	if (item->length < BATCH_LONG_DOCUMENT)
		return;
	checker_trim(thread->checker);
	capture_scratch_release(&thread->scratch);
	capture_scratch_init(&thread->scratch);
}

static void note_problem(const struct check_thread *thread, struct batch *batch, const char *file)
{
	struct batch_part *part = batch_add_part(batch, file);
	if (!part)
		return;
	part->problem = malloc(sizeof *part->problem);
	if (part->problem)
		*part->problem = thread->problem;
	else
		batch->no_memory = true;
}

/* Opens the next file. False: it cannot be had, or is of another kind. */
static bool open_file(struct check_thread *thread, struct batch *batch)
{
	const struct source_file *file = &batch->files[batch->file_at];
	struct source_options options = { .block = batch->bytes > SMALL_BLOCK * batch->file_count ? 0 : SMALL_BLOCK };
	const struct format *format = NULL;
	struct source *source = NULL;
	if (thread->args->lines || thread->args->single)
		options.kind = thread->args->lines ? SOURCE_LINES : SOURCE_SINGLE;
	if (file->problem)
		error_set(&thread->problem, EXIT_CODE_IO, "%s", file->problem);
	else
		source = source_open(file->path, &options, &thread->problem);
	if (source && format_look(source, &format, &thread->problem) == SOURCE_ITEM) {
		if (!format || format->reader)
			return batch_read_entries(batch, source, format, &thread->problem);
		format_refuse(format, file->path, &thread->problem);
	}
	source_close(source);
	note_problem(thread, batch, input_name(file->path));
	return false;
}

bool batch_read_entries(struct batch *batch, struct source *source, const struct format *format, struct error *err)
{
	batch->source = source;
	if (format)
		batch->entries = entries_new(source, format, SOURCE_PAYLOAD_MAX, err);
	batch->no_memory |= format && !batch->entries;
	return !batch->no_memory;
}

static void note_counts(struct batch *batch, const char *file)
{
	struct batch_part *part = batch_add_part(batch, file);
	if (!part)
		return;
	part->entries = malloc(sizeof *part->entries);
	if (part->entries)
		*part->entries = *entries_counts(batch->entries);
	else
		batch->no_memory = true;
}

/* Checks the next payload of the file. */
static enum source_result check_next(struct check_thread *thread, struct batch *batch, const char *path)
{
	struct source_item item;
	struct entry entry;
	enum source_result got = batch->entries ? entries_next(batch->entries, &entry, &thread->problem)
	                                        : source_next(batch->source, &item, &thread->problem);
	if (got != SOURCE_ITEM)
		return got;
	if (batch->entries) {
		check_entry(thread, batch, path, &entry);
		item.length = entry.length;
	} else {
		check_item(thread, batch, path, &item, source_kind_found(batch->source) == SOURCE_SINGLE);
	}
	trim_memory(thread, &item);
	return SOURCE_ITEM;
}

static void check_files(struct check_thread *thread, struct batch *batch)
{
	while (batch->file_at < batch->file_count) {
		const char *path = input_name(batch->files[batch->file_at].path);
		enum source_result got = SOURCE_END;
		/* What is known is written before a pipe is read on. */
		if (batch->entries && batch->out.length > 0 && !source_is_ready(batch->source))
			return;
		if (batch->source || open_file(thread, batch))
			got = check_next(thread, batch, path);
		if (got == SOURCE_ERROR)
			note_problem(thread, batch, path);
		if (got != SOURCE_ITEM) {
			batch->tally.blank_lines += batch->source ? source_blank_lines(batch->source) : 0;
			if (batch->entries)
				note_counts(batch, path);
			batch_close_file(batch);
			batch->file_at++;
		}
		if (output_full(thread, batch))
			return;
	}
	batch->finished = true;
}

static void check_block(struct check_thread *thread, struct batch *batch)
{
	struct source_item item;
	while (source_block_next(&batch->block, &item)) {
		check_item(thread, batch, batch->file, &item, !batch->block.lines);
		trim_memory(thread, &item);
		if (output_full(thread, batch))
			return;
	}
	batch->tally.blank_lines += batch->block.blank;
	batch->finished = true;
}

void batch_check(struct check_thread *thread, struct batch *batch)
{
	if (batch->files)
		check_files(thread, batch);
	else
		check_block(thread, batch);
	batch->no_memory |= batch->out.failed;
	for (size_t i = 0; i < thread->args->reports.count; i++)
		batch->no_memory |= batch->reports[i].failed;
}
