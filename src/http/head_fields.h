/* The header fields that frame a request and control its connection. Used by the request parser. */
#ifndef CREDHOOK_HTTP_HEAD_FIELDS_H
#define CREDHOOK_HTTP_HEAD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

struct http_request_parser;

/* Notes one field; the value is trimmed. False: invalid, see parser->status and ->reason. */
bool http_head_field_take(struct http_request_parser *parser, const char *name, size_t name_length, const char *value,
                          size_t value_length);
/* Checks the fields together at the end of the head, and sets the framing in parser->request, whose method and version
 * must be set. False: invalid, see parser->status and ->reason. */
bool http_head_fields_end(struct http_request_parser *parser);

#endif
