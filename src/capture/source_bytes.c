/* The bytes of an input in its window: read, and unpacked if they are gzip data. */
#include "base/buffer.h"
#include "capture/source_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

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

void source_gzip_free(struct source_gzip *gzip)
{
	if (gzip)
		inflateEnd(&gzip->stream);
	free(gzip);
}

enum source_result source_no_memory(struct error *err)
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

static bool is_asked_to_stop(const void *signals)
{
	return !signals_wait_input(signals, -1, 0);
}

struct json_stop source_stop(const struct signals *signals)
{
	return (struct json_stop){ signals ? is_asked_to_stop : NULL, signals };
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
		return source_no_memory(err);
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
			return source_no_memory(err);
		else if (code != Z_OK && code != Z_BUF_ERROR)
			return cannot_read(s, "the gzip data is damaged", err);
	}
	return SOURCE_ITEM;
}

enum source_result source_fill(struct source *s, struct error *err)
{
	size_t got = 0;
	if (s->start > 0) {
		memmove(s->window, s->window + s->start, s->end - s->start);
		s->scanned -= s->start;
		s->end -= s->start;
		s->start = 0;
	}
	if (s->block > SIZE_MAX - s->end || !ARRAY_ROOM(s->window, s->capacity, s->end + s->block))
		return source_no_memory(err);
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
		enum source_result result = source_fill(source, err);
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

bool source_is_ready(const struct source *source)
{
	struct pollfd wait = { .fd = source->fd, .events = POLLIN };
	if (source->at_end || source->done || (source->gzip && source->gzip->stream.avail_in > 0))
		return true;
	return poll(&wait, 1, 0) != 0;
}

uint64_t source_position(const struct source *source)
{
	uint64_t waiting = source->done ? 0 : source->end - source->start;
	uint64_t read = source->read - (source->gzip ? source->gzip->stream.avail_in : 0);
	if (waiting == 0 || !source->gzip)
		return read - waiting;
	return (uint64_t)((double)read * ((double)(source->filled - waiting) / (double)source->filled));
}
