#include "base/random.h"

#include "base/clock.h"
#include "base/system.h"

#include <stdio.h>

static uint64_t rotated(uint64_t x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

void random_seed(struct random *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		seed += 0x9E3779B97F4A7C15u;
		uint64_t z = seed;
		z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
		z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
		r->state[i] = z ^ (z >> 31);
	}
}

void random_seed_fresh(struct random *r)
{
	uint64_t seed;
	if (!system_random(&seed, sizeof seed))
		seed = (uint64_t)clock_monotonic_ns();
	random_seed(r, seed);
}

uint64_t random_next(struct random *r)
{
	uint64_t *s = r->state;
	uint64_t result = rotated(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotated(s[3], 45);
	return result;
}

uint64_t random_below(struct random *r, uint64_t limit)
{
	uint64_t biased = UINT64_MAX - UINT64_MAX % limit; /* numbers from here on would favour small results */
	uint64_t number;
	do {
		number = random_next(r);
	} while (number >= biased);
	return number % limit;
}

void random_uuid(struct random *r, char out[RANDOM_UUID_SIZE])
{
	uint64_t high = random_next(r), low = random_next(r);
	high = (high & ~UINT64_C(0xF000)) | 0x4000;
	low = (low & ~(UINT64_C(3) << 62)) | UINT64_C(2) << 62;
	snprintf(out, RANDOM_UUID_SIZE, "%08x-%04x-%04x-%04x-%012llx", (unsigned)(high >> 32),
	         (unsigned)(high >> 16 & 0xFFFF), (unsigned)(high & 0xFFFF), (unsigned)(low >> 48),
	         (unsigned long long)(low & 0xFFFFFFFFFFFF));
}
