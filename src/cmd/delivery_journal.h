/* The journal of a run, from the command line: which files, and what is said of them. */
#ifndef CREDHOOK_CMD_DELIVERY_JOURNAL_H
#define CREDHOOK_CMD_DELIVERY_JOURNAL_H

#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"

/* Opens the journal of a run, as plan->journal, which the caller closes and whose notices go to stderr. EXIT_CODE_USAGE
 * also: the reports that are asked for, --json and --results want stdout at once. `selection` and
 * `seed` are the journal's (deliver/journal.h), borrowed. */
int delivery_open_outputs(struct delivery_plan *plan, struct context *context, const char *selection, uint64_t *seed,
                          struct error *err);

/* At the end: how many records were skipped since an earlier run has them, and why; with `needs_all` also how many of
 * its records did not come by. Returns the exit code, which may be worse for it. */
int delivery_report_past(struct context *context, const struct delivery_plan *plan, uint64_t skipped, bool needs_all,
                         int code);

#endif
