/* Base64 (RFC 4648, section 4): padded, one line. */
#ifndef CREDHOOK_CAPTURE_BASE64_H
#define CREDHOOK_CAPTURE_BASE64_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/* Appends the base64 text of `length` bytes. */
void base64_append(struct buffer *out, const void *bytes, size_t length);

/* Appends the bytes that the text stands for. Strict: whole groups of four, padding only at the very end, no other
 * character, and unused bits zero, so that one sequence of bytes has one text. False: it is none, and *out is as it
 * was. */
bool base64_decode(const char *text, size_t length, struct buffer *out);

#endif
