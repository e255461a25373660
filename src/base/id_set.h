/*
 * A set of identifiers of 16 bytes that grows. Each has an index, in the order in which they were added, so that
 * whoever knows more of them keeps it in an array beside the set. It takes 24 to 40 bytes per identifier.
 *
 * Where an identifier is looked for depends on a random key of the process, so nobody can choose identifiers that make
 * searches long.
 */
#ifndef CREDHOOK_BASE_ID_SET_H
#define CREDHOOK_BASE_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ID_SIZE 16
#define ID_NONE UINT32_MAX

struct id {
	unsigned char bytes[ID_SIZE];
};

/* Zero-initialise. */
struct id_set {
	struct id *ids; /* owned: by their index */
	size_t capacity;
	uint32_t count;
	uint32_t *slots; /* owned: an index each, or ID_NONE; a power of two of them */
	size_t slot_count;
	uint64_t key[2];
};
void id_set_release(struct id_set *set);

/* The index of an identifier, or ID_NONE. */
uint32_t id_set_find(const struct id_set *set, const unsigned char id[ID_SIZE]);
/* Its index, which is the count before where it was not there. ID_NONE: out of memory, or full (2^32 - 1); the set is
 * what it was. */
uint32_t id_set_add(struct id_set *set, const unsigned char id[ID_SIZE]);

#endif
