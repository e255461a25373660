/*
 * What a child process prints: a thread reads it, so that the child never waits for a reader, and keeps the last bytes.
 *
 * A position counts the bytes from the first one, also of those that are no longer kept, over all children whose output
 * was read one after the other.
 */
#ifndef CREDHOOK_BASE_CHILD_OUTPUT_H
#define CREDHOOK_BASE_CHILD_OUTPUT_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/signals.h"
#include "base/wake.h"

#include <pthread.h>
#include <stdint.h>

#define CHILD_OUTPUT_KEPT ((size_t)64 << 10)

/* Must not be copied or moved between child_output_init() and child_output_release(). */
struct child_output {
	/* Private to child_output.c. */
	pthread_mutex_t lock; /* of all from `kept` on */
	pthread_t thread;
	bool reads;           /* the thread was started, and not joined */
	int fd;               /* of the pipe */
	struct wake end_wake; /* ends the thread */
	struct buffer kept;   /* the last bytes */
	char before;          /* the byte before them; 0: none */
	uint64_t end;         /* their end, as a position */
	int64_t last_ns;      /* monotonic: when the last of them came */
};

int child_output_init(struct child_output *output, struct error *err);
/* Stops reading. Safe when it is zero. */
void child_output_release(struct child_output *output);

/* Begins to read the pipe, which is borrowed until child_output_stop(); after that where it has read another one. */
int child_output_read(struct child_output *output, int pipe_fd, struct error *err);
/* Takes what is in the pipe, but does not wait for the end of what others print there. */
void child_output_stop(struct child_output *output);

uint64_t child_output_end(struct child_output *output);
/* Waits until nothing has come for `quiet_ms`, at most for `most_ms`, or until a signal waits (NULL: none does). */
void child_output_settle(struct child_output *output, int quiet_ms, int most_ms, const struct signals *signals);
/* What is missing of bytes that were appended. */
enum {
	CHILD_OUTPUT_LOST = 1, /* the first of them were not kept */
	CHILD_OUTPUT_AMID = 2, /* those before them are of the same line */
};
/* Appends what is kept of the bytes from a position on. Only probe/play/printed.c shows them to anybody. */
unsigned child_output_append(struct child_output *output, uint64_t from, struct buffer *out);

#endif
