/* Tab: the ordinary commands as in cmd/words/complete.h, and the session's own words. */
#ifndef CREDHOOK_CMD_SHELL_SHELL_COMPLETE_H
#define CREDHOOK_CMD_SHELL_SHELL_COMPLETE_H

#include "base/buffer.h"

#include <stddef.h>

/* For struct prompt_handler; the context is a struct shell. */
void shell_complete(void *context, const char *line, size_t length, struct buffer *insert, struct buffer *list);

#endif
