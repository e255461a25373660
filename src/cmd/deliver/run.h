/*
 * A run of deliveries: jobs are asked for one by one, delivered so many at once, judged, told and counted.
 *
 * send and replay say where jobs come from; everything from there on is here:
 *
 *   options, plan      what the user asks for, and what it means: where to, past the guard, with which headers
 *   job, pool          one payload; the workers that deliver
 *   run                takes jobs from the source when it is their time, gives them out, takes them back
 *   retry, keys        whether and when again; which must not go side by side
 *   journal            --results F: what was sent and what has ended, for --resume and --failed-only
 *   counts, summary, tell, hints, again, shell_text, progress, journal_report   what is said of it
 */
#ifndef CREDHOOK_CMD_DELIVER_RUN_H
#define CREDHOOK_CMD_DELIVER_RUN_H

#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"
#include "deliver/job.h"

enum job_got {
	JOB_FAILED = -1, /* *err for main */
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
	uint64_t total;                 /* how many there will be; 0: not known */
	double (*share)(void *context); /* NULL, or how much of them it has given; see cmd/share.h */
};

/* Delivers everything the source has. Tells each delivery on stdout and the sum on stderr. Returns the exit code that
 * the outcomes make; EXIT_CODE_INTERRUPTED after a first Ctrl-C, when what was in flight has ended. -1: *err. */
int delivery_run(struct context *context, const struct delivery_plan *plan, const struct job_source *source,
                 struct error *err);

#endif
