/*
 * Two values of a field that a listener may take for one: a text is parsed as a number, a sign or an accent is dropped,
 * an integer becomes a double.
 *
 * Three customers get them: the first and the last of them one value, the one between them the other. So what only
 * grows from line to line (a time, the number of a row) is never equal in the first and the last, and different between
 * them. What is, comes of the value. Before them three others get two values that nobody takes for one: they show
 * whether the field is seen at all. Pure; for tests with texts.
 *
 * A text is the lines of one customer (observation_append_own()), of CONTRAST_TEXT_MOST bytes at most.
 */
#ifndef CREDHOOK_PROBE_KEEP_CONTRAST_H
#define CREDHOOK_PROBE_KEEP_CONTRAST_H

#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTRAST_THREE     3
#define CONTRAST_TEXT_MOST ((size_t)16 << 10)

enum contrast_form {
	CONTRAST_NUMBER,  /* the values are seen as numbers: 7, 7.0 */
	CONTRAST_NAME,    /* as words, in any letter case */
	CONTRAST_INTEGER, /* identifiers, each another one: what differs is their size (contrast_integer()) */
	CONTRAST_CHOICE,  /* nobody knows how: no others come before them */
};

struct contrast {
	enum contrast_form form;
	const char *field;
	const char *pointer; /* in a payload; NULL: of CONTRAST_INTEGER */
	const char *plain[2], *pair[2];
};
extern const struct contrast contrast_change, contrast_zip, contrast_first_name, contrast_alert_id, contrast_off_cycle,
        contrast_dispute_status;

/* How many customers it takes: three, or twice as many. */
unsigned contrast_customers(const struct contrast *contrast);
/* The value that customer `index` of those gets. */
const char *contrast_value(const struct contrast *contrast, size_t index);
/* Whether that is the second one of a pair. */
static inline bool contrast_is_between(size_t index)
{
	return index % CONTRAST_THREE == 1;
}

/* An integer that no double is. */
uint64_t contrast_integer(struct random *random);

/* Whether the values of `plain` are seen in the texts of the three. */
bool contrast_is_seen(const struct contrast *contrast, const char *const texts[CONTRAST_THREE]);
/* Whether texts of two with the same value differ in what may be the value in another form: more than a digest a line.
 */
bool contrast_is_opaque(const char *text, const char *other);
/* Whether nothing in the texts of the three says which value of the pair each had. Where the one between was not
 * accepted (NULL), its value has to stand in the others' texts. */
bool contrast_is_alike(const struct contrast *contrast, const char *const texts[CONTRAST_THREE]);
/* Whether the value stands in the text as it was sent. */
bool contrast_stands(const char *text, const char *value);
/* Whether the double next to the integer stands in the text. */
bool contrast_is_rounded(const char *text, uint64_t integer);

#endif
