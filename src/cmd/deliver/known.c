#include "cmd/deliver/known.h"

#include "cmd/deliver/flight.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NAMED_AT_MOST 3

/* The hash of a name, or of a file's device and inode, and the input it means. */
struct known_key {
	uint64_t hash;
	uint64_t id;
	bool taken;
};

static struct known_key *place_of(const struct known_inputs *known, uint64_t hash)
{
	size_t at = (size_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (known->places - 1);
	while (known->keys[at].taken && known->keys[at].hash != hash)
		at = (at + 1) & (known->places - 1);
	return &known->keys[at];
}

static bool grow(struct known_inputs *known)
{
	struct known_inputs larger = { .places = known->places > 0 ? known->places * 2 : 16 };
	larger.keys = calloc(larger.places, sizeof *larger.keys);
	if (!larger.keys)
		return false;
	for (size_t i = 0; i < known->places; i++)
		if (known->keys[i].taken)
			*place_of(&larger, known->keys[i].hash) = known->keys[i];
	free(known->keys);
	known->keys = larger.keys;
	known->places = larger.places;
	return true;
}

static bool look_up(const struct known_inputs *known, uint64_t hash, uint64_t *id)
{
	const struct known_key *key = known->places > 0 ? place_of(known, hash) : NULL;
	if (!key || !key->taken)
		return false;
	*id = key->id;
	return true;
}

static bool put(struct known_inputs *known, uint64_t hash, uint64_t id)
{
	if (known->key_count * 2 >= known->places && !grow(known))
		return false;
	*place_of(known, hash) = (struct known_key){ hash, id, true };
	known->key_count++;
	return true;
}

/* A hash of which file it is. What is no plain file, a pipe say, is another one each time. */
static bool file_hash(const char *name, uint64_t *hash)
{
	struct stat status;
	if (!name || strcmp(name, "-") == 0 || stat(name, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	uint64_t parts[] = { (uint64_t)status.st_dev, (uint64_t)status.st_ino };
	*hash = UINT64_C(0x6a09e667f3bcc908);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		*hash = (*hash ^ parts[i]) * UINT64_C(0xff51afd7ed558ccd);
		*hash ^= *hash >> 32;
	}
	return true;
}

static void remember_name(struct known_inputs *known, const char *name)
{
	if (known->count++ < NAMED_AT_MOST)
		buffer_printf(&known->names, "%s'%s'", known->count > 1 ? ", " : "", name);
}

bool known_add(struct known_inputs *known, const char *name, uint64_t hash, uint64_t *id)
{
	uint64_t file;
	if (look_up(known, hash, id))
		return true;
	*id = hash;
	if (!name)
		return put(known, hash, hash);
	if (flight_hash(name) == hash && file_hash(name, &file) && !look_up(known, file, id) && !put(known, file, hash))
		return false;
	if (*id == hash)
		remember_name(known, name);
	return put(known, hash, *id);
}

bool known_find(const struct known_inputs *known, const char *name, uint64_t hash, uint64_t *id)
{
	uint64_t file;
	*id = hash;
	return look_up(known, hash, id) || (file_hash(name, &file) && look_up(known, file, id));
}

void known_append_names(const struct known_inputs *known, struct buffer *out)
{
	buffer_append(out, known->names.data, known->names.length);
	if (known->count > NAMED_AT_MOST)
		buffer_printf(out, " and %zu more", known->count - NAMED_AT_MOST);
}

void known_release(struct known_inputs *known)
{
	free(known->keys);
	buffer_release(&known->names);
	*known = (struct known_inputs){ 0 };
}
