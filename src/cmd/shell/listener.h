/* The session's listener: a receiver in the background (receive/background.h), with the options of `listen`. */
#ifndef CREDHOOK_CMD_SHELL_LISTENER_H
#define CREDHOOK_CMD_SHELL_LISTENER_H

#include "cmd/receive_options.h"
#include "receive/background.h"

struct shell_listener;

/* Listens, and returns once it does; takes the args over, even where it fails. wake_fd: an eventfd, written to when
 * something has arrived. */
struct shell_listener *shell_listener_start(const char *address, const struct receive_args *args,
                                            const struct global_options *global, uint64_t first_number, int wake_fd,
                                            struct error *err);
const char *shell_listener_url(const struct shell_listener *listener);
/* All that arrived since, the oldest first, linked by `next`; the caller's now. */
struct history_entry *shell_listener_take(struct shell_listener *listener);
/* Finishes what has begun, for a second at most; what came can still be taken. */
void shell_listener_stop(struct shell_listener *listener);
void shell_listener_free(struct shell_listener *listener); /* stops too; NULL is allowed */

#endif
