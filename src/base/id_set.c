#include "base/id_set.h"

#include "base/buffer.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64 /* at least one in four is free */

void id_set_release(struct id_set *set)
{
	free(set->ids);
	free(set->slots);
	*set = (struct id_set){ .ids = NULL };
}

/* The slot that has the identifier, or the free one where it belongs. */
static size_t slot_of(const struct id_set *set, const unsigned char id[ID_SIZE])
{
	uint64_t words[2];
	memcpy(words, id, sizeof words);
	unsigned __int128 product = (unsigned __int128)(words[0] ^ set->key[0]) * (words[1] ^ set->key[1]);
	size_t slot = (size_t)((uint64_t)product ^ (uint64_t)(product >> 64));
	for (;; slot++) {
		slot &= set->slot_count - 1;
		uint32_t index = set->slots[slot];
		if (index == ID_NONE || memcmp(set->ids[index].bytes, id, ID_SIZE) == 0)
			return slot;
	}
}

uint32_t id_set_find(const struct id_set *set, const unsigned char id[ID_SIZE])
{
	return set->slot_count == 0 ? ID_NONE : set->slots[slot_of(set, id)];
}

static bool grow(struct id_set *set)
{
	size_t count = set->slot_count == 0 ? FIRST_SLOTS : set->slot_count * 2;
	uint32_t *slots = malloc(count * sizeof *slots);
	if (!slots)
		return false;
	memset(slots, 0xff, count * sizeof *slots); /* ID_NONE */
	if (set->slot_count == 0) {
		struct random random;
		random_seed_fresh(&random);
		set->key[0] = random_next(&random);
		set->key[1] = random_next(&random);
	}
	free(set->slots);
	set->slots = slots;
	set->slot_count = count;
	for (uint32_t i = 0; i < set->count; i++)
		slots[slot_of(set, set->ids[i].bytes)] = i;
	return true;
}

uint32_t id_set_add(struct id_set *set, const unsigned char id[ID_SIZE])
{
	uint32_t found = id_set_find(set, id);
	if (found != ID_NONE)
		return found;
	if (set->count == ID_NONE || !ARRAY_ROOM(set->ids, set->capacity, (size_t)set->count + 1) ||
	    (set->count >= set->slot_count / 4 * 3 && !grow(set)))
		return ID_NONE;
	memcpy(set->ids[set->count].bytes, id, ID_SIZE);
	set->slots[slot_of(set, id)] = set->count; /* free, since the new one is not counted yet */
	return set->count++;
}
