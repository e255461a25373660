/* How a line of cells, or a table, fits the terminal. */
#ifndef CREDHOOK_UI_LINE_H
#define CREDHOOK_UI_LINE_H

#include "base/buffer.h"
#include "base/fit.h"

#include <stdbool.h>
#include <stddef.h>

#define COLUMNS_NAME_MOST  44 /* of the longest name */
#define COLUMNS_NAME_LEAST 12

/* The columns for an event's name in a line that has this room left. */
static inline int columns_of_name(int room)
{
	return room > COLUMNS_NAME_MOST ? COLUMNS_NAME_MOST : room < COLUMNS_NAME_LEAST ? COLUMNS_NAME_LEAST : room;
}

/* A line that is being written: cells, then remarks, which go below where they do not fit. */
struct text_line {
	struct buffer *out; /* borrowed */
	bool color;
	int width;  /* of the terminal, or COLUMNS_UNLIMITED */
	int indent; /* of what goes below */
	int column; /* where the next text begins; set it where something was appended besides */
};

/* Text that is safe already. */
void text_line_append(struct text_line *line, enum style style, const char *text);
/* The text as utf8_append_safe() writes it, in that many columns and two blanks: its middle left out where it is wider
 * and that is FIT_MIN columns or more, else whole. */
void text_line_cell(struct text_line *line, enum style style, const char *text, int columns);
/* Two blanks and the text, or where that does not fit the text below, as text_line_below() has it. "" adds nothing. */
void text_line_remark(struct text_line *line, const char *text, size_t length);
/* The text, indented: in several lines where it can be broken between words, else its middle left out. The line before
 * has ended; this one is not. */
void text_line_below(struct text_line *line, const char *text, size_t length);

struct column {
	const char *title;
	int rank;   /* 0: the first one, always shown; the highest one is the first to be left out */
	bool right; /* aligned: numbers */
};

/* Appends a table: a header, and count rows of column_count cells each (NULL: empty). Where they do not fit `width`,
 * the first column becomes narrower, and what is too wide for it has a line for itself; then columns are left out, the
 * least useful ones first. Returns those, as bits. */
unsigned columns_append_table(struct buffer *out, const struct column *columns, size_t column_count,
                              const char *const *cells, size_t count, int width, bool color);

#endif
