#include "ui/line.h"

#include "base/utf8.h"

#include <string.h>

#define GAP         2
#define COLUMNS_MAX 8
#define FIRST_LEAST 24 /* of a table's first column, before another is left out */

void text_line_append(struct text_line *l, enum style style, const char *text)
{
	style_begin(l->out, l->color, style);
	buffer_append_text(l->out, text);
	style_end(l->out, l->color, style);
	l->column += fit_columns(text, strlen(text));
}

void text_line_cell(struct text_line *l, enum style style, const char *text, int columns)
{
	int limit = columns < FIT_MIN ? COLUMNS_UNLIMITED : columns;
	style_begin(l->out, l->color, style);
	int used = fit_append(l->out, text, strlen(text), limit);
	style_end(l->out, l->color, style);
	int blanks = GAP + (used < columns ? columns - used : 0);
	buffer_append_repeat(l->out, ' ', (size_t)blanks);
	l->column += used + blanks;
}

void text_line_remark(struct text_line *l, const char *text, size_t length)
{
	if (length == 0)
		return;
	int columns = fit_columns(text, length);
	if (l->width < COLUMNS_UNLIMITED && l->column + GAP + columns > l->width) {
		buffer_append_byte(l->out, '\n');
		text_line_below(l, text, length);
		return;
	}
	buffer_append_repeat(l->out, ' ', GAP);
	utf8_append_safe(l->out, text, length);
	l->column += GAP + columns;
}

void text_line_below(struct text_line *l, const char *text, size_t length)
{
	LOCAL_BUFFER safe = BUFFER_FOR(l->out);
	int longest = 0, room = l->width - l->indent > FIT_MIN ? l->width - l->indent : FIT_MIN;
	utf8_append_safe(&safe, text, length);
	for (const char *at = buffer_text(&safe); *at;) {
		size_t word = strcspn(at, " ");
		int columns = fit_columns(at, word);
		longest = columns > longest ? columns : longest;
		at += word + strspn(at + word, " ");
	}
	buffer_append_repeat(l->out, ' ', (size_t)l->indent);
	l->column = l->width; /* what follows goes below, too */
	if (longest <= room)
		fit_append_wrapped(l->out, buffer_text(&safe), l->indent, l->indent, l->width);
	else
		fit_append(l->out, text, length, room);
}

struct layout {
	const struct column *columns;
	size_t count;
	int width; /* of all */
	int widths[COLUMNS_MAX];
	bool shown[COLUMNS_MAX], is_alone; /* the first */
};

static int columns_of(const char *text)
{
	return text ? fit_columns(text, strlen(text)) : 0;
}

static void append_row(struct buffer *out, const struct layout *l, const char *const *cells)
{
	int due = 0; /* blanks, which nothing may follow at the end of a line */
	for (size_t c = 0; c < l->count; c++) {
		if (!l->shown[c])
			continue;
		const char *cell = cells[c] ? cells[c] : "";
		int wide = columns_of(cell), used = wide < l->widths[c] ? wide : l->widths[c];
		if (c == 0 && used < wide && !l->is_alone) {
			fit_append(out, cell, strlen(cell), l->width);
			buffer_append_byte(out, '\n');
			due = l->widths[0] + GAP;
			continue;
		}
		due += l->columns[c].right ? l->widths[c] - used : 0;
		if (used > 0) {
			buffer_append_repeat(out, ' ', (size_t)due);
			fit_append(out, cell, strlen(cell), l->widths[c]);
			due = 0;
		}
		due += GAP + (l->columns[c].right ? 0 : l->widths[c] - used);
	}
}

unsigned columns_append_table(struct buffer *out, const struct column *columns, size_t column_count,
                              const char *const *cells, size_t count, int width, bool color)
{
	struct layout l = { .columns = columns, .count = column_count, .width = width, .is_alone = true };
	unsigned left_out = 0;
	const char *titles[COLUMNS_MAX];
	for (size_t c = 0; c < column_count; c++) {
		titles[c] = columns[c].title;
		l.widths[c] = columns_of(titles[c]);
		for (size_t i = 0; i < count; i++) {
			int wide = columns_of(cells[i * column_count + c]);
			l.widths[c] = wide > l.widths[c] ? wide : l.widths[c];
		}
	}
	/* From the most useful column on, those that fit beside the ones before; the first one gives way to them. */
	int first = l.widths[0], used = first < FIRST_LEAST ? first : FIRST_LEAST;
	l.shown[0] = true;
	for (int rank = 1; rank < COLUMNS_MAX; rank++) {
		for (size_t c = 1; c < l.count; c++) {
			if (l.columns[c].rank != rank)
				continue;
			l.shown[c] = used + GAP + l.widths[c] <= width;
			l.is_alone = l.is_alone && !l.shown[c];
			used += l.shown[c] ? GAP + l.widths[c] : 0;
			left_out |= l.shown[c] ? 0 : 1U << c;
		}
	}
	int room = width - used + (first < FIRST_LEAST ? first : FIRST_LEAST);
	l.widths[0] = first < room ? first : room;
	style_begin(out, color, STYLE_BOLD);
	append_row(out, &l, titles);
	style_end(out, color, STYLE_BOLD);
	buffer_append_byte(out, '\n');
	for (size_t i = 0; i < count; i++) {
		append_row(out, &l, cells + i * column_count);
		buffer_append_byte(out, '\n');
	}
	return left_out;
}
