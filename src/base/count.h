/* Counts as people read and write them. */
#ifndef CREDHOOK_BASE_COUNT_H
#define CREDHOOK_BASE_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#define COUNT_SIZE 27 /* of the largest one, with its separators and NUL */

/* "1,338"; returns out. */
const char *count_text(uint64_t count, char out[COUNT_SIZE]);
/* Reads digits and nothing else, up to `most`. False: the text is something else; *count may have changed. */
bool count_read(const char *text, uint64_t most, uint64_t *count);

#endif
