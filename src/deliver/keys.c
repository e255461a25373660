#include "deliver/keys.h"

#include "base/hash.h"

#include <string.h>

static struct job **bucket_of(struct keys *keys, struct job *job)
{
	uint64_t hash = hash_bytes(buffer_text(&job->key), job->key.length);
	return &keys->buckets[(hash ^ hash >> 32) % KEY_BUCKETS];
}

bool keys_enter(struct keys *keys, struct job *job)
{
	if (!job->keyed)
		return true;
	struct job **bucket = bucket_of(keys, job);
	for (struct job *other = *bucket; other; other = other->key_chain) {
		if (other->key.length != job->key.length ||
		    memcmp(buffer_text(&other->key), buffer_text(&job->key), job->key.length) != 0)
			continue;
		job_list_add(&other->behind, job);
		return false;
	}
	job->key_chain = *bucket;
	*bucket = job;
	return true;
}

struct job *keys_leave(struct keys *keys, struct job *job)
{
	if (!job->keyed)
		return NULL;
	struct job **at = bucket_of(keys, job);
	while (*at != job)
		at = &(*at)->key_chain;
	struct job *successor = job_list_take(&job->behind);
	if (!successor) {
		*at = job->key_chain;
		return NULL;
	}
	job_list_move(&successor->behind, &job->behind);
	successor->key_chain = job->key_chain;
	*at = successor;
	return successor;
}
