/*
 * One epoll loop with timers, shared by the server, the deliverer and whoever runs them.
 *
 * Descriptors and timers are structs of the caller's, which must stay in place while they are in the loop; removing one
 * is allowed at any time, its own callback included. Not for use from two threads.
 */
#ifndef CREDHOOK_BASE_LOOP_H
#define CREDHOOK_BASE_LOOP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;

/* A descriptor that is watched. ready() gets the epoll events (EPOLLIN, EPOLLOUT, EPOLLHUP, ...). */
struct loop_io {
	int fd;
	void (*ready)(void *context, uint32_t events);
	void *context;
};

/* A point in time, on the clock of clock_monotonic_ns(). Zero-initialise; set ring and context. Its links are in it, so
 * that setting one needs no memory and cannot fail. */
struct loop_timer {
	void (*fire)(void *context);
	void *context;
	int64_t due;
	bool is_set;
	/* The loop's: a heap of timers, each the earliest of all below it. */
	struct loop_timer *child; /* the first of those right below */
	struct loop_timer *next;  /* beside it, below the same one */
	struct loop_timer *back;  /* the one beside it on the other side; of the first: the one above */
};

struct loop *loop_new(struct error *err);
void loop_free(struct loop *loop); /* NULL is allowed; closes none of the watched descriptors */

/* Another clock than the system's: for tests, in which no time is spent on waiting. */
struct loop_clock {
	int64_t (*now)(void *context);
	void (*wait_until)(void *context, int64_t due); /* nothing is ready: it is `due` now */
	void *context;
};
void loop_set_clock(struct loop *loop, const struct loop_clock *clock); /* borrowed; NULL: the system's */
int64_t loop_now(const struct loop *loop);                              /* that of clock_monotonic_ns() */

int loop_add(struct loop *loop, struct loop_io *io, uint32_t events, struct error *err);
/* Watches for other events from now on. Cannot fail for a descriptor that was added. */
void loop_change(struct loop *loop, struct loop_io *io, uint32_t events);
void loop_remove(struct loop *loop, struct loop_io *io);

/* Rings once, when `due` has come; sets it anew if it was set. */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t due);
void loop_timer_cancel(struct loop *loop, struct loop_timer *timer); /* no harm when it is not set */

/* What is to be done once per turn, after all that was ready in it was handled and before the loop waits again: group
 * commit, deferred epoll changes. At most LOOP_TURN_ENDS of them, called in the order they were added. */
#define LOOP_TURN_ENDS 40
int loop_at_turn_end(struct loop *loop, void (*done)(void *context), void *context, struct error *err);
/* Takes such a duty back. Not from within one. */
void loop_cancel_turn_end(struct loop *loop, void (*done)(void *context), const void *context);

/* One turn: waits until something is ready or a timer is due, and handles it. -1: epoll itself failed. */
int loop_turn(struct loop *loop, struct error *err);
/* Turns until loop_stop() was called in one of them. */
int loop_run(struct loop *loop, struct error *err);
void loop_stop(struct loop *loop);

#endif
