/*
 * Writing one JSON object member by member, for NDJSON on stdout. Since that may be a terminal, what one would obey is
 * written as \uXXXX, which is the same JSON.
 */
#ifndef CREDHOOK_JSON_JSON_LINE_H
#define CREDHOOK_JSON_JSON_LINE_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void json_line_begin(struct buffer *out); /* { */
void json_line_end(struct buffer *out);   /* } without a newline */

/* Each writes one member, and the comma before it where one is due. text NULL is null. */
void json_line_text(struct buffer *out, const char *key, const char *text);
void json_line_bytes(struct buffer *out, const char *key, const char *bytes, size_t length);
void json_line_number(struct buffer *out, const char *key, int64_t number);
void json_line_decimal(struct buffer *out, const char *key, double number); /* three decimals */
void json_line_bool(struct buffer *out, const char *key, bool value);
void json_line_null(struct buffer *out, const char *key);
/* An array as a member. Its elements are texts, or what json_line_comma() goes before. */
void json_line_array(struct buffer *out, const char *key);
void json_line_element(struct buffer *out, const char *text);
void json_line_array_end(struct buffer *out);
/* The key only: the caller appends the value, an array or object say, as JSON text. */
void json_line_key(struct buffer *out, const char *key);
/* A string alone: an element of an array, say. */
void json_line_string(struct buffer *out, const char *text, size_t length);
/* Members, or any other JSON text, that was made elsewhere. */
void json_line_members(struct buffer *out, const char *json, size_t length);
/* The comma before a further element of an array, where one is due. */
void json_line_comma(struct buffer *out);

#endif
