/* The lines of former sessions: $XDG_STATE_HOME/credhook/history, else ~/.local/state/credhook/history, mode 0600. */
#ifndef CREDHOOK_CMD_SHELL_TYPED_H
#define CREDHOOK_CMD_SHELL_TYPED_H

#include "base/error.h"

#include <stddef.h>

#define TYPED_LINES_MAX 1000

/* Zero-initialise. */
struct line_history {
	char **lines; /* owned; the latest last, each once */
	size_t count;
	size_t capacity;
	char **fresh; /* owned: the lines of this session, in order */
	size_t fresh_count;
	size_t fresh_capacity;
};

void line_history_release(struct line_history *history);
/* Reads the file. A missing one is not an error. */
int line_history_read(struct line_history *history, struct error *err);
/* Adds a line of this session. A line that is empty, begins with a blank, or contains a control character or a
 * secret is not kept. */
void line_history_add(struct line_history *history, const char *line);
/* Adds this session's lines to what the file holds by now, making its folder where that is missing. */
int line_history_write(const struct line_history *history, struct error *err);

#endif
