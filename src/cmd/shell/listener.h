/* The session's listener: a receiver in the background (receive/background.h), with the options of `listen`. */
#ifndef CREDHOOK_CMD_SHELL_LISTENER_H
#define CREDHOOK_CMD_SHELL_LISTENER_H

#include "cmd/receive_options.h"
#include "cmd/receive_report.h"
#include "cmd/shell/line.h"
#include "receive/background.h"

struct shell_listener;

/* Listens, and returns once it does, with "listening on ..." on stderr. Takes over the args and the line that they
 * borrow from, even where it fails. wake_fd: an eventfd, written to when there are notifications or words. */
struct shell_listener *shell_listener_start(const char *address, struct receive_args *args, struct line *line,
                                            struct context *context, uint64_t first_number, int wake_fd,
                                            struct error *err);
const char *shell_listener_url(const struct shell_listener *listener);
bool shell_listener_forwards(const struct shell_listener *listener);
/* As background_take(); shell_listener_next_words() has a warning about those that were dropped. */
struct history_entry *shell_listener_take(struct shell_listener *listener, struct history_counts *dropped);
/* The next of what else it reports. False: nothing more. */
bool shell_listener_next_words(struct shell_listener *listener, struct receive_words *words);
/* Finishes open requests, for a second at most; notifications can still be taken. Returns 0, or EXIT_CODE_IO: not every
 * record is on disk. */
int shell_listener_stop(struct shell_listener *listener);
void shell_listener_free(struct shell_listener *listener); /* stops too; NULL is allowed */

#endif
