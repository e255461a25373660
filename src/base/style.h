/* Colour and weight of terminal text: SGR sequences of ECMA-48. */
#ifndef CREDHOOK_BASE_STYLE_H
#define CREDHOOK_BASE_STYLE_H

#include "base/buffer.h"

#include <stdbool.h>

enum style {
	STYLE_PLAIN,
	STYLE_BOLD,
	STYLE_ERROR,
	STYLE_WARNING,
	STYLE_GOOD,
	STYLE_FAINT,
};

/* What became of something, at the start of its line. */
enum mark {
	MARK_OK,
	MARK_FAIL,
	MARK_WARN,
};

/* A mark and a blank: ✓ ✗ ! if `signs` (a UTF-8 terminal), else ok, FAIL, warn. All have the same width. */
void style_append_mark(struct buffer *out, bool color, bool signs, enum mark mark);
int style_mark_columns(bool signs); /* the blank included */

/* Begin and end a style; without `color` they append nothing. style_append() does both around what it prints. */
void style_begin(struct buffer *out, bool color, enum style style);
void style_end(struct buffer *out, bool color, enum style style);
void style_append(struct buffer *out, bool color, enum style style, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

#endif
