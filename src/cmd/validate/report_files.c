#include "cmd/validate/report_files.h"

#include "base/clock.h"
#include "capture/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRITE_AT  ((size_t)64 << 10)
#define COPY_SIZE 65536

static int cannot_spool(struct error *err)
{
	return error_set(err, EXIT_CODE_IO, "cannot keep a report in a temporary file: %s", strerror(errno));
}

static int spool_write(int fd, const char *bytes, size_t length, off_t offset, struct error *err)
{
	while (length > 0) {
		ssize_t written = pwrite(fd, bytes, length, offset);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return cannot_spool(err);
		bytes += written;
		offset += written;
		length -= (size_t)written;
	}
	return 0;
}

static int write_pending(struct report_file *file, struct error *err)
{
	int result;
	const char *text = buffer_text(&file->pending);
	if (file->pending.failed)
		result = error_no_memory(err);
	else if (file->spool >= 0)
		result = spool_write(file->spool, text, file->pending.length, (off_t)file->written, err);
	else
		result = file_writer_append(&file->writer, text, file->pending.length, err);
	file->written += file->pending.length;
	buffer_clear(&file->pending);
	return result;
}

static int write_if_much(struct report_file *file, struct error *err)
{
	return file->pending.length >= WRITE_AT || file->pending.failed ? write_pending(file, err) : 0;
}

/* Writes into room that was left; all of it is written, or none of it yet. */
static int patch(struct report_file *file, size_t room, const struct buffer *text, struct error *err)
{
	if (text->failed || file->pending.failed)
		return error_no_memory(err);
	if (room >= file->written) {
		memcpy(file->pending.data + (room - file->written), buffer_text(text), text->length);
		return 0;
	}
	if (file->spool >= 0)
		return spool_write(file->spool, buffer_text(text), text->length, (off_t)room, err);
	return file_writer_patch(&file->writer, room, buffer_text(text), text->length, err);
}

static int make_folders_above(const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');
	if (!slash || slash == path)
		return 0;
	char *folder = strndup(path, (size_t)(slash - path));
	if (!folder)
		return error_no_memory(err);
	int result = file_make_folders(folder, err);
	free(folder);
	return result;
}

/* A file that has no name any more, for text whose beginning is written last. */
static int open_spool(struct error *err)
{
	const char *folder = getenv("TMPDIR");
	struct buffer name = BUFFER_INIT;
	buffer_printf(&name, "%s/credhook.XXXXXX", folder && folder[0] ? folder : "/tmp");
	int fd = name.failed ? -1 : mkostemp(name.data, O_CLOEXEC);
	if (fd < 0)
		cannot_spool(err);
	else
		unlink(name.data);
	buffer_release(&name);
	return fd;
}

static int open_file(struct report_file *file, const struct validate_report_wish *wish,
                     const struct source_files *in_use, struct error *err)
{
	bool is_stdout = strcmp(wish->path, "-") == 0;
	*file = (struct report_file){ .format = wish->format, .spool = -1, .writer.fd = -1 };
	if (!is_stdout &&
	    (make_folders_above(wish->path, err) < 0 || file_writer_open(&file->writer, wish->path, in_use, err) < 0))
		return -1;
	if (file->writer.temporary)
		return 0;
	file->spool = open_spool(err);
	return file->spool < 0 ? -1 : 0;
}

int report_files_open(struct report_files *files, const struct validate_report_wishes *wishes,
                      const struct source_files *in_use, struct error *err)
{
	*files = (struct report_files){ .count = 0 };
	/* Before the first is touched. */
	for (size_t i = 0; i < wishes->count; i++)
		if (strcmp(wishes->list[i].path, "-") != 0 && replace_check(wishes->list[i].path, in_use, err) < 0)
			return -1;
	for (size_t i = 0; i < wishes->count; i++) {
		struct report_file *file = &files->list[files->count++];
		if (open_file(file, &wishes->list[i], in_use, err) < 0) {
			report_files_release(files);
			return -1;
		}
		file->room = file->format->begin(&file->pending);
	}
	return 0;
}

static int end_suite(struct report_files *files, struct error *err)
{
	for (size_t i = 0; files->suite && i < files->count; i++) {
		struct report_file *file = &files->list[i];
		struct buffer counts = BUFFER_INIT;
		if (!file->format->suite_begin)
			continue;
		file->format->suite_end(&file->pending);
		file->format->suite_patch(&files->suite_counts, &counts);
		int result = patch(file, file->suite_room, &counts, err);
		buffer_release(&counts);
		if (result < 0)
			return -1;
	}
	files->suite = NULL;
	files->suite_counts = (struct report_counts){ 0 };
	return 0;
}

