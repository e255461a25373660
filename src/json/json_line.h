/*
 * Writes one JSON object member by member, for NDJSON on stdout. Since stdout may be a terminal, code points that are
 * unsafe there (utf8_is_unsafe()) are written as \uXXXX.
 */
#ifndef CREDHOOK_JSON_JSON_LINE_H
#define CREDHOOK_JSON_JSON_LINE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void json_line_begin(struct buffer *out);                        /* {, with a comma before it in an array */
void json_line_begin_type(struct buffer *out, const char *type); /* {"type":TYPE */
void json_line_end(struct buffer *out);                          /* } without a newline */
void json_line_finish(struct buffer *out);                       /* } and a newline */

/* Each writes one member, with a comma before it if needed. text NULL writes null. */
void json_line_text(struct buffer *out, const char *key, const char *text);
void json_line_bytes(struct buffer *out, const char *key, const char *bytes, size_t length);
void json_line_number(struct buffer *out, const char *key, int64_t number);
void json_line_decimal(struct buffer *out, const char *key, double number); /* three decimals; NaN: null */
void json_line_bool(struct buffer *out, const char *key, bool value);
/* An object as a member, to be ended. */
void json_line_object(struct buffer *out, const char *key);
/* An array as a member. Its elements are texts, or JSON text that the caller appends after json_line_comma(). */
void json_line_array(struct buffer *out, const char *key);
void json_line_element(struct buffer *out, const char *text);
void json_line_array_end(struct buffer *out);
/* The key only: the caller appends the value as JSON text. */
void json_line_key(struct buffer *out, const char *key);
/* A string only, as an element of an array. */
void json_line_string(struct buffer *out, const char *text, size_t length);
/* Members, or other JSON text, made elsewhere. */
void json_line_members(struct buffer *out, const char *json, size_t length);
/* The comma before an element of an array, if needed. */
void json_line_comma(struct buffer *out);

#endif
