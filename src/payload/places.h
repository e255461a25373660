/*
 * The places of payloads: a tree of keys, with the types of the values that were there and the findings about them.
 *
 * The order of members, their values and their spelling do not matter. The elements of an array share one place, and so
 * do the members of an object whose keys are data rather than names: an object that the catalogue leaves entirely open
 * (scoreModifiers), or one that has, or at whose place there would then be, more than PLACES_NAMES_MAX keys. That
 * decision never depends on the order of members or elements, so a payload that is spelled another way has the same
 * places.
 */
#ifndef CREDHOOK_PAYLOAD_PLACES_H
#define CREDHOOK_PAYLOAD_PLACES_H

#include "base/buffer.h"
#include "payload/check.h"

#include <stdbool.h>
#include <stdint.h>

#define PLACES_NAMES_MAX 32
#define PLACE_ROOT       0
#define PLACE_NONE       UINT32_MAX

/* Types as bits: 1 << enum json_token_type, but that JSON_FALSE counts as JSON_TRUE (places_type()). */
struct place {
	size_t name; /* offset of the key in the names */
	uint32_t name_length;
	uint32_t next;     /* the next place of the same parent, or PLACE_NONE */
	uint32_t child;    /* the first place inside it, or PLACE_NONE */
	uint32_t last;     /* the last one */
	uint32_t findings; /* a bit per finding id */
	uint8_t types;     /* 0: it was only looked at */
	uint8_t names;     /* how many places inside it have a name */
	bool is_unnamed;   /* of the elements of an array, or of members without a place of their own */
	bool is_open;      /* its members have no places of their own */
};

struct places {
	struct place *items; /* owned; item 0 is the payload itself */
	uint32_t count;
	size_t capacity;
	struct buffer names;
};

/* Zero-initialise. */
void places_release(struct places *places);
/* Forgets all, and keeps the memory, unless a long payload needed it. */
void places_clear(struct places *places);

/* Adds what a payload has that is JSON. False: out of memory. */
bool places_add(struct places *places, const struct verdict *verdict);

/* Adds all that other places have: together they are those of the payloads of both. In an object that has places for
 * names and is open in the other one, or becomes open, these become one. False: out of memory. */
bool places_merge(struct places *places, const struct places *other);

/* The type of a value as a bit. */
static inline unsigned places_type(const struct json_token *token)
{
	return 1U << (token->type == JSON_FALSE ? JSON_TRUE : token->type);
}

/* The place of a key (escapes resolved) inside another; name NULL: of elements, or of members that share one.
 * PLACE_NONE: there is none. */
uint32_t places_find(const struct places *places, uint32_t parent, const char *name, size_t length);
/* The same of one key after another, which come mostly in one order: *hint, the first place inside at first, is tried
 * first, and becomes the one behind. */
uint32_t places_find_next(const struct places *places, uint32_t parent, uint32_t *hint, const char *name,
                          size_t length);

#endif
