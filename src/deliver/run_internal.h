/*
 * A run from the inside; for deliver/run.c and deliver/attempts.c only.
 *
 *   run.c        the source, the schedule, signals: what starts when, what comes back, and when all is done
 *   attempts.c   the end of an attempt: its outcome, reported, recorded, repeated, let go
 */
#ifndef CREDHOOK_DELIVER_RUN_INTERNAL_H
#define CREDHOOK_DELIVER_RUN_INTERNAL_H

#include "deliver/run.h"

/* --keyed: which jobs must wait for one of the same key. Holds keys that are under way, and no others. */
#define KEY_BUCKETS 4096

/* Zero-initialise; nothing to release. */
struct keys {
	struct job *buckets[KEY_BUCKETS]; /* the job under way of each key, by key_chain */
};

/* True: the job may go, and its key is taken. False: it waits behind the one that has its key. */
bool keys_enter(struct keys *keys, struct job *job);
/* The job is over: its key is free, or taken by the job returned, which may go. NULL: none waits. */
struct job *keys_leave(struct keys *keys, struct job *job);

struct delivery_run {
	const struct deliver_policy *policy;
	const struct job_source *source;
	const struct delivery_observer *observer;
	struct delivery_counts *counts;
	struct loop *loop;
	struct pool *pool;
	struct pool_options pool_options;
	struct journal *journal; /* the policy's; NULL: none is kept */
	size_t limit;            /* of jobs given out and jobs that wait for another attempt */
	size_t most;             /* of all under way: some wait for their key */
	size_t under_way;        /* taken from the source, and not over */
	size_t behind;           /* waiting for their key */
	size_t held_bytes;
	struct keys keys;
	struct random random;
	struct job *all_jobs;
	struct job_list free_jobs;
	struct job *held;  /* taken from the source, and not due yet */
	bool exhausted;    /* the source has no more, or must not be asked any more */
	bool source_ended; /* it has no more */
	bool cut_short;    /* a job that was taken from it was dropped without a final attempt */
	bool unsent;       /* the source has, or had, a job that was never started */
	bool stopping;     /* nothing is started any more, no attempt repeated */
	bool failed;       /* *error is for the caller */
	struct error error;
	struct loop_io signal_io;
	struct loop_io source_io; /* fd -1: not watched */
	struct loop_timer due_timer;
	struct loop_timer yield_timer;
	struct loop_timer observer_timer;
	uint64_t started; /* with a rate: how many so far */
	int64_t rate_from_ns;
};

/* attempts.c, which run.c calls. */
void run_fail(struct delivery_run *run, const struct error *err); /* remembers the first error, and stops */
void run_start(struct delivery_run *run, struct job *job);        /* its next attempt */
void run_give_up(struct delivery_run *run, struct job *job);      /* ends with the attempt that was reported last */
void run_drop(struct delivery_run *run, struct job *job);         /* the job never goes; it has no key yet */
void run_let_go(struct delivery_run *run, struct job *job);       /* the job is over; the next of its key may go */
/* The attempts are over: reported, counted and recorded. -1: they cannot be recorded, and the run has failed. */
int run_end_attempts(struct delivery_run *run, const struct job_list *batch);
bool run_failed_too_often(const struct delivery_run *run);
/* What the batch held is let go, or waits for its next attempt. */
void run_end_batch(struct delivery_run *run, struct job_list *batch);

#endif
