/* Text in a given number of a terminal's columns. */
#ifndef CREDHOOK_BASE_FIT_H
#define CREDHOOK_BASE_FIT_H

#include "base/buffer.h"

#include <stddef.h>

#define FIT_MIN 5 /* columns: the first and the last, and "..." between them */

/* Appends the character that a text of at least one byte begins with, as utf8_append_safe() would, and sets
 * *columns to what this takes. Returns how many bytes of the text it was. */
size_t fit_append_character(struct buffer *out, const char *text, size_t length, int *columns);
/* Columns of the text when made safe. */
int fit_columns(const char *text, size_t length);
/* Appends the text, made safe. Where it takes more columns than given (FIT_MIN at least), its middle is replaced by
 * "...", between whole characters. Returns the columns that it takes now. */
int fit_append(struct buffer *out, const char *text, size_t length, int columns);
/* The same, padded with blanks to exactly that many columns. */
void fit_append_column(struct buffer *out, const char *text, int columns);

/* Appends text that is safe already, broken between words so that no line takes more than `width` columns; every line
 * but the first begins with `indent` blanks, and the first is taken to begin at column `at`. Ends without a newline. */
void fit_append_wrapped(struct buffer *out, const char *text, int at, int indent, int width);

#endif
