/*
 * The decoder of `Transfer-Encoding: chunked` (RFC 9112, section 7.1): pure and incremental.
 *
 * Chunk extensions are skipped, trailer fields are checked and dropped; both are bounded, as is the size.
 */
#ifndef CREDHOOK_HTTP_CHUNKED_H
#define CREDHOOK_HTTP_CHUNKED_H

#include <stddef.h>
#include <stdint.h>

#define HTTP_CHUNK_LINE_LIMIT 256 /* bytes of a size line with its extensions */

enum http_chunk {
	HTTP_CHUNK_MORE,    /* all bytes were used; more are needed */
	HTTP_CHUNK_DATA,    /* *data, *data_length: bytes of the body, a part of what was fed; feed on */
	HTTP_CHUNK_END,     /* the last chunk and the trailers were read */
	HTTP_CHUNK_REFUSED, /* status, reason */
};

struct http_chunked {
	int status;         /* of a refusal: 400, 413 or 431 */
	const char *reason; /* of a refusal: a const text */

	/* The rest is the decoder's own. */
	int state;
	uint64_t limit; /* of the decoded bytes that may still come */
	uint64_t left;  /* of the chunk under way */
	size_t line;    /* bytes of the size line under way */
	size_t extra;   /* bytes of extensions and trailers that may still come */
	size_t trailers;
};

/* `body` bytes decoded at most (more: 413); `extra` bytes of all extensions and of all trailers (more: 431), and
 * `trailers` trailer fields. */
void http_chunked_init(struct http_chunked *chunked, uint64_t body, size_t extra, size_t trailers);

enum http_chunk http_chunked_feed(struct http_chunked *chunked, const char *bytes, size_t length, size_t *used,
                                  const char **data, size_t *data_length);

#endif
