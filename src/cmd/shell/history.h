/* The lines of former sessions: $XDG_STATE_HOME/credhook/history, else ~/.local/state/credhook/history, mode 0600; the
 * latest last. */
#ifndef CREDHOOK_CMD_SHELL_HISTORY_H
#define CREDHOOK_CMD_SHELL_HISTORY_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>

/* A line that begins with a blank, or contains a control character or a secret, is not kept. */
bool history_keeps(const char *line);
/* The path and the text of the file, which may be missing. An empty path: there is no place for it. */
int history_read(struct buffer *path, struct buffer *text, struct error *err);
/* Adds this session's lines to what the file holds by now, and leaves out the oldest. */
int history_write(const struct buffer *typed, struct error *err);

#endif
