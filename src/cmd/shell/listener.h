/*
 * The session's listener: a receiver with the options of `listen`, in a thread and on a loop of its own, so that it
 * responds while the session runs another loop (a `send` to this very receiver).
 *
 * It adds the notifications to the spool, from its thread, in which all signals are blocked.
 */
#ifndef CREDHOOK_CMD_SHELL_LISTENER_H
#define CREDHOOK_CMD_SHELL_LISTENER_H

#include "base/error.h"
#include "base/wake.h"
#include "cmd/args/receive_options.h"
#include "cmd/cmd.h"
#include "cmd/list/spool.h"
#include "cmd/shell/shell_line.h"
#include "cmd/words/receive_words.h"

#include <stdbool.h>

struct shell_listener;

/* Listens, and returns once it does, with "listening on ..." on stderr. Takes over the args and the line that they
 * borrow from, even where it fails. The spool is borrowed. `arrived` is woken when there are notifications or
 * words. */
struct shell_listener *shell_listener_start(const char *address, struct receive_args *args, struct line *line,
                                            struct context *context, struct spool *spool, const struct wake *arrived,
                                            struct error *err);
const char *shell_listener_url(const struct shell_listener *listener);
bool shell_listener_forwards(const struct shell_listener *listener);
/* The next of what else it reports: what could not be kept, too. False: nothing more. */
bool shell_listener_next_words(struct shell_listener *listener, struct receive_words *words);
/* Finishes open requests, for a second at most. Returns 0, or EXIT_CODE_IO: not every
 * record is on disk. */
int shell_listener_stop(struct shell_listener *listener);
void shell_listener_free(struct shell_listener *listener); /* stops too; NULL is allowed */

#endif
