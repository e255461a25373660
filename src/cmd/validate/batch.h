/*
 * What one worker judges at a time, and what came of it: some files, or a block of lines of a long one.
 *
 * A batch is filled, judged (perhaps in several goes, so that what it says stays within bounds) and emptied. Nothing in
 * it is shared, so that only the pool has to lock.
 */
#ifndef CREDHOOK_CMD_VALIDATE_BATCH_H
#define CREDHOOK_CMD_VALIDATE_BATCH_H

#include "capture/record.h"
#include "capture/source.h"
#include "capture/source_files.h"
#include "cmd/validate/options.h"
#include "payload/check.h"

struct tally {
	size_t payloads;
	size_t invalid;
	size_t failed; /* counted against the inputs: the invalid ones, or with --expect-invalid the valid ones */
	size_t findings;
	size_t by_finding[FINDING_ID_COUNT];
	size_t blank_lines;
	struct coverage coverage;
};

/* The payloads of one input in a row, or an input that could not be read. */
struct batch_suite {
	const char *file;                /* borrowed from the list of inputs */
	size_t at[VALIDATE_REPORTS_MAX]; /* where they begin in `reports` */
	struct report_counts counts;
	size_t problem; /* index in `problems`; SIZE_MAX: payloads */
};

/* A finding's text in `out`, that may be left away. */
struct batch_cut {
	size_t start, end;
};

/* An input that could not be read, told when `out` is written as far as this. */
struct batch_problem {
	size_t at;
	struct error error;
	const char *file; /* borrowed from the list of inputs */
};

struct batch {
	/* What to judge. */
	const struct source_file *files; /* file_count of them; NULL: the block */
	size_t file_count;
	const char *file; /* the block's */
	struct source_block block;
	size_t bytes;      /* of input, about */
	uint64_t consumed; /* bytes of the files that it stands for, as they are on disk */
	/* How far it was judged. */
	size_t file_at;
	struct source *source; /* of the file at file_at, while it is being read */
	bool finished;
	bool no_memory;
	/* What came of it since it was last emptied. */
	struct buffer out;
	struct buffer reports[VALIDATE_REPORTS_MAX];
	struct batch_cut *cuts;
	size_t cut_count, cut_capacity;
	struct batch_suite *suites; /* kept where there are reports */
	size_t suite_count, suite_capacity;
	struct batch_problem *problems;
	size_t problem_count, problem_capacity;
	struct tally tally;
};

/* What a thread judges with. */
struct judge {
	const struct validate_args *args;
	bool color;
	int width;
	size_t output_max; /* bytes: a go ends behind the payload that reaches it */
	struct checker *checker;
	struct capture_scratch scratch;
	int64_t began_ns;     /* when the payload at hand came; kept where there are reports */
	struct error problem; /* here and not on the stack, where each payload would have it cleared */
};

int judge_init(struct judge *judge, const struct validate_args *args, struct error *err);
void judge_release(struct judge *judge);

/* Judges on, until the batch is finished or has said enough for now. */
void judge_batch(struct judge *judge, struct batch *batch);

/* What an input is called in what is printed and reported. */
const char *input_name(const char *path);

/* Forgets what came of it. */
void batch_empty(struct batch *batch);
void batch_release(struct batch *batch);

#endif
