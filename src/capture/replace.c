#include "capture/replace.h"

#include "capture/format.h"
#include "capture/record.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same(const char *path, const struct stat *other)
{
	struct stat status;
	int found = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &status) : stat(path, &status);
	return found == 0 && status.st_dev == other->st_dev && status.st_ino == other->st_ino;
}

static bool is_in_use(const struct source_files *in_use, const struct stat *status)
{
	for (; in_use; in_use = in_use->also_in_use)
		for (size_t i = 0; i < in_use->count; i++)
			if (is_same(in_use->files[i].path, status))
				return true;
	return false;
}

static int refuse_to_replace(const char *path, const char *why, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "'%s' %s; not replaced", path, why);
	return error_hint(err, "name another file");
}

/* Whether a line at the beginning of the file is one of a capture; the first may be torn. */
static enum source_result find_capture_line(struct source *source, bool *is_capture, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct source_item item;
	enum source_result got = SOURCE_ITEM;
	*is_capture = false;
	while (!*is_capture && source_position(source) < FORMAT_LOOK_MAX &&
	       (got = source_next(source, &item, err)) == SOURCE_ITEM) {
		json_read_beginning(&doc, item.text, item.length);
		*is_capture = capture_begins_as_record(item.text, item.length) ||
		              capture_line_of(&doc) != CAPTURE_ITEM_PAYLOAD;
	}
	return got;
}

static int check_content(struct source *source, const char *path, struct error *err)
{
	const struct format *format;
	bool is_capture;
	if (format_look(source, &format, err) != SOURCE_ITEM)
		return -1;
	if (format && format->is_data)
		return refuse_to_replace(path, format->words, err);
	if (find_capture_line(source, &is_capture, err) == SOURCE_ERROR)
		return -1;
	return is_capture ? refuse_to_replace(path, "is a capture", err) : 0;
}

int replace_check(const char *path, const struct source_files *in_use, struct error *err)
{
	struct source_options options = { .kind = SOURCE_LINES, .limit = FORMAT_LOOK_MAX, .block = FORMAT_LOOK_MAX };
	struct stat status;
	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	if (is_in_use(in_use, &status))
		return refuse_to_replace(path, "is also an input or a capture of this run", err);
	if (status.st_size == 0)
		return 0;
	struct source *source = source_open(path, &options, err);
	int result = source ? check_content(source, path, err) : -1;
	source_close(source);
	return result;
}

int file_writer_open(struct file_writer *w, const char *path, bool is_private, const struct source_files *in_use,
                     struct signals *signals, struct error *err)
{
	*w = (struct file_writer){ .fd = -1 };
	if (file_own_output(path) < 0 && replace_check(path, in_use, err) < 0)
		return -1;
	return file_writer_begin(w, path, is_private, signals, err);
}

int file_write_whole(const char *path, const char *bytes, size_t length, const struct source_files *in_use,
                     struct signals *signals, struct error *err)
{
	struct file_writer w;
	if (file_writer_open(&w, path, false, in_use, signals, err) < 0)
		return -1;
	if (file_writer_append(&w, bytes, length, err) == 0)
		return file_writer_finish(&w, err);
	file_writer_abandon(&w);
	return -1;
}

int file_remove(const char *path, const struct source_files *in_use, struct error *err)
{
	struct stat status;
	if (lstat(path, &status) < 0 || !S_ISREG(status.st_mode) || !file_is_replaceable(path))
		return 0;
	if (replace_check(path, in_use, err) < 0)
		return -1;
	return unlink(path) == 0 ? 0 : file_cannot("remove", path, errno, err);
}
