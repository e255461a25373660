/* UTF-8 (RFC 3629): decoding, and escaping of untrusted bytes for a terminal. */
#ifndef CREDHOOK_BASE_UTF8_H
#define CREDHOOK_BASE_UTF8_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one character. Returns its length in bytes (1 to 4), or 0 when length is 0 or the bytes are not well-formed
 * UTF-8 (overlong, a surrogate, beyond U+10FFFF, incomplete). */
size_t utf8_decode(const char *text, size_t length, uint32_t *code_point);
/* Writes code_point (at most U+10FFFF) to out. Returns the number of bytes, 1 to 4. */
size_t utf8_encode(uint32_t code_point, char out[4]);
/* The offset of the first byte that is not well-formed UTF-8, or `length`. */
size_t utf8_first_invalid(const char *text, size_t length);
/* The offset, or one up to three bytes before it, where a character begins: where a text may be cut. */
size_t utf8_begin_of(const char *text, size_t offset);
/* The number of code points; an invalid byte counts as one. */
size_t utf8_count(const char *text, size_t length);
/* The terminal columns of a code point: 0 (combining), 1 or 2 (wide). Requires LC_CTYPE to be a UTF-8 locale; unknown
 * code points count as 1. */
int utf8_width(uint32_t code_point);
/* Whether a terminal might interpret the code point or show nothing for it: control characters (C0, DEL, C1), line
 * separators, bidirectional controls, Default_Ignorable_Code_Point except variation selectors and unassigned, and what
 * is blank but is not U+0020. */
bool utf8_is_unsafe(uint32_t code_point);
/* Appends text with unsafe code points and invalid bytes escaped: \n, \t, \xNN or \u{NNNN}. */
void utf8_append_safe(struct buffer *out, const char *text, size_t length);
/* The same, but keeps newlines. */
void utf8_append_safe_lines(struct buffer *out, const char *text, size_t length);

#endif
