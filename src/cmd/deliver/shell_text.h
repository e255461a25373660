/* Text for a shell: commands that a user copies and runs, without a secret in them. */
#ifndef CREDHOOK_CMD_DELIVER_SHELL_TEXT_H
#define CREDHOOK_CMD_DELIVER_SHELL_TEXT_H

#include "base/buffer.h"
#include "payload/edit.h"

#include <stdbool.h>
#include <stddef.h>

/* In single quotes; plain where that needs no quotes, and "$(printf '...')" where a terminal would obey a character
 * (utf8_is_obeyed()) or it is no UTF-8. No NUL may be in it. */
void shell_append(struct buffer *out, const char *text, size_t length);
/* In single quotes whatever it is, one of which is written '\''. No NUL may be in it. */
void shell_append_quoted(struct buffer *out, const char *text, size_t length);
/* Whether a terminal obeys none of it but newlines and tabs. */
bool shell_is_shown(const char *text, size_t length);
/* A space, the option, a space and its value. */
void shell_append_option(struct buffer *out, const char *option, const char *value);
/* --set, --unset and --merge as they were given. */
void shell_append_edits(struct buffer *out, const struct edits *edits);
/* A header as an -H option. "@FILE" stays so; a secret's value becomes a variable: -H 'X-Token: '"$X_TOKEN". True: so
 * it did. */
bool shell_append_header(struct buffer *out, const char *line);
/* A URL; "$NAME", and true, where it holds a secret. */
bool shell_append_url(struct buffer *out, const char *url, const char *name);
/* A printf command whose output is exactly these bytes, whatever they are; a terminal obeys none of it. */
void shell_append_printf(struct buffer *out, const char *bytes, size_t length);

#endif
