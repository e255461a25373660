/*
 * What the valid payloads of some inputs have: kinds, places with the types of their values (payload/places.h), and the
 * values of codes. A payload of other inputs is compared with it.
 *
 * One thread fills one; then they are merged and sealed, and any number of threads may compare payloads with it at a
 * time. What is kept is bounded: a kind with more than SEEN_PLACES_MAX places, and a code with as many values as
 * CODE_VALUES_MAX, are not compared.
 */
#ifndef CREDHOOK_PAYLOAD_SEEN_H
#define CREDHOOK_PAYLOAD_SEEN_H

#include "base/error.h"
#include "payload/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEN_PLACES_MAX   65536
#define SEEN_VALUES_LEAST 100 /* payloads of a kind from which on its values of codes are compared */

struct seen;
struct seen *seen_new(struct error *err);
void seen_free(struct seen *seen); /* NULL is allowed */

/* Adds a valid payload of a known event. `is_sample`: it stands for others of its shape and codes, so that values are
 * compared however few there are. False: out of memory. */
bool seen_add(struct seen *seen, const struct verdict *verdict, bool is_sample);
/* Adds what another one has. False: out of memory. */
bool seen_merge(struct seen *seen, const struct seen *other);
/* Behind the last of these, before the first comparison. False: out of memory. */
bool seen_seal(struct seen *seen);

/* How many payloads it has; and how many kinds have more places than are compared. */
uint64_t seen_count(const struct seen *seen);
size_t seen_kinds_not_compared(const struct seen *seen);

/* Whether a payload of that kind has a value at this JSON Pointer. */
bool seen_has(const struct seen *seen, struct catalog_kind kind, const char *pointer);

/* Whether a compared payload had one of its values of codes. */
bool seen_has_common_code(const struct seen *seen);

enum unseen_what {
	UNSEEN_KIND,  /* no payload is of this kind: token is what its event is called by */
	UNSEEN_KEY,   /* the key token is at its place in none; or an element, of an array that was always empty */
	UNSEEN_TYPE,  /* the value is of a type that none has there */
	UNSEEN_VALUE, /* the value of a code */
};
struct unseen {
	enum unseen_what what;
	uint32_t token;
	/* UNSEEN_TYPE: those that are there, as struct place has them; and the object, if they are those of all its
	 * members, whose keys are data, else JSON_NONE. */
	unsigned types;
	uint32_t object;
	/* UNSEEN_VALUE: the field, and how many values there are. */
	const struct catalog_field *code;
	size_t others;
};
/* Reports what a valid payload has that none of them has; of what is inside something new only that. Remembers what it
 * has of theirs. False: out of memory. */
bool seen_compare(struct seen *seen, const struct verdict *verdict,
                  void (*report)(void *context, const struct unseen *unseen), void *context);

/* Appends what no compared payload had, as "user-created, bureau-alert with details.note, bureau-alert with details.to
 * as a string, bureau-alert with bureau \"xyz\"", `most` of these phrases. `payloads`: how many of each kind were
 * compared, by catalog_kind_index(); values are looked for where there were SEEN_VALUES_LEAST and they were compared.
 * Returns how many there are. */
size_t seen_append_missing(const struct seen *seen, const size_t *payloads, size_t most, struct buffer *out);

/* Appends the codes whose values are not compared since there are CODE_VALUES_MAX of them, or since one is too long for
 * a code: "bureau of bureau-alert, alertType of bureau-alert". Only of kinds of which there were payloads. Returns how
 * many. */
size_t seen_append_not_compared(const struct seen *seen, const size_t *payloads, struct buffer *out);

#endif
