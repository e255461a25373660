#include "base/clock.h"
#include "base/text.h"
#include "cmd/validate/validate.h"
#include "cmd/words/notes.h"
#include "payload/seen.h"

#include <string.h>
#include <sys/stat.h>

/* Files up to this size go into batches of several, longer ones with lines are cut into blocks. */
#define SMALL_FILE  ((size_t)256 << 10)
#define BATCH_FILES 64
/* Input that is read and not reported: one document more than this is in nobody's way, but it is alone. */
#define BYTES_PENDING_MAX  ((size_t)4 << 20)
#define OUTPUT_PENDING_MAX ((size_t)8 << 20)
#define HELD_MAX           ((size_t)4 << 20) /* bytes of text that wait for a code that is known */
/* Unknown values of codes from which on it is said that none is known, instead of each. */
#define CODES_LEAST 10
/* Memory of a batch that a long line needed is given back. */
#define BLOCK_KEPT ((size_t)512 << 10)

static void work(void *context, size_t worker, void *job)
{
	struct validate_run *run = context;
	batch_check(&run->threads[worker], job);
}

int validate_run_init(struct validate_run *run, struct error *err)
{
	const struct validate_args *args = run->args;
	const struct terminal *terminal = run->context->terminal;
	size_t workers = worker_pool_threads(""), batches = workers + 2;
	progress_start(&run->progress, run->context->terminal, clock_monotonic_ns());
	run->holds = args->seen && args->is_text && !args->strict && !terminal->verbose;
	while (run->idle_count < batches) {
		run->idle[run->idle_count] = &run->batches[run->idle_count];
		run->idle_count++;
	}
	int width = terminal_width();
	for (; run->thread_count < workers + 1; run->thread_count++) {
		struct check_thread *thread = &run->threads[run->thread_count];
		thread->signals = run->context->signals;
		thread->color = terminal->color_out;
		thread->width = width;
		thread->wraps = args->is_text && terminal->out_is_tty;
		thread->shows_all = terminal->verbose;
		thread->errors_only = terminal->quiet;
		thread->output_max = OUTPUT_PENDING_MAX / batches;
		if (check_thread_init(thread, args, err) < 0)
			return -1;
	}
	run->pool = worker_pool_new(workers, batches, work, run, err);
	return run->pool ? report_files_open(&run->reports, run->context, &args->reports, err) : -1;
}

void validate_run_release(struct validate_run *run)
{
	worker_pool_free(run->pool);
	for (size_t i = 0; i < run->thread_count; i++)
		check_thread_release(&run->threads[i]);
	for (size_t i = 0; i < RUN_BATCHES_MAX; i++)
		batch_release(&run->batches[i]);
	finding_groups_release(&run->groups);
	buffer_release(&run->held);
	buffer_release(&run->held_without);
	report_files_release(&run->reports);
}

/* Nobody is there for what comes of it any more. */
static bool output_closed(const struct validate_run *run)
{
	return terminal_is_closed(run->context->terminal) && run->reports.count == 0;
}

static bool is_over(const struct validate_run *run)
{
	return run->interrupted || output_closed(run);
}

/* An input that could not be read. */
static void report_problem(struct validate_run *run, const char *file, const struct error *problem)
{
	struct terminal *terminal = run->context->terminal;
	run->problems++;
	run->code = exit_code_worse(run->code, problem->code);
	terminal_flush(terminal);
	print_error(terminal, problem);
	report_files_problem(&run->reports, file, problem->message);
}

/* What the part of that index wrote into each report. */
static void write_reports(struct validate_run *run, struct batch *batch, size_t index)
{
	const struct batch_part *part = &batch->parts[index];
	const struct batch_part *next = index + 1 < batch->part_count ? part + 1 : NULL;
	report_files_suite(&run->reports, part->file);
	report_files_count(&run->reports, &part->counts);
	for (size_t i = 0; i < run->reports.count; i++) {
		size_t end = next ? next->reports_at[i] : batch->reports[i].length;
		if (end > part->reports_at[i])
			report_files_append(&run->reports, i, batch->reports[i].data + part->reports_at[i],
			                    end - part->reports_at[i]);
	}
}

static void write_held(struct validate_run *run, struct buffer *text)
{
	terminal_write_buffer(run->context->terminal, text);
	buffer_clear(&run->held);
	buffer_clear(&run->held_without);
}

/* What the part of that index has for stdout. -1: no memory. */
static int write_part(struct validate_run *run, struct batch *batch, size_t index)
{
	struct terminal *terminal = run->context->terminal;
	const struct batch_part *part = &batch->parts[index];
	size_t end = index + 1 < batch->part_count ? part[1].at : batch->out.length;
	if (!run->args->is_text) {
		terminal_write(terminal, buffer_text(&batch->out) + part->at, end - part->at);
		return 0;
	}
	if (!batch_append_part(batch, index, &run->groups, terminal->verbose, &run->held, &run->held_without) ||
	    run->held.failed || run->held_without.failed)
		return -1;
	/* Where none of the codes was unknown so far, both are the same. */
	run->holds = run->holds && run->held.length < HELD_MAX && !seen_has_common_code(run->args->seen);
	if (!run->holds || run->held.length == run->held_without.length)
		write_held(run, &run->held);
	return 0;
}

