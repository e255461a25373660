/* What is counted of a run: outcomes, statuses, latency. */
#ifndef CREDHOOK_DELIVER_COUNTS_H
#define CREDHOOK_DELIVER_COUNTS_H

#include "base/error.h"
#include "deliver/job.h"

/*
 * A histogram of durations in bounded memory: log-linear buckets from 1 us to 1 h, each at most 1/128 of its value
 * wide.
 *
 * A percentile is the upper end of its bucket: never too low, at most 0.8 % too high. Maximum and mean are exact. Plain
 * data: it can be copied; zero-initialised it is empty.
 */
#define LATENCY_SUB_BITS 7
#define LATENCY_MAX_US   INT64_C(3600000000)
#define LATENCY_BUCKETS  ((32 - LATENCY_SUB_BITS + 1) << LATENCY_SUB_BITS)

struct latency {
	uint64_t count;
	int64_t max_ns; /* 0 while empty, like the next one */
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

/* What a run comes to: counted as deliveries end, reported at its end. */
struct delivery_counts {
	uint64_t outcomes[OUTCOME_COUNT]; /* of deliveries that have ended, retries counted with them */
	uint64_t late;
	uint64_t attempts;
	uint64_t responded; /* of them: got a status, be the response complete or not */
	uint64_t compared;  /* --compare: have something to compare with */
	uint64_t differing;
	uint64_t statuses[600];  /* of attempts */
	uint64_t bytes;          /* of bodies, all attempts */
	struct latency latency;  /* of responses, from the sending */
	struct latency from_due; /* the same from the due time: what a client that does not wait would see */
	struct latency delay;    /* how much after its due time each attempt began */
	int64_t started_ns;      /* monotonic */
	int64_t ended_ns;
	bool interrupted;
	bool gave_up; /* too many failures */
};

void counts_add_attempt(struct delivery_counts *counts, const struct job *job);
void counts_add_delivery(struct delivery_counts *counts, const struct job *job); /* after its last attempt */

uint64_t counts_total(const struct delivery_counts *counts);
uint64_t counts_failures(const struct delivery_counts *counts); /* not accepted, or late */
enum exit_code counts_exit_code(const struct delivery_counts *counts);

#endif
