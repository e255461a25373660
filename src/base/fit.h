/* Text on a terminal: fitted to a number of columns, and in colour. */
#ifndef CREDHOOK_BASE_FIT_H
#define CREDHOOK_BASE_FIT_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

#define FIT_MIN           5      /* columns: one character, "...", one character */
#define COLUMNS_UNLIMITED 100000 /* the width where there is no terminal */

/* Appends the first character of a text of at least one byte as utf8_append_safe() does, and sets *columns to its
 * width. Returns the number of bytes read. */
size_t fit_append_character(struct buffer *out, const char *text, size_t length, int *columns);
/* The width of the text as utf8_append_safe() writes it. */
int fit_columns(const char *text, size_t length);
/* Appends the text as utf8_append_safe() does. If it is wider than `columns` (FIT_MIN or more), "..." replaces the
 * characters in its middle. Returns the resulting width. */
int fit_append(struct buffer *out, const char *text, size_t length, int columns);
/* The same, padded with blanks to exactly `columns`. */
void fit_append_column(struct buffer *out, const char *text, int columns);

/* Appends what fits into the columns of text that is safe already, and "..." for the rest. */
void fit_append_cut(struct buffer *out, const char *text, int columns);

/* Appends text that is safe already, broken between words so that no line takes more than `width` columns; every line
 * but the first begins with `indent` blanks, and the first is taken to begin at column `at`. Ends without a newline. */
void fit_append_wrapped(struct buffer *out, const char *text, int at, int indent, int width);

/* Colour and weight of terminal text: SGR sequences of ECMA-48. */
enum style {
	STYLE_PLAIN,
	STYLE_BOLD,
	STYLE_ERROR,
	STYLE_WARNING,
	STYLE_GOOD,
	STYLE_FAINT,
};

/* What became of something, a worse one behind; what was skipped is none of them. */
enum grade {
	GRADE_OK,
	GRADE_NOTE,
	GRADE_WARN,
	GRADE_FAIL,
	GRADE_SKIP,
	GRADES,
};
extern const char *const grade_names[GRADES]; /* ok, note, warn, fail, skip */

/* The sign of a grade and a blank, at the start of its line: ✓ - ! ✗ - if `signs` (a UTF-8 terminal), else ok, note,
 * warn, FAIL, skip. All have the same width. */
void style_append_sign(struct buffer *out, bool color, bool signs, enum grade grade);
int style_sign_columns(bool signs); /* the blank included */

/* Begin and end a style; without `color` they append nothing. style_append() does both around what it prints. */
void style_begin(struct buffer *out, bool color, enum style style);
void style_end(struct buffer *out, bool color, enum style style);
void style_append(struct buffer *out, bool color, enum style style, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

#endif
