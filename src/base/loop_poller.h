/* What a loop waits with: loop_epoll.c, where the system has epoll(7), else portable/loop_poll.c. For loop.c alone. */
#ifndef CREDHOOK_BASE_LOOP_POLLER_H
#define CREDHOOK_BASE_LOOP_POLLER_H

#include "base/error.h"
#include "base/loop.h"

#include <stdint.h>

struct poller;

struct poller *poller_new(struct error *err);
void poller_free(struct poller *poller); /* NULL is allowed */

/* loop_add(), loop_change() and loop_remove(). */
int poller_add(struct poller *poller, struct loop_io *io, uint32_t events, struct error *err);
void poller_change(struct poller *poller, struct loop_io *io, uint32_t events);
void poller_remove(struct poller *poller, struct loop_io *io);

#define POLLER_LOOKS   INT64_MIN /* does not wait */
#define POLLER_FOREVER INT64_MAX

/* Waits until something is ready, at most until `due` on the clock of clock_monotonic_ns(), or one of these, and calls
 * ready() of each that is. Returns 0 where nothing was, 1, or -1. */
int poller_wait(struct poller *poller, int64_t due, struct error *err);

#endif
