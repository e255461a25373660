#include "receive/repeats.h"

#include "base/random.h"

#include <stdlib.h>
#include <string.h>

#define WAYS 8
#define SETS (REPEATS_MOST / WAYS)

struct seen {
	uint64_t hash; /* 0: free */
	uint64_t of;
	uint64_t nth;
	int64_t last_us;
};

struct repeats {
	uint64_t keys[4]; /* so that nobody can choose bodies whose hashes meet */
	struct seen seen[SETS][WAYS];
};

struct repeats *repeats_new(void)
{
	struct repeats *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	struct random random;
	random_seed_fresh(&random);
	for (size_t i = 0; i < 4; i++)
		r->keys[i] = random_next(&random) | 1;
	return r;
}

void repeats_free(struct repeats *r)
{
	free(r);
}

/* The product's two halves, one upon the other. */
static uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t word_at(const char *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof word);
	return word;
}

/* Sixteen bytes a step; the last step may take some of them again. Never 0. */
static uint64_t hash_body(const struct repeats *r, const char *bytes, size_t length)
{
	uint64_t hash = r->keys[0], first = 0, last = 0;
	size_t at = 0;
	for (; length - at > 16; at += 16)
		hash = fold(word_at(bytes + at) ^ r->keys[1], word_at(bytes + at + 8) ^ hash);
	if (length >= 16) {
		first = word_at(bytes + length - 16);
		last = word_at(bytes + length - 8);
	} else if (length >= 8) {
		first = word_at(bytes);
		last = word_at(bytes + length - 8);
	} else {
		for (; at < length; at++)
			first = first << 8 | (unsigned char)bytes[at];
	}
	hash = fold(fold(first ^ r->keys[2], last ^ hash) ^ r->keys[3], length ^ r->keys[1]);
	return hash ? hash : 1;
}

/* Its place, or that of the oldest. */
static struct seen *find(struct repeats *r, uint64_t hash)
{
	struct seen *set = r->seen[hash % SETS], *oldest = &set[0];
	for (size_t i = 0; i < WAYS; i++) {
		if (set[i].hash == hash)
			return &set[i];
		if (set[i].last_us < oldest->last_us)
			oldest = &set[i];
	}
	return oldest;
}

struct repeat repeats_note(struct repeats *r, const struct text *body, uint64_t seq, int64_t now_us)
{
	uint64_t hash = hash_body(r, body->text, body->length);
	struct seen *s = find(r, hash);
	struct repeat repeat = { .nth = 0 };
	if (s->hash == hash) {
		repeat = (struct repeat){ ++s->nth, s->of, now_us - s->last_us };
		s->last_us = now_us;
	} else {
		*s = (struct seen){ hash, seq, 0, now_us };
	}
	return repeat;
}
