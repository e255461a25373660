#include "cmd/validate/run.h"

#include "base/clock.h"
#include "capture/foreign.h"
#include "cmd/report_error.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Files up to this size go into batches of several, longer ones with lines are cut into blocks. */
#define SMALL_FILE  ((size_t)256 << 10)
#define BATCH_FILES 64
/* Input that is read and not told of: one document more than this is in nobody's way, but it is alone. */
#define BYTES_PENDING_MAX  ((size_t)4 << 20)
#define OUTPUT_PENDING_MAX ((size_t)8 << 20)
/* Memory of a batch that a long line needed is given back. */
#define BLOCK_KEPT ((size_t)1 << 20)

static void work(void *context, size_t worker, void *job)
{
	struct run *run = context;
	judge_batch(&run->judges[worker], job);
}

int run_init(struct run *run, struct context *context, const struct validate_args *args, struct source_files *files,
             struct error *err)
{
	size_t threads = args->jobs > 1 ? (size_t)args->jobs : 0;
	*run = (struct run){ .context = context, .args = args, .files = files };
	progress_start(&run->progress, context->terminal, PROGRESS_AUTO, clock_monotonic_ns());
	run->batch_count = threads + 2;
	run->judges = calloc(threads + 1, sizeof *run->judges);
	run->batches = calloc(run->batch_count, sizeof *run->batches);
	run->idle = calloc(run->batch_count, sizeof(struct batch *));
	if (!run->judges || !run->batches || !run->idle)
		return error_no_memory(err);
	for (size_t i = 0; i < run->batch_count; i++)
		run->idle[run->idle_count++] = &run->batches[i];
	int width = terminal_width();
	for (; run->judge_count < threads + 1; run->judge_count++) {
		struct judge *judge = &run->judges[run->judge_count];
		judge->color = context->terminal->color_out;
		judge->width = width;
		judge->output_max = OUTPUT_PENDING_MAX / run->batch_count;
		if (judge_init(judge, args, err) < 0)
			return -1;
	}
	run->pool = worker_pool_new(threads, run->batch_count, work, run, err);
	return run->pool ? report_files_open(&run->reports, &args->reports, files, err) : -1;
}

void run_release(struct run *run)
{
	worker_pool_free(run->pool);
	for (size_t i = 0; i < run->judge_count; i++)
		judge_release(&run->judges[i]);
	for (size_t i = 0; run->batches && i < run->batch_count; i++)
		batch_release(&run->batches[i]);
	free(run->judges);
	free(run->batches);
	free(run->idle);
	report_files_release(&run->reports);
}

/* Nobody is there for what comes of it any more. */
static bool is_pointless(const struct run *run)
{
	return terminal_is_closed(run->context->terminal) && run->reports.count == 0;
}

static bool is_over(const struct run *run)
{
	return run->interrupted || is_pointless(run);
}

static void tell_problem(struct run *run, const struct batch_problem *problem)
{
	struct terminal *terminal = run->context->terminal;
	run->problems++;
	run->code = exit_code_worse(run->code, problem->error.code);
	if (run->args->format == VALIDATE_GITHUB) {
		struct buffer text = BUFFER_INIT;
		report_github_message(problem->file, 0, "unreadable", problem->error.message, &text);
		terminal_write(terminal, buffer_text(&text), text.length);
		buffer_release(&text);
	}
	terminal_flush(terminal);
	report_error(terminal, &problem->error);
}

/* Writes out[from, to) without the findings that --max-findings leaves away. */
static void write_part(struct run *run, const struct batch *batch, size_t from, size_t to, size_t *cut)
{
	struct terminal *terminal = run->context->terminal;
	for (; *cut < batch->cut_count && batch->cuts[*cut].end <= to; (*cut)++) {
		const struct batch_cut *c = &batch->cuts[*cut];
		if (run->listed < run->args->max_findings) {
			run->listed++;
			continue;
		}
		terminal_write(terminal, buffer_text(&batch->out) + from, c->start - from);
		from = c->end;
	}
	terminal_write(terminal, buffer_text(&batch->out) + from, to - from);
}

static void merge_tally(struct tally *to, const struct tally *from)
{
	to->payloads += from->payloads;
	to->invalid += from->invalid;
	to->failed += from->failed;
	to->findings += from->findings;
	to->blank_lines += from->blank_lines;
	for (size_t i = 0; i < FINDING_ID_COUNT; i++)
		to->by_finding[i] += from->by_finding[i];
	coverage_merge(&to->coverage, &from->coverage);
}

