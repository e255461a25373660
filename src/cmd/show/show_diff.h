/* show --diff: two notifications value by value. */
#ifndef CREDHOOK_CMD_SHOW_SHOW_DIFF_H
#define CREDHOOK_CMD_SHOW_SHOW_DIFF_H

#include "cmd/list/listing.h"

/* Prints what differs between the two that are selected, a line each. EXIT_CODE_USAGE: these are not two.
 * EXIT_CODE_FAILED: one of them is not JSON. */
int diff_selected(struct listing *listing, struct error *err);

#endif
