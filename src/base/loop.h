/*
 * An event loop with timers, shared by the server, the deliverer and their callers. One thread only.
 *
 * Descriptors and timers are structs of the caller, which must not move while they are in the loop. They can be removed
 * at any time, also from their own callback.
 */
#ifndef CREDHOOK_BASE_LOOP_H
#define CREDHOOK_BASE_LOOP_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;

/* What is asked for, and what is ready. */
enum {
	LOOP_READ = 1,
	LOOP_WRITE = 2,
	LOOP_PEER_CLOSED = 4, /* it sends no more; without LOOP_READ it may be missed behind what is not read */
	LOOP_HANGUP = 8,      /* comes without being asked for, as does */
	LOOP_ERROR = 16,
};

/* A watched descriptor. ready() gets what is ready, of the above. */
struct loop_io {
	int fd;
	void (*ready)(void *context, uint32_t events);
	void *context;
	/* Private to portable/loop_poll.c. */
	size_t place;
	uint32_t watched;
};

/* A timer. Zero-initialise; set fire and context, or neither where it is enough that a turn of the loop comes. The
 * links are in the struct, so setting a timer cannot fail. */
struct loop_timer {
	void (*fire)(void *context);
	void *context;
	int64_t due; /* ns, on the clock of clock_monotonic_ns() */
	bool is_set;
	/* Private to loop.c: a pairing heap. */
	struct loop_timer *child; /* the first child */
	struct loop_timer *next;  /* the next sibling */
	struct loop_timer *back;  /* the previous sibling, or of a first child its parent */
};

struct loop *loop_new(struct error *err);
void loop_free(struct loop *loop); /* NULL is allowed; does not close the watched descriptors */

/* How many connections a loop is meant for. It takes more, but a turn may take the longer for each of them. */
extern const size_t loop_most;

/* A clock that replaces the system's, so that tests need not wait. */
struct loop_clock {
	int64_t (*now)(void *context);
	void (*wait_until)(void *context, int64_t due); /* nothing is ready: advance the clock to `due` */
	void *context;
};
void loop_set_clock(struct loop *loop, const struct loop_clock *clock); /* borrowed; NULL: the system's */
int64_t loop_now(const struct loop *loop);                              /* as clock_monotonic_ns() */

int loop_add(struct loop *loop, struct loop_io *io, uint32_t events, struct error *err);
/* Replaces the watched events. Cannot fail for a descriptor that was added; no effect on another one. */
void loop_change(struct loop *loop, struct loop_io *io, uint32_t events);
void loop_remove(struct loop *loop, struct loop_io *io); /* no effect when it is not in it */

/* Fires once, at `due`. Replaces an earlier setting. */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, int64_t due);
void loop_timer_cancel(struct loop *loop, struct loop_timer *timer); /* no effect when it is not set */

/* Calls done() once per turn, after everything that was ready and before the loop waits again: for group commit and
 * deferred changes of what is watched. At most LOOP_TURN_ENDS callbacks, called in the order they were added. */
#define LOOP_TURN_ENDS 40
int loop_at_turn_end(struct loop *loop, void (*done)(void *context), void *context, struct error *err);
/* Removes such a callback. Not from within one. */
void loop_cancel_turn_end(struct loop *loop, void (*done)(void *context), const void *context);

/* One turn: waits until something is ready or a timer is due, and handles it. -1: waiting itself failed. */
int loop_turn(struct loop *loop, struct error *err);
/* Turns until loop_stop() is called. */
int loop_run(struct loop *loop, struct error *err);
void loop_stop(struct loop *loop);

#endif
