/* A source from the inside; for src/capture/source*.c only. */
#ifndef CREDHOOK_CAPTURE_SOURCE_INTERNAL_H
#define CREDHOOK_CAPTURE_SOURCE_INTERNAL_H

#include "capture/source.h"

struct source_gzip; /* source_bytes.c */

struct source {
	char *name; /* owned; for messages */
	/* The bytes of the input. */
	int fd;
	bool owns_fd;
	struct source_gzip *gzip; /* NULL: not compressed */
	const struct signals *signals;
	bool no_wait;  /* SOURCE_LATER instead of waiting */
	uint64_t left; /* bytes still to be read from the descriptor; what follows them is ignored */
	uint64_t read; /* bytes read from the descriptor */
	/* The text. */
	bool is_looked_at; /* whether it is gzip data */
	bool is_packed;    /* what a block is of is gzip data */
	bool at_end;       /* of the input */
	bool done;         /* everything was handed out */
	bool skipping;     /* the rest of a line that was too long */
	enum source_type type;
	size_t limit, block;
	size_t line;  /* the number of the line at `start` */
	size_t blank; /* lines */
	/* window[start, end) was read and not handed out; there is no LF in [start, scanned). */
	char *window;
	size_t capacity, start, scanned, end;
	uint64_t filled; /* bytes of text read in all */
	size_t blank_to; /* SOURCE_DETECT: everything before it is blank */
};

/* source_bytes.c: reads one more block behind the contents of the window, which move to its front, or finds the end.
 * SOURCE_ITEM: continue. */
enum source_result source_fill(struct source *source, struct error *err);
void source_gzip_free(struct source_gzip *gzip);        /* NULL is allowed */
enum source_result source_no_memory(struct error *err); /* SOURCE_ERROR */

/* source_items.c: decides the type by the first line that is not blank, without consuming it. */
enum source_result source_detect(struct source *source, struct error *err);

#endif
