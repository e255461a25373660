/* The beginning of a JSON text, completed, so that a long document can be recognised by its first keys. */
#ifndef CREDHOOK_JSON_BEGINNING_H
#define CREDHOOK_JSON_BEGINNING_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Appends the object or array at the start of the text. If the text ends inside it, incomplete values and keys are left
 * out and the open brackets closed: {"a":[1,2,{"b": becomes {"a":[1,2,{}]}. Only brackets, commas and strings are
 * examined; call json_read() to check the result.
 *
 * True: the text contains the whole document. False: it does not; nothing is appended when the text does not begin
 * with { or [.
 */
bool json_append_beginning(struct buffer *out, const char *text, size_t length);

#endif
