/* UTF-8 (RFC 3629): decoding, and making bytes from outside safe to print. */
#ifndef CREDHOOK_BASE_UTF8_H
#define CREDHOOK_BASE_UTF8_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the character that starts at text (1 to 4), its code point in *code_point; 0 where the bytes
 * are no well-formed UTF-8 (overlong, surrogate, past U+10FFFF, cut off) or length is 0. */
size_t utf8_decode(const char *text, size_t length, uint32_t *code_point);
/* Writes code_point (at most U+10FFFF) to out; returns how many bytes, 1 to 4. */
size_t utf8_encode(uint32_t code_point, char out[4]);
/* Offset of the first byte that is no well-formed UTF-8, or `length` where all is well. */
size_t utf8_first_invalid(const char *text, size_t length);
/* How many characters (code points); a byte that is no part of a well-formed one counts as one. */
size_t utf8_count(const char *text, size_t length);
/* Columns of a terminal that the code point takes: 0 (combining), 1 or 2 (wide). Wants LC_CTYPE to be a UTF-8
 * locale; unknown ones count 1. */
int utf8_width(uint32_t code_point);
/* Whether a terminal may obey the code point instead of showing it, or show nothing: control characters (C0, DEL, C1),
 * what turns the direction of writing or ends a line, and what has no look: Unicode's Default_Ignorable_Code_Point,
 * but for variation selectors, which belong to a character that is seen, and what is not assigned. */
bool utf8_is_unsafe(uint32_t code_point);
/* Appends text so that a terminal shows it and obeys none of it: what utf8_is_unsafe() and invalid bytes become \xNN or
 * \u{NNNN}. A newline and a tab become \n and \t. */
void utf8_append_safe(struct buffer *out, const char *text, size_t length);
/* The same, but newlines stay: a terminal obeys them only. */
void utf8_append_safe_lines(struct buffer *out, const char *text, size_t length);

#endif
