#include "base/ascii.h"
#include "base/file.h"
#include "base/shell_text.h"
#include "base/system.h"
#include "deliver/journal_internal.h"
#include "json/json_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CUT_OFF "the run was cut off while this was in flight: it may have been delivered"

static void append_id(struct buffer *out, const struct capture_id *id)
{
	buffer_append_byte(out, '"');
	for (size_t i = 0; i < 2 * sizeof id->bytes; i++)
		buffer_append_byte(out, ASCII_HEX[id->bytes[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15]);
	buffer_append_byte(out, '"');
}

/* A line is written without printf(): it is felt at 50,000 lines/s. */
static void append_fraction(char *at, int digits, int64_t fraction)
{
	for (int i = digits - 1; i >= 0; i--, fraction /= 10)
		at[i] = (char)('0' + fraction % 10);
}

/* A monotonic time as real time; 0: null. */
static void append_stamp(struct journal *j, const char *key, int64_t ns)
{
	int64_t us = j->epoch_us + ns / 1000;
	buffer_append_text(&j->out, key);
	if (ns == 0) {
		buffer_append_text(&j->out, "null");
		return;
	}
	if (us / 1000000 != j->second_of || j->second[0] == '\0') {
		j->second_of = us / 1000000;
		clock_format_stamp(us, j->second);
	}
	append_fraction(j->second + sizeof "2026-01-02T03:04:05", 6, us % 1000000);
	buffer_append_byte(&j->out, '"');
	buffer_append_text(&j->out, j->second);
	buffer_append_byte(&j->out, '"');
}

/* What stands behind "ended" as long as the run has not ended, and when it has. */
static void format_end(const struct journal *j, bool ended, char text[JOURNAL_END_SIZE + 1])
{
	char number[24] = "null";
	if (ended)
		snprintf(number, sizeof number, "%llu", (unsigned long long)j->lines);
	snprintf(text, JOURNAL_END_SIZE + 1, "%-5s" JOURNAL_LINES "%-20s", ended ? "true" : "false", number);
}

/* Appends what only the first line has. */
static void append_first(struct journal *j)
{
	struct buffer *out = &j->out;
	char end[JOURNAL_END_SIZE + 1];
	json_line_text(out, "selection", j->options.selection);
	buffer_append_text(out, ",\"seed\":");
	if (j->options.seed && j->options.seed->given)
		buffer_append_number(out, j->options.seed->value);
	else
		buffer_append_text(out, "null");
	buffer_append_text(out, ",\"ended\":");
	j->ended_at = (off_t)out->length;
	j->ended_size = JOURNAL_END_SIZE;
	format_end(j, false, end);
	buffer_append_text(out, end);
}

void journal_add(struct journal *j, const struct job *job)
{
	if (!j || !j->writes)
		return;
	const struct exchange *x = &job->exchange;
	struct buffer *out = &j->out;
	int64_t due_ns = job->due_ns > 0 && job->attempt == 1 ? job->due_ns : x->started_ns;
	char milliseconds[] = ".000";
	buffer_append_text(out, "{\"number\":");
	buffer_append_number(out, job->number);
	json_line_text(out, "input", job->input);
	buffer_append_text(out, ",\"record\":");
	buffer_append_number(out, job->record);
	buffer_append_text(out, ",\"id\":");
	if (job->has_id)
		append_id(out, &job->id);
	else
		buffer_append_text(out, "null");
	j->of_inputs |= job->has_id || j->options.has_inputs;
	buffer_append_text(out, ",\"attempt\":");
	buffer_append_number(out, job->attempt);
	buffer_append_text(out, job->final ? ",\"final\":true" : ",\"final\":false");
	json_line_text(out, "event", job->name[0] ? job->name : NULL);
	json_line_text(out, "outcome", outcome_names[job->outcome]);
	buffer_append_text(out, ",\"status\":");
	if (x->status > 0)
		buffer_append_number(out, (uint64_t)x->status);
	else
		buffer_append_text(out, "null");
	if (job->has_recorded && job->recorded_status > 0)
		json_line_number(out, "recorded_status", job->recorded_status);
	append_stamp(j, ",\"due\":", due_ns);
	append_stamp(j, ",\"sent\":", x->sent_ns);
	buffer_append_text(out, ",\"latency_ms\":");
	buffer_append_number(out, (uint64_t)(x->latency_ns / 1000000));
	append_fraction(milliseconds + 1, 3, x->latency_ns / 1000 % 1000);
	buffer_append_text(out, milliseconds);
	buffer_append_text(out, ",\"bytes\":");
	buffer_append_number(out, x->request.body.length);
	if (x->message[0])
		json_line_text(out, "error", x->message);
	if (j->lines + j->added++ == 0)
		append_first(j);
	buffer_append_text(out, "}\n");
}

/* Adds the line of an attempt that was in flight when the run was killed. */
static void add_open(struct journal *j, const struct journal_cell *cell)
{
	struct job job = { .input = cell->name[0] ? cell->name : NULL,
		           .record = cell->record,
		           .id = cell->id,
		           .has_id = cell->has_id != 0,
		           .attempt = cell->attempt,
		           .number = cell->number,
		           .outcome = OUTCOME_UNKNOWN,
		           .final = !j->options.retry_unknown };
	snprintf(job.name, sizeof job.name, "%s", cell->event);
	snprintf(job.exchange.message, sizeof job.exchange.message, CUT_OFF);
	journal_add(j, &job);
}

int journal_flush(struct journal *j, struct error *err)
{
	if (!j || j->out.length == 0)
		return 0;
	if (j->out.failed)
		return error_no_memory(err);
	int number = 0;
	if (j->fd < 0)
		j->options.write(j->options.context, buffer_text(&j->out), j->out.length);
	else
		number = file_write_all(j->fd, j->out.data, j->out.length);
	if (number != 0)
		return file_cannot("write", j->path, number, err);
	buffer_clear(&j->out);
	j->lines += j->added;
	j->added = 0;
	journal_marks_count_lines(&j->marks, j->lines);
	return 0;
}

/* Locks F: whoever writes it holds it alone, and where there are no locks nobody writes it: then one that was made just
 * now is removed. */
static int lock(const char *path, int fd, bool writes, bool made, struct error *err)
{
	int held = file_lock(fd, path, writes, err);
	if (held < 0 && made)
		unlink(path);
	if (held > 0)
		return error_set(err, EXIT_CODE_USAGE, "another run writes '%s'", path);
	return writes ? held : 0;
}

/* Before F is made: beside F.inflight that is somebody else's it would be left there, empty. What else is wrong comes
 * out when both are opened. */
static int check_marks(const char *path, struct error *err)
{
	LOCAL(journal_past_release) struct journal_past look = { .path = path };
	struct error why;
	if (journal_marks_read(&look, &why) >= 0 || why.code != EXIT_CODE_USAGE)
		return 0;
	*err = why;
	return -1;
}

/* Reads an earlier run, and keeps F open where it is written on. */
static int open_past(struct journal *j, struct journal_past *past, const char *path, struct error *err)
{
	struct stat status;
	bool begins = past == &j->past && j->options.results, writes = past == &j->past && !j->options.read_only;
	past->path = path;
	past->is_only_read = past == &j->failed;
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return error_set(err, EXIT_CODE_USAGE, "'%s' is not a regular file", path);
	if (writes && begins && check_marks(path, err) < 0)
		return -1;
	bool made = false;
	int fd = writes && begins ? file_open_or_make(path, O_RDWR | O_APPEND | O_CLOEXEC, &made)
	                          : open(path, (writes ? O_RDWR | O_APPEND : O_RDONLY) | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && begins)
		return 0;
	if (fd < 0)
		return file_cannot("open", path, errno, err);
	int result = lock(path, fd, writes, made, err) < 0 || journal_read_past(j, past, fd, err) < 0 ? -1 : 0;
	if (writes)
		j->fd = fd;
	else
		close(fd);
	return result;
}

int journal_open(struct journal **journal, const struct journal_options *options, struct error *err)
{
	const char *path = options->resume ? options->resume : options->results, *failed = options->failed_only;
	struct stat one, other;
	*journal = NULL;
	if (!path && !failed)
		return 0;
	if (path && failed &&
	    (strcmp(path, failed) == 0 ||
	     (stat(path, &one) == 0 && stat(failed, &other) == 0 && file_is_same(&one, &other)))) {
		error_set(err, EXIT_CODE_USAGE, "--failed-only only reads '%s'", failed);
		return error_hint(err, "name another file for --results: it gets what is sent now");
	}
	struct journal *j = calloc(1, sizeof *j);
	if (!j)
		return error_no_memory(err);
	*journal = j;
	j->options = *options;
	j->fd = -1;
	j->epoch_us = clock_realtime_us() - clock_monotonic_ns() / 1000;
	j->writes = path && !options->read_only;
	j->path = path && strcmp(path, "-") != 0 ? path : NULL;
	if (failed && open_past(j, &j->failed, failed, err) < 0)
		return -1;
	if (options->resume && open_past(j, &j->past, options->resume, err) < 0)
		return -1;
	if (options->seed && (j->past.has_seed || j->failed.has_seed))
		*options->seed = (struct seed){ true, j->past.has_seed ? j->past.seed : j->failed.seed };
	return 0;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	journal_marks_close(&j->marks);
	journal_past_release(&j->failed);
	journal_past_release(&j->past);
	free(j->entries);
	buffer_release(&j->out);
	if (j->fd >= 0)
		close(j->fd);
	free(j);
}

bool journal_was_unfinished(const struct journal *j)
{
	return j && j->past.has_lines && !j->past.is_ended;
}

static int sync_results(const struct journal *j, struct error *err)
{
	return system_sync_data(j->fd) < 0 && errno != EINVAL ? file_cannot("sync", j->path, errno, err) : 0;
}

/* 0, or an errno. */
static int write_at(int fd, const char *bytes, size_t length, off_t at)
{
	while (length > 0) {
		ssize_t written = pwrite(fd, bytes, length, at);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? errno : EIO;
		bytes += written;
		length -= (size_t)written;
		at += written;
	}
	return 0;
}

/* Changes it where it stands, and syncs it. With O_APPEND it would be written behind. */
static int set_ended(struct journal *j, bool ended, struct error *err)
{
	int flags = fcntl(j->fd, F_GETFL);
	char text[JOURNAL_END_SIZE + 1];
	if (j->ended_at == 0)
		return 0;
	format_end(j, ended, text);
	int failed = fcntl(j->fd, F_SETFL, flags & ~O_APPEND) < 0 ? errno : 0;
	if (!failed)
		failed = write_at(j->fd, text, j->ended_size, j->ended_at);
	if (!failed && fcntl(j->fd, F_SETFL, flags) < 0)
		failed = errno;
	return failed ? file_cannot("write", j->path, failed, err) : sync_results(j, err);
}

static int make_marks(struct journal *j, size_t jobs, struct error *err)
{
	return journal_marks_create(&j->marks, j->path, jobs, j->options.selection, j->options.seed, err);
}

/* Continues F: cuts its torn end off, and gives what was in flight its line before its mark goes. */
static int take_over(struct journal *j, size_t jobs, struct error *err)
{
	const struct journal_past *past = &j->past;
	off_t size = lseek(j->fd, 0, SEEK_END);
	if (file_refuse_own_output(j->fd, j->path, err) < 0)
		return -1;
	if (past->is_ended && past->ended_at == 0) {
		error_set(err, EXIT_CODE_USAGE, "'%s' was rewritten by another program, and cannot be continued",
		          j->path);
		return error_hint(err, "name another file for --results; --failed-only reads it");
	}
	if (past->torn > 0 && ftruncate(j->fd, size - (off_t)past->torn) < 0)
		return file_cannot("write", j->path, errno, err);
	j->lines = past->lines;
	j->ended_at = past->ended_at;
	j->ended_size = past->ended_size;
	j->numbers = past->last_number;
	for (size_t i = 0; i < past->open_count; i++)
		add_open(j, &past->open[i]);
	if (journal_flush(j, err) < 0 || sync_results(j, err) < 0 || make_marks(j, jobs, err) < 0)
		return -1;
	journal_marks_count_lines(&j->marks, j->lines);
	/* Only now, when both files are there: one that says it has not ended is nothing without the other. */
	return set_ended(j, false, err);
}

/* Refuses to begin where something is: a job that runs again would lose the results of all that it ran before. */
static int check_new(struct journal *j, struct error *err)
{
	LOCAL(journal_past_release) struct journal_past old = { .path = j->path, .is_replaced = true };
	if (journal_look(&old, j->fd, err) < 0)
		return -1;
	if (!old.has_lines && !old.doubt && old.open_count == 0)
		return 0;
	LOCAL_BUFFER words = BUFFER_INIT;
	buffer_append_byte(&words, ' ');
	shell_append_quoted_file(&words, j->path);
	if (!old.is_ended) {
		buffer_append_byte(&words, ' ');
		shell_append_quoted_file(&words, buffer_text(&old.marks_path));
		error_set(err, EXIT_CODE_USAGE, "'%s' belongs to an unfinished run, with %zu in flight", j->path,
		          old.open_count);
		return error_hint(err, "%sto begin again: rm -f%s", /* the marks may be gone */
		                  old.has_ids ? "to continue it: credhook replay FILE... --resume RESULTS; " : "",
		                  buffer_text(&words));
	}
	error_set(err, EXIT_CODE_USAGE, "'%s' has the results of a finished run; not replaced", j->path);
	return error_hint(err, "%sname another file for --results, or, in a job that runs again, remove it first: rm%s",
	                  old.has_ids ? "replay's --resume FILE adds to it, --compare=FILE compares with it; " : "",
	                  buffer_text(&words));
}

/* Begins a new run, in a file that is new or empty. */
static int begin(struct journal *j, size_t jobs, struct error *err)
{
	struct stat status;
	bool is_plain = stat(j->path, &status) < 0 || S_ISREG(status.st_mode), made = false;
	if (is_plain && check_marks(j->path, err) < 0)
		return -1;
	/* Opened for writing only: where the reader of a pipe leaves, the next line is an error. A reading end of our
	 * own would hide that. */
	if (is_plain)
		j->fd = file_open_or_make(j->path, O_RDWR | O_APPEND | O_CLOEXEC, &made);
	else
		j->fd = file_open(j->path, O_WRONLY | O_APPEND, j->options.signals);
	if (j->fd < 0 || fstat(j->fd, &status) < 0)
		return file_cannot("write", j->path, errno, err);
	if (!S_ISREG(status.st_mode))
		return 0;
	if (file_refuse_own_output(j->fd, j->path, err) < 0 || lock(j->path, j->fd, true, made, err) < 0 ||
	    check_new(j, err) < 0 || make_marks(j, jobs, err) < 0)
		return -1;
	/* Private like any file with data of people; whoever may not change its mode does not own it. */
	if (fchmod(j->fd, 0600) < 0 && errno != EPERM)
		return file_cannot("write", j->path, errno, err);
	return sync_results(j, err);
}

int journal_start(struct journal *j, size_t jobs, struct error *err)
{
	if (!j || !j->path)
		return 0;
	return j->options.resume ? take_over(j, jobs, err) : begin(j, jobs, err);
}

void journal_number(struct journal *j, struct job *job)
{
	job->number = j ? ++j->numbers : 0;
}

bool journal_has_rest(const struct journal *j, bool through)
{
	return j && j->marks.head && !through && (j->of_inputs || journal_was_unfinished(j));
}

int journal_finish(struct journal *j, bool through, struct error *err)
{
	if (!j || !j->marks.head || j->finished)
		return 0;
	j->finished = true;
	/* Files of records that did not come by may hold others, too. */
	bool misses = journal_was_unfinished(j) && !j->failed.path && journal_missing(j) > 0;
	bool stays = journal_marks_any(&j->marks) || journal_has_rest(j, through) || misses;
	if (sync_results(j, err) < 0 || (!stays && set_ended(j, true, err) < 0))
		return -1;
	return journal_marks_finish(&j->marks, stays, err);
}

uint64_t journal_unknown(const struct journal *j)
{
	return j && !j->options.retry_unknown ? j->past.open_count : 0;
}

const char *journal_failed_selection(const struct journal *j)
{
	return j ? buffer_text(&j->failed.selection) : "";
}

uint64_t journal_not_accepted(const struct journal *j)
{
	return j ? j->past.not_accepted : 0;
}

uint64_t journal_failed_records(const struct journal *j)
{
	return j ? j->past.failed_records : 0;
}

const uint64_t *journal_skipped(const struct journal *j)
{
	static const uint64_t none[JOURNAL_SKIPS];
	return j ? j->skipped : none;
}
