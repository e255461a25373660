/* Text for a shell: commands that a user copies and runs. */
#ifndef CREDHOOK_CMD_SHELL_TEXT_H
#define CREDHOOK_CMD_SHELL_TEXT_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In single quotes; plain where that needs no quotes, and "$(printf '...')" where a terminal would obey a character
 * (utf8_is_unsafe()) or it is not UTF-8. It contains no NUL. */
void shell_append(struct buffer *out, const char *text, size_t length);
/* In single quotes whatever it is, one of which is written '\''. No NUL may be in it. */
void shell_append_quoted(struct buffer *out, const char *text, size_t length);
/* Whether a terminal obeys none of it but newlines and tabs. */
bool shell_is_shown(const char *text, size_t length);
/* A space, the option, a space and its value. */
void shell_append_option(struct buffer *out, const char *option, const char *value);
/* A printf command whose output is exactly these bytes, whatever they are; a terminal obeys none of it. */
void shell_append_printf(struct buffer *out, const char *bytes, size_t length);

#endif
