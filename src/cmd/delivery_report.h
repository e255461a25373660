/* What is said of deliveries: a line each, and at the end what they come to. */
#ifndef CREDHOOK_CMD_DELIVERY_REPORT_H
#define CREDHOOK_CMD_DELIVERY_REPORT_H

#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"
#include "cmd/retry_line.h"
#include "cmd/shell_text.h"
#include "deliver/counts.h"

/* What was said before, so that advice is not repeated. Zero-initialise. */
struct teller {
	struct context *context;
	const struct delivery_plan *plan;
	struct buffer out; /* reused */
	bool silent;       /* --results - takes stdout */
	bool advised[601]; /* by status; 0: no connection; 600: no answer */
	struct retry_line retry;
};

void teller_release(struct teller *teller);

/* One attempt on stdout: a line, and below it what helps: the answer (-v, or a piece of it), a hint. */
void tell_attempt(struct teller *teller, const struct job *job);
/* The sum, on stderr; with --json also on stdout. And how to repeat what was not accepted. */
void tell_summary(const struct teller *teller, const struct delivery_counts *counts);
/* That not all was sent which --results, --resume or --failed-only were about, and how to go on. `of_earlier`: this
 * run sent what it was to send, but the one whose results it adds to did not. */
void tell_rest(struct context *context, const struct delivery_plan *plan, bool of_earlier);
/* Shows the job as a request, or as a curl command, with variables for secrets. */
void tell_dry_run(struct context *context, const struct delivery_plan *plan, const struct job *job,
                  struct shell_secrets *secrets);

#endif
