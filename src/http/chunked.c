#include "http/chunked.h"

#include "base/ascii.h"
#include "http/head.h"

#include <stdbool.h>
#include <string.h>

enum state {
	SIZE,
	DATA,
	DATA_END, /* the CRLF behind it */
	TRAILER,  /* a trailer field, or the empty line */
	END,
	REFUSED,
};

void http_chunked_init(struct http_chunked *chunked, uint64_t body, size_t extra, size_t trailers)
{
	chunked->state = SIZE;
	chunked->limit = body;
	chunked->left = 0;
	chunked->extra = extra;
	chunked->trailers = trailers;
	chunked->line_length = 0;
}

static void refuse(struct http_chunked *c, int status, const char *reason)
{
	c->state = REFUSED;
	c->status = status;
	c->reason = reason;
}

/* chunk-size [ BWS ";" extensions ] */
static void take_size(struct http_chunked *c, const char *line, size_t length)
{
	size_t digits = 0;
	for (c->left = 0; digits < length && ascii_is_hex(line[digits]); digits++) {
		if (c->left > UINT64_MAX >> 4) {
			refuse(c, 413, "the body is too large");
			return;
		}
		c->left = c->left << 4 | ascii_hex_value(line[digits]);
	}
	size_t at = digits;
	while (at < length && (line[at] == ' ' || line[at] == '\t'))
		at++;
	if (digits == 0)
		refuse(c, 400, "a chunk does not start with its size in hexadecimal digits");
	else if (digits < length && (at == length || line[at] != ';'))
		refuse(c, 400, "the size of a chunk is not followed by CRLF or an extension");
	else if (!http_is_value(line + at, length - at))
		refuse(c, 400, "a chunk extension contains a control character");
	else if (length - digits > c->extra)
		refuse(c, 431, "the chunk extensions are too long");
	else if (c->left > c->limit)
		refuse(c, 413, "the body is too large");
	else
		c->state = c->left > 0 ? DATA : TRAILER;
	c->limit -= c->state == DATA ? c->left : 0;
	c->extra -= c->state != REFUSED ? length - digits : 0;
}

static void take_trailer(struct http_chunked *c, const char *line, size_t length)
{
	struct header field;
	if (length == 0)
		c->state = END;
	else if (c->trailers == 0)
		refuse(c, 431, "too many trailer fields");
	else if (!header_read(line, length, &field) || !http_is_token(field.name.text, field.name.length))
		refuse(c, 400, "the name of a trailer field is not valid");
	else if (!http_is_value(line, length))
		refuse(c, 400, "a trailer field contains a control character");
	if (c->state != TRAILER)
		return;
	c->trailers--;
	c->extra -= length;
}

/* Appends to the line under way, and takes it when it is whole. A CR without LF is refused at once. */
static size_t feed_line(struct http_chunked *c, const char *bytes, size_t length)
{
	size_t most = c->state == TRAILER ? c->extra + 2 : c->state == SIZE ? HTTP_CHUNK_LINE_LIMIT + 2 : 2;
	const char *lf = memchr(bytes, '\n', length);
	size_t take = lf ? (size_t)(lf - bytes) + 1 : length;
	if (most > sizeof c->line)
		most = sizeof c->line;
	bool is_too_long = take > most - c->line_length;
	if (is_too_long) {
		take = most - c->line_length;
		lf = NULL;
	}
	memcpy(c->line + c->line_length, bytes, take);
	c->line_length += take;
	const char *cr = memchr(c->line, '\r', c->line_length);
	bool is_last = cr && cr + 1 == c->line + c->line_length;
	if (cr ? !is_last && cr[1] != '\n' : lf != NULL) {
		refuse(c, 400, "a line of a chunked body does not end with CRLF");
		return take;
	}
	if (is_too_long && c->state == TRAILER)
		refuse(c, 431, "the trailer fields are too long");
	else if (is_too_long)
		refuse(c, 400,
		       c->state == SIZE ? "the size line of a chunk is too long"
		                        : "a chunk is longer than its size says");
	if (!lf)
		return take;
	size_t line_length = c->line_length - 2;
	c->line_length = 0;
	if (c->state == SIZE)
		take_size(c, c->line, line_length);
	else if (c->state == TRAILER)
		take_trailer(c, c->line, line_length);
	else if (line_length == 0)
		c->state = SIZE;
	else
		refuse(c, 400, "a chunk is longer than its size says");
	return take;
}

enum http_chunk http_chunked_feed(struct http_chunked *chunked, const char *bytes, size_t length, size_t *used,
                                  const char **data, size_t *data_length)
{
	size_t i = 0;
	while (i < length && chunked->state != END && chunked->state != REFUSED) {
		if (chunked->state == DATA) {
			size_t take = length - i < chunked->left ? length - i : (size_t)chunked->left;
			*data = bytes + i;
			*data_length = take;
			*used = i + take;
			chunked->left -= take;
			if (chunked->left == 0)
				chunked->state = DATA_END;
			return HTTP_CHUNK_DATA;
		}
		i += feed_line(chunked, bytes + i, length - i);
	}
	*used = i;
	if (chunked->state == REFUSED)
		return HTTP_CHUNK_REFUSED;
	return chunked->state == END ? HTTP_CHUNK_END : HTTP_CHUNK_MORE;
}
