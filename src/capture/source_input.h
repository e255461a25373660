/*
 * The bytes of one input: a descriptor, decompressed if they are gzip (RFC 1952). Private to src/capture.
 *
 * Several members are one text.
 */
#ifndef CREDHOOK_CAPTURE_SOURCE_INPUT_H
#define CREDHOOK_CAPTURE_SOURCE_INPUT_H

#include "capture/source.h"

#include <stdint.h>

struct source_gzip;

struct source_input {
	const char *name; /* borrowed; for messages */
	int fd;
	bool owns_fd;
	struct source_gzip *gzip; /* NULL: not compressed */
	const struct signals *signals;
	bool no_wait;  /* SOURCE_LATER instead of waiting */
	uint64_t left; /* bytes still to be read from the descriptor; what follows them is ignored */
	uint64_t read; /* bytes read from the descriptor */
};

void source_input_release(struct source_input *input);

/* Reads 1 to `room` bytes of text; *got 0 is the end. SOURCE_ERROR also for gzip data that is truncated, damaged, or
 * followed by something else. */
enum source_result source_input_read(struct source_input *input, char *to, size_t room, size_t *got, struct error *err);
/* The bytes that were read so far are gzip data: what is read from here on is what they hold. */
enum source_result source_input_unpack(struct source_input *input, const char *bytes, size_t length, struct error *err);

/* Bytes of the descriptor that were used for the text so far. */
uint64_t source_input_position(const struct source_input *input);

/* Whether a read would not wait. */
bool source_input_ready(const struct source_input *input);

#endif
