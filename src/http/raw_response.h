/* Responses read from a stream of bytes, one after the other: where each ends. Pure. For http/raw.c. */
#ifndef CREDHOOK_HTTP_RAW_RESPONSE_H
#define CREDHOOK_HTTP_RAW_RESPONSE_H

#include "http/chunked.h"
#include "http/deliver.h"

/* Zero-initialise, set `delivery` and `without_body`; release `head`. */
struct raw_reader {
	struct delivery *delivery; /* gets what is kept */
	bool without_body;
	unsigned responses; /* whole final ones so far */
	bool refused;       /* what came is not HTTP */
	bool closes;        /* a response said that no other follows on this connection */
	/* The rest is the reader's own. */
	struct buffer head; /* of the response under way, until it is whole */
	int state;
	int status;
	bool keeps; /* of this response the body is kept */
	uint64_t left;
	struct http_chunked chunked;
};

void raw_reader_feed(struct raw_reader *reader, const char *bytes, size_t length);
/* The stream is at its end: a body without a length is, too. */
void raw_reader_end(struct raw_reader *reader);
/* Whether a response was begun and is not whole. */
bool raw_reader_is_within(const struct raw_reader *reader);

#endif
