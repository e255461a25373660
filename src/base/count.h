/* Counts as people read them. */
#ifndef CREDHOOK_BASE_COUNT_H
#define CREDHOOK_BASE_COUNT_H

#include <stdint.h>

#define COUNT_SIZE 27 /* of the largest one, with its separators and NUL */

/* "1,338"; returns out. */
const char *count_text(uint64_t count, char out[COUNT_SIZE]);

#endif
