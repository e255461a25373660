/* Carries out a plan: the run itself is deliver/'s, its words are here and in report.h. */
#ifndef CREDHOOK_CMD_SEND_RUN_H
#define CREDHOOK_CMD_SEND_RUN_H

#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"
#include "deliver/run.h"

/* Where a command's jobs come from, and how far that has come. */
struct delivery_source {
	struct job_source jobs;
	uint64_t total;                 /* how many there will be; 0: not known */
	const struct text_list *inputs; /* files that they come from */
	bool any_bytes;                 /* these may hold what replay does not read */
	double (*fraction)(
	        void *context); /* of them that were handed out, or PROGRESS_UNKNOWN; context: that of `jobs` */
};

/* Delivers everything the source has, or with --dry-run shows it. Reports each delivery on stdout and the sum on
 * stderr. Returns the exit code that the outcomes make; EXIT_CODE_INTERRUPTED after a first Ctrl-C, when what was in
 * flight has ended. -1: *err. */
int delivery_run(struct context *context, const struct delivery_plan *plan, const struct delivery_source *source,
                 struct error *err);
/* --dry-run (dry_run.c): shows everything the source has on stdout, and sends nothing. */
int delivery_dry_run(struct context *context, const struct delivery_plan *plan, const struct job_source *source,
                     struct error *err);

#endif