/* What the suite of that index wrote into each report, or that its input could not be read. */
static int write_suite(struct run *run, const struct batch *batch, size_t index, struct error *err)
{
	const struct batch_suite *suite = &batch->suites[index];
	const struct batch_suite *next = index + 1 < batch->suite_count ? suite + 1 : NULL;
	if (suite->problem != SIZE_MAX)
		return report_files_problem(&run->reports, suite->file, batch->problems[suite->problem].error.message,
		                            err);
	if (report_files_suite(&run->reports, suite->file, err) < 0)
		return -1;
	report_files_count(&run->reports, &suite->counts);
	for (size_t i = 0; i < run->reports.count; i++) {
		size_t end = next ? next->at[i] : batch->reports[i].length;
		if (report_files_append(&run->reports, i, buffer_text(&batch->reports[i]) + suite->at[i],
		                        end - suite->at[i], err) < 0)
			return -1;
	}
	return 0;
}

static int write_reports(struct run *run, const struct batch *batch, struct error *err)
{
	for (size_t i = 0; i < batch->suite_count; i++)
		if (write_suite(run, batch, i, err) < 0)
			return -1;
	return 0;
}

/* What one go of a batch said. */
static int write_out(struct run *run, struct batch *batch, struct error *err)
{
	size_t from = 0, cut = 0;
	if (batch->no_memory)
		return error_no_memory(err);
	for (size_t i = 0; i < batch->problem_count; i++) {
		write_part(run, batch, from, batch->problems[i].at, &cut);
		from = batch->problems[i].at;
		tell_problem(run, &batch->problems[i]);
	}
	write_part(run, batch, from, batch->out.length, &cut);
	if (write_reports(run, batch, err) < 0)
		return -1;
	merge_tally(&run->tally, &batch->tally);
	batch_empty(batch);
	return 0;
}

static void show_progress(struct run *run)
{
	int64_t now = clock_monotonic_ns();
	struct buffer line = BUFFER_INIT;
	if (run->progress.due_ns == 0 || now < run->progress.due_ns)
		return;
	buffer_printf(&line, "%zu payloads, %zu invalid", run->tally.payloads, run->tally.invalid);
	if (run->files->count > 1)
		buffer_printf(&line, "; file %zu of %zu", run->file_at, run->files->count);
	progress_display(&run->progress, buffer_text(&line), progress_fraction(run->over, run->whole),
	                 run->tally.payloads, PROGRESS_NO_END, now);
	buffer_release(&line);
}

/* A batch that has said too much at once is judged to its end here, since those behind it have to wait anyway. */
static int finish_batch(struct run *run, struct batch *batch, struct error *err)
{
	int result = write_out(run, batch, err);
	while (result == 0 && !batch->finished && !is_pointless(run)) {
		judge_batch(&run->judges[run->judge_count - 1], batch);
		result = write_out(run, batch, err);
	}
	run->over += batch->consumed;
	show_progress(run);
	run->bytes_pending -= batch->bytes;
	if (batch->block.capacity > BLOCK_KEPT) {
		free(batch->block.memory);
		batch->block = (struct source_block){ 0 };
	}
	run->idle[run->idle_count++] = batch;
	return result;
}

/* Writes out what is done; `all`: and waits for the rest. */
static int collect(struct run *run, bool all, struct error *err)
{
	struct batch *batch;
	while ((batch = worker_pool_take(run->pool, all)))
		if (finish_batch(run, batch, err) < 0)
			return -1;
	return 0;
}

static int collect_one(struct run *run, struct error *err)
{
	struct batch *batch = worker_pool_take(run->pool, true);
	return batch ? finish_batch(run, batch, err) : 0;
}

/* An idle batch with nothing in it, and room for so many bytes of input. NULL: failed. */
static struct batch *next_batch(struct run *run, size_t bytes, struct error *err)
{
	while (run->idle_count == 0 || (run->bytes_pending > 0 && run->bytes_pending + bytes > BYTES_PENDING_MAX))
		if (collect_one(run, err) < 0)
			return NULL;
	struct batch *batch = run->idle[--run->idle_count];
	batch->files = NULL;
	batch->file_at = 0;
	batch->finished = false;
	batch->bytes = 0;
	batch->consumed = 0;
	return batch;
}

static int give(struct run *run, struct batch *batch, size_t bytes, struct error *err)
{
	batch->bytes = bytes;
	run->bytes_pending += bytes;
	worker_pool_give(run->pool, batch);
	if (collect(run, false, err) < 0)
		return -1;
	if (!run->interrupted && signals_take(run->context->signals))
		run->interrupted = true;
	return 0;
}

