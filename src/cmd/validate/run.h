/* A run over all inputs: batches are filled here, judged by the workers, and written out in input order. */
#ifndef CREDHOOK_CMD_VALIDATE_RUN_H
#define CREDHOOK_CMD_VALIDATE_RUN_H

#include "base/worker_pool.h"
#include "cmd/validate/batch.h"
#include "cmd/validate/report_files.h"
#include "ui/progress.h"

struct run {
	struct context *context;
	const struct validate_args *args;
	struct worker_pool *pool;
	struct judge *judges; /* one per worker, and one for what a full batch has left */
	size_t judge_count;
	struct batch *batches; /* batch_count of them; the idle ones are in idle[0 .. idle_count) */
	struct batch **idle;
	size_t batch_count, idle_count;
	size_t bytes_pending; /* of input in batches that are out */
	struct report_files reports;
	uint64_t whole; /* bytes of all files, where progress is told; 0: not known */
	uint64_t over;  /* of them, judged and told */
	struct progress progress;
	struct tally tally;
	struct source_files *files; /* borrowed */
	size_t file_at;
	size_t listed;   /* findings on stdout */
	size_t problems; /* inputs that could not be read */
	enum exit_code code;
	bool interrupted;
};

/* The list of inputs stays until run_finish() is done. EXIT_CODE_USAGE: a report would replace one of them. */
int run_init(struct run *run, struct context *context, const struct validate_args *args, struct source_files *files,
             struct error *err);
void run_release(struct run *run);
/* Judges them all. -1: no memory, or a report cannot be written; what is
 * wrong with an input is told at once. */
int run_files(struct run *run, struct error *err);
/* The words for stderr, and what --coverage, --require and --report say at the end. */
int run_finish(struct run *run, struct error *err);

#endif
