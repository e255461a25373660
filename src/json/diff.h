/* What differs between two documents, value by value. */
#ifndef CREDHOOK_JSON_DIFF_H
#define CREDHOOK_JSON_DIFF_H

#include "base/text.h"
#include "json/located.h"

/* A difference: its JSON Pointer, and the value on each side, JSON_NONE where it is not there. */
typedef void json_diff_found(void *context, const struct text *pointer, uint32_t before, uint32_t after);

/* Calls found() for each difference, in the order of the first document, what only the second has behind that of the
 * same object or array. Members are compared by key (of duplicates the last), elements by index. Numbers are equal
 * where they are written the same; white space, escapes and the order of members make no difference. False: out of
 * memory. */
bool json_diff(const struct json_doc *const docs[2], json_diff_found *found, void *context);

#endif
