/* The status codes of HTTP: RFC 9110 and later additions. */
#ifndef CREDHOOK_HTTP_STATUS_H
#define CREDHOOK_HTTP_STATUS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The standard phrase: "Not Found"; "Unknown" for a status without one. */
const char *http_status_phrase(int status);

/* Exactly three digits, 100 to 599; 0: anything else. */
int http_status_read(const char *text, size_t length);

/* A set of statuses, written as in --expect-status: 2xx,409,500-503, or as in --status: 502|5xx. */
struct status_set {
	uint64_t bits[8]; /* statuses 100 to 599, one bit each, from bit 0 */
};

/* Reads a list of statuses (409), classes (2xx) and ranges (500-503), separated by commas or |. EXIT_CODE_USAGE: a part
 * is not one of these; *set is then unspecified. */
int status_set_parse(struct status_set *set, const char *text, struct error *err);
void status_set_only(struct status_set *set, int status);           /* empty outside 100 to 599 */
void status_set_add_class(struct status_set *set, int hundreds);    /* 2: 200 to 299 */
bool status_set_contains(const struct status_set *set, int status); /* false for anything outside 100 to 599 */
bool status_set_meets(const struct status_set *a, const struct status_set *b); /* they have a status in common */

#endif
