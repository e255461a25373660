#include "capture/source.h"

#include "base/file.h"
#include "base/text.h"
#include "capture/record.h"
#include "json/located.h"
#include "json/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define DEFAULT_BLOCK ((size_t)256 << 10)
/* How gzip data begins, and no JSON text. */
#define GZIP_FIRST   '\x1F'
#define GZIP_SECOND  '\x8B'
#define PACKED_BLOCK ((size_t)64 << 10)

struct source_gzip {
	z_stream stream;
	bool at_end;    /* of the compressed bytes */
	bool in_member; /* the current member is not complete */
	size_t capacity;
	unsigned char packed[];
};

struct source {
	char *name; /* owned; for messages */
	/* The bytes of the input. */
	int fd;
	bool owns_fd;
	struct source_gzip *gzip; /* NULL: not compressed */
	const struct signals *signals;
	bool no_wait;  /* SOURCE_LATER instead of waiting */
	uint64_t left; /* bytes still to be read from the descriptor; what follows them is ignored */
	uint64_t read; /* bytes read from the descriptor */
	/* The text. */
	bool is_looked_at; /* whether it is gzip data */
	bool at_end;       /* of the input */
	bool done;         /* everything was handed out */
	bool skipping;     /* the rest of a line that was too long */
	enum source_type type;
	size_t limit, block;
	size_t line;  /* the number of the line at `start` */
	size_t blank; /* lines */
	/* window[start, end) was read and not handed out; there is no LF in [start, scanned). */
	char *window;
	size_t capacity, start, scanned, end;
	uint64_t filled; /* bytes of text read in all */
	size_t blank_to; /* SOURCE_DETECT: everything before it is blank */
};

struct source *source_open_fd(int fd, const char *name, const struct source_options *options, struct error *err)
{
	struct source *s = calloc(1, sizeof *s);
	if (!s)
		return error_no_memory_null(err);
	s->fd = fd;
	s->left = UINT64_MAX;
	s->type = options->type != SOURCE_DETECT ? options->type : source_type_of_name(name);
	s->limit = options->limit ? options->limit : SOURCE_PAYLOAD_MAX;
	s->block = options->block ? options->block : DEFAULT_BLOCK;
	s->signals = options->signals;
	s->line = 1;
	s->name = strdup(name);
	if (!s->name || !ARRAY_ROOM(s->window, s->capacity, s->block)) {
		source_close(s);
		return error_no_memory_null(err);
	}
	return s;
}

struct source *source_open(const char *path, const struct source_options *options, struct error *err)
{
	if (strcmp(path, "-") == 0)
		return source_open_fd(STDIN_FILENO, "standard input", options, err);
	struct source *s = source_open_fd(-1, path, options, err);
	if (!s)
		return NULL;
	/* O_NONBLOCK: open() must not wait for the writer of a FIFO, since no signal would end that; poll() waits. */
	int fd = s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	s->owns_fd = true;
	struct stat status;
	if (fd >= 0 && fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode)) {
		if ((size_t)status.st_size > s->block)
			(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
		/* Ignore what is appended meanwhile: a replay to the listener that writes the same file would never
		 * end. Files in /proc have size 0. */
		if (S_ISREG(status.st_mode) && status.st_size > 0)
			s->left = (uint64_t)status.st_size;
		return s;
	}
	file_cannot("open", path, fd >= 0 ? EISDIR : errno, err);
	source_close(s);
	return NULL;
}

void source_close(struct source *source)
{
	if (!source)
		return;
	if (source->gzip) {
		inflateEnd(&source->gzip->stream);
		free(source->gzip);
	}
	if (source->owns_fd && source->fd >= 0)
		close(source->fd);
	free(source->window);
	free(source->name);
	free(source);
}

void source_set_wait(struct source *source, bool wait)
{
	source->no_wait = !wait;
}

int source_fd(const struct source *source)
{
	return source->fd;
}

const char *source_name(const struct source *source)
{
	return source->name;
}

uint64_t source_position(const struct source *source)
{
	uint64_t waiting = source->done ? 0 : source->end - source->start;
	uint64_t read = source->read - (source->gzip ? source->gzip->stream.avail_in : 0);
	if (waiting == 0 || !source->gzip)
		return read - waiting;
	return (uint64_t)((double)read * ((double)(source->filled - waiting) / (double)source->filled));
}

size_t source_blank_lines(const struct source *source)
{
	return source->blank;
}

enum source_type source_type_found(const struct source *source)
{
	return source->type;
}

static enum source_result no_memory(struct error *err)
{
	error_no_memory(err);
	return SOURCE_ERROR;
}

