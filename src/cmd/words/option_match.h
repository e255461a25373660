/* How a word may be like what the row of an option has: its name, other tools' words for it, its values. */
#ifndef CREDHOOK_CMD_WORDS_OPTION_MATCH_H
#define CREDHOOK_CMD_WORDS_OPTION_MATCH_H

#include "base/buffer.h"
#include "ui/options.h"

#include <stdbool.h>
#include <stddef.h>

#define MATCH_LEAST 4 /* bytes of a word that says by itself what is meant */

/* Spelled alike but for case and separators: maxTime, max_time. */
bool match_spelling(const char *a, const char *b);
/* One of the words, in the singular or, where it is not a letter, in the plural. */
bool match_words(const char *words, const char *word, bool is_letter);
/* Writes the field of that name, "details.appKey"; false: there is none, or several. */
bool match_field(const char *word, char *path, size_t size);
/* Appends the option with the word as its value, where it is one of them. */
bool match_value(const struct option *o, const char *word, struct buffer *out);

#endif
