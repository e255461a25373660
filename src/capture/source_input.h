/*
 * The bytes of one input: a descriptor, unpacked where they are gzip (RFC 1952). Private to src/capture.
 *
 * gzip is told by its first two bytes, which no JSON text has; a name that ends in .gz asks for it. Members one after
 * another are one text. zlib unpacks: an own inflater would be slower, and one more door for hostile bytes.
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
	bool looked;              /* at the first bytes */
	struct source_gzip *gzip; /* NULL: the bytes are the text */
	const struct signals *signals;
	bool no_wait;  /* SOURCE_LATER instead of waiting */
	uint64_t left; /* bytes of the descriptor that are still to be read; what comes behind them is left out */
	uint64_t read; /* bytes of the descriptor that were read */
};

void source_input_release(struct source_input *input);

/* Reads between 1 and `room` bytes of text (room is 2 at least); *got 0 is the end. SOURCE_ITEM: read. SOURCE_ERROR
 * says too what is wrong with gzip data: cut off, damaged, followed by something else. */
enum source_result source_input_read(struct source_input *input, char *to, size_t room, size_t *got, struct error *err);

/* Whether the name ends in .gz, in either case: what has such a name is read as gzip data. */
bool source_input_names_gzip(const char *name);

/* Bytes of the descriptor behind the text that was read. */
uint64_t source_input_position(const struct source_input *input);

/* Whether reading would not wait. */
bool source_input_ready(const struct source_input *input);

#endif