static enum source_result cannot_read(const struct source *s, const char *why, struct error *err)
{
	/* no quotes around "standard input": it is not a file name */
	const char *quote = s->owns_fd ? "'" : "";
	error_set(err, EXIT_CODE_IO, "cannot read %s%s%s: %s", quote, s->name, quote, why);
	return SOURCE_ERROR;
}

/* Whether a signal is waiting: nothing that is read from a file blocks, but there may be much of it. */
static bool is_interrupted(const struct source *s)
{
	return s->signals && !signals_wait_input(s->signals, -1, 0);
}

/* Reads 1 to `room` bytes; *got 0 is the end. */
static enum source_result read_raw(struct source *s, void *to, size_t room, size_t *got, struct error *err)
{
	for (;;) {
		struct pollfd wait = { .fd = s->fd, .events = POLLIN };
		if (s->no_wait ? is_interrupted(s) : !signals_wait_input(s->signals, s->fd, -1))
			return SOURCE_INTERRUPTED;
		if (s->no_wait && poll(&wait, 1, 0) == 0)
			return SOURCE_LATER;
		ssize_t size = read(s->fd, to, room < s->left ? room : (size_t)s->left);
		if (size < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (size < 0)
			return cannot_read(s, strerror(errno), err);
		*got = (size_t)size;
		s->left -= (uint64_t)size;
		s->read += (uint64_t)size;
		return SOURCE_ITEM;
	}
}

/* The bytes that were read so far are gzip data: what is read from here on is what they hold. */
static enum source_result begin_gzip(struct source *s, struct error *err)
{
	size_t capacity = s->end > PACKED_BLOCK ? s->end : PACKED_BLOCK;
	struct source_gzip *gzip = calloc(1, sizeof *gzip + capacity);
	size_t length = s->end;
	s->filled = s->end = s->scanned = 0; /* also without memory: packed bytes are not text */
	if (!gzip || inflateInit2(&gzip->stream, 15 + 16) != Z_OK) {
		free(gzip);
		return no_memory(err);
	}
	gzip->capacity = capacity;
	memcpy(gzip->packed, s->window, length);
	gzip->stream.next_in = gzip->packed;
	gzip->stream.avail_in = (unsigned)length;
	gzip->in_member = true;
	s->gzip = gzip;
	return SOURCE_ITEM;
}

/* The same, unpacked. SOURCE_ERROR also for gzip data that is truncated, damaged, or followed by something else;
 * several members are one text. */
static enum source_result unpack(struct source *s, char *to, size_t room, size_t *got, struct error *err)
{
	struct source_gzip *gzip = s->gzip;
	z_stream *z = &gzip->stream;
	*got = 0;
	if (is_interrupted(s)) /* what was read may be a thousand times as much */
		return SOURCE_INTERRUPTED;
	while (*got == 0) {
		if (z->avail_in == 0 && !gzip->at_end) {
			size_t packed = 0;
			enum source_result result = read_raw(s, gzip->packed, gzip->capacity, &packed, err);
			if (result != SOURCE_ITEM)
				return result;
			z->next_in = gzip->packed;
			z->avail_in = (unsigned)packed;
			gzip->at_end = packed == 0;
		}
		if (gzip->at_end)
			return gzip->in_member ? cannot_read(s, "the gzip data is truncated", err) : SOURCE_ITEM;
		while (!gzip->in_member && z->avail_in > 0 && *z->next_in == 0) { /* padding, as of a block of a tape */
			z->next_in++;
			z->avail_in--;
		}
		if (z->avail_in == 0)
			continue;
		if (!gzip->in_member && *z->next_in != GZIP_FIRST)
			return cannot_read(s, "the gzip data is followed by something else", err);
		if (!gzip->in_member)
			inflateReset(z);
		gzip->in_member = true;
		z->next_out = (unsigned char *)to;
		z->avail_out = room < UINT32_MAX ? (unsigned)room : UINT32_MAX;
		unsigned before = z->avail_out;
		int code = inflate(z, Z_NO_FLUSH);
		*got = before - z->avail_out;
		if (code == Z_STREAM_END)
			gzip->in_member = false;
		else if (code == Z_MEM_ERROR)
			return no_memory(err);
		else if (code != Z_OK && code != Z_BUF_ERROR)
			return cannot_read(s, "the gzip data is damaged", err);
	}
	return SOURCE_ITEM;
}

/* Reads one more block behind the contents, which move to the front, or finds the end. SOURCE_ITEM: continue. */
static enum source_result fill(struct source *s, struct error *err)
{
	size_t got = 0;
	if (s->start > 0) {
		memmove(s->window, s->window + s->start, s->end - s->start);
		s->scanned -= s->start;
		s->end -= s->start;
		s->start = 0;
	}
	if (s->block > SIZE_MAX - s->end || !ARRAY_ROOM(s->window, s->capacity, s->end + s->block))
		return no_memory(err);
	enum source_result result = s->gzip ? unpack(s, s->window + s->end, s->block, &got, err)
	                                    : read_raw(s, s->window + s->end, s->block, &got, err);
	if (result != SOURCE_ITEM)
		return result;
	s->at_end = got == 0;
	s->end += got;
	s->filled += got;
	if (s->is_looked_at || s->end == 0)
		return SOURCE_ITEM;
	bool may_be_gzip = s->window[0] == GZIP_FIRST;
	s->is_looked_at = !may_be_gzip || s->end > 1;
	return may_be_gzip && s->end > 1 && s->window[1] == GZIP_SECOND ? begin_gzip(s, err) : SOURCE_ITEM;
}

enum source_result source_peek(struct source *source, size_t wanted, const char **text, size_t *length, bool *whole,
                               struct error *err)
{
	while (!source->at_end && source->end - source->start < wanted) {
		enum source_result result = fill(source, err);
		if (result != SOURCE_ITEM)
			return result;
	}
	*text = source->window + source->start;
	*length = source->end - source->start;
	*whole = source->at_end;
	return SOURCE_ITEM;
}

void source_take(struct source *source, size_t length)
{
	source->start += length;
	source->scanned = source->start;
}

/* The length of the JSON white space at the start of the text. */
static size_t blank_length(const char *text, size_t length)
{
	return (size_t)(json_skip_space(text, text + length) - text);
}

bool source_is_blank(const char *text, size_t length)
{
	return blank_length(text, length) == length;
}

/* The limit of the document at `text`: a capture record contains its payload as a string, so it may be longer. */
static size_t limit_of(const struct source *s, const char *text, size_t length)
{
	if (!capture_begins_as_record(text, length))
		return s->limit;
	return s->limit > (SIZE_MAX - SOURCE_RECORD_EXTRA) / 2 ? SIZE_MAX : 2 * s->limit + SOURCE_RECORD_EXTRA;
}

/* The first LF of the window, or NULL. Sets `scanned` to it, or to the end of the window. */
static const char *scan_line(struct source *s)
{
	const char *lf = memchr(s->window + s->scanned, '\n', s->end - s->scanned);
	s->scanned = lf ? (size_t)(lf - s->window) : s->end;
	return lf;
}

/* The next line that is not blank. Of a line over the limit the rest is skipped by the next call. */
static enum source_result next_line(struct source *s, struct source_item *item, struct error *err)
{
	for (;;) {
		const char *lf = scan_line(s), *text = s->window + s->start;
		size_t line_end = lf ? 1 : 0, length = s->scanned - s->start;
		if (s->skipping) {
			s->start = s->scanned += line_end;
			if (lf || s->at_end) {
				s->skipping = false;
				s->line++;
				continue;
			}
			length = 0;
		}
		if (lf && length > 0 && lf[-1] == '\r') {
			length--;
			line_end = 2;
		}
		size_t limit = length > s->limit ? limit_of(s, text, length) : s->limit;
		/* One byte over the limit may be a CR whose LF is not read yet. */
		bool too_long = length > limit && (lf || s->at_end || length - limit > 1);
		if (!too_long && !lf && !s->at_end) {
			enum source_result result = fill(s, err);
			if (result != SOURCE_ITEM)
				return result;
			continue;
		}
		if (length == 0 && !lf)
			return SOURCE_END;
		*item = (struct source_item){ text, too_long ? limit : length, s->line, too_long, !lf && !too_long };
		s->start += too_long ? limit : length + line_end;
		s->scanned = s->start;
		s->skipping = too_long;
		if (too_long)
			return SOURCE_ITEM;
		s->line++;
		if (!source_is_blank(text, length))
			return SOURCE_ITEM;
		s->blank++;
	}
}

static enum source_result next_single(struct source *s, struct source_item *item, struct error *err)
{
	if (s->done)
		return SOURCE_END;
	size_t limit;
	for (;;) {
		limit = limit_of(s, s->window + s->start, s->end - s->start);
		if (s->at_end || s->end - s->start > limit)
			break;
		enum source_result result = fill(s, err);
		if (result != SOURCE_ITEM)
			return result;
	}
	size_t length = s->end - s->start;
	bool too_long = length > limit;
	*item = (struct source_item){ s->window + s->start, too_long ? limit : length, s->line, too_long, false };
	s->done = true;
	return SOURCE_ITEM;
}

/* Decides the kind by the first line that is not blank, without consuming it. Blank lines before it are harmless: JSON
 * ignores white space. */
static enum source_result detect(struct source *s, struct error *err)
{
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	for (;;) {
		const char *lf = scan_line(s);
		size_t length = s->scanned - s->start;
		bool too_long = length > limit_of(s, s->window + s->start, length);
		s->blank_to += blank_length(s->window + s->blank_to, s->scanned - s->blank_to);
		bool blank = s->blank_to == s->scanned;
		if (too_long || s->at_end || (lf && !blank)) {
			struct json_fault fault = { 0 };
			bool lines =
			        too_long || (lf && !blank && json_read(&doc, s->window + s->start, length, &fault));
			if (!lines && json_fault_is_memory(&fault))
				return no_memory(err);
			s->type = lines ? SOURCE_LINES : SOURCE_SINGLE;
			s->scanned = s->start;
			return SOURCE_ITEM;
		}
		if (lf) {
			s->blank_to = ++s->scanned;
			continue;
		}
		enum source_result result = fill(s, err);
		if (result != SOURCE_ITEM)
			return result;
	}
}

enum source_result source_next(struct source *source, struct source_item *item, struct error *err)
{
	*item = (struct source_item){ 0 };
	if (source->type == SOURCE_DETECT) {
		enum source_result result = detect(source, err);
		if (result != SOURCE_ITEM)
			return result;
	}
	return source->type == SOURCE_LINES ? next_line(source, item, err) : next_single(source, item, err);
}

bool source_is_ready(const struct source *source)
{
	struct pollfd wait = { .fd = source->fd, .events = POLLIN };
	if (source->at_end || source->done || (source->gzip && source->gzip->stream.avail_in > 0))
		return true;
	return poll(&wait, 1, 0) != 0;
}

/* The window, of which the block has this part, goes to the block; the source continues in the block's memory with what
 * was not handed out. */
static enum source_result exchange_memory(struct source *s, struct source *block, const char *text, size_t length,
                                          struct error *err)
{
	size_t rest = s->end - s->start, capacity = s->capacity;
	char *window = s->window;
	if (!ARRAY_ROOM(block->window, block->capacity, rest + s->block))
		return no_memory(err);
	memcpy(block->window, window + s->start, rest);
	block->start = block->scanned = (size_t)(text - window);
	block->end = block->start + length;
	block->blank = 0;
	block->skipping = block->done = false;
	s->window = block->window;
	s->capacity = block->capacity;
	block->window = window;
	block->capacity = capacity;
	s->scanned = s->start = 0;
	s->end = rest;
	return SOURCE_ITEM;
}

/* As many whole lines as the window has. SOURCE_END: none, or a line so long that its limit must be checked. */
static enum source_result next_lines(struct source *s, struct source *block, struct error *err)
{
	while (!s->skipping && s->end - s->start <= s->limit) {
		const char *last = memrchr(s->window + s->scanned, '\n', s->end - s->scanned);
		if (last) {
			const char *text = s->window + s->start;
			size_t length = (size_t)(last + 1 - text);
			block->type = SOURCE_LINES;
			block->line = s->line;
			s->line += text_count_lines(text, length);
			s->start += length;
			return exchange_memory(s, block, text, length, err);
		}
		s->scanned = s->end;
		if (s->at_end)
			break;
		enum source_result result = fill(s, err);
		if (result != SOURCE_ITEM)
			return result;
	}
	s->scanned = s->start;
	return SOURCE_END;
}

enum source_result source_next_block(struct source *source, struct source **block, struct error *err)
{
	struct source *b = *block;
	if (!b) {
		struct source_options options = { .limit = source->limit, .block = source->block };
		b = *block = source_open_fd(-1, source->name, &options, err);
		if (!b)
			return SOURCE_ERROR;
		b->at_end = true;
	}
	enum source_result result = source->type == SOURCE_DETECT ? detect(source, err) : SOURCE_ITEM;
	if (result != SOURCE_ITEM)
		return result;
	if (source->type == SOURCE_LINES && (result = next_lines(source, b, err)) != SOURCE_END)
		return result;
	struct source_item item;
	result = source_next(source, &item, err);
	if (result != SOURCE_ITEM)
		return result;
	b->type = SOURCE_SINGLE;
	b->line = item.line;
	if (source->type == SOURCE_SINGLE)
		source->start = source->end;
	/* An item that is too long keeps one byte more, which shows it. */
	return exchange_memory(source, b, item.text, item.length + item.too_long, err);
}

size_t source_block_length(const struct source *block)
{
	return block->end - block->start;
}

enum source_type source_type_of_name(const char *path)
{
	size_t length = strlen(path);
	if (text_ends_with(path, length, ".gz"))
		length -= 3;
	if (text_ends_with(path, length, ".json"))
		return SOURCE_SINGLE;
	bool are_lines = text_ends_with(path, length, ".ndjson") || text_ends_with(path, length, ".jsonl");
	return are_lines ? SOURCE_LINES : SOURCE_DETECT;
}