int report_files_suite(struct report_files *files, const char *name, struct error *err)
{
	char stamp[CLOCK_STAMP_SIZE];
	if (files->suite == name)
		return 0;
	if (end_suite(files, err) < 0)
		return -1;
	clock_format_stamp(clock_realtime_us(), stamp);
	for (size_t i = 0; i < files->count; i++) {
		struct report_file *file = &files->list[i];
		if (file->format->suite_begin)
			file->suite_room = file->written + file->format->suite_begin(name, stamp, &file->pending);
	}
	files->suite = name;
	return 0;
}

void report_files_count(struct report_files *files, const struct report_counts *counts)
{
	struct report_counts *const sums[] = { &files->suite_counts, &files->counts };
	for (size_t i = 0; i < 2; i++) {
		sums[i]->cases += counts->cases;
		sums[i]->failed += counts->failed;
		sums[i]->problems += counts->problems;
		sums[i]->ns += counts->ns;
	}
}

/* How much of the text is within the format's lines; what is not is counted. Lines stand between line feeds. */
static size_t within_limit(struct report_file *file, const char *text, size_t length)
{
	size_t kept = length;
	for (size_t at = 0; file->format->lines_max > 0 && at < length;) {
		const char *newline = memchr(text + at, '\n', length - at);
		if (file->lines == file->format->lines_max) {
			kept = kept < length ? kept : at;
			file->left_out++;
		} else {
			file->lines++;
		}
		at = newline ? (size_t)(newline - text) + 1 : length;
	}
	return kept;
}

int report_files_append(struct report_files *files, size_t index, const char *text, size_t length, struct error *err)
{
	struct report_file *file = &files->list[index];
	size_t separator = strlen(file->format->separator);
	if (length == 0)
		return 0;
	size_t kept = within_limit(file, text + separator, length - separator);
	if (kept == 0)
		return 0;
	if (kept < length - separator) /* the last one that is kept needs no separator behind it */
		kept -= separator;
	size_t skip = file->any_text ? 0 : separator;
	buffer_append(&file->pending, text + skip, separator + kept - skip);
	file->any_text = true;
	return write_if_much(file, err);
}

int report_files_problem(struct report_files *files, const char *name, const char *message, struct error *err)
{
	if (report_files_suite(files, name, err) < 0)
		return -1;
	report_files_count(files, &(struct report_counts){ .problems = 1 });
	for (size_t i = 0; i < files->count; i++) {
		struct report_file *file = &files->list[i];
		file->format->problem(name, message, &file->pending, &file->notices);
		if (write_if_much(file, err) < 0)
			return -1;
	}
	return 0;
}

int report_files_coverage(struct report_files *files, const char *event, bool covered, struct error *err)
{
	static const char suite[] = "coverage";
	if (report_files_suite(files, suite, err) < 0)
		return -1;
	report_files_count(files, &(struct report_counts){ .cases = 1, .failed = !covered });
	for (size_t i = 0; i < files->count; i++) {
		struct report_file *file = &files->list[i];
		file->format->coverage(event, covered, &file->pending);
		if (write_if_much(file, err) < 0)
			return -1;
	}
	return 0;
}

/* From the file without a name to where the report is wanted. */
static int copy_spool(struct report_file *file, struct terminal *terminal, struct error *err)
{
	char bytes[COPY_SIZE];
	for (size_t at = 0; at < file->written;) {
		ssize_t got = pread(file->spool, bytes, sizeof bytes, (off_t)at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return cannot_spool(err);
		if (file->writer.fd < 0)
			terminal_write(terminal, bytes, (size_t)got);
		else if (file_writer_append(&file->writer, bytes, (size_t)got, err) < 0)
			return -1;
		at += (size_t)got;
	}
	return 0;
}

static int finish(struct report_file *file, struct report_totals *totals, struct terminal *terminal, struct error *err)
{
	struct buffer counts = BUFFER_INIT;
	totals->notices = file->notices;
	totals->left_out = file->left_out;
	file->format->end(totals, &file->pending);
	int result = write_pending(file, err);
	if (result == 0 && file->format->patch) {
		file->format->patch(totals, &counts);
		result = patch(file, file->room, &counts, err);
	}
	if (result == 0 && file->spool >= 0)
		result = copy_spool(file, terminal, err);
	buffer_release(&counts);
	return result == 0 && file->writer.fd >= 0 ? file_writer_finish(&file->writer, err) : result;
}

int report_files_finish(struct report_files *files, int exit, struct terminal *terminal, struct error *err)
{
	struct report_totals totals = { .exit = (size_t)exit };
	if (end_suite(files, err) < 0)
		return -1;
	totals.counts = files->counts;
	for (size_t i = 0; i < files->count; i++)
		if (finish(&files->list[i], &totals, terminal, err) < 0)
			return -1;
	return 0;
}

void report_files_release(struct report_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		struct report_file *file = &files->list[i];
		file_writer_abandon(&file->writer);
		if (file->spool >= 0)
			close(file->spool);
		buffer_release(&file->pending);
		buffer_release(&file->notices);
	}
	files->count = 0;
}
