/* Text for a shell: commands that a user copies and runs. */
#ifndef CREDHOOK_BASE_SHELL_TEXT_H
#define CREDHOOK_BASE_SHELL_TEXT_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether quotes do: UTF-8 that a terminal shows as it is, newlines included, and no backslash, as fish takes \\ and \'
 * in single quotes for one character. */
bool shell_can_quote(const char *text, size_t length);
/* In single quotes, one of which is written '\''; plain where that needs no quotes; by a printf command where
 * quotes do not do. It contains no NUL. */
void shell_append(struct buffer *out, const char *text, size_t length);
/* The same for a word behind others, where NAME=VALUE does not assign: plain, too. */
void shell_append_assignment(struct buffer *out, const char *text, size_t length);
/* The same as shell_append() for the name of a file, whatever stands around it: one that begins with '-', or that
 * `show` takes for the number of a record (7, last), has ./ before it, and one with a line end in it is printed by a
 * command, since a message shows it as \n. */
void shell_append_file(struct buffer *out, const char *path);
/* In single quotes whatever it is; shown as it is. */
void shell_append_quoted(struct buffer *out, const char *text, size_t length);
void shell_append_quoted_file(struct buffer *out, const char *path);
/* A space, the option, a space and its value. */
void shell_append_option(struct buffer *out, const char *option, const char *value);
/* A printf command whose output is exactly these bytes, NUL included, and which a terminal shows as it is. Any shell
 * reads it. */
void shell_append_printf(struct buffer *out, const char *bytes, size_t length);

#endif
