/* Base64 (RFC 4648, section 4): padded, one line. */
#ifndef CREDHOOK_CAPTURE_BASE64_H
#define CREDHOOK_CAPTURE_BASE64_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the base64 text of `length` bytes. */
void base64_append(struct buffer *out, const void *bytes, size_t length);

/* Decodes the text and appends the bytes. Strict: whole groups of four, padding only at the end, unused bits zero, no
 * other characters, so that each sequence of bytes has one encoding. False: not base64; *out is unchanged. */
bool base64_decode(const char *text, size_t length, struct buffer *out);

#endif
