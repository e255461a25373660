/*
 * Whether a body was received before: the same bytes (identical), or the same JSON content in other bytes (changed:
 * other spacing, order of keys, escapes).
 *
 * The memory is bounded: hashes of the last bodies, no bodies. Beyond REPEATS_MOST different bodies the ones not
 * received for longest are forgotten.
 */
#ifndef CREDHOOK_RECEIVE_REPEATS_H
#define CREDHOOK_RECEIVE_REPEATS_H

#include "json/located.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPEATS_MOST 65536

struct repeat {
	uint64_t nth;      /* how often it was repeated, this time included; 0: it is new */
	uint64_t of;       /* the number of the first one */
	int64_t after_us;  /* since the last time */
	bool is_identical; /* byte for byte the same as the first */
};

struct repeats;

/* NULL: no memory. */
struct repeats *repeats_new(void);
void repeats_free(struct repeats *repeats); /* NULL is allowed */

/* Identifies a body: hashes of its bytes and of its content. */
struct repeat_key {
	uint64_t content;
	uint64_t bytes;
};
/* doc: its tokens, or NULL (or an empty one) where it is not JSON. */
struct repeat_key repeats_key(struct repeats *repeats, const char *body, size_t length, const struct json_doc *doc);

/* Notes the body under its number. */
struct repeat repeats_note(struct repeats *repeats, struct repeat_key key, uint64_t seq, int64_t now_us);

#endif
