/*
 * A receiver in the background: in a thread and on a loop of its own, so that it responds while a command (a `send` to
 * this very receiver, say) runs a loop in its caller's thread.
 *
 * What arrives waits to be taken; a count written to an eventfd of the caller's says that there is something. Of more
 * than HISTORY_BYTES_MAX the oldest are dropped, as they would be in a history. All signals are blocked in the thread.
 */
#ifndef CREDHOOK_RECEIVE_BACKGROUND_H
#define CREDHOOK_RECEIVE_BACKGROUND_H

#include "base/error.h"
#include "receive/history.h"
#include "receive/policy.h"

struct background;

/* Listens, and returns once it does. The policy is borrowed until background_free(). Errors as receiver_new(). */
struct background *background_start(const char *address, const struct receive_policy *policy, int wake_fd,
                                    struct error *err);
const char *background_url(const struct background *background);
/* All that waits, the oldest first, linked by `next`; the caller's now. Before a client has its response, what it sent
 * can be taken here. */
struct history_entry *background_take(struct background *background);
/* Finishes what has begun, for as long as policy->drain says, and ends the thread; what came can still be taken. */
void background_stop(struct background *background);
void background_free(struct background *background); /* stops too; NULL is allowed */

#endif
