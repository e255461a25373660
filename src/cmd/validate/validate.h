/*
 * validate: what is asked for; its coverage, which events and elements the inputs hold, and which a run demands
 * (coverage.c); and the run over all inputs. Batches are filled by run.c, checked by the workers (batch.c), and written
 * out in input order.
 */
#ifndef CREDHOOK_CMD_VALIDATE_VALIDATE_H
#define CREDHOOK_CMD_VALIDATE_VALIDATE_H

#include "base/worker_pool.h"
#include "capture/inputs.h"
#include "catalog/catalog.h"
#include "cmd/args/report_files.h"
#include "cmd/cmd.h"
#include "payload/check.h"
#include "payload/ignore.h"
#include "ui/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COVERAGE_UNKNOWN 64 /* a test holds the number of kinds to it */

struct coverage {
	size_t counts[COVERAGE_UNKNOWN + 1][2]; /* by catalog_kind_index(), of invalid and valid ones */
};

/* What --require asks for, a bit for each; an event with elements is covered by any of them where it is named without
 * one. */
struct requirement {
	uint64_t kinds;  /* by catalog_kind_index() */
	uint64_t events; /* by their place in the catalogue */
};

/* Reads EVENT,...|all into a struct requirement. */
int requirement_parse(void *requirement, const char *text, struct error *err);

void coverage_add(struct coverage *coverage, struct catalog_kind kind, bool valid);

/* An event or element that is demanded, and whether a valid payload covers it. */
struct demanded {
	char name[CATALOG_KIND_NAME_SIZE];
	bool is_covered;
};
#define DEMANDED_MAX (2 * COVERAGE_UNKNOWN)
/* In the catalogue's order. Returns how many. */
size_t coverage_demanded(const struct coverage *coverage, const struct requirement *requirement,
                         struct demanded list[DEMANDED_MAX]);

void coverage_append_table(const struct coverage *coverage, int width, bool color, struct buffer *out);
/* "coverage":[{"event","valid_count","invalid_count"},...],"unidentified":{...} */
void coverage_append_members(const struct coverage *coverage, struct buffer *out);
/* An object of these and "missing":[...], and a newline. */
void coverage_append_json(const struct coverage *coverage, const struct requirement *requirement, struct buffer *out);

struct validate_args {
	struct global_options global;
	bool lines;
	bool strict;
	bool expect_invalid;
	bool coverage;
	bool is_text; /* stdout is for people: there is no --json, and no report */
	struct catalog_kind event;
	struct ignored ignored;
	struct requirement requirement;
	struct report_requests reports;
};

/* After a longer document what checking it needed is given back. */
#define BATCH_LONG_DOCUMENT ((size_t)2 << 20)

struct tally {
	size_t payloads;
	size_t invalid;
	size_t failed; /* counted against the inputs: the invalid ones, or with --expect-invalid the valid ones */
	size_t by_finding[FINDING_ID_COUNT];
	size_t blank_lines;
	struct coverage coverage;
};

/* Findings of a file that are listed on a terminal. */
#define FILE_FINDINGS_MAX 20

/* The payloads of one input in a row, or an input that could not be read. */
struct batch_part {
	const char *file; /* borrowed from the list of inputs */
	/* Where it begins in `out` and in `reports`. */
	size_t at, reports_at[REPORTS_MAX];
	/* Where findings are limited: the ends of their texts in `out`, and how many more have none. */
	size_t ends[FILE_FINDINGS_MAX], listed, more;
	struct report_counts counts;
	struct error *problem; /* owned; NULL: payloads */
	bool is_foreign;       /* another tool's capture, which was read, and had these */
	struct entry_counts entries;
};

/*
 * What one worker checks at a time, and what came of it: some files, or a block of lines of a long one.
 *
 * A batch is filled, checked (perhaps in several goes, so that its output stays within bounds) and emptied. Nothing in
 * it is shared, so that only the pool has to lock.
 */
struct batch {
	/* What to check. */
	const struct source_file *files; /* file_count of them; NULL: the block */
	size_t file_count;
	const char *file;     /* the block's */
	struct source *block; /* NULL at first */
	size_t bytes;         /* of input, about */
	uint64_t consumed;    /* bytes of its files, as they are on disk */
	/* How far it was checked. */
	size_t file_at;
	struct capture_reader reader; /* of the file at file_at, while it is being read */
	bool finished;
	bool no_memory;
	/* What came of it since it was last emptied. */
	struct buffer out;
	struct buffer reports[REPORTS_MAX];
	struct batch_part *parts;
	size_t part_count, part_capacity;
	struct tally tally;
};

/* What a thread checks with. */
struct check_thread {
	const struct validate_args *args;
	bool color;
	int width;
	bool wraps;        /* lines are broken to fit a terminal */
	bool limited;      /* to FILE_FINDINGS_MAX texts of findings of a file */
	size_t output_max; /* bytes: a go ends behind the payload that reaches it */
	struct checker *checker;
	struct capture_scratch scratch;
	int64_t began_ns; /* when the payload at hand came; kept where there are reports */
	/* Here and not on the stack, where each payload would have them cleared. */
	struct capture_item item;
	struct error problem;
};

int check_thread_init(struct check_thread *thread, const struct validate_args *args, struct error *err);
void check_thread_release(struct check_thread *thread);

/* Checks on, until the batch is finished or its output is full. */
void batch_check(struct check_thread *thread, struct batch *batch);

/* What an input is called in what is printed and reported. */
const char *input_name(const char *path);

/* Forgets what came of it. */
void batch_empty(struct batch *batch);
void batch_release(struct batch *batch);

#define RUN_BATCHES_MAX (WORKER_POOL_THREADS_MAX + 2)

/* Zero-initialise; the first three are to be set. */
struct run {
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
	size_t file_at;
	const char *opened_file;     /* borrowed: the one whose findings are being listed; NULL: none */
	size_t listed_of_file, more; /* its findings on stdout, and those left out */
	size_t problems;             /* inputs that could not be read */
	enum exit_code code;
	bool interrupted;
};

/* EXIT_CODE_USAGE: a report would replace one of the files. */
int run_init(struct run *run, struct error *err);
void run_release(struct run *run);
/* Checks them all. -1: no memory; what is wrong with an input is reported at once. */
int run_files(struct run *run, struct error *err);
/* Says how many findings of the file that is being listed were left out. */
void run_end_listing(struct run *run);

#endif
