/*
 * A listener in the background of a session.
 *
 * It runs in a thread and on a loop of its own, so that it answers while a command of the session (a `send` to this
 * very listener, say) runs a loop in the session's thread. What came is handed over in a queue; a byte count in an
 * eventfd of the session's says that something waits there. All signals are blocked in the
 * thread.
 */
#ifndef CREDHOOK_CMD_SHELL_RECEIVER_H
#define CREDHOOK_CMD_SHELL_RECEIVER_H

#include "base/error.h"
#include "receive/history.h"
#include "receive/response.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct receiver_options {
	struct response_policy answers; /* as `listen` has them; owned by the receiver once it was started */
	bool reject;                    /* 422 with the findings to an invalid payload */
	const char *path;               /* NULL: every path */
	uint64_t first_number;          /* of the first arrival */
	int wake_fd;                    /* eventfd, written to when something waits to be taken */
};

struct receiver;

/* Listens, and returns once it does. Takes options->answers over, even where it fails. Errors as http_server_listen()
 * has them. */
struct receiver *receiver_start(const char *address, const struct receiver_options *options, struct error *err);
const char *receiver_url(const struct receiver *receiver);
/* All that waits, the oldest first, linked by `next`; the caller's now. Before a client has its answer, what it sent
 * can be taken here. */
struct notification *receiver_take(struct receiver *receiver);
/* Finishes what has begun (for a second at most) and ends the thread; what came can still be taken. */
void receiver_stop(struct receiver *receiver);
void receiver_free(struct receiver *receiver); /* stops too; NULL is allowed */

#endif
