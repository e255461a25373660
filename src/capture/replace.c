#include "capture/replace.h"

#include "base/buffer.h"
#include "capture/format.h"
#include "capture/record.h"
#include "json/elements.h"

#include <errno.h>
#include <fcntl.h>
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

/* A record, or a line of `listen --json`; the text may be only its beginning. */
static bool is_capture_line(const char *text, size_t length)
{
	LOCAL_BUFFER beginning = BUFFER_INIT;
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct json_fault ignored;
	if (capture_begins_as_record(text, length))
		return true;
	json_append_beginning(&beginning, text, length);
	return !beginning.failed && json_read(&doc, buffer_text(&beginning), beginning.length, &ignored) &&
	       capture_line_of(&doc) != CAPTURE_LINE_PAYLOAD;
}

/* Whether any line is one of a capture. The first may be torn, or follow a byte order mark. */
static bool is_capture(const char *text, size_t length)
{
	static const char mark[] = "\xEF\xBB\xBF";
	const char *end = text + length;
	if (length >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0)
		text += strlen(mark);
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text)), *line_end = newline ? newline : end;
		while (text < line_end && source_is_blank(text, 1))
			text++;
		if (text < line_end && is_capture_line(text, (size_t)(line_end - text)))
			return true;
		text = line_end + 1;
	}
	return false;
}

static int check_content(struct source *source, const char *path, struct error *err)
{
	const struct format *format;
	const char *text;
	size_t length;
	bool whole;
	if (format_look(source, &format, err) != SOURCE_ITEM ||
	    source_peek(source, FORMAT_LOOK_MAX, &text, &length, &whole, err) != SOURCE_ITEM)
		return -1;
	if (format && format->is_data)
		return refuse_to_replace(path, format->words, err);
	return is_capture(text, length) ? refuse_to_replace(path, "is a capture", err) : 0;
}

int replace_check(const char *path, const struct source_files *in_use, struct error *err)
{
	struct source_options options = { .block = FORMAT_LOOK_MAX };
	struct stat status;
	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return 0;
	if (is_in_use(in_use, &status))
		return refuse_to_replace(path, "is also an input or a capture of this run", err);
	if (status.st_size == 0)
		return 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return error_set(err, EXIT_CODE_IO, "cannot replace '%s': cannot read it first: %s", path,
		                 strerror(errno));
	/* Not by its name: a file called .gz need not be compressed. */
	struct source *source = source_open_fd(fd, "it", &options, err);
	int result = source ? check_content(source, path, err) : -1;
	source_close(source);
	close(fd);
	return result;
}
