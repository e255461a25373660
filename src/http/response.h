/* Writes the bytes of a response. */
#ifndef CREDHOOK_HTTP_RESPONSE_H
#define CREDHOOK_HTTP_RESPONSE_H

#include "base/buffer.h"
#include "http/server.h"

#include <stdbool.h>
#include <stdint.h>

/* The text of the Date field, cached for a second. Zero-initialise. */
struct http_date {
	int64_t second;
	char text[30]; /* "Sun, 06 Nov 1994 08:49:37 GMT" */
};
/* The text for that time (clock_realtime_us()). Borrowed until the next call. */
const char *http_date_text(struct http_date *date, int64_t now_us);

/* What the request decides about the response. */
struct http_framing {
	int minor_version; /* of the request */
	bool head_only;    /* the request is HEAD */
	bool keep_alive;   /* after the response */
};

/* Appends the response and returns the length of its head. out->failed: out of memory. */
size_t http_response_append(struct buffer *out, const struct http_response *response,
                            const struct http_framing *framing, const char *date);

#endif
