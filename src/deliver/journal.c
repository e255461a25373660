#include "deliver/journal_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int lock(const char *path, int fd, struct error *err)
{
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return error_set(err, EXIT_CODE_USAGE, "another run writes '%s'", path);
	return 0;
}

static int open_past(struct journal *j, struct error *err)
{
	const char *path = j->past.path;
	bool writes = j->adds && j->writes;
	j->fd = open(path, (writes ? O_RDWR | O_APPEND : O_RDONLY) | O_CLOEXEC);
	if (j->fd < 0)
		return journal_cannot("open", path, err);
	if (writes && lock(path, j->fd, err) < 0)
		return -1;
	if (journal_read_past(j, err) < 0 || journal_check_files(j, err) < 0)
		return -1;
	if (writes)
		return 0;
	close(j->fd);
	j->fd = -1;
	return 0;
}

int journal_open(struct journal **journal, const struct journal_options *options, const struct source_files *files,
                 struct error *err)
{
	*journal = NULL;
	if (!options->results && !options->resume && !options->failed_only)
		return 0;
	struct journal *j = calloc(1, sizeof *j);
	if (!j)
		return error_no_memory(err);
	*journal = j;
	j->options = *options;
	j->files = files;
	j->fd = -1;
	j->epoch_us = clock_realtime_us() - clock_monotonic_ns() / 1000;
	j->path = options->resume ? options->resume : options->results;
	j->past.path = options->resume ? options->resume : options->failed_only;
	j->adds = j->path && j->past.path && strcmp(j->path, j->past.path) == 0;
	j->writes = j->path && !options->read_only;
	if (j->path && strcmp(j->path, "-") == 0)
		j->path = NULL;
	return j->past.path ? open_past(j, err) : 0;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	journal_marks_close(&j->marks);
	journal_marks_close(&j->past.marks);
	journal_records_release(&j->past.records);
	journal_inputs_release(&j->inputs);
	buffer_release(&j->past.names);
	buffer_release(&j->out);
	free(j->past.cut);
	if (j->fd >= 0)
		close(j->fd);
	free(j);
}

/* The word is of one length, so that it can be changed where it stands. With O_APPEND it would be written behind. */
static int set_ended(struct journal *j, bool ended, struct error *err)
{
	int flags = fcntl(j->fd, F_GETFL);
	if (j->ended_at == 0)
		return 0;
	bool is_written = fcntl(j->fd, F_SETFL, flags & ~O_APPEND) == 0 &&
	                  pwrite(j->fd, ended ? "true " : "false", 5, j->ended_at) == 5 &&
	                  fcntl(j->fd, F_SETFL, flags) == 0;
	return is_written ? 0 : journal_cannot("write", j->path, err);
}

static int sync_results(const struct journal *j, struct error *err)
{
	return fdatasync(j->fd) < 0 && errno != EINVAL ? journal_cannot("sync", j->path, err) : 0;
}

/* F is written on: its torn end is cut off, and what was in flight gets its line before its mark goes. */
static int take_over(struct journal *j, struct error *err)
{
	struct journal_past *past = &j->past;
	off_t size = lseek(j->fd, 0, SEEK_END);
	if (past->torn > 0 && ftruncate(j->fd, size - (off_t)past->torn) < 0)
		return journal_cannot("write", j->path, err);
	j->lines = past->lines;
	for (size_t i = 0; i < past->cut_count; i++)
		journal_append_cut(j, &past->cut[i], !j->options.retry_unknown);
	return journal_flush(j, err);
}

static int refuse_unfinished(const struct journal *j, const struct journal_marks *left, struct error *err)
{
	size_t marked = 0;
	for (size_t at = 0; journal_marks_next(left, JOURNAL_CELL_MARK, &at);)
		marked++;
	if (marked > 0)
		error_set(err, EXIT_CODE_USAGE, "'%s' belongs to an unfinished run, with %zu in flight", j->path,
		          marked);
	else
		error_set(err, EXIT_CODE_USAGE, "'%s' belongs to an unfinished run", j->path);
	if (j->options.failed_only) /* which does not go together with --resume */
		return error_hint(err, "name another file for --results, or remove it and '%s'", left->path);
	return error_hint(err, "to continue it: credhook replay FILE... --resume '%s'. To begin again: rm '%s' '%s'",
	                  j->path, j->path, left->path);
}

/* Whether one of the files is the input that the first line is of. */
static bool is_of_files(const struct journal *j, const struct journal_first_line *first)
{
	struct journal_opening opening;
	struct stat status;
	for (size_t i = 0; i < j->files->count; i++)
		if (journal_look_at_file(j->files->files[i].path, &status, &opening) && opening.first == first->id)
			return true;
	return !first->has_input;
}

static int check_new(const struct journal *j, const struct journal_first_line *first, enum journal_marks_found found,
                     const struct journal_marks *left, struct error *err)
{
	size_t at = 0;
	bool is_blank = first->file == JOURNAL_FILE_BLANK;
	if (first->file == JOURNAL_FILE_OTHER || first->file == JOURNAL_FILE_TORN) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is not a results file; left unchanged", j->path);
		return error_hint(err, "name another file for --results");
	}
	if (found == JOURNAL_MARKS_FOREIGN)
		return journal_refuse_foreign(left, err);
	if (!is_blank && !first->is_ended && (first->says_ended || found == JOURNAL_MARKS_OURS))
		return refuse_unfinished(j, left, err);
	if (left->doubt == JOURNAL_EMPTY || left->doubt == JOURNAL_ZEROED) {
		error_set(err, EXIT_CODE_USAGE, "'%s' %s; left unchanged", left->path,
		          journal_doubt_words[left->doubt]);
		return error_hint(err, "name another file for --results, or remove it");
	}
	/* A run that has sent nothing has left nothing, but then it is to be seen that it has not. */
	if (is_blank && found == JOURNAL_MARKS_OURS &&
	    (!left->head || journal_marks_next(left, JOURNAL_CELL_MARK, &at)))
		return refuse_unfinished(j, left, err);
	if (is_blank)
		return 0;
	if (first->is_ended && is_of_files(j, first))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' has the results of another run; left unchanged", j->path);
	return error_hint(err, "name another file for --results, or remove it");
}

