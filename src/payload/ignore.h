/* The findings that nobody wants to hear of: --ignore. */
#ifndef CREDHOOK_PAYLOAD_IGNORE_H
#define CREDHOOK_PAYLOAD_IGNORE_H

#include "base/buffer.h"
#include "base/error.h"
#include "json/pointer.h"
#include "payload/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --ignore FINDING[:PATH]: what is not reported, wherever it is or at places only. */
struct ignored {
	uint32_t everywhere; /* a bit per finding id */
	struct ignored_place {
		enum finding_id id;
		char *pointer; /* owned: JSON Pointer of the value of a key, which its object need not have */
	} * places;
	size_t count;
	size_t capacity;
};

/* Adds FINDING[:PATH],... to a struct ignored. PATH is details.appKey or /details/appKey. Usage errors name the
 * nearest: an unknown finding; a path that no event lists, where the finding is not about unlisted keys; a finding that
 * cannot be ignored, or that has no place in the payload. */
int ignored_parse(void *ignored, const char *text, struct error *err);
void ignored_release(void *ignored); /* a struct ignored */
/* Whether it (NULL: nothing) names the finding, everywhere or at its place. `walk` is that of the document it is in;
 * `scratch` is written over. */
bool ignored_has(const struct ignored *ignored, const struct finding *finding, struct json_pointer_walk *walk,
                 struct buffer *scratch);

#endif
