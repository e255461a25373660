/*
 * A histogram of durations in bounded memory: log-linear buckets from 1 us to 1 h, each at most 1/128 of its value
 * wide.
 *
 * A percentile is the upper end of its bucket: never too low, at most 0.8 % too high. Minimum, maximum and mean are
 * exact. Plain data: it can be copied; zero-initialised it is empty.
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

/* Durations below 0 count as 0; those over an hour go to the last bucket and are exact only in max_ns. */
void latency_record(struct latency *latency, int64_t nanoseconds);
/* The duration, in nanoseconds, that `percent` (0 to 100) of the recorded ones do not exceed; 0 when empty. */
int64_t latency_percentile(const struct latency *latency, double percent);
int64_t latency_mean(const struct latency *latency); /* nanoseconds; 0 when empty */

/* For drawing: the count of bucket `index`, and its range in nanoseconds. */
uint64_t latency_bucket(const struct latency *latency, unsigned index, int64_t *from_ns, int64_t *to_ns);

#endif