/* A file of this run's own: a new one, or results that are done with. */
static int take_new(struct journal *j, struct error *err)
{
	struct journal_first_line first;
	struct journal_marks left = { .path = NULL };
	if (journal_read_first(j->fd, j->path, &first, err) < 0)
		return -1;
	enum journal_marks_found found = journal_marks_read(&left, j->path, err);
	int result = found == JOURNAL_MARKS_FAILED ? -1 : check_new(j, &first, found, &left, err);
	journal_marks_close(&left);
	if (result == 0 && ftruncate(j->fd, 0) < 0)
		result = journal_cannot("write", j->path, err);
	return result;
}

static int open_new(struct journal *j, struct error *err)
{
	struct stat status;
	j->ended_at = 0;
	j->fd = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (j->fd < 0)
		j->fd = open(j->path, O_WRONLY | O_APPEND | O_CLOEXEC); /* a pipe, say */
	if (j->fd < 0 || fstat(j->fd, &status) < 0)
		return journal_cannot("write", j->path, err);
	if (lock(j->path, j->fd, err) < 0)
		return -1;
	j->keeps = S_ISREG(status.st_mode); /* nobody can resume from a pipe */
	return j->keeps ? take_new(j, err) : 0;
}

/* The inputs that the earlier run was not done with keep their cells. */
static void give_cells(struct journal *j)
{
	struct journal_input *input;
	for (size_t at = 0; (input = journal_inputs_next(&j->inputs, &at)) != NULL;)
		if (input->required)
			input->cell = journal_marks_find_input(&j->marks, input->id);
}

int journal_start(struct journal *j, size_t jobs, struct error *err)
{
	if (!j || !j->path)
		return 0;
	j->keeps = j->adds;
	if ((j->adds ? take_over(j, err) : open_new(j, err)) < 0)
		return -1;
	if (!j->keeps)
		return 0;
	const struct journal_marks none = { .path = NULL }, *earlier = j->adds ? &j->past.marks : &none;
	if (sync_results(j, err) < 0 || journal_marks_create(&j->marks, earlier, j->path, jobs, err) < 0)
		return -1;
	journal_marks_count_lines(&j->marks, j->lines);
	if (!j->adds)
		return 0;
	give_cells(j);
	/* Only now, when both files are there: one that says it has not ended is nothing without the other. */
	if (!j->past.is_ended)
		return 0;
	return set_ended(j, false, err) < 0 ? -1 : sync_results(j, err);
}

void journal_enter(struct journal *j, struct job *job)
{
	if (j && j->keeps)
		job->mark = journal_marks_take_job(&j->marks);
}

void journal_begin(const struct job *job)
{
	if (job->mark)
		journal_cell_mark(job->mark, job, job->known ? job->known->id : 0);
}

void journal_end(const struct job *job)
{
	journal_cell_free(job->mark);
}

/* --failed-only of F itself: whether F is finished is not this run's to change. */
static bool fails_again(const struct journal *j)
{
	return j->adds && j->options.failed_only;
}

/* Whether there is a run that can be continued. */
static bool has_begun(const struct journal *j)
{
	return j->of_inputs || (j->adds && !j->past.is_ended);
}

static bool stays(const struct journal *j, bool through)
{
	size_t at = 0;
	if (!j->keeps)
		return false;
	if (journal_marks_next(&j->marks, JOURNAL_CELL_MARK, &at))
		return true;
	if (fails_again(j))
		return !j->past.is_ended;
	return !through && has_begun(j);
}

enum journal_rest journal_rest(const struct journal *j, bool through)
{
	if (!j || !j->keeps)
		return JOURNAL_DONE;
	if (through)
		return fails_again(j) && !j->past.is_ended ? JOURNAL_LEFT_EARLIER : JOURNAL_DONE;
	return has_begun(j) ? JOURNAL_LEFT : JOURNAL_DONE;
}

/* Of --failed-only only the marks are of consequence: what it has read is not what is left to be read. */
static void free_cells(struct journal *j)
{
	struct journal_input *input;
	for (size_t at = 0; (input = journal_inputs_next(&j->inputs, &at)) != NULL;)
		if (!input->required)
			journal_cell_free(input->cell);
}

int journal_finish(struct journal *j, bool through, struct error *err)
{
	if (!j || !j->keeps || j->finished)
		return 0;
	j->finished = true;
	bool stay = stays(j, through);
	if (fails_again(j))
		free_cells(j);
	if (sync_results(j, err) < 0)
		return -1;
	if (!stay && (set_ended(j, true, err) < 0 || sync_results(j, err) < 0))
		return -1;
	return journal_marks_finish(&j->marks, stay, err);
}

uint64_t journal_unknown(const struct journal *j)
{
	bool stay_unknown = j && j->options.resume && !j->options.retry_unknown;
	return stay_unknown ? j->past.cut_count : 0;
}

uint64_t journal_not_accepted(const struct journal *j)
{
	return j && j->options.resume ? j->past.not_accepted : 0;
}

uint64_t journal_without_line(const struct journal *j)
{
	return j ? j->past.without_line : 0;
}
