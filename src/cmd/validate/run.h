/* A run over all inputs: batches are filled here, checked by the workers, and written out in input order. */
#ifndef CREDHOOK_CMD_VALIDATE_RUN_H
#define CREDHOOK_CMD_VALIDATE_RUN_H

#include "base/worker_pool.h"
#include "cmd/report_files.h"
#include "cmd/validate/batch.h"
#include "ui/progress.h"

struct run {
	struct context *context;
	const struct validate_args *args;
	struct worker_pool *pool;
	struct check_thread *threads; /* one per worker, and one for what a full batch has left */
	size_t thread_count;
	struct batch *batches; /* batch_count of them; the idle ones are in idle[0 .. idle_count) */
	struct batch **idle;
	size_t batch_count, idle_count;
	size_t bytes_pending; /* of input in batches that are out */
	struct report_files reports;
	uint64_t whole; /* bytes of all files, where progress is shown; 0: not known */
	uint64_t over;  /* of them, checked and reported */
	struct progress progress;
	struct tally tally;
	struct source_files *files; /* borrowed */
	size_t file_at;
	uint64_t file_findings_max;  /* UINT64_MAX: unlimited */
	const char *listed_file;     /* borrowed: the one whose findings are being listed; NULL: none */
	size_t listed_of_file, more; /* its findings on stdout, and those left out */
	size_t problems;             /* inputs that could not be read */
	enum exit_code code;
	bool interrupted;
};

/* The list of inputs stays until run_finish() is done. EXIT_CODE_USAGE: a report would replace one of them. */
int run_init(struct run *run, struct context *context, const struct validate_args *args, struct source_files *files,
             struct error *err);
void run_release(struct run *run);
/* Checks them all. -1: no memory; what is wrong with an input is reported at once. */
int run_files(struct run *run, struct error *err);
/* Says how many findings of the file that is being listed were left out. */
void run_end_listing(struct run *run);

#endif
