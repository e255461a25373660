/* What the fields of a request's head mean for its framing and its connection. Pure; used by the request parser. */
#ifndef CREDHOOK_HTTP_HEAD_FIELDS_H
#define CREDHOOK_HTTP_HEAD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

struct http_request_parser;

/* Takes note of one field, the value trimmed. Not good: fills parser->status and ->reason. */
bool http_head_field_take(struct http_request_parser *parser, const char *name, size_t name_length, const char *value,
                          size_t value_length);
/* Judges all of them together at the end of the head and fills what parser->request says of them. parser->request's
 * method and version are set. Not good: fills parser->status and ->reason. */
bool http_head_fields_end(struct http_request_parser *parser);

#endif
