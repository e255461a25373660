/*
 * Words that came from outside, as they are shown: in messages, hints and notes. This is the one place that does it.
 *
 * A word may be an address wherever it stands, as an option's value, a file's name or a command, and however it was
 * typed: with "://" or without, behind --to: or PATH=. What is secret in it becomes ***: a password, a user that may be
 * a token, the values of a query, a fragment; and the value of a header, NAME: VALUE. A file's name with a '?' in it is
 * shown as it is (a?b=1.json). In doubt it is masked.
 */
#ifndef CREDHOOK_BASE_QUOTED_H
#define CREDHOOK_BASE_QUOTED_H

#include "base/buffer.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define QUOTED_MAX 200 /* characters shown of one word */

/* Appends the word, masked. */
void quoted_append(struct buffer *out, const char *word, size_t length);
/* A word of a program's command line, and the one before it (NULL: none): the value of --NAME=VALUE, NAME=VALUE, --NAME
 * VALUE and NAME: VALUE is masked, too, where the name is one of a secret, and of letters such as -u USER:PASSWORD. One
 * with blanks may be such a line itself, and each word of it is looked at so. */
void quoted_append_argument(struct buffer *out, const char *word, const char *before);
/* Whether a part of it would be masked. */
bool quoted_hides_argument(const char *word, const char *before);
/* Calls take() with each part of it that is masked; where more of it was changed than that, with the whole word. One
 * with blanks may be a line for a shell: of it take() also gets what is masked in each word that the shell hands on. */
void quoted_each_hidden(const char *word, const char *before,
                        void (*take)(void *context, const char *text, size_t length), void *context);
/* As quoted_append() in a buffer that is empty, for a text without quotes: written to NAME. */
const char *quoted_word(struct buffer *out, const char *word);
/* Whether a part of it would be masked. */
bool quoted_hides(const char *word, size_t length);
/* Whether it is NAME: VALUE, of which the value is masked. */
bool quoted_is_header(const char *word);

/* For a part of a word that was divided, at a comma, say: the part, or the whole word where that hides something, which
 * may begin in the part. */
struct text quoted_part(const char *word, const char *part, size_t length);

enum quoted_use {
	QUOTED_TO_READ,
	QUOTED_TO_TYPE, /* a hint: a word that hides something is the placeholder URL, so that no line has *** in it;
	                 * one that is too long is VALUE */
};

/* printf() with the conversions %s, %.*s, %c, %d, %u, %g and %.1f, the whole numbers also of long, long long and
 * size_t. Quoted words ('%s') and names of places (%s:) are masked, and end in "..." beyond QUOTED_MAX characters;
 * other texts are masked where they are one word. In what is to be typed each word of a text is looked at, but for a
 * quoted one, which is a word whatever stands in it. */
void quoted_printf(struct buffer *out, enum quoted_use use, const char *format, va_list args)
        __attribute__((format(printf, 3, 0)));

#endif
