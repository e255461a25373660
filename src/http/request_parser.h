/*
 * The request parser of HTTP/1.1 (RFC 9112): bytes in, events out.
 *
 * Incremental and without I/O: however the bytes are split, the result is the same. Strict, because requests are
 * smuggled where two parsers disagree: only CRLF ends a line, one Host, one framing, no obs-fold, no whitespace before
 * a colon, no control characters. A request is refused as early as possible, with a status and a reason.
 *
 * Memory: a buffer for the head, a table of its fields, and a buffer for the decoded body, bounded by the limits and
 * kept until http_request_parser_release().
 */
#ifndef CREDHOOK_HTTP_REQUEST_PARSER_H
#define CREDHOOK_HTTP_REQUEST_PARSER_H

#include "base/buffer.h"
#include "http/chunked.h"
#include "http/head.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A request, borrowed from the parser. Every text ends with a NUL and contains no other, but for the body, which holds
 * any bytes: decoded, and absent before HTTP_PARSED_WHOLE. Its target is as received. */
struct http_request {
	struct message message;
	int minor_version;       /* 1: HTTP/1.1 or higher, 0: HTTP/1.0 */
	bool keep_alive;         /* another request may follow */
	bool expect_continue;    /* the client waits for 100 Continue before it sends the body */
	bool chunked;            /* Transfer-Encoding: chunked */
	uint64_t content_length; /* as declared; 0 without one */
};

struct http_limits {
	size_t request_line; /* bytes without CRLF; more: 414 */
	size_t head;         /* bytes from method to empty line, and also of all trailers; more: 431 */
	size_t fields;       /* header fields, and also trailer fields; more: 431 */
	uint64_t body;       /* decoded bytes; more: 413 */
};

enum http_parsed {
	HTTP_PARSED_MORE,    /* all bytes were used; more are needed */
	HTTP_PARSED_HEAD,    /* the head is complete: parser->request without its body; call again, even with 0 bytes */
	HTTP_PARSED_WHOLE,   /* the request is complete: parser->request; reset before the next one */
	HTTP_PARSED_REFUSED, /* see parser->status and parser->reason; the connection must be closed */
};

struct http_request_parser {
	struct http_request request; /* see enum http_parsed for when it is valid */
	int status;                  /* of a refusal: 400, 411, 413, 414, 417, 431, 500 (out of memory), 501, 505 */
	const char *reason;          /* of a refusal: a constant such as "the Host field is missing" */

	/* Private to the parser. */
	struct http_limits limits;
	int state;
	unsigned blank_lines;
	unsigned seen;     /* so far, of what says how a request ends */
	size_t line_start; /* start of the current line in head */
	struct buffer head;
	struct header *headers; /* of the fields so far */
	size_t header_count;
	size_t header_capacity;
	uint64_t body_left; /* of a Content-Length body */
	struct http_chunked chunked;
	struct buffer body;
};

void http_request_parser_init(struct http_request_parser *parser, const struct http_limits *limits);
/* Frees the memory. */
void http_request_parser_release(struct http_request_parser *parser);
/* Prepares for the next request. Keeps the memory, but frees that of a body over `keep` bytes. */
void http_request_parser_reset(struct http_request_parser *parser, size_t keep);

/* Takes up to `length` bytes; *used is their number. Stops after an event other than MORE. */
enum http_parsed http_request_parser_feed(struct http_request_parser *parser, const char *bytes, size_t length,
                                          size_t *used);

/* Whether a byte of a request, other than empty lines before it, has arrived since init or reset. */
bool http_request_parser_has_begun(const struct http_request_parser *parser);

#endif
