/*
 * Whether a body was received before, byte for byte.
 *
 * The memory is bounded: hashes of the last bodies, no bodies. Beyond REPEATS_MOST different bodies the ones not
 * received for longest are forgotten.
 */
#ifndef CREDHOOK_RECEIVE_REPEATS_H
#define CREDHOOK_RECEIVE_REPEATS_H

#include "http/message.h"

#include <stdint.h>

#define REPEATS_MOST 65536

struct repeat {
	uint64_t nth;     /* how often it was repeated, this time included; 0: it is new */
	uint64_t of;      /* the number of the first one */
	int64_t after_us; /* since the last time */
};

struct repeats;

/* NULL: no memory. */
struct repeats *repeats_new(void);
void repeats_free(struct repeats *repeats); /* NULL is allowed */

/* Notes the body under its number. */
struct repeat repeats_note(struct repeats *repeats, const struct text *body, uint64_t seq, int64_t now_us);

#endif
