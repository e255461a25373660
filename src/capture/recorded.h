/* Recorded requests inside documents and texts of any kind. Private to src/capture. */
#ifndef CREDHOOK_CAPTURE_RECORDED_H
#define CREDHOOK_CAPTURE_RECORDED_H

#include "capture/format.h"

/* The names of their rows in format.c. */
#define RECORDS_INSIDE "records-inside"
#define HAR_ENTRIES    "har-entries"

/* The row of a recorded request at any depth of a document, in JSON in a string, too; NULL: there is none, or the
 * document's stop was asked for, which also ends whatever would be read next. A string in a string has twice as many
 * backslashes: all together they are looked into as often as that goes, and only the strings of two depths are held.
 * What there is no memory to look into is taken for records, which nobody sends. */
const struct format *recorded_in(const struct json_doc *doc);

#endif
