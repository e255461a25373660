#include "base/hash.h"

#include <endian.h>
#include <string.h>

/* Any odd number: multiplying by an odd number loses no information. */
#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

static uint64_t stir(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * FACTOR;
	return hash ^ hash >> 32;
}

uint64_t hash_bytes(const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	uint64_t hash = stir(0, length), word;
	for (; length >= sizeof word; length -= sizeof word, at += sizeof word) {
		memcpy(&word, at, sizeof word);
		hash = stir(hash, le64toh(word));
	}
	word = 0;
	if (length > 0)
		memcpy(&word, at, length);
	hash = stir(stir(hash, le64toh(word)), 0);
	return hash > 0 ? hash : 1;
}

uint64_t hash_fnv1a(uint64_t hash, const void *bytes, size_t length)
{
	const unsigned char *at = bytes;
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * UINT64_C(1099511628211);
	return hash;
}
