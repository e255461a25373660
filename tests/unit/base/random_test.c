/* A seed gives the same numbers everywhere: those of the published generators. */
#include "base/random.h"
#include "test.h"

#include <string.h>

TEST(seeds_spread_as_splitmix64_does)
{
	struct random r;
	random_seed(&r, 0);
	assert_true(r.state[0] == UINT64_C(0xE220A8397B1DCDAF));
	assert_true(r.state[1] == UINT64_C(0x6E789E6AA1B965F4));
	assert_true(r.state[2] == UINT64_C(0x06C45D188009454F));
	assert_true(r.state[3] == UINT64_C(0xF88BB8A8724C81EC));
}

TEST(numbers_are_those_of_xoshiro256)
{
	struct random r = { .state = { 1, 2, 3, 4 } };
	static const uint64_t expected[] = { 11520, 0, 1509978240, UINT64_C(1215971899390074240) };
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
		assert_true(random_next(&r) == expected[i]);
}

TEST(numbers_below_a_limit_are_even)
{
	struct random r;
	random_seed(&r, 1);
	unsigned counts[7] = { 0 };
	for (int i = 0; i < 70000; i++) {
		uint64_t number = random_below(&r, 7);
		assert_true(number < 7);
		counts[number]++;
	}
	for (int i = 0; i < 7; i++)
		assert_true(counts[i] > 9500 && counts[i] < 10500);
	static const uint64_t limits[] = { 1, 2, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX };
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
		for (int n = 0; n < 100; n++)
			assert_true(random_below(&r, limits[i]) < limits[i]);
}

TEST(uuids_are_of_version_4)
{
	struct random r, again, fresh, other;
	random_seed(&r, 42);
	random_seed(&again, 42);
	for (int i = 0; i < 1000; i++) {
		char uuid[RANDOM_UUID_SIZE], same[RANDOM_UUID_SIZE];
		random_uuid(&r, uuid);
		random_uuid(&again, same);
		assert_string_equal(uuid, same);
		assert_int_equal(strlen(uuid), 36);
		for (size_t at = 0; at < 36; at++) {
			const char *allowed = at == 8 || at == 13 || at == 18 || at == 23 ? "-"
			                      : at == 14                                  ? "4"
			                      : at == 19                                  ? "89ab"
			                                                                  : "0123456789abcdef";
			if (!strchr(allowed, uuid[at]))
				fail_msg("%s: character %zu", uuid, at);
		}
	}
	random_seed_fresh(&fresh);
	random_seed_fresh(&other);
	assert_memory_not_equal(&fresh, &other, sizeof fresh);
}
