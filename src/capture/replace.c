#include "capture/replace.h"

#include "base/file.h"
#include "capture/format.h"
#include "capture/record.h"

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
	struct source_options options = { .type = SOURCE_LINES, .limit = FORMAT_LOOK_MAX, .block = FORMAT_LOOK_MAX };
	struct stat status;
	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	if (is_in_use(in_use, &status))
		return refuse_to_replace(path, "is also an input or a capture of this run", err);
	if (status.st_size == 0 || file_own_output(path) >= 0)
		return 0;
	struct source *source = source_open(path, &options, err);
	int result = source ? check_content(source, path, err) : -1;
	source_close(source);
	return result;
}
