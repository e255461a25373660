/* Sets of HTTP statuses, written as in --expect-status: 2xx,409,500-503. */
#ifndef CREDHOOK_HTTP_STATUS_SET_H
#define CREDHOOK_HTTP_STATUS_SET_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct status_set {
	uint64_t bits[8]; /* statuses 100 to 599, one bit each, from bit 0 */
};

/* Reads a comma-separated list of statuses (409), classes (2xx) and ranges (500-503). EXIT_CODE_USAGE: a part is not
 * one of these; *set is then unspecified. */
int status_set_parse(struct status_set *set, const char *text, struct error *err);
void status_set_only(struct status_set *set, int status);           /* empty outside 100 to 599 */
bool status_set_contains(const struct status_set *set, int status); /* false for anything outside 100 to 599 */

#endif
