#include "deliver/delivery_run.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static struct latency *new_latency(void)
{
	struct latency *latency = calloc(1, sizeof *latency);
	assert_non_null(latency);
	return latency;
}

TEST(empty_is_zero)
{
	struct latency *latency = new_latency();
	assert_int_equal(latency_percentile(latency, 50), 0);
	assert_int_equal(latency_mean(latency), 0);
	free(latency);
}

/* 1 us to 1 h, each alone: never below the truth, at most 0.8 % (or a microsecond) above. */
TEST(every_duration_is_near_its_truth)
{
	struct latency *latency = new_latency();
	for (int64_t us = 1; us <= LATENCY_MAX_US; us += 1 + us / 97) {
		memset(latency, 0, sizeof *latency);
		latency_record(latency, us * 1000);
		latency_record(latency, LATENCY_MAX_US * 1000);
		int64_t found = latency_percentile(latency, 50);
		assert_true(found >= us * 1000);
		assert_true(found - us * 1000 <= us * 1000 / 128 + 1000);
	}
	free(latency);
}

TEST(percentiles_of_a_thousand)
{
	static const struct {
		double percent;
		int64_t ms;
	} cases[] = { { 50, 500 }, { 90, 900 }, { 99, 990 }, { 99.9, 999 }, { 100, 1000 } };
	struct latency *latency = new_latency();
	for (int64_t ms = 1000; ms >= 1; ms--)
		latency_record(latency, ms * 1000000);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t found = latency_percentile(latency, cases[i].percent);
		assert_in_range(found, cases[i].ms * 1000000, cases[i].ms * 1008000);
	}
	assert_int_equal(latency_percentile(latency, 100), 1000000000);
	assert_int_equal(latency_mean(latency), 500500000);
	assert_int_equal(latency->count, 1000);
	free(latency);
}

TEST(extremes_stay_in_bounds)
{
	struct latency *latency = new_latency();
	latency_record(latency, -5);
	latency_record(latency, INT64_MAX);
	latency_record(latency, 0);
	assert_int_equal(latency->count, 3);
	assert_int_equal(latency->max_ns, INT64_MAX);
	assert_true(latency_percentile(latency, 50) < 1000);
	free(latency);
}

TEST(buckets_follow_each_other)
{
	struct latency *latency = new_latency();
	int64_t from, to, before = 0;
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		latency_bucket(latency, i, &from, &to);
		assert_int_equal(from, before);
		assert_true(to > from);
		memset(latency, 0, sizeof *latency);
		if (from / 1000 <= LATENCY_MAX_US) {
			latency_record(latency, from);
			assert_int_equal(latency_bucket(latency, i, &from, &to), 1);
		}
		before = to;
	}
	assert_true(before > LATENCY_MAX_US * 1000);
	free(latency);
}
