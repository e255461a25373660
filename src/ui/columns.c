#include "ui/columns.h"

#include "base/fit.h"
#include "base/style.h"

#include <string.h>

#define GAP         2
#define COLUMNS_MAX 8

struct layout {
	const struct column *columns;
	size_t count;
	int widths[COLUMNS_MAX];
	bool shown[COLUMNS_MAX];
};

static int columns_of(const char *text)
{
	return text ? fit_columns(text, strlen(text)) : 0;
}

/* From the most useful column on, those that fit beside the ones before. */
static void choose(struct layout *l, int width)
{
	int used = -GAP;
	for (int rank = 0; rank < COLUMNS_MAX; rank++) {
		for (size_t c = 0; c < l->count; c++) {
			if (l->columns[c].rank != rank)
				continue;
			if (rank == 0 && l->widths[c] > width)
				l->widths[c] = width;
			l->shown[c] = used + GAP + l->widths[c] <= width;
			used += l->shown[c] ? GAP + l->widths[c] : 0;
		}
	}
}

static void append_row(struct buffer *out, const struct layout *l, const char *const *cells)
{
	int due = 0; /* blanks, which nothing may follow at the end of a line */
	for (size_t c = 0; c < l->count; c++) {
		if (!l->shown[c])
			continue;
		const char *cell = cells[c] ? cells[c] : "";
		int wide = columns_of(cell), used = wide < l->widths[c] ? wide : l->widths[c];
		due += l->columns[c].right ? l->widths[c] - used : 0;
		if (used > 0) {
			buffer_append_repeat(out, ' ', (size_t)due);
			fit_append(out, cell, strlen(cell), l->widths[c]);
			due = 0;
		}
		due += GAP + (l->columns[c].right ? 0 : l->widths[c] - used);
	}
}

void columns_append_table(struct buffer *out, const struct column *columns, size_t column_count,
                          const char *const *cells, size_t count, int width, bool color)
{
	struct layout l = { .columns = columns, .count = column_count };
	const char *titles[COLUMNS_MAX];
	for (size_t c = 0; c < column_count; c++) {
		titles[c] = columns[c].title;
		l.widths[c] = columns_of(titles[c]);
		for (size_t i = 0; i < count; i++) {
			int wide = columns_of(cells[i * column_count + c]);
			l.widths[c] = wide > l.widths[c] ? wide : l.widths[c];
		}
	}
	choose(&l, width);
	style_begin(out, color, STYLE_BOLD);
	append_row(out, &l, titles);
	style_end(out, color, STYLE_BOLD);
	buffer_append_byte(out, '\n');
	for (size_t i = 0; i < count; i++) {
		append_row(out, &l, cells + i * column_count);
		buffer_append_byte(out, '\n');
	}
}
