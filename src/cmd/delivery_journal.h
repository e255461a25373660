/* The journal of a run, from the command line: which files, and what is said of them. */
#ifndef CREDHOOK_CMD_DELIVERY_JOURNAL_H
#define CREDHOOK_CMD_DELIVERY_JOURNAL_H

#include "capture/inputs.h"
#include "capture/source_files.h"
#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"

/* Opens the journal of a run, as plan->journal, which the caller closes and whose notices go to stderr. EXIT_CODE_USAGE
 * also: the reports that are asked for, --json and --results want stdout at once. */
int delivery_open_outputs(struct delivery_plan *plan, struct context *context, struct inputs *inputs,
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
