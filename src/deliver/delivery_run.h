/*
 * A run of deliveries: jobs are asked for one by one, delivered as the policy says, and reported to an observer.
 *
 *   job, pool        one payload, and which must not go side by side; the workers that deliver
 *   delivery_run     takes jobs from the source when it is their time, gives them out, takes them back; their attempts
 *                    are reported, recorded, repeated or dropped
 *   retry, counts    whether an attempt is repeated, and what is counted of it
 *   journal          what was sent and what has ended, for whoever continues the run
 *
 * Nothing here prints: words are the observer's.
 */
#ifndef CREDHOOK_DELIVER_DELIVERY_RUN_H
#define CREDHOOK_DELIVER_DELIVERY_RUN_H

#include "base/signals.h"
#include "deliver/counts.h"
#include "deliver/job.h"
#include "deliver/journal.h"
#include "deliver/retry.h"
#include "http/status.h"

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
