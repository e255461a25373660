/* How to take documents out of another one that they stand in: the message of a queue, the line of a log, a journal. */
#ifndef CREDHOOK_JSON_UNWRAP_H
#define CREDHOOK_JSON_UNWRAP_H

#include "json/located.h"
#include "json/other_text.h"

/* Appends for people what to do, for base/mend.h: a line of jq, which in a file of lines leaves those as they are that
 * need nothing; of what was received only what it is. Nothing where nothing is found. What is looked for is an object
 * with members of these names. *key is the key of the document that the KEY of the hint means, or empty. */
void json_append_unwrap(const struct json_doc *doc, const char *const names[2], enum json_depth depth,
                        struct buffer *out, struct text *key);

/* Whether a key of that name stands anywhere, also in JSON in a string: "name" or \"name\". */
bool json_names_key(const struct json_doc *doc, const char *name);

#endif
