/* The line at the end of a run that repeats what was not accepted: "retry: credhook ...". */
#ifndef CREDHOOK_CMD_RETRY_LINE_H
#define CREDHOOK_CMD_RETRY_LINE_H

#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"
#include "cmd/make.h"
#include "cmd/shell_text.h"
#include "deliver/job.h"

#define RETRY_LINE_RECORDS 32

/* Which deliveries were not accepted, as far as a command can name them. Zero-initialise; nothing to release. */
struct retry_line {
	char kinds[MAKER_KINDS_MAX][CATALOG_KIND_NAME_SIZE]; /* of those that send made */
	size_t kind_count;
	const char *input; /* the file that the others came from */
	uint64_t records[RETRY_LINE_RECORDS];
	size_t record_count;
	bool is_one; /* of a single delivery: its record names it even if the run's results do */
	bool many;   /* several files, or more records: they are not named */
};

void retry_line_add(struct retry_line *line, const struct job *job);

/* Appends the words that were given to `test`, but for its operands and what concerns that run alone. */
void retry_line_append_given(struct buffer *out, const struct context *context, const struct delivery_plan *plan,
                             struct shell_secrets *secrets);

/*
 * Appends the command, made of the words that were given. What send has made is repeated by its events and the seed,
 * each as often as --count says, or by the operands where all of it failed (`is_all`); records by --failed-only where
 * the run's results are in a file, to which it adds, else by --record where they are few and of one file; all else by
 * the command as it was. Nothing where nothing failed, or where an input cannot be read again. False: the command may
 * also repeat what was accepted.
 */
bool retry_line_append(struct buffer *out, const struct retry_line *line, bool is_all, const struct context *context,
                       const struct delivery_plan *plan, struct shell_secrets *secrets);

/* Appends the replay command that continues the run recorded in `results`, made of the words that were given. */
void retry_line_append_resume(struct buffer *out, const struct context *context, const struct delivery_plan *plan,
                              const char *results, struct shell_secrets *secrets);

#endif
