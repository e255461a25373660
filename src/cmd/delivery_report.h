/* What is said of deliveries: a line each, and at the end what they come to. */
#ifndef CREDHOOK_CMD_DELIVERY_REPORT_H
#define CREDHOOK_CMD_DELIVERY_REPORT_H

#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"
#include "cmd/retry_line.h"
#include "cmd/shell_text.h"
#include "deliver/counts.h"

/* What was said before, so that advice is not repeated. Zero-initialise. */
struct delivery_report {
	struct context *context;
	const struct delivery_plan *plan;
	struct buffer out; /* reused */
	bool silent;       /* --results - takes stdout */
	bool advised[601]; /* by status; 0: no connection; 600: no answer */
	struct retry_line retry;
};

void delivery_report_release(struct delivery_report *report);

/* One attempt on stdout: a line, and below it what helps: the answer (-v, or a piece of it), a hint. */
void report_attempt(struct delivery_report *report, const struct job *job);
/* The sum, on stderr; with --json also on stdout. And how to repeat what was not accepted. */
void report_summary(const struct delivery_report *report, const struct delivery_counts *counts);
/* That not all was sent which --results, --resume or --failed-only were about, and how to go on. `of_earlier`: this
 * run sent what it was to send, but the one whose results it adds to did not. */
void report_rest(struct context *context, const struct delivery_plan *plan, bool of_earlier);
/* Shows the job as a request, or as a curl command, with variables for secrets. */
void report_dry_run(struct context *context, const struct delivery_plan *plan, const struct job *job,
                    struct shell_secrets *secrets);

#endif
