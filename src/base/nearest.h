/* "Did you mean": the candidate nearest to a word that nobody knows. */
#ifndef CREDHOOK_BASE_NEAREST_H
#define CREDHOOK_BASE_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word; /* borrowed */
	size_t length;
	const char *best; /* borrowed from whoever offered it */
	size_t distance;
	const char *longer; /* a candidate that begins with the word */
	size_t longer_count;
};

void nearest_init(struct nearest *n, const char *word, size_t length);
/* Offers one candidate; the first of several equally near ones stays. */
void nearest_offer(struct nearest *n, const char *candidate);
/* The only candidate that begins with the word; else the nearest; or NULL where none is near enough to be a misspelling
 * of it. */
const char *nearest_result(const struct nearest *n);

/* Edits (insert, delete, replace, swap of neighbours) from one to the other, letter case ignored; only the first 63
 * bytes of each count. */
size_t nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
