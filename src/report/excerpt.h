/* One line of source with a caret under a part of it, cut to fit and safe to print. */
#ifndef CREDHOOK_REPORT_EXCERPT_H
#define CREDHOOK_REPORT_EXCERPT_H

#include "base/buffer.h"
#include "base/style.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the line of `text` in which byte `start` lies, behind a gutter with its number, and below it carets in
 * `style` from `start` to `end` (or the line's end). Long lines are cut around the carets to `width` columns; wide and
 * combining characters and tabs keep them in place. */
void excerpt_append(struct buffer *out, const char *text, size_t length, size_t line_number, size_t start, size_t end,
                    bool color, enum style style, int width);
/* The same behind `indent` blanks (20 at most) instead of a gutter. */
void excerpt_append_indented(struct buffer *out, const char *text, size_t length, int indent, size_t start, size_t end,
                             bool color, enum style style, int width);

#endif
