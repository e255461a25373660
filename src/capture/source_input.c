#include "capture/source_input.h"

#include "base/text.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define PACKED_BLOCK ((size_t)64 << 10)

struct source_gzip {
	z_stream stream;
	bool at_end;    /* of the compressed bytes */
	bool in_member; /* the current member is not complete */
	size_t capacity;
	unsigned char packed[];
};

void source_input_release(struct source_input *input)
{
	if (input->gzip) {
		inflateEnd(&input->gzip->stream);
		free(input->gzip);
	}
	if (input->owns_fd && input->fd >= 0)
		close(input->fd);
	input->gzip = NULL;
	input->fd = -1;
}

static enum source_result cannot_read(const struct source_input *input, const char *why, struct error *err)
{
	/* no quotes around "standard input": it is not a file name */
	const char *quote = input->owns_fd ? "'" : "";
	error_set(err, EXIT_CODE_IO, "cannot read %s%s%s: %s", quote, input->name, quote, why);
	return SOURCE_ERROR;
}

/* SOURCE_ITEM: the input can be read, or is at its end. */
static enum source_result wait_readable(const struct source_input *input)
{
	struct pollfd wait = { .fd = input->fd, .events = POLLIN };
	if (input->no_wait)
		return poll(&wait, 1, 0) == 0 ? SOURCE_LATER : SOURCE_ITEM;
	return signals_wait_input(input->signals, input->fd, -1) ? SOURCE_ITEM : SOURCE_INTERRUPTED;
}

static enum source_result read_raw(struct source_input *input, void *to, size_t room, size_t *got, struct error *err)
{
	for (;;) {
		enum source_result readable = wait_readable(input);
		if (readable != SOURCE_ITEM)
			return readable;
		ssize_t size = read(input->fd, to, room < input->left ? room : (size_t)input->left);
		if (size < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (size < 0)
			return cannot_read(input, strerror(errno), err);
		*got = (size_t)size;
		input->left -= (uint64_t)size;
		input->read += (uint64_t)size;
		return SOURCE_ITEM;
	}
}

uint64_t source_input_position(const struct source_input *input)
{
	return input->read - (input->gzip ? input->gzip->stream.avail_in : 0);
}

bool source_input_ready(const struct source_input *input)
{
	if (input->gzip && input->gzip->stream.avail_in > 0)
		return true;
	struct pollfd wait = { .fd = input->fd, .events = POLLIN };
	return poll(&wait, 1, 0) != 0;
}

enum source_result source_input_unpack(struct source_input *input, const char *bytes, size_t length, struct error *err)
{
	size_t capacity = length > PACKED_BLOCK ? length : PACKED_BLOCK;
	struct source_gzip *gzip = calloc(1, sizeof *gzip + capacity);
	if (!gzip || inflateInit2(&gzip->stream, 15 + 16) != Z_OK) {
		free(gzip);
		error_no_memory(err);
		return SOURCE_ERROR;
	}
	gzip->capacity = capacity;
	memcpy(gzip->packed, bytes, length);
	gzip->stream.next_in = gzip->packed;
	gzip->stream.avail_in = (unsigned)length;
	gzip->in_member = true;
	input->gzip = gzip;
	return SOURCE_ITEM;
}

static enum source_result load_packed(struct source_input *input, struct error *err)
{
	struct source_gzip *gzip = input->gzip;
	size_t got = 0;
	if (gzip->stream.avail_in > 0 || gzip->at_end)
		return SOURCE_ITEM;
	enum source_result result = read_raw(input, gzip->packed, gzip->capacity, &got, err);
	gzip->stream.next_in = gzip->packed;
	gzip->stream.avail_in = (unsigned)got;
	gzip->at_end = result == SOURCE_ITEM && got == 0;
	return result;
}

static enum source_result unpack(struct source_input *input, char *to, size_t room, size_t *got, struct error *err)
{
	struct source_gzip *gzip = input->gzip;
	z_stream *z = &gzip->stream;
	*got = 0;
	while (*got == 0) {
		enum source_result result = load_packed(input, err);
		if (result != SOURCE_ITEM)
			return result;
		if (gzip->at_end)
			return gzip->in_member ? cannot_read(input, "the gzip data is truncated", err) : SOURCE_ITEM;
		while (!gzip->in_member && z->avail_in > 0 && *z->next_in == 0) { /* padding, as of a block of a tape */
			z->next_in++;
			z->avail_in--;
		}
		if (z->avail_in == 0)
			continue;
		if (!gzip->in_member && *z->next_in != 0x1F)
			return cannot_read(input, "the gzip data is followed by something else", err);
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
			return cannot_read(input, "out of memory", err);
		else if (code != Z_OK && code != Z_BUF_ERROR)
			return cannot_read(input, "the gzip data is damaged", err);
	}
	return SOURCE_ITEM;
}

enum source_result source_input_read(struct source_input *input, char *to, size_t room, size_t *got, struct error *err)
{
	return input->gzip ? unpack(input, to, room, got, err) : read_raw(input, to, room, got, err);
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
