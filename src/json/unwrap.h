/* How to take documents out of another one that they stand in: the message of a queue, the line of a log, a journal. */
#ifndef CREDHOOK_JSON_UNWRAP_H
#define CREDHOOK_JSON_UNWRAP_H

#include "json/located.h"

/* Appends for people what to do, with a line of jq in which FILE stands for the name of the file; nothing where
 * nothing is found. What is looked for is an object with members of these names. */
void json_append_unwrap(const struct json_doc *doc, const char *const names[2], struct buffer *out);

#endif