static int give_files(struct run *run, const struct source_file *files, size_t count, size_t bytes, struct error *err)
{
	struct batch *batch = next_batch(run, bytes, err);
	if (!batch)
		return -1;
	batch->files = files;
	batch->file_count = count;
	batch->consumed = bytes;
	return give(run, batch, bytes, err);
}

/* Of an input that no batch holds: all before it have been written. */
static int tell_streamed_problem(struct run *run, const struct batch_problem *problem, struct error *err)
{
	tell_problem(run, problem);
	return report_files_problem(&run->reports, problem->file, problem->error.message, err);
}

/* Before waiting for input, what is known is told. */
static int say_what_is_known(struct run *run, const struct source *source, struct error *err)
{
	if (source_is_ready(source))
		return 0;
	if (collect(run, true, err) < 0)
		return -1;
	terminal_flush(run->context->terminal);
	return 0;
}

/* One more block of a long input. SOURCE_ITEM: and there may be more. */
static enum source_result give_block(struct run *run, const char *file, struct source *source, struct error *err)
{
	struct error problem;
	if (say_what_is_known(run, source, err) < 0)
		return SOURCE_ERROR;
	struct batch *batch = next_batch(run, 0, err);
	if (!batch)
		return SOURCE_ERROR;
	uint64_t position = source_position(source);
	enum source_result got = source_next_block(source, &batch->block, &problem);
	if (got == SOURCE_ITEM) {
		batch->file = file;
		batch->consumed = source_position(source) - position;
		return give(run, batch, batch->block.length, err) < 0 ? SOURCE_ERROR : SOURCE_ITEM;
	}
	run->idle[run->idle_count++] = batch;
	if (got == SOURCE_INTERRUPTED) {
		signals_take(run->context->signals);
		run->interrupted = true;
	}
	if (got == SOURCE_ERROR) {
		struct batch_problem told = { 0, problem, file };
		if (collect(run, true, err) < 0 || tell_streamed_problem(run, &told, err) < 0)
			return SOURCE_ERROR;
	}
	return SOURCE_END;
}

/* Looks at what the source holds before it is read. SOURCE_END: it was told why nothing is read from it. */
static enum source_result look(struct run *run, const char *file, struct source *source, struct error *err)
{
	const struct foreign_format *format;
	struct batch_problem problem = { .file = input_name(file) };
	if (say_what_is_known(run, source, err) < 0)
		return SOURCE_ERROR;
	enum source_result got = foreign_look(source, &format, &problem.error);
	if (got == SOURCE_INTERRUPTED) {
		signals_take(run->context->signals);
		run->interrupted = true;
		return SOURCE_END;
	}
	if (got == SOURCE_ITEM && !format)
		return SOURCE_ITEM;
	if (format)
		foreign_refuse(format, file, &problem.error);
	return collect(run, true, err) < 0 || tell_streamed_problem(run, &problem, err) < 0 ? SOURCE_ERROR : SOURCE_END;
}

static int stream_file(struct run *run, const struct source_file *file, struct error *err)
{
	struct source_options options = { .signals = run->context->signals };
	struct batch_problem problem = { .file = input_name(file->path) };
	if (run->args->lines || run->args->single)
		options.kind = run->args->lines ? SOURCE_LINES : SOURCE_SINGLE;
	if (strcmp(file->path, "-") == 0)
		terminal_note_typing(run->context->terminal);
	struct source *source = source_open(file->path, &options, &problem.error);
	if (!source)
		return collect(run, true, err) < 0 ? -1 : tell_streamed_problem(run, &problem, err);
	enum source_result got = look(run, file->path, source, err);
	while (got == SOURCE_ITEM && !is_over(run))
		got = give_block(run, problem.file, source, err);
	run->tally.blank_lines += source_blank_lines(source);
	source_close(source);
	return got == SOURCE_ERROR ? -1 : 0;
}

/* Whether a worker is to read the file itself: it is short, or one document however long. */
static bool is_for_worker(const struct run *run, const struct source_file *file, size_t *size)
{
	struct stat status;
	*size = 0;
	if (file->problem)
		return true;
	if (strcmp(file->path, "-") == 0 || stat(file->path, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	*size = (size_t)status.st_size;
	bool single = run->args->single || (!run->args->lines && source_kind_of_name(file->path) == SOURCE_SINGLE);
	return *size <= SMALL_FILE || single;
}

int run_files(struct run *run, struct error *err)
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
	return is_pointless(run) ? 0 : collect(run, true, err);
}
