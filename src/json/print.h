/* Documents written again from their tokens: in another spelling, or with a patch applied. Numbers stay as they were
 * written, strings get their shortest form. */
#ifndef CREDHOOK_JSON_PRINT_H
#define CREDHOOK_JSON_PRINT_H

#include "json/located.h"

/* How a text spells a document. */
enum json_style {
	JSON_COMPACT,
	JSON_PRETTY,          /* two spaces per level, without a final newline */
	JSON_REVERSED,        /* compact, the last member of each object first */
	JSON_ESCAPED_STRINGS, /* compact, every character of every string as \uXXXX */
};
/* Appends a value. But for JSON_ESCAPED_STRINGS neither '/' nor non-ASCII characters are escaped. */
void json_print(const struct json_doc *doc, uint32_t token, enum json_style style, struct buffer *out);

/* Appends the text as JSON_PRETTY. False: it is not JSON, and nothing is appended; or `out` has failed. */
bool json_pretty(const char *text, size_t length, struct buffer *out);

/* JSON Merge Patch (RFC 7396): appends what it makes of the document, compact. */
void json_merge_patch(const struct json_doc *doc, const struct json_doc *patch, struct buffer *out);

#endif
