/* "Did you mean": the candidate nearest to an unknown word. */
#ifndef CREDHOOK_BASE_NEAREST_H
#define CREDHOOK_BASE_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word; /* borrowed */
	size_t length;
	const char *best; /* borrowed */
	size_t distance;
	const char *longer; /* a candidate that begins with the word */
	size_t longer_count;
};

void nearest_init(struct nearest *n, const char *word, size_t length);
/* Offers one candidate. Of equally near ones the first wins. */
void nearest_offer(struct nearest *n, const char *candidate);
/* The nearest candidate, or NULL when the word is not likely to be a misspelling of any. */
const char *nearest_result(const struct nearest *n);

/* The number of edits (insert, delete, replace, swap neighbours) between two words, ignoring case. Only the first 63
 * bytes of each count. */
size_t nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
