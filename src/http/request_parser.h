/*
 * The request parser of HTTP/1.1 (RFC 9112): bytes in, events out.
 *
 * Pure and incremental: no I/O, and any split of the same bytes gives the same events, requests and refusals. Strict,
 * because what two parsers read differently is how requests are smuggled: only CRLF ends a line, one Host, one framing,
 * no obs-fold, no whitespace before a colon, no control characters. Whatever is refused is refused with a status and
 * with a sentence for a person, as early as it shows.
 *
 * Memory: one buffer for the head and its table of fields, one for the decoded body, all kept from request to request
 * until http_request_parser_release(), and bounded by the limits.
 */
#ifndef CREDHOOK_HTTP_REQUEST_PARSER_H
#define CREDHOOK_HTTP_REQUEST_PARSER_H

#include "base/buffer.h"
#include "http/chunked.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A header field, of a request (borrowed from the parser) or of a response (borrowed from whoever sends it). */
struct http_field {
	const char *name; /* as it was spelt */
	size_t name_length;
	const char *value; /* without the whitespace around it */
	size_t value_length;
};
/* A field of literal text: HTTP_FIELD("Allow", "POST, GET, HEAD"). */
#define HTTP_FIELD(name, value)                                                                                        \
	{                                                                                                              \
		(name), sizeof(name) - 1, (value), sizeof(value) - 1                                                   \
	}

/* A request. Every text is followed by a NUL and holds none; all is borrowed from the parser. */
struct http_request {
	const char *method; /* a token, case-sensitive */
	size_t method_length;
	const char *target; /* exactly what came: /path?query, http://host/path or * */
	size_t target_length;
	int minor_version;               /* 1: HTTP/1.1 or higher, 0: HTTP/1.0 */
	const struct http_field *fields; /* in the order they arrived */
	size_t field_count;
	bool keep_alive;         /* the client is ready to send another request */
	bool expect_continue;    /* the client waits for 100 Continue; there is a body to come */
	bool chunked;            /* Transfer-Encoding: chunked */
	uint64_t content_length; /* as declared; 0 where nothing was, or where chunked */
	const char *body;        /* decoded; NULL before HTTP_PARSED_WHOLE; bytes of any kind, then a NUL */
	size_t body_length;
};

struct http_limits {
	size_t request_line; /* bytes without CRLF; more: 414 */
	size_t head;         /* bytes from method to empty line, and of all trailers; more: 431 */
	size_t fields;       /* and of trailers; more: 431 */
	uint64_t body;       /* bytes, decoded; more: 413 */
};
#define HTTP_LIMITS_DEFAULT                                                                                            \
	{                                                                                                              \
		8 * 1024, 16 * 1024, 100, 1024 * 1024                                                                  \
	}

enum http_parsed {
	HTTP_PARSED_MORE,  /* all bytes were used; more are needed */
	HTTP_PARSED_HEAD,  /* the head is whole and good: parser->request without its body; feed on (0 bytes will do) */
	HTTP_PARSED_WHOLE, /* the request is whole: parser->request; reset before the next one */
	HTTP_PARSED_REFUSED, /* parser->status, parser->reason; what follows on the connection cannot be understood */
};

struct http_request_parser {
	struct http_request request; /* see enum http_parsed for when it holds */
	int status;                  /* of a refusal: 400, 411, 413, 414, 417, 431, 500 (no memory), 501, 505 */
	const char *reason;          /* of a refusal: a const text such as "the Host field is missing" */

	/* The rest is the parser's own. */
	struct http_limits limits;
	int state;
	unsigned blank_lines;
	unsigned seen; /* which fields that frame the message have come */
	bool wants_close;
	bool wants_keep_alive;
	size_t line_start; /* in head: where the line under way begins */
	struct buffer head;
	struct http_field_place *places; /* of the fields, while the head still grows and moves */
	size_t place_count;
	size_t place_capacity;
	struct http_field *fields;
	size_t field_capacity;
	uint64_t body_left; /* of a Content-Length body */
	struct http_chunked chunked;
	struct buffer body;
};

void http_request_parser_init(struct http_request_parser *parser, const struct http_limits *limits);
/* Frees the memory; usable again after init. */
void http_request_parser_release(struct http_request_parser *parser);
/* Ready for the next request; keeps the memory, but not more than `keep` bytes of a large body's. */
void http_request_parser_reset(struct http_request_parser *parser, size_t keep);

/* Takes up to `length` bytes and says in *used how many it took; stops after an event other than MORE. */
enum http_parsed http_request_parser_feed(struct http_request_parser *parser, const char *bytes, size_t length,
                                          size_t *used);

/* Whether a byte of a request has come (empty lines before it do not count) since init or reset. */
bool http_request_parser_has_begun(const struct http_request_parser *parser);

/* The first field of that name, in any case; NULL: there is none. */
const struct http_field *http_request_find(const struct http_request *request, const char *name);

#endif
