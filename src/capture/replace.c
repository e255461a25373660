#include "capture/replace.h"

#include "base/text.h"
#include "capture/format.h"
#include "capture/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK        4096
#define OURS_BEGIN   1024 /* bytes that a mark of ours is in */
#define REPORT_WORDS 64   /* bytes: "a report of credhook (junit)" */

static int refuse_to_replace(const char *path, const char *why, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "'%s' %s; not replaced", path, why);
	return error_hint(err, "name another file");
}

int replace_check_in_use(const char *path, const struct source_files *in_use, struct error *err)
{
	struct stat file;
	bool exists = stat(path, &file) == 0;
	LOCAL(release_text) char *real = exists ? NULL : file_real_path(path);
	if (!exists && !real)
		return error_no_memory(err);
	if (exists && !S_ISREG(file.st_mode))
		return 0;
	for (; in_use; in_use = in_use->also_in_use)
		for (size_t i = 0; i < in_use->count; i++) {
			const char *name = in_use->files[i].path;
			struct stat used;
			bool is_there = (strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &used) : stat(name, &used)) == 0;
			LOCAL(release_text) char *used_real = exists || is_there ? NULL : file_real_path(name);
			if (exists ? is_there && file_is_same(&used, &file) : used_real && strcmp(used_real, real) == 0)
				return refuse_to_replace(path, "is read or written by this run, too", err);
		}
	return 0;
}

static int check_content(struct source *source, const char *path, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	const struct format *format;
	struct source_item item;
	enum source_result got = format_look(source, &format, err);
	if (got != SOURCE_ITEM)
		return -1;
	if (format && format->is_data)
		return refuse_to_replace(path, format->words, err);
	/* A line at the beginning may be one of a capture; the first may be torn. */
	while (source_position(source) < FORMAT_LOOK_MAX && (got = source_next(source, &item, err)) == SOURCE_ITEM) {
		json_read_beginning(&doc, item.text, item.length, NULL);
		if (capture_begins_as_record(item.text, item.length) || capture_line_of(&doc) != CAPTURE_ITEM_PAYLOAD)
			return refuse_to_replace(path, "is a capture", err);
	}
	return got == SOURCE_ERROR ? -1 : 0;
}

static bool begins_as_marks(const char *path)
{
	char begin[sizeof MARKS_BEGIN - 1];
	LOCAL(file_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd >= 0 && read(fd, begin, sizeof begin) == (ssize_t)sizeof begin &&
	       memcmp(begin, MARKS_BEGIN, sizeof begin) == 0;
}

/* A listener and a run lock their file before they write its first line. */
static int check_lock(const char *path, struct error *err)
{
	LOCAL(file_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_locked = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	return is_locked ? refuse_to_replace(path, "is written by another process", err) : 0;
}

/* Whether there is something to lose: 1, or 0. -1: it is in use. */
static int look(const char *path, const struct source_files *in_use, struct error *err)
{
	struct stat status;
	LOCAL_BUFFER marks = BUFFER_INIT;
	if (replace_check_in_use(path, in_use, err) < 0)
		return -1;
	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode) || file_own_output(path) >= 0)
		return 0;
	/* The content does not show it: an empty file may be another's, and so may the results of a run that was
	 * killed. */
	if (status.st_size == 0 && check_lock(path, err) < 0)
		return -1;
	buffer_printf(&marks, "%s" MARKS_NAME_END, path);
	if (marks.failed)
		return error_no_memory(err);
	if (begins_as_marks(marks.data))
		return refuse_to_replace(path, "has the results of an unfinished run", err);
	if (begins_as_marks(path))
		return refuse_to_replace(path, "has what an unfinished run had in flight", err);
	return status.st_size > 0;
}

int replace_check(const char *path, const struct source_files *in_use, struct error *err)
{
	struct source_options options = { .type = SOURCE_LINES, .limit = FORMAT_LOOK_MAX, .block = FORMAT_LOOK_MAX };
	int result = look(path, in_use, err);
	if (result <= 0)
		return result;
	struct source *source = source_open(path, &options, err);
	result = source ? check_content(source, path, err) : -1;
	source_close(source);
	return result;
}

int replace_check_own(const char *path, const char *what, bool (*is_ours)(const char *begin),
                      const struct source_files *in_use, struct error *err)
{
	char begin[OURS_BEGIN + 1] = "";
	if (!file_is_replaced(path))
		return replace_check(path, in_use, err);
	int result = look(path, in_use, err);
	if (result <= 0)
		return result;
	LOCAL(file_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || read(fd, begin, OURS_BEGIN) < 0)
		return file_cannot("read", path, errno, err);
	if (is_ours(begin))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' is there, and is not %s; not replaced", path, what);
	return error_hint(err, "remove or empty it, or name another file");
}

