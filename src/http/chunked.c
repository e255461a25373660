#include "http/chunked.h"

#include "http/head.h"

#include <stdbool.h>

enum state {
	SIZE,       /* the first digit */
	SIZE_MORE,  /* further ones */
	SIZE_SPACE, /* whitespace before an extension */
	EXTENSION,
	SIZE_LF,
	DATA,
	DATA_CR,
	DATA_LF,
	TRAILER, /* the first byte of a trailer field, or the empty line */
	TRAILER_NAME,
	TRAILER_VALUE,
	TRAILER_LF,
	LAST_LF,
	END,
	REFUSED,
};

void http_chunked_init(struct http_chunked *chunked, uint64_t body, size_t extra, size_t trailers)
{
	*chunked = (struct http_chunked){ .state = SIZE, .limit = body, .extra = extra, .trailers = trailers };
}

static bool refuse(struct http_chunked *c, int status, const char *reason)
{
	c->state = REFUSED;
	c->status = status;
	c->reason = reason;
	return false;
}

static int hex_value(char byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	if (byte >= 'A' && byte <= 'F')
		return byte - 'A' + 10;
	return -1;
}

static bool end_size_line(struct http_chunked *c)
{
	if (c->left > c->limit)
		return refuse(c, 413, "the body is too large");
	c->limit -= c->left;
	c->state = c->left > 0 ? DATA : TRAILER;
	c->line = 0;
	return true;
}

static bool take_size_byte(struct http_chunked *c, char byte)
{
	int digit = hex_value(byte);
	if (digit >= 0) {
		if (c->left > UINT64_MAX >> 4)
			return refuse(c, 413, "the body is too large");
		c->left = c->left << 4 | (uint64_t)digit;
		c->state = SIZE_MORE;
		return true;
	}
	if (c->state == SIZE)
		return refuse(c, 400, "a chunk does not start with its size in hexadecimal digits");
	if (byte == '\r')
		c->state = SIZE_LF;
	else if (byte == ';')
		c->state = EXTENSION;
	else if (byte == ' ' || byte == '\t')
		c->state = SIZE_SPACE;
	else
		return refuse(c, 400, "the size of a chunk is not followed by CRLF or an extension");
	return true;
}

static bool take_extension_byte(struct http_chunked *c, char byte)
{
	if (c->extra == 0)
		return refuse(c, 431, "the chunk extensions are too long");
	c->extra--;
	if (c->state == SIZE_SPACE) {
		if (byte == ';')
			c->state = EXTENSION;
		else if (byte != ' ' && byte != '\t')
			return refuse(c, 400, "the size of a chunk is followed by whitespace without an extension");
	} else if (byte == '\r') {
		c->state = SIZE_LF;
	} else if (!http_is_value_byte(byte)) {
		return refuse(c, 400, "a chunk extension contains a control character");
	}
	return true;
}

static bool take_size_line_byte(struct http_chunked *c, char byte)
{
	if (++c->line > HTTP_CHUNK_LINE_LIMIT + 2)
		return refuse(c, 400, "the size line of a chunk is too long");
	if (c->state == SIZE_LF)
		return byte == '\n' ? end_size_line(c)
		                    : refuse(c, 400, "the size line of a chunk contains a CR without LF");
	return c->state == SIZE || c->state == SIZE_MORE ? take_size_byte(c, byte) : take_extension_byte(c, byte);
}

static bool take_trailer_start(struct http_chunked *c, char byte)
{
	if (byte == '\r') {
		c->state = LAST_LF;
		return true;
	}
	if (!http_is_token_byte(byte))
		return refuse(c, 400, "the name of a trailer field is not valid");
	if (c->trailers == 0)
		return refuse(c, 431, "too many trailer fields");
	c->trailers--;
	c->state = TRAILER_NAME;
	return true;
}

static bool take_trailer_byte(struct http_chunked *c, char byte)
{
	if (c->state == TRAILER_LF || c->state == LAST_LF) {
		if (byte != '\n')
			return refuse(c, 400, "the trailer section contains a CR without LF");
		c->state = c->state == LAST_LF ? END : TRAILER;
		return true;
	}
	if (c->state == TRAILER)
		return take_trailer_start(c, byte);
	if (c->extra == 0)
		return refuse(c, 431, "the trailer fields are too long");
	c->extra--;
	if (c->state == TRAILER_NAME) {
		if (byte == ':')
			c->state = TRAILER_VALUE;
		else if (!http_is_token_byte(byte))
			return refuse(c, 400, "the name of a trailer field is not valid");
	} else if (byte == '\r') {
		c->state = TRAILER_LF;
	} else if (!http_is_value_byte(byte)) {
		return refuse(c, 400, "a trailer field contains a control character");
	}
	return true;
}

static bool take_byte(struct http_chunked *c, char byte)
{
	switch (c->state) {
	case DATA_CR:
		c->state = DATA_LF;
		return byte == '\r' || refuse(c, 400, "a chunk is longer than its size says");
	case DATA_LF:
		c->state = SIZE;
		return byte == '\n' || refuse(c, 400, "a chunk is longer than its size says");
	case SIZE:
	case SIZE_MORE:
	case SIZE_SPACE:
	case EXTENSION:
	case SIZE_LF:
		return take_size_line_byte(c, byte);
	default:
		return take_trailer_byte(c, byte);
	}
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
				chunked->state = DATA_CR;
			return HTTP_CHUNK_DATA;
		}
		take_byte(chunked, bytes[i++]);
	}
	*used = i;
	if (chunked->state == REFUSED)
		return HTTP_CHUNK_REFUSED;
	return chunked->state == END ? HTTP_CHUNK_END : HTTP_CHUNK_MORE;
}
