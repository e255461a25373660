/*
 * A receiver in the background: in a thread and on a loop of its own, so that it responds while its caller's thread
 * runs another loop (a `send` to this very receiver).
 *
 * Notifications wait to be taken; an eventfd of the caller's becomes readable when there are some. Beyond
 * HISTORY_BYTES_MAX the oldest are dropped, as in a history, and counted. All signals are blocked in the thread.
 */
#ifndef CREDHOOK_RECEIVE_BACKGROUND_H
#define CREDHOOK_RECEIVE_BACKGROUND_H

#include "base/error.h"
#include "receive/history.h"
#include "receive/observer.h"
#include "receive/policy.h"
#include "receive/receiver.h"

struct background;

/* Of the observer, only `refused` and `notice` are called, in the thread (before it runs, in the caller's). */
struct background_options {
	int wake_fd;
	struct receive_observer observer;
};

/* Listens, and returns once it does; background_start() begins to respond. The policy is borrowed until
 * background_free(). Errors as receiver_new(). */
struct background *background_new(const char *address, const struct receive_policy *policy,
                                  const struct background_options *options, struct error *err);
int background_start(struct background *background, struct error *err);
/* For what does not change: its URL, its certificate; its counts once it has stopped. */
const struct receiver *background_receiver(const struct background *background);
/* All that waits, the oldest first, linked by `next`; now the caller's. A notification can be taken before its client
 * has the response. *dropped: those dropped since the last call, for their size or because memory was out. */
struct history_entry *background_take(struct background *background, struct history_counts *dropped);
/* Finishes open requests within policy->drain, and ends the thread; notifications can still be taken. */
void background_stop(struct background *background);
void background_free(struct background *background); /* stops too; NULL is allowed */

#endif
