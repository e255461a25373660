/* Pseudo-random numbers, reproducible by seed on every machine (xoshiro256**, seeded by splitmix64). Not for secrets.
 */
#ifndef CREDHOOK_BASE_RANDOM_H
#define CREDHOOK_BASE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state[4];
};

/* A seed that may be absent. */
struct seed {
	bool given;
	uint64_t value;
};

void random_seed(struct random *r, uint64_t seed);
void random_seed_fresh(struct random *r); /* seeded by the kernel */
uint64_t random_next(struct random *r);
uint64_t random_below(struct random *r, uint64_t limit); /* uniform in 0 to limit - 1; limit is not 0 */

#define RANDOM_UUID_SIZE 37
void random_uuid(struct random *r, char out[RANDOM_UUID_SIZE]); /* RFC 9562 version 4, lower case */

#endif
