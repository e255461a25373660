#include "http/raw_response.h"

#include "http/head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXTRA_BYTES    4096 /* of chunk extensions and trailers */
#define TRAILERS       16
#define LENGTH_UNKNOWN UINT64_MAX

enum {
	WITHIN_HEAD,
	WITHIN_LENGTH, /* `left` bytes of body follow */
	WITHIN_CHUNKS,
};

/* The value of a field; false: there is none. */
static bool field_value(const struct raw_reader *reader, const char *name, char *out, size_t size)
{
	const char *at = reader->head.data, *end = at + reader->head.length;
	struct header field;
	while (http_head_next(&at, end, &field))
		if (header_copy(&field, name, out, size))
			return true;
	return false;
}

static void keep_fields(struct raw_reader *reader)
{
	struct delivery *d = reader->delivery;
	buffer_clear(&d->response);
	d->response_length = 0;
	d->response_type[0] = d->response_location[0] = d->retry_after[0] = '\0';
	field_value(reader, "Content-Type", d->response_type, sizeof d->response_type);
	field_value(reader, "Location", d->response_location, sizeof d->response_location);
	field_value(reader, "Retry-After", d->retry_after, sizeof d->retry_after);
}

static void end_response(struct raw_reader *reader)
{
	if (reader->status >= 200)
		reader->responses++;
	reader->state = WITHIN_HEAD;
	buffer_clear(&reader->head);
}

/* How the body is framed (RFC 9112, section 6.3). */
static void begin_body(struct raw_reader *reader)
{
	char value[64];
	bool bodiless = reader->status < 200 || reader->status == 204 || reader->status == 304 || reader->without_body;
	reader->left = bodiless ? 0 : LENGTH_UNKNOWN;
	reader->state = WITHIN_LENGTH;
	if (!bodiless && field_value(reader, "Transfer-Encoding", value, sizeof value)) {
		reader->state = WITHIN_CHUNKS;
		http_chunked_init(&reader->chunked, UINT64_MAX, EXTRA_BYTES, TRAILERS);
	} else if (!bodiless && field_value(reader, "Content-Length", value, sizeof value)) {
		reader->left = strtoull(value, NULL, 10);
	}
	if (reader->state == WITHIN_LENGTH && reader->left == 0)
		end_response(reader);
}

/* The head is whole. The response that says most is kept: the first that is not a success, else the last. */
static void end_head(struct raw_reader *reader)
{
	struct delivery *d = reader->delivery;
	int status = 0;
	if (sscanf(reader->head.data, "HTTP/1.%*1[01] %3d", &status) != 1 || status < 100) {
		reader->refused = true;
		return;
	}
	char connection[64] = "";
	field_value(reader, "Connection", connection, sizeof connection);
	reader->closes = status >= 200 && strcasestr(connection, "close");
	reader->status = status;
	reader->keeps = status >= 200 && (d->status == 0 || (d->status >= 200 && d->status < 300));
	if (reader->keeps) {
		d->status = status;
		keep_fields(reader);
	}
	begin_body(reader);
}

static size_t take_head(struct raw_reader *reader, const char *bytes, size_t length)
{
	size_t used = 0;
	while (used < length) {
		const char *newline = memchr(bytes + used, '\n', length - used);
		size_t end = newline ? (size_t)(newline - bytes) + 1 : length;
		buffer_append(&reader->head, bytes + used, end - used);
		used = end;
		size_t kept = reader->head.length;
		const char *data = reader->head.data;
		if (reader->head.failed || kept > DELIVER_HEAD_READ)
			reader->refused = true;
		else if (newline && kept >= 2 &&
		         (data[kept - 2] == '\n' || (kept >= 3 && memcmp(data + kept - 3, "\n\r\n", 3) == 0)))
			end_head(reader);
		else
			continue;
		break;
	}
	return used;
}

static void keep_body(struct raw_reader *reader, const char *bytes, size_t length)
{
	struct delivery *d = reader->delivery;
	size_t room = DELIVER_RESPONSE_KEEP - d->response.length;
	if (!reader->keeps)
		return;
	buffer_append(&d->response, bytes, length < room ? length : room);
	d->response_length += length;
	d->response_cut |= length > room;
}

static size_t take_chunks(struct raw_reader *reader, const char *bytes, size_t length)
{
	const char *data;
	size_t used, data_length;
	switch (http_chunked_feed(&reader->chunked, bytes, length, &used, &data, &data_length)) {
	case HTTP_CHUNK_MORE:
		break;
	case HTTP_CHUNK_DATA:
		keep_body(reader, data, data_length);
		break;
	case HTTP_CHUNK_END:
		end_response(reader);
		break;
	case HTTP_CHUNK_REFUSED:
		reader->refused = true;
		break;
	}
	return used;
}

void raw_reader_feed(struct raw_reader *reader, const char *bytes, size_t length)
{
	while (length > 0 && !reader->refused) {
		size_t used = length;
		if (reader->state == WITHIN_HEAD) {
			used = take_head(reader, bytes, length);
		} else if (reader->state == WITHIN_CHUNKS) {
			used = take_chunks(reader, bytes, length);
		} else {
			used = reader->left < length ? (size_t)reader->left : length;
			keep_body(reader, bytes, used);
			reader->left -= reader->left == LENGTH_UNKNOWN ? 0 : used;
			if (reader->left == 0)
				end_response(reader);
		}
		bytes += used;
		length -= used;
		/* Enough was seen of one that does not end. */
		reader->refused |= reader->delivery->response_length > DELIVER_RESPONSE_READ;
	}
}

void raw_reader_end(struct raw_reader *reader)
{
	if (reader->state == WITHIN_LENGTH && reader->left == LENGTH_UNKNOWN)
		end_response(reader);
}

bool raw_reader_is_within(const struct raw_reader *reader)
{
	return reader->state != WITHIN_HEAD || reader->head.length > 0;
}
