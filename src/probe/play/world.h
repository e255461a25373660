/*
 * What a run needs of the world: time, what sends, and whether the listener is there. The real one is all zero; a test
 * may be another one, in which ten minutes take milliseconds, as with the policy of deliver/delivery_run.h. What the
 * listener keeps is read by a function anyway (struct probe_store); its process has listener_process.h.
 */
#ifndef CREDHOOK_PROBE_PLAY_WORLD_H
#define CREDHOOK_PROBE_PLAY_WORLD_H

#include "base/signals.h"
#include "deliver/delivery_run.h"

enum world_look {
	WORLD_ACCEPTS, /* a connection */
	WORLD_REFUSES, /* nothing listens */
	WORLD_SILENT,  /* neither, within the time, or a signal waits */
};

struct probe_world {
	const struct loop_clock *clock;         /* NULL: the system's */
	int64_t began_s;                        /* seconds since 1970 when another clock showed 0 */
	const struct pool_deliverer *deliverer; /* NULL: http/deliver.h */
	enum world_look (*look)(void *context); /* NULL: a connection is made, and closed */
	void *context;
};

/* For all of these `world` NULL is the real one. */

/* As clock_monotonic_ns(). */
int64_t world_now(const struct probe_world *world);
/* Seconds since 1970: as a notification, or a listener, writes a time. */
int64_t world_date_s(const struct probe_world *world);
/* Waits, but not beyond a signal. False: one waits. */
bool world_wait(const struct probe_world *world, const struct signals *signals, int64_t ns);
/* Whether something accepts a connection now, within a second: a machine may be busy. Where nothing does, *why (NULL:
 * unasked) gets the message of the attempt, cut to `size`; a function that looks has none. */
enum world_look world_look(const struct probe_world *world, const struct deliver_options *http,
                           const struct signals *signals, char *why, size_t size);

#endif
