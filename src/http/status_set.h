/* Sets of HTTP statuses as --expect-status writes them: 2xx,409,500-503. */
#ifndef CREDHOOK_HTTP_STATUS_SET_H
#define CREDHOOK_HTTP_STATUS_SET_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct status_set {
	uint64_t bits[8]; /* statuses 100 to 599, one bit each, from bit 0 */
};

/* Reads a comma-separated list of statuses (409), classes (2xx, 2XX) and ranges (500-503). EXIT_CODE_USAGE, naming the
 * part that is wrong: *set is then unspecified. */
int status_set_parse(struct status_set *set, const char *text, struct error *err);
void status_set_only(struct status_set *set, int status);           /* empty outside 100 to 599 */
bool status_set_contains(const struct status_set *set, int status); /* false for anything outside 100 to 599 */

#endif
