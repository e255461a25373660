/* The journal of a run, from the command line: which files, and what is said of them. */
#ifndef CREDHOOK_CMD_DELIVERY_JOURNAL_H
#define CREDHOOK_CMD_DELIVERY_JOURNAL_H

#include "capture/inputs.h"
#include "capture/source_files.h"
#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"

/* journal_open() for what the plan's options ask for, as plan->journal, which the caller closes. What the journal
 * notices goes to stderr. */
int delivery_open_journal(struct delivery_plan *plan, struct context *context, const struct source_files *files,
                          struct error *err);

/* The input under way, as the journal knows it. Zero-initialise. */
struct delivery_input {
	struct journal_input *known;
	uint64_t opened; /* its number among those opened */
};

/* To be called with each item of the inputs: reports to the journal that another one has begun. EXIT_CODE_USAGE: see
 * journal_begin_input(). */
int delivery_follow_inputs(struct delivery_input *input, const struct delivery_plan *plan, const struct inputs *inputs,
                           struct error *err);

#endif
