#include "ui/histogram.h"

#include <string.h>

#define INDENT      2
#define AFTER_LABEL 2
#define NUMBERS     24 /* columns for count and share */
#define BAR_MAX     60
#define BAR_MIN     4

void histogram_append(struct buffer *out, const struct histogram_row *rows, size_t count, int width)
{
	uint64_t most = 0, total = 0;
	int label = 0;
	for (size_t i = 0; i < count; i++) {
		int length = (int)strlen(rows[i].label);
		most = rows[i].count > most ? rows[i].count : most;
		total += rows[i].count;
		label = length > label ? length : label;
	}
	int room = width - INDENT - label - AFTER_LABEL - NUMBERS;
	room = room > BAR_MAX ? BAR_MAX : room < BAR_MIN ? BAR_MIN : room;
	for (size_t i = 0; i < count; i++) {
		double share = most > 0 ? (double)rows[i].count / (double)most : 0;
		int bar = (int)(share * room + 0.5);
		bar = bar == 0 && rows[i].count > 0 ? 1 : bar;
		buffer_append_repeat(out, ' ', INDENT);
		buffer_printf(out, "%*s  ", label, rows[i].label);
		buffer_append_repeat(out, '#', (size_t)bar);
		buffer_printf(out, "%s%llu (%.1f %%)\n", bar > 0 ? " " : "", (unsigned long long)rows[i].count,
		              total > 0 ? 100.0 * (double)rows[i].count / (double)total : 0.0);
	}
}
