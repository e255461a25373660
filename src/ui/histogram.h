/* A histogram in text: a row per range, its bar as long as its share. */
#ifndef CREDHOOK_UI_HISTOGRAM_H
#define CREDHOOK_UI_HISTOGRAM_H

#include "base/buffer.h"

#include <stddef.h>
#include <stdint.h>

struct histogram_row {
	char label[32]; /* "< 500 us" */
	uint64_t count;
};

/* Appends a line per row, no wider than `width` columns: label, bar, count and share. A row that is not empty has a
 * bar. */
void histogram_append(struct buffer *out, const struct histogram_row *rows, size_t count, int width);

#endif
