/* The causes of failures that were recorded (cause/day.h), in words and as JSON. */
#ifndef CREDHOOK_CMD_WORDS_WHY_WORDS_H
#define CREDHOOK_CMD_WORDS_WHY_WORDS_H

#include "cause/day.h"

#include <stdbool.h>
#include <stddef.h>

/* How causes are written. */
struct cause_style {
	bool color, utf8;
	int width;           /* or COLUMNS_UNLIMITED */
	const char *capture; /* the only one whose requests these are, for lines to type; NULL: there is none */
	bool is_session;     /* they are of a shell's list, whose commands have no file */
	bool is_part;        /* only failures that were selected: no other line selects exactly them */
	bool is_sent;        /* a run has sent them, so nothing shows them */
};

#define WHY_WORDS_LEAST 5 /* failures; fewer have no causes */
#define WHY_WORDS_MOST  3 /* causes; -v has all */

/* Appends the causes, each a paragraph: how many and which response, what all of them have, and what shows them. */
void why_words_append(const struct day_cause *causes, size_t count, const struct cause_style *style,
                      struct buffer *out);
/* Appends why alone, on one line. */
void why_words_append_line(const struct day_cause *cause, const struct cause_style *style, struct buffer *out);
/* Appends the line of JSON. */
void why_words_append_json(const struct day_cause *cause, const struct cause_style *style, struct buffer *out);

#endif
