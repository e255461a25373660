/* show --distinct: each line says how many there are like it, which is known only at the end of the inputs: of its
 * shape, or with the value of a code that it was taken for, which it names then. */
#ifndef CREDHOOK_CMD_SHOW_SHOW_DISTINCT_H
#define CREDHOOK_CMD_SHOW_SHOW_DISTINCT_H

#include "cmd/list/listing.h"

/* Reads all that are chosen, and then appends and prints the line of each. What listing_next() said at the end. */
enum selection_answer show_distinct(struct listing *listing, struct error *err);

#endif