int replace_check_report(const char *path, const char *format, bool (*is_ours)(const char *begin),
                         const struct source_files *in_use, struct error *err)
{
	char what[REPORT_WORDS];
	if (text_ends_with(path, strlen(path), "/")) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is the name of a folder", path);
		return error_hint(err, "name a file in it");
	}
	if (output_check_plain(path, err) < 0)
		return -1;
	snprintf(what, sizeof what, "a report of credhook (%s)", format);
	return replace_check_own(path, what, is_ours, in_use, err);
}

/* Whether it was made from the catalogue, or is a page: another run makes it again. */
static bool is_made(int fd)
{
	char begin[OURS_BEGIN + 1];
	ssize_t got = pread(fd, begin, OURS_BEGIN, 0);
	begin[got > 0 ? got : 0] = '\0';
	const char *at = begin[0] == '{' ? begin + 1 + strspn(begin + 1, " \n") : begin;
	bool is_schema = strncmp(at, "\"$schema\"", 9) == 0 || strncmp(at, "\"openapi\"", 9) == 0;
	return (is_schema && strstr(at, "Made from the catalogue of credhook.")) ||
	       (strncmp(at, "<!DOCTYPE html>", 15) == 0 && strstr(at, "<title>credhook</title>"));
}

/* What not even --force replaces. */
static int check_forced(const char *path, struct error *err)
{
	struct source_options options = { .type = SOURCE_LINES, .limit = FORMAT_LOOK_MAX, .block = FORMAT_LOOK_MAX };
	const struct format *format = NULL;
	if (check_lock(path, err) < 0)
		return -1;
	struct source *source = source_open(path, &options, err);
	enum source_result got = source ? format_look(source, &format, err) : SOURCE_ERROR;
	source_close(source);
	if (got == SOURCE_ERROR && err->code == EXIT_CODE_INTERNAL)
		return -1;
	return got == SOURCE_ITEM && format && strcmp(format->name, "results") == 0
	               ? refuse_to_replace(path, "has the results of a run", err)
	               : 0;
}

static int refuse_other(const struct output_file *o, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "'%s' is there and has other content; not replaced", o->path);
	return error_hint(err, "--force replaces it");
}

int output_check_plain(const char *path, struct error *err)
{
	if (!text_ends_with(path, strlen(path), ".gz"))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s': what is written here is not compressed", path);
	return error_hint(err, "leave out .gz, and compress the file with gzip");
}

/* Not even with --force: it would replace what the link leads to. */
static int check_in_folder(const char *path, struct error *err)
{
	struct stat status;
	if (lstat(path, &status) < 0 || S_ISREG(status.st_mode))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' is %s; not written", path,
	          S_ISLNK(status.st_mode) ? "a link" : "not a plain file");
	return error_hint(err, "remove it");
}

int output_begin(struct output_file *o, struct error *err)
{
	o->there = -1;
	int result = look(o->path, o->in_use, err);
	if (result > 0) {
		o->there = open(o->path, O_RDONLY | O_CLOEXEC);
		result = o->there < 0 ? file_cannot("open", o->path, errno, err) : check_forced(o->path, err);
	}
	if (o->there >= 0 && (result < 0 || o->force || is_made(o->there))) {
		close(o->there);
		o->there = -1;
	}
	if (result == 0 && o->there < 0 && o->is_in_folder)
		result = check_in_folder(o->path, err);
	if (result == 0 && o->there < 0)
		result = file_writer_begin(&o->writer, o->path, o->privacy, o->signals, err);
	o->is_open = result == 0;
	return result;
}

int output_append(struct output_file *o, const char *bytes, size_t length, struct error *err)
{
	char there[BLOCK];
	if (o->there < 0)
		return file_writer_append(&o->writer, bytes, length, err);
	while (length > 0) {
		ssize_t got = read(o->there, there, length < sizeof there ? length : sizeof there);
		if (got < 0)
			return file_cannot("read", o->path, errno, err);
		if (got == 0 || memcmp(there, bytes, (size_t)got) != 0)
			return refuse_other(o, err);
		bytes += got;
		length -= (size_t)got;
	}
	return 0;
}

int output_finish(struct output_file *o, struct error *err)
{
	char more;
	int result = 0;
	o->is_open = false;
	if (o->there < 0)
		return file_writer_finish(&o->writer, err) < 0 ? -1 : 1;
	if (read(o->there, &more, 1) != 0)
		result = refuse_other(o, err);
	close(o->there);
	return result;
}

void output_abandon(struct output_file *o)
{
	if (o->is_open && o->there < 0)
		file_writer_drop(&o->writer);
	else if (o->is_open)
		close(o->there);
	o->is_open = false;
}

int output_write(struct output_file *o, const char *bytes, size_t length, struct error *err)
{
	int result = output_begin(o, err);
	if (result == 0)
		result = output_append(o, bytes, length, err);
	if (result == 0)
		result = output_finish(o, err);
	output_abandon(o);
	return result;
}
