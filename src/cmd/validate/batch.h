/* What is checked at a time, in any thread, and what came of it. */
#ifndef CREDHOOK_CMD_VALIDATE_BATCH_H
#define CREDHOOK_CMD_VALIDATE_BATCH_H

#include "capture/inputs.h"
#include "cmd/validate/finding_groups.h"
#include "cmd/validate/validate.h"
#include "payload/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* A finding in what is for people, which is printed unless its group has been often enough. */
struct batch_text {
	size_t end;    /* where its text ends in `out` */
	size_t group;  /* its place among the batch's; BATCH_NO_GROUP: it is always printed */
	bool is_value; /* a warning of the unseen value of a code */
};
#define BATCH_NO_GROUP SIZE_MAX

/* The payloads of one input in a row, or an input that could not be read. */
struct batch_part {
	const char *file; /* borrowed from the list of inputs */
	/* Where it begins in `out` and in `reports`. */
	size_t at, reports_at[REPORTS_MAX];
	size_t texts_at; /* its first one of the batch's */
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
	bool is_stopped; /* by a signal, within a payload: it is finished, and what is behind it was not checked */
	/* What came of it since it was last emptied. */
	struct buffer out;
	struct buffer reports[REPORTS_MAX];
	struct batch_part *parts;
	size_t part_count, part_capacity;
	struct batch_text *texts; /* all that `out` consists of, where it is for people */
	size_t text_count, text_capacity;
	struct finding_groups groups;
	struct tally tally;
};

/* What a thread checks with. */
struct check_thread {
	const struct validate_args *args;
	const struct signals *signals; /* interrupt what it reads */
	bool color;
	int width;
	bool wraps;     /* lines are broken to fit a terminal */
	bool shows_all; /* findings, however many there are of a group */
	bool errors_only;
	size_t output_max; /* bytes: a go ends behind the payload that reaches it */
	struct checker *checker;
	struct capture_scratch scratch;
	struct seen *seen; /* where it collects: owned */
	int64_t began_ns;  /* when the payload at hand came; kept where there are reports */
	/* Here and not on the stack, where each payload would have them cleared. */
	struct capture_item item;
	struct error problem;
};

int check_thread_init(struct check_thread *thread, const struct validate_args *args, struct error *err);
void check_thread_release(struct check_thread *thread);

/* Checks on, until the batch is finished or its output is full. */
void batch_check(struct check_thread *thread, struct batch *batch);

/* Appends what is to be printed of a part that is for people: of each group no more than FINDING_GROUP_SHOWN, of which
 * `all` says how many there were before; unless `shows_all`. To *without the same, but for unseen values of codes;
 * NULL: not wanted. False: out of memory. */
bool batch_append_part(const struct batch *batch, size_t index, struct finding_groups *all, bool shows_all,
                       struct buffer *out, struct buffer *without);

/* Forgets what came of it. */
void batch_empty(struct batch *batch);
void batch_release(struct batch *batch);

#endif
