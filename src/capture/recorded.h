/* Recorded requests inside documents and texts of any kind. Private to src/capture. */
#ifndef CREDHOOK_CAPTURE_RECORDED_H
#define CREDHOOK_CAPTURE_RECORDED_H

#include "json/located.h"

#include <stddef.h>

/* The names of their rows in format.c. */
#define RECORDS_INSIDE "records-inside"
#define RECORDS_AMONG  "records-among-words"
#define HAR_ENTRIES    "har-entries"

/* The name of the row of a recorded request at any depth of a document, in a string, too, as JSON or among other words;
 * NULL: there is none, or the document's stop was asked for, which also ends whatever would be read next. A string in a
 * string has twice as many backslashes: all together they are looked into as often as that goes, and only the strings
 * of two depths are held. What there is no memory to look into is taken for records, which nobody sends. */
const char *recorded_in(const struct json_doc *doc);
/* The name of the row of a recorded request in a text that is not JSON, or not from its first byte to its last, by its
 * words: among those of a log, or torn off at the beginning. NULL: none. */
const char *recorded_words(const char *text, size_t length);

#endif
