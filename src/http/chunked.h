/*
 * An incremental decoder of `Transfer-Encoding: chunked` (RFC 9112, section 7.1).
 *
 * Chunk extensions are skipped, trailer fields are checked and dropped. Both are bounded, as is the body.
 */
#ifndef CREDHOOK_HTTP_CHUNKED_H
#define CREDHOOK_HTTP_CHUNKED_H

#include <stddef.h>
#include <stdint.h>

#define HTTP_CHUNK_LINE_LIMIT 256  /* bytes of a size line with its extensions */
#define HTTP_TRAILER_SIZE     1024 /* bytes of a trailer field with its CRLF */

enum http_chunk {
	HTTP_CHUNK_MORE,    /* all bytes were used; more are needed */
	HTTP_CHUNK_DATA,    /* *data, *data_length: bytes of the body, within `bytes`; call again */
	HTTP_CHUNK_END,     /* the last chunk and the trailers were read */
	HTTP_CHUNK_REFUSED, /* see status and reason */
};

struct http_chunked {
	int status;         /* of a refusal: 400, 413 or 431 */
	const char *reason; /* of a refusal: a constant */

	/* Private to chunked.c. */
	int state;
	uint64_t limit; /* decoded bytes still allowed */
	uint64_t left;  /* bytes left of the current chunk */
	size_t extra;   /* bytes of extensions and trailers still allowed */
	size_t trailers;
	size_t line_length;
	char line[HTTP_TRAILER_SIZE]; /* under way */
};

/* Limits: `body` decoded bytes (more: 413), `extra` bytes of extensions and trailers, and `trailers` trailer fields
 * (more: 431). */
void http_chunked_init(struct http_chunked *chunked, uint64_t body, size_t extra, size_t trailers);

enum http_chunk http_chunked_feed(struct http_chunked *chunked, const char *bytes, size_t length, size_t *used,
                                  const char **data, size_t *data_length);

#endif
