/*
 * Any input, any small window: the items are those that a naive splitter finds with the whole input before it.
 * The first three bytes choose the kind, the limit and the block.
 */
#include "../fuzz.h"
#include "base/buffer.h"
#include "base/file.h"
#include "capture/source.h"
#include "json/located.h"

#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

struct input {
	const char *text;
	size_t length;
	size_t limit;
};

static size_t limit_of(const struct input *in, size_t at)
{
	bool record = in->length - at >= 5 && memcmp(in->text + at, "{\"v\":", 5) == 0;
	return record ? 2 * in->limit + SOURCE_RECORD_EXTRA : in->limit;
}

static size_t line_stop(const struct input *in, size_t at)
{
	const char *lf = at < in->length ? memchr(in->text + at, '\n', in->length - at) : NULL;
	return lf ? (size_t)(lf - in->text) : in->length;
}

static bool blank(const struct input *in, size_t from, size_t to)
{
	for (; from < to; from++)
		if (!memchr(" \t\r\n", in->text[from], 4))
			return false;
	return true;
}

static enum source_type detect(const struct input *in)
{
	size_t stop = line_stop(in, 0);
	while (stop < in->length && stop <= limit_of(in, 0) && blank(in, 0, stop))
		stop = line_stop(in, stop + 1);
	if (stop > limit_of(in, 0))
		return SOURCE_LINES;
	struct json_doc doc;
	struct json_fault fault;
	doc = JSON_DOC_INIT;
	bool whole = stop < in->length && json_read(&doc, in->text, stop, &fault);
	json_doc_release(&doc);
	return whole ? SOURCE_LINES : SOURCE_SINGLE;
}

static void require_item(struct source *source, const char *text, size_t length, size_t limit, size_t line, bool torn)
{
	struct source_item item;
	struct error err;
	require(source_next(source, &item, &err) == SOURCE_ITEM);
	bool too_long = length > limit;
	require(item.too_long == too_long && item.length == (too_long ? limit : length) && item.line == line);
	require(item.torn == (torn && !too_long));
	require(memcmp(item.text, text, item.length) == 0);
}

static void require_lines(struct source *source, const struct input *in)
{
	size_t blanks = 0;
	for (size_t at = 0, line = 1; at < in->length; line++) {
		size_t stop = line_stop(in, at), end = stop;
		if (stop < in->length && end > at && in->text[end - 1] == '\r')
			end--;
		if (end - at <= limit_of(in, at) && blank(in, at, end))
			blanks++;
		else
			require_item(source, in->text + at, end - at, limit_of(in, at), line, stop == in->length);
		at = stop + 1;
	}
	struct source_item item;
	struct error err;
	require(source_next(source, &item, &err) == SOURCE_END);
	require(source_blank_lines(source) == blanks);
}

/* Many lines at once are the same lines. */
static void require_same_in_blocks(int fd, const struct source_options *options)
{
	struct error err;
	struct source *one_by_one, *in_blocks, *block = NULL;
	struct source_item item, same;
	size_t blank = 0;
	int other = file_make_nameless(NULL);
	struct stat status;
	require(other >= 0 && fstat(fd, &status) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	require(sendfile(other, fd, NULL, (size_t)status.st_size) == status.st_size);
	require(lseek(fd, 0, SEEK_SET) == 0 && lseek(other, 0, SEEK_SET) == 0);
	one_by_one = source_open_fd(fd, "fuzz", options, &err);
	in_blocks = source_open_fd(other, "fuzz", options, &err);
	require(one_by_one && in_blocks);
	while (source_next_block(in_blocks, &block, &err) == SOURCE_ITEM) {
		while (source_next(block, &item, &err) == SOURCE_ITEM) {
			require(source_next(one_by_one, &same, &err) == SOURCE_ITEM);
			require(item.length == same.length && item.line == same.line && item.too_long == same.too_long);
			require(memcmp(item.text, same.text, item.length) == 0);
		}
		blank += source_blank_lines(block);
	}
	require(source_next(one_by_one, &same, &err) == SOURCE_END);
	require(blank + source_blank_lines(in_blocks) == source_blank_lines(one_by_one));
	source_close(block);
	source_close(one_by_one);
	source_close(in_blocks);
	close(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 3)
		return 0;
	if (size >= 5 && data[3] == 0x1F && data[4] == 0x8B)
		return 0; /* gzip: source_gzip_test, and the fuzzer of validate */
	struct input in = { (const char *)data + 3, size - 3, 4 + data[1] };
	struct source_options options = { (enum source_type)(data[0] % 3), in.limit, 2 + data[2], NULL };
	int fd = file_make_nameless(NULL);
	require(fd >= 0 && write(fd, in.text, in.length) == (ssize_t)in.length && lseek(fd, 0, SEEK_SET) == 0);
	struct error err;
	struct source *source = source_open_fd(fd, "fuzz", &options, &err);
	require(source != NULL);
	enum source_type kind = options.type == SOURCE_DETECT ? detect(&in) : options.type;
	if (kind == SOURCE_LINES) {
		require_lines(source, &in);
	} else {
		struct source_item item;
		require_item(source, in.text, in.length, limit_of(&in, 0), 1, false);
		require(source_next(source, &item, &err) == SOURCE_END);
	}
	require(source_type_found(source) == kind);
	source_close(source);
	require_same_in_blocks(fd, &options);
	close(fd);
	return 0;
}
