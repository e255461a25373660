/* --ignore FINDING[:PATH]: what is not reported, wherever it is or at one place only. */
#ifndef CREDHOOK_PAYLOAD_IGNORE_H
#define CREDHOOK_PAYLOAD_IGNORE_H

#include "base/error.h"
#include "payload/finding.h"

#include <stddef.h>
#include <stdint.h>

/* One place: the value of a key, or the key where its object does not have it. */
struct ignored_place {
	enum finding_id id;
	char *pointer; /* owned: JSON Pointer of the value */
};

struct ignored {
	uint32_t everywhere; /* a bit per finding id */
	struct ignored_place *places;
	size_t count;
	size_t capacity;
};

/* Adds FINDING[:PATH],... to a struct ignored. PATH is details.appKey or /details/appKey. Usage errors name the
 * nearest: an unknown finding; a path that no event lists, where the finding is not about unlisted keys; a finding that
 * cannot be ignored, or that has no place in the payload. */
int ignored_parse(void *ignored, const char *text, struct error *err);
void ignored_release(void *ignored); /* a struct ignored */

#endif
