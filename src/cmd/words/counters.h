/* Counters at the end of a run: rows that serve JSON and people alike. */
#ifndef CREDHOOK_CMD_WORDS_COUNTERS_H
#define CREDHOOK_CMD_WORDS_COUNTERS_H

#include "base/buffer.h"

#include <stddef.h>
#include <stdint.h>

struct counter_row {
	const char *name;  /* in JSON */
	const char *words; /* behind its number, for people; NULL: only JSON has it */
	size_t offset;     /* of the uint64_t in the struct of the counts */
};

/* Appends ", 3 WORDS", or without the comma where the list is empty; nothing of 0. */
void counter_append(struct buffer *list, uint64_t number, const char *words);
/* These append each of the rows, read from `counts`: as members of the object that `line` is in, or as a list of those
 * that have words. */
void counters_append_json(struct buffer *line, const struct counter_row *rows, size_t count, const void *counts);
void counters_append_words(struct buffer *list, const struct counter_row *rows, size_t count, const void *counts);

#endif
