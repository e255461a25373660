#include "cmd/words/counters.h"

#include "base/text.h"
#include "json/json_line.h"

static uint64_t number_of(const struct counter_row *row, const void *counts)
{
	return *(const uint64_t *)(const void *)((const char *)counts + row->offset);
}

void counter_append(struct buffer *list, uint64_t number, const char *words)
{
	if (number > 0)
		buffer_printf(list, "%s%s %s", list->length > 0 ? ", " : "", COUNT_TEXT(number), words);
}

void counters_append_json(struct buffer *line, const struct counter_row *rows, size_t count, const void *counts)
{
	for (const struct counter_row *row = rows; row < rows + count; row++)
		json_line_number(line, row->name, (int64_t)number_of(row, counts));
}

void counters_append_words(struct buffer *list, const struct counter_row *rows, size_t count, const void *counts)
{
	for (const struct counter_row *row = rows; row < rows + count; row++)
		if (row->words)
			counter_append(list, number_of(row, counts), row->words);
}
