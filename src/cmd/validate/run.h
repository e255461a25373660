/* The run over all inputs: batches are filled here, checked by the workers, and written out in input order. */
#ifndef CREDHOOK_CMD_VALIDATE_RUN_H
#define CREDHOOK_CMD_VALIDATE_RUN_H

#include "base/worker_pool.h"
#include "cmd/validate/batch.h"
#include "ui/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_BATCHES_MAX (WORKER_POOL_THREADS_MAX + 2)

/* Zero-initialise; the first three are to be set. */
struct validate_run {
	struct context *context;
	const struct validate_args *args;
	struct source_files *files; /* borrowed */
	struct worker_pool *pool;
	struct check_thread
	        threads[WORKER_POOL_THREADS_MAX + 1]; /* one per worker, and for what a full batch has left */
	size_t thread_count;
	struct batch batches[RUN_BATCHES_MAX], *idle[RUN_BATCHES_MAX];
	size_t idle_count;
	size_t bytes_pending; /* of input in batches that are out */
	struct report_files reports;
	uint64_t whole; /* bytes of all files, where progress is shown; 0: not known */
	uint64_t over;  /* of them, checked and reported */
	struct progress progress;
	struct tally tally;
	/* Where codes are compared: what is for people, until it is known whether one of the codes is known; and the
	 * same without those that are not. */
	bool holds;
	struct buffer held, held_without;
	struct finding_groups groups; /* what is for people: of all that was listed */
	size_t file_at;
	size_t problems; /* inputs that could not be read */
	enum exit_code code;
	bool interrupted;
	bool is_cut; /* within a payload */
};

/* EXIT_CODE_USAGE: a report would replace one of the files. */
int validate_run_init(struct validate_run *run, struct error *err);
void validate_run_release(struct validate_run *run);
/* Checks them all. -1: no memory; what is wrong with an input is reported at once. */
int validate_run_files(struct validate_run *run, struct error *err);
/* At the end: prints what was held. Whether none of the codes is known, though there are many: then they were not
 * printed, and nothing says more of them. */
bool validate_run_codes_differ(struct validate_run *run);

#endif
