/* The beginning of a text of JSON, made whole, so that a document can be told by its first keys, however long it is. */
#ifndef CREDHOOK_JSON_BEGINNING_H
#define CREDHOOK_JSON_BEGINNING_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends the object or array that the text begins with. Where the text ends before that does, or what follows cannot
 * be its next part, the last values and keys that may not be whole are left out, and the open brackets closed:
 * {"a":[1,2,{"b": becomes {"a":[1,2,{}]}. Only brackets, commas and strings are looked at: json_read() says whether the
 * result is JSON.
 *
 * True: the document is whole in the text. False: it is not, or something other than { or [ stands first, and nothing
 * is appended.
 */
bool json_append_beginning(struct buffer *out, const char *text, size_t length);

#endif
