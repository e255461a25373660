/*
 * What `--observe COMMAND` printed: what a listener keeps, seen from outside, as a multiset of lines. Pure; for tests
 * with texts.
 *
 * A line is compared by its masked text. There the run's identifiers, in any letter case, with or without hyphens, are
 * roles ("<clientKey of A7>"); other UUIDs, times and numbers are marks, and a run of blanks or of - + | = is one
 * blank. So the order of the lines, an automatic number, the time of a change, the width of a table and the sum below
 * it make no difference. Lines without anything else are left out. The elements of a JSON array are a line each. A text
 * that is one integer is a number of what is kept, too.
 */
#ifndef CREDHOOK_PROBE_KEEP_OBSERVATION_H
#define CREDHOOK_PROBE_KEEP_OBSERVATION_H

#include "probe/keep/masking.h"

#define OBSERVATION_MAX ((size_t)32 << 20) /* bytes of a text (observation_append()) */
#define OBSERVATION_NEW ((size_t)1 << 20)  /* of those, that one may have more than the one before it */

/* Zero-initialise; release. */
struct observation {
	struct buffer text; /* of the lines, each followed by a NUL */
	struct observation_line {
		size_t masked;       /* where it begins in the text: with all that is masked */
		size_t numbers;      /* the same, but with its numbers as they are */
		size_t end;          /* of the second: behind its NUL */
		size_t from, length; /* of what was read */
	} * lines;                   /* ordered by their masked text */
	size_t count;
	size_t capacity;
	bool is_number;
	int64_t number;
};

/* Appends what a command prints, as it comes, but of a run of the same separator (a blank or one of - + | =) its first:
 * a table may fill each row to the width of the longest. Nothing beyond OBSERVATION_MAX bytes and one more. */
void observation_append(struct buffer *text, const char *printed, size_t length);

/* Replaces *observation by what the text says. `now_s`: since 1970, by which a number is known as a time. -1: no
 * memory. */
int observation_read(struct observation *observation, const char *text, size_t length, const struct roles *roles,
                     int64_t now_s, struct error *err);
void observation_release(struct observation *observation);
int observation_copy(struct observation *to, const struct observation *from, struct error *err);

/* From one observation to a later one. */
struct observation_change {
	size_t came, went; /* masked lines */
	size_t twins;      /* of those that came: beyond the first of each that are alike */
	int64_t growth;    /* of the number of lines, or of the number */
	bool numbers;      /* a number changed in a line that is the same without it */
	const char *first; /* the masked text of the first line that came, or else went; NULL: none. Borrowed */
};
/* Only lines with `mention` in their masked text count; NULL: all of them. */
void observation_compare(const struct observation *before, const struct observation *after, const char *mention,
                         struct observation_change *change);
/* The same of lines that name the customer with this mention, and no other one; NULL: of those that name none. */
void observation_compare_alone(const struct observation *before, const struct observation *after, const char *mention,
                               struct observation_change *change);
/* Lines with `mention` in their masked text; with both texts in it. */
size_t observation_count(const struct observation *observation, const char *mention);
size_t observation_count_both(const struct observation *observation, const char *mention, const char *text);
/* Those that are like another one, beyond the first of each. */
size_t observation_count_twins(const struct observation *observation, const char *mention);

/* Appends the lines that name the customer with this mention, and no other one (NULL: those that name none), each ended
 * by a newline: as they stand in `read`, which the observation was read from, but without times, and they say of
 * identifiers what they are, and not whose. Ends with the line with which they are `most` bytes long, or longer. */
void observation_append_own(const struct observation *observation, const char *read, const struct roles *roles,
                            int64_t now_s, const char *mention, size_t most, struct buffer *lines);

static inline bool observation_has_changed(const struct observation_change *change)
{
	return change->came > 0 || change->went > 0 || change->growth != 0;
}

#endif
