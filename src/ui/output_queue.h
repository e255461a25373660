/*
 * Lines on their way to a reader who may be slow, or stop reading: whoever prints them never waits.
 *
 * A thread of its own writes them, so that it alone is held up by a pipe that nobody reads, or a terminal that Ctrl-S
 * has stopped. O_NONBLOCK would not do: it belongs to the open file, and so to every process that shares it, the shell
 * behind us among them. Nor would asking poll() first: a write to a terminal, or to a pipe that others write to as
 * well, may block after it.
 *
 * OUTPUT_QUEUE_MOST bytes may wait (a single longer text waits alone); what is added beyond that is dropped, as the
 * whole lines it is, and counted. All functions are for one thread.
 */
#ifndef CREDHOOK_UI_OUTPUT_QUEUE_H
#define CREDHOOK_UI_OUTPUT_QUEUE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OUTPUT_QUEUE_MOST ((size_t)16 << 20)

struct output_queue;

/* Starts the thread, in which all signals are blocked. The descriptor stays the caller's. */
struct output_queue *output_queue_new(int fd, struct error *err);
/* What still waits is lost. A thread that is held up in a write is not waited for: it ends when that does, and the
 * piece of a few lines is written then, or with the process. NULL is allowed. */
void output_queue_free(struct output_queue *queue);

/* Adds whole lines, which are copied. is_needed: they are never dropped, however much waits. */
void output_queue_add(struct output_queue *queue, const char *lines, size_t length, bool is_needed);
/* What was added is to be written now. */
void output_queue_flush(struct output_queue *queue);
/* Flushes, and waits until all is written or cannot be, for `timeout_ns` at most: of is_patient for as long after each
 * piece that the reader takes. When that has passed, what still waits counts as dropped, and no later call waits. */
void output_queue_drain(struct output_queue *queue, int64_t timeout_ns, bool is_patient);

uint64_t output_queue_dropped(const struct output_queue *queue); /* lines */

/* Why nothing can be written any more, an errno; EPIPE where the reader is gone, which is noticed as it goes; 0: it
 * can. What is added then is not wanted by anybody, and not counted as dropped. */
int output_queue_errno(struct output_queue *queue);
int output_queue_errno_fd(const struct output_queue *queue); /* readable once there is one */

#endif
