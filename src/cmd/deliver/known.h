/* The inputs that results know, whatever they are called now: by the name that was recorded, else as the same file. */
#ifndef CREDHOOK_CMD_DELIVER_KNOWN_H
#define CREDHOOK_CMD_DELIVER_KNOWN_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct known_key;

/* Zero-initialise. Takes some 200 bytes per input. */
struct known_inputs {
	struct known_key *keys; /* by hash, the next place where one is taken; at most half full */
	size_t key_count;
	size_t places;       /* a power of two, or 0 */
	size_t count;        /* of inputs, a file of two names once */
	struct buffer names; /* of the first few: 'a', 'b' */
};

/* Adds an input, unless it is known; NULL: what send made. `hash` is flight_hash() of the whole name, of which `name`
 * may be a beginning. *id stands for the input: the same for every name of a file, relative to the working directory.
 * False: no memory. */
bool known_add(struct known_inputs *known, const char *name, uint64_t hash, uint64_t *id);
/* False: the input is none of them, and *id is its hash. */
bool known_find(const struct known_inputs *known, const char *name, uint64_t hash, uint64_t *id);
/* Appends "'a', 'b' and 7 more". */
void known_append_names(const struct known_inputs *known, struct buffer *out);
void known_release(struct known_inputs *known);

#endif
