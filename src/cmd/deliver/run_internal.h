/*
 * A run from the inside; for src/cmd/deliver/run.c and attempts.c only.
 *
 *   run.c        the source, the schedule, signals: what starts when, and when all is done
 *   attempts.c   what comes back from the workers: judged, told, recorded, repeated, let go
 */
#ifndef CREDHOOK_CMD_DELIVER_RUN_INTERNAL_H
#define CREDHOOK_CMD_DELIVER_RUN_INTERNAL_H

#include "base/random.h"
#include "cmd/deliver/run.h"
#include "cmd/delivery_progress.h"
#include "cmd/delivery_report.h"
#include "deliver/counts.h"
#include "deliver/journal.h"
#include "deliver/keys.h"
#include "deliver/pool.h"

struct delivery_run {
	struct context *context;
	const struct delivery_plan *plan;
	const struct job_source *source;
	struct loop *loop;
	struct pool *pool;
	struct pool_options pool_options;
	struct journal *journal; /* the plan's; NULL: none is kept */
	struct run_progress progress;
	size_t limit;     /* of jobs given out and jobs that wait for another attempt */
	size_t most;      /* of all under way: with --keyed, some wait for their key */
	size_t under_way; /* taken from the source, and not over */
	size_t waiting;   /* for another attempt */
	size_t behind;    /* for their key */
	size_t held_bytes;
	struct keys keys;
	struct random random;
	struct delivery_counts counts;
	struct teller teller;
	struct job *all_jobs;
	struct job_list free_jobs;
	struct job *held;  /* taken from the source, and not due yet */
	bool exhausted;    /* the source has no more, or must not be asked any more */
	bool source_ended; /* it has no more */
	bool had_its_time; /* --duration ended it */
	bool cut_short;    /* a job that was taken from it was dropped without a final attempt */
	bool stopping;     /* nothing is started any more, no attempt repeated */
	bool failed;       /* *error is for main */
	struct error error;
	struct loop_io signal_io;
	struct loop_io source_io; /* fd -1: not watched */
	struct loop_timer due_timer;
	struct loop_timer end_timer;
	struct loop_timer yield_timer;
	struct loop_timer flush_timer;
	int64_t flushed_ns;
	uint64_t started; /* --rate: how many so far */
	int64_t rate_from_ns;
};

/* run.c */
void run_fill(
        struct delivery_run *run); /* takes and gives out as many jobs as may be under way; ends when all is done */
/* Starts nothing more: what is in flight ends, and what waits for another attempt has had its last. */
void run_wind_down(struct delivery_run *run);

/* attempts.c */
void run_fail(struct delivery_run *run, const struct error *err); /* remembers the first error for main, and stops */
void run_start(struct delivery_run *run, struct job *job);        /* its next attempt */
void run_drop(struct delivery_run *run, struct job *job);         /* the job never goes; it has no key yet */
void run_let_go(struct delivery_run *run, struct job *job);       /* the job is over; the next of its key may go */
void run_drop_behind(struct delivery_run *run, struct job *job);  /* those that wait for its key never go */
void run_on_begin(void *context, const struct job *job);          /* the pool's begin() and done() */
void run_on_done(void *context, struct job_list *batch);

#endif
