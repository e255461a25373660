/* Text in a given number of a terminal's columns. */
#ifndef CREDHOOK_BASE_FIT_H
#define CREDHOOK_BASE_FIT_H

#include "base/buffer.h"

#include <stddef.h>

#define FIT_LEAST 5 /* columns: the first and the last, and "..." between them */

/* Appends the character that a text of at least one byte begins with, as utf8_append_safe() would, and tells the
 * columns that this takes. Returns how many bytes of the text it was. */
size_t fit_append_character(struct buffer *out, const char *text, size_t length, int *columns);
/* Columns of the text when made safe. */
int fit_columns(const char *text, size_t length);
/* Appends the text, made safe. Where it takes more than so many columns (FIT_LEAST at least), its middle gives way to
 * "...", between whole characters. Returns the columns that it takes now. */
int fit_append(struct buffer *out, const char *text, size_t length, int columns);
/* The same, filled up with blanks to just so many columns. */
void fit_append_column(struct buffer *out, const char *text, int columns);

#endif
