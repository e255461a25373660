/*
 * A run of deliveries: jobs are asked for one by one, delivered as the policy says, and reported to an observer.
 *
 *   job, pool        one payload, and which must not go side by side; the workers that deliver
 *   delivery_run     takes jobs from the source when it is their time, gives them out, takes them back; their attempts
 *                    are reported, recorded, repeated or let go
 *   attempts         whether an attempt is repeated, and what is counted of it
 *   journal          what was sent and what has ended, for whoever continues the run
 *
 * Nothing here prints: words are the observer's.
 */
#ifndef CREDHOOK_DELIVER_DELIVERY_RUN_H
#define CREDHOOK_DELIVER_DELIVERY_RUN_H

#include "base/random.h"
#include "base/signals.h"
#include "deliver/job.h"
#include "deliver/journal.h"
#include "http/status.h"

/* Whether an attempt is followed by another one, and when, as curl's --retry means it. */
struct retry_policy {
	uint64_t attempts; /* further ones; 0: none */
	int64_t delay_ns;  /* before each; 0: 1 s, doubled each time */
	bool unknown;      /* repeat also what was sent and got no whole response */
};

#define RETRY_PAUSE_MAX_S 600 /* nothing waits longer, whatever the receiver says */

/* Whether it is one of those that another attempt may better: 408, 429, 500, 502, 503, 504. */
bool retry_is_for(int status);

/* Whether the policy wants another attempt: those statuses, connections that could not be made, and with `unknown` what
 * got no whole response. Sets job->retry_ns: the policy's delay, or 1 s doubled each time and cut by up to a half; not
 * less than the response's Retry-After, up to RETRY_PAUSE_MAX_S. False: this was the last attempt. */
bool retry_wanted(const struct retry_policy *policy, struct job *job, struct random *random);

/* What a Retry-After asks for, in seconds from now on; -1: it is neither a number nor a date. */
int64_t retry_after_seconds(const char *text, int64_t now_us);

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
	uint64_t compared;  /* --compare: had a recorded status */
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

enum job_got {
	JOB_FAILED = -1, /* *err says why; the run ends with it */
	JOB_NONE,        /* there are no more */
	JOB_FILLED,
	JOB_YIELD, /* it took long without finding one: ask again, after others had their turn */
	JOB_LATER, /* nothing can be read right now: ask again when wait_fd() is readable */
};

/* Where jobs come from. The job given is empty. */
struct job_source {
	enum job_got (*next)(void *context, struct job *job, struct error *err);
	int (*wait_fd)(void *context); /* NULL: never JOB_LATER */
	void *context;
};

/* What delivers: functions as in http/deliver.h, which it is unless a test has another one. */
struct pool_deliverer {
	struct deliverer *(*make)(struct loop *loop, const struct deliver_options *options, struct error *err);
	unsigned (*room)(const struct deliverer *deliverer);
	bool (*submit)(struct deliverer *deliverer, struct exchange *exchange);
	void (*free)(struct deliverer *deliverer);
};

/* Zero-initialise; `http` and `expected` are to be set. All that is pointed to is borrowed for the run. */
struct deliver_policy {
	unsigned concurrency; /* deliveries in flight at once; 0: 1 */
	unsigned threads;     /* 0: 1 */
	double interval_ns;   /* from one start to the next; 0: as fast as responses come */
	struct status_set expected;
	int64_t expect_within_ns; /* a later response is late; 0: none is */
	struct retry_policy retry;
	uint64_t gives_up_at; /* this number of failures (not accepted, or late) ends the run; 0: none does */
	const struct deliver_options *http; /* its concurrency is not used */
	struct journal *journal;            /* open, not started; NULL: none is kept */
	struct signals *signals;            /* SIGINT and SIGTERM end the run; NULL: nothing does */
	/* For tests. */
	const struct pool_deliverer *deliverer; /* NULL: http/deliver.h */
	const struct loop_clock *clock;         /* NULL: the system's; another one takes a single thread */
};

/* How far a run has come. */
struct delivery_state {
	const struct delivery_counts *counts;
	int64_t now_ns;   /* monotonic */
	size_t in_flight; /* given to the workers */
	size_t under_way; /* taken from the source, and not over */
	bool exhausted;   /* nothing more is taken from the source */
	bool waiting;     /* for the source, which can be read later */
	bool stopping;    /* ended before its time: by a signal, or failures */
};

/* Gets what happens, once, in the run's own thread. */
struct delivery_observer {
	/* An attempt has ended; job->final: and the delivery with it. False: nobody reads this any more, so the run
	 * is to take nothing more from the source. */
	bool (*attempt)(void *context, const struct job *job);
	/* By a first signal: what is in flight ends, and nothing else starts. May be NULL. */
	void (*interrupted)(void *context, size_t in_flight);
	/* At the end of each turn of the loop. Returns when it wants to be called again at the latest; 0: whenever. */
	int64_t (*turn_end)(void *context, const struct delivery_state *state);
	/* The run has ended a delivery before its time: the attempt that was reported last stays its last, or, if
	 * `in_flight`, is left alone, and job->exchange not to be read. May be NULL. */
	void (*given_up)(void *context, const struct job *job, bool in_flight);
	void *context;
};

struct delivery_result {
	struct delivery_counts counts; /* ended_ns 0: the run did not come to its end */
	bool rest;                     /* not all was sent, and the journal can be continued */
	bool unsent;                   /* some of what the source has was not sent, not even once */
};

/* Delivers everything that the source has. -1: *err is what the source, the journal or a worker said; *result holds
 * even then. It is some 80 KiB. */
int run_deliveries(const struct deliver_policy *policy, const struct job_source *source,
                   const struct delivery_observer *observer, struct delivery_result *result, struct error *err);

#endif
