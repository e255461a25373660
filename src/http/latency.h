/*
 * A histogram of durations in bounded memory: log-linear buckets over 1 us to 1 h, each at most 1/128 of its value
 * wide.
 *
 * Percentiles are the upper end of a bucket, so never below the truth and at most 0.8 % above it; minimum, maximum and
 * mean are exact. Plain data: copying is fine, zero-initialised is empty.
 */
#ifndef CREDHOOK_HTTP_LATENCY_H
#define CREDHOOK_HTTP_LATENCY_H

#include <stdint.h>

#define LATENCY_SUB_BITS 7
#define LATENCY_MAX_US   INT64_C(3600000000)
#define LATENCY_BUCKETS  ((32 - LATENCY_SUB_BITS + 1) << LATENCY_SUB_BITS)

struct latency {
	uint64_t count;
	int64_t min_ns; /* 0 while empty, like the next two */
	int64_t max_ns;
	double total_ns;
	uint64_t buckets[LATENCY_BUCKETS];
};

/* Anything below 0 counts as 0; what is over an hour lies in the last bucket, exact in max_ns only. */
void latency_record(struct latency *latency, int64_t nanoseconds);
/* The duration that `percent` (0 to 100) of the recorded ones do not exceed, in nanoseconds; 0 when empty. */
int64_t latency_percentile(const struct latency *latency, double percent);
int64_t latency_mean(const struct latency *latency); /* nanoseconds; 0 when empty */

/* The buckets one by one, for drawing: how many fell into bucket `index`, and the durations it spans. */
uint64_t latency_bucket(const struct latency *latency, unsigned index, int64_t *from_ns, int64_t *to_ns);

#endif
