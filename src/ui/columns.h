/* How the columns of a line or a table fit the terminal. */
#ifndef CREDHOOK_UI_COLUMNS_H
#define CREDHOOK_UI_COLUMNS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

#define COLUMNS_NAME_MOST  44 /* of the longest name */
#define COLUMNS_NAME_LEAST 12

#define COLUMNS_UNLIMITED 100000 /* the width where there is no terminal */

/* The columns for an event's name in a line that has this room left. */
static inline int columns_of_name(int room)
{
	return room > COLUMNS_NAME_MOST ? COLUMNS_NAME_MOST : room < COLUMNS_NAME_LEAST ? COLUMNS_NAME_LEAST : room;
}

struct column {
	const char *title;
	int rank;   /* 0: the most useful one, always shown; the highest one is the first to be left out */
	bool right; /* aligned: numbers */
};

/* Appends a table: a header, and count rows of column_count cells each (NULL: empty), every row on one line. Columns
 * that do not fit `width` are left out, the least useful ones first. */
void columns_append_table(struct buffer *out, const struct column *columns, size_t column_count,
                          const char *const *cells, size_t count, int width, bool color);

#endif