bool validate_run_codes_differ(struct validate_run *run)
{
	size_t places;
	uint64_t values = finding_groups_values(&run->groups, &places);
	bool differ = run->holds && values >= CODES_LEAST && places > 1;
	write_held(run, differ ? &run->held_without : &run->held);
	run->groups.without_values = differ;
	return differ;
}

/* Writes out what one go of a batch came to. */
static int write_out(struct validate_run *run, struct batch *batch, struct error *err)
{
	struct terminal *terminal = run->context->terminal;
	if (batch->no_memory)
		return error_no_memory(err);
	for (size_t i = 0; i < batch->part_count; i++) {
		const struct batch_part *part = &batch->parts[i];
		if (part->problem) {
			report_problem(run, part->file, part->problem);
			continue;
		}
		write_reports(run, batch, i);
		if (part->is_foreign) {
			terminal_flush(terminal);
			input_notes_count(terminal, part->file, &part->entries);
		}
		if (write_part(run, batch, i) < 0)
			return error_no_memory(err);
	}
	if (!finding_groups_add(&run->groups, &batch->groups))
		return error_no_memory(err);
	run->tally.payloads += batch->tally.payloads;
	run->tally.invalid += batch->tally.invalid;
	run->tally.failed += batch->tally.failed;
	run->tally.blank_lines += batch->tally.blank_lines;
	for (size_t i = 0; i < FINDING_ID_COUNT; i++)
		run->tally.by_finding[i] += batch->tally.by_finding[i];
	for (size_t i = 0; i <= COVERAGE_UNKNOWN; i++) {
		for (size_t valid = 0; valid < 2; valid++)
			run->tally.coverage.counts[i][valid] += batch->tally.coverage.counts[i][valid];
		run->tally.coverage.compared[i] += batch->tally.coverage.compared[i];
	}
	batch_empty(batch);
	return 0;
}

/* A batch whose output was full is checked to its end here, since those behind it have to wait anyway. */
static int finish_batch(struct validate_run *run, struct batch *batch, struct error *err)
{
	/* What came after a payload that was not checked to its end is not reported. */
	if (run->is_cut)
		batch_empty(batch);
	int result = write_out(run, batch, err);
	run->is_cut |= batch->is_stopped;
	while (result == 0 && !batch->finished && !run->is_cut && !output_closed(run)) {
		terminal_flush(run->context->terminal);
		batch_check(&run->threads[run->thread_count - 1], batch);
		result = write_out(run, batch, err);
	}
	terminal_look(run->context->terminal);
	run->over += batch->consumed;
	int64_t now = clock_monotonic_ns();
	if (run->progress.due_ns > 0 && run->progress.due_ns <= now) {
		LOCAL_BUFFER line = BUFFER_INIT;
		buffer_printf(&line, "%s payloads, %s invalid", COUNT_TEXT(run->tally.payloads),
		              COUNT_TEXT(run->tally.invalid));
		if (run->files->count > 1)
			buffer_printf(&line, "; file %zu of %zu", run->file_at, run->files->count);
		progress_display(&run->progress, buffer_text(&line), progress_fraction(run->over, run->whole),
		                 run->tally.payloads, now);
	}
	run->bytes_pending -= batch->bytes;
	if (batch->bytes > BLOCK_KEPT) {
		source_close(batch->block);
		batch->block = NULL;
	}
	run->idle[run->idle_count++] = batch;
	return result;
}

/* Writes out what is done; `all`: and waits for the rest. */
static int collect(struct validate_run *run, bool all, struct error *err)
{
	struct batch *batch;
	while ((batch = worker_pool_collect(run->pool, all)))
		if (finish_batch(run, batch, err) < 0)
			return -1;
	return 0;
}

/* An idle batch with nothing in it, and room for that many bytes of input. NULL: failed. */
static struct batch *next_batch(struct validate_run *run, size_t bytes, struct error *err)
{
	while (run->idle_count == 0 || (run->bytes_pending > 0 && run->bytes_pending + bytes > BYTES_PENDING_MAX)) {
		struct batch *oldest = worker_pool_collect(run->pool, true);
		if (oldest && finish_batch(run, oldest, err) < 0)
			return NULL;
	}
	struct batch *batch = run->idle[--run->idle_count];
	batch->files = NULL;
	batch->file_at = 0;
	batch->finished = batch->is_stopped = false;
	batch->bytes = 0;
	batch->consumed = 0;
	return batch;
}

static int give(struct validate_run *run, struct batch *batch, size_t bytes, struct error *err)
{
	batch->bytes = bytes;
	run->bytes_pending += bytes;
	worker_pool_submit(run->pool, batch);
	if (collect(run, false, err) < 0)
		return -1;
	/* It stays there for what the workers read, until all is collected. */
	run->interrupted |= !signals_wait_input(run->context->signals, -1, 0);
	return 0;
}

