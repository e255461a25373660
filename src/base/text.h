/* Texts: spans of bytes, the nearest word, numbers as people read them, and lists. */
#ifndef CREDHOOK_BASE_TEXT_H
#define CREDHOOK_BASE_TEXT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Any bytes, that somebody else owns; text NULL: absent. */
struct text {
	const char *text;
	size_t length;
};
/* Literal text: TEXT("POST"). */
#define TEXT(literal)                                                                                                  \
	{                                                                                                              \
		(literal), sizeof(literal) - 1                                                                         \
	}
/* The text up to its NUL; NULL: absent. */
static inline struct text text_of(const char *text)
{
	return (struct text){ text, text ? strlen(text) : 0 };
}
/* In the order of their bytes, a beginning before what goes on; either may have a NUL in it. Neither is absent. */
static inline int text_compare(struct text a, struct text b)
{
	int order = memcmp(a.text, b.text, a.length < b.length ? a.length : b.length);
	return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}
struct buffer;
/* A copy of the text and a NUL, at the end of the bytes. Room for all copies has to be reserved before the first: they
 * move with the bytes. */
struct text text_copy(struct text text, struct buffer *bytes);
/* A copy of all bytes and a NUL, for free(); strndup(3) stops at a NUL that the text has. NULL: out of memory. */
char *text_duplicate(struct text text);

/* "Did you mean": the candidate nearest to an unknown word. */
struct nearest {
	const char *word; /* borrowed */
	size_t length;
	const char *best; /* borrowed */
	size_t distance;
	const char *longer; /* a candidate that begins with the word */
	size_t longer_count;
};

void nearest_init(struct nearest *n, const char *word, size_t length);
/* Offers one candidate. Of equally near ones the first wins. Returns whether it is the word itself. */
bool nearest_offer(struct nearest *n, const char *candidate);
/* The nearest candidate, or the only one that begins with the word. NULL when the word is not likely to be a
 * misspelling of any: it has fewer than four letters, or begins otherwise and differs in more than one edit. Opposites
 * (valid, invalid) are never near. */
const char *nearest_result(const struct nearest *n);

/* The number of edits (insert, delete, replace, swap neighbours) between two words, ignoring case. Only the first 63
 * bytes of each count. */
size_t nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/* Counts as people read and write them. */
#define COUNT_SIZE 27 /* of the largest one, with its separators and NUL */

/* "1,338"; returns out. */
const char *count_text(uint64_t count, char out[COUNT_SIZE]);
/* The same, valid until the end of the block: for an argument of a format. */
#define COUNT_TEXT(count) count_text((count), (char[COUNT_SIZE]){ 0 })
/* Reads digits and nothing else, up to `most`. False: the text is something else; *count may have changed. */
bool count_read(const char *text, uint64_t most, uint64_t *count);
/* Reads one as people write it: 1000, 1,000, 1_000, 1k, 2.5M, of which a step is `thousand`, 1000 for counts and 1024
 * for bytes, which may have a B behind them (64K, 64 KiB, 10MB). Where it ends, or NULL: it is something else, a
 * fraction, or above `most`. *count may have changed. */
const char *count_parse(const char *text, uint64_t thousand, uint64_t most, uint64_t *count);

/* The length of what stands between the ends of a range, where it stands at the beginning of `text`: 3-5, 3:5, 3..5,
 * 3...5. 0: something else. */
size_t range_sign_length(const char *text, size_t length);

/* Appends the text without what differs from case to case: of a word with a digit in it (a time, an identifier) "...".
 */
void text_append_alike(struct buffer *out, const char *text, size_t length);
/* Takes the next line from `*at` on, without its line feed; false: there is none. */
bool text_next_line(const char **at, const char *end, struct text *line);
/* How many line feeds there are. */
size_t text_count_lines(const char *text, size_t length);
/* Whether the first `length` bytes end so, in whatever case: the end of a file's name. */
bool text_ends_with(const char *text, size_t length, const char *end);

/* A growing list of borrowed texts, empty where it is zero: option values, operands. */
struct text_list {
	const char **items; /* the array is owned, the texts are not */
	size_t count;
	size_t capacity;
};

int text_list_add(struct text_list *list, const char *text, struct error *err);
/* `count` texts in order. */
int text_list_add_all(struct text_list *list, const char *const *texts, size_t count, struct error *err);
void text_list_release(struct text_list *list);

/* A list of texts that are owned, each for free(). Zero-initialise. */
struct owned_texts {
	struct text_list list; /* to be read */
};

/* Takes over the text, also where it fails; NULL: there was no memory for it. */
int owned_texts_add(struct owned_texts *texts, char *text, struct error *err);
/* The same in the place of one that is there. */
int owned_texts_replace(struct owned_texts *texts, size_t at, char *text, struct error *err);
void owned_texts_release(struct owned_texts *texts);

#endif