static int give_files(struct validate_run *run, const struct source_file *files, size_t count, size_t bytes,
                      struct error *err)
{
	struct batch *batch = next_batch(run, bytes, err);
	if (!batch)
		return -1;
	batch->files = files;
	batch->file_count = count;
	batch->consumed = bytes;
	return give(run, batch, bytes, err);
}

/* Reports what no batch holds, after all that was read before it. */
static int report_streamed_problem(struct validate_run *run, const struct source_file *file,
                                   const struct error *problem, struct error *err)
{
	if (collect(run, true, err) < 0)
		return -1;
	report_problem(run, input_name(file->path), problem);
	return 0;
}

/* One more block of a long input, or all of another tool's capture, which one worker reads. SOURCE_ITEM: and there may
 * be more. */
static enum source_result give_next(struct validate_run *run, const struct source_file *file,
                                    struct capture_reader *reader, struct error *err)
{
	struct source *source = reader->source;
	struct error problem;
	/* Before waiting for input, what is known is written. */
	bool waits = !source_is_ready(source);
	if (waits && collect(run, true, err) < 0)
		return SOURCE_ERROR;
	if (waits)
		terminal_flush(run->context->terminal);
	struct batch *batch = next_batch(run, 0, err);
	if (!batch)
		return SOURCE_ERROR;
	uint64_t position = source_position(source);
	enum source_result got = capture_reader_look(reader, &problem);
	if (got == SOURCE_ITEM && reader->entries) {
		batch->files = file;
		batch->file_count = 1;
		batch->consumed = file->size;
		batch->reader = *reader;
		*reader = (struct capture_reader){ 0 };
		return give(run, batch, 0, err) < 0 ? SOURCE_ERROR : SOURCE_END;
	}
	if (got == SOURCE_ITEM)
		got = source_next_block(source, &batch->block, &problem);
	if (got == SOURCE_ITEM) {
		batch->file = file->path;
		batch->consumed = source_position(source) - position;
		return give(run, batch, source_block_length(batch->block), err) < 0 ? SOURCE_ERROR : SOURCE_ITEM;
	}
	run->idle[run->idle_count++] = batch;
	if (got == SOURCE_ERROR && report_streamed_problem(run, file, &problem, err) == 0)
		return SOURCE_END;
	return got;
}

static int stream_file(struct validate_run *run, const struct source_file *file, struct error *err)
{
	struct source_options options = { .type = run->args->lines ? SOURCE_LINES : SOURCE_DETECT,
		                          .signals = run->context->signals };
	struct capture_reader reader;
	struct error problem;
	if (strcmp(file->path, "-") == 0)
		terminal_note_typing(run->context->terminal);
	if (capture_reader_open(&reader, file, &options, &problem) < 0)
		return report_streamed_problem(run, file, &problem, err);
	enum source_result got = SOURCE_ITEM;
	while (got == SOURCE_ITEM && !is_over(run))
		got = give_next(run, file, &reader, err);
	run->tally.blank_lines += reader.source ? source_blank_lines(reader.source) : 0;
	capture_reader_close(&reader);
	run->interrupted |= got == SOURCE_INTERRUPTED;
	return got == SOURCE_ERROR ? -1 : 0;
}

/* Whether a worker is to read the file itself: it is short, or by its name one document, however long. */
static bool is_for_worker(const struct validate_run *run, const struct source_file *file, size_t *size)
{
	struct stat status;
	*size = 0;
	if (file->problem)
		return true;
	if (strcmp(file->path, "-") == 0 || stat(file->path, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	*size = (size_t)status.st_size;
	return *size <= SMALL_FILE || (!run->args->lines && source_type_of_name(file->path) == SOURCE_SINGLE);
}

int validate_run_files(struct validate_run *run, struct error *err)
{
	struct source_files *files = run->files;
	size_t first = 0, count = 0, bytes = 0; /* files that are to be given together */
	if (run->progress.due_ns > 0)
		run->whole = source_files_measure(files);
	for (run->file_at = 0; run->file_at < files->count && !is_over(run); run->file_at++) {
		const struct source_file *file = &files->files[run->file_at];
		size_t size;
		bool for_worker = is_for_worker(run, file, &size);
		if (count > 0 && (!for_worker || count == BATCH_FILES || bytes + size > SMALL_FILE)) {
			if (give_files(run, &files->files[first], count, bytes, err) < 0)
				return -1;
			count = bytes = 0;
		}
		if (!for_worker) {
			if (stream_file(run, file, err) < 0)
				return -1;
			continue;
		}
		first = count == 0 ? run->file_at : first;
		count++;
		bytes += size;
	}
	if (count > 0 && !is_over(run) && give_files(run, &files->files[first], count, bytes, err) < 0)
		return -1;
	if (!output_closed(run) && collect(run, true, err) < 0)
		return -1;
	run->interrupted = signals_take(run->context->signals) != 0;
	return 0;
}
