/* --report of a run of deliveries: a case per delivery, with all its attempts, in the order in which they end. */
#ifndef CREDHOOK_CMD_SEND_CASES_H
#define CREDHOOK_CMD_SEND_CASES_H

#include "capture/inputs.h"
#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"
#include "deliver/job.h"

struct delivery_cases;
struct report_payload;

/* Opens what --report asks for, as plan->cases, which the caller frees; nothing where it asks for nothing.
 * From here on, problems of the inputs are cases too. Everything is borrowed. EXIT_CODE_USAGE: a report would replace
 * an input, the results, or another report. */
int delivery_cases_open(struct delivery_plan *plan, struct context *context, struct inputs *inputs, struct error *err);
void delivery_cases_free(struct delivery_cases *cases); /* NULL is allowed; drops what is not finished */

/* The functions below do nothing where `cases` is NULL. */

/* A delivery that has ended. `in_flight`: it was abandoned, and job->delivery is not to be read. */
void delivery_cases_add(struct delivery_cases *cases, const struct job *job, bool in_flight);
/* A payload that was not sent, since it is invalid. */
void delivery_cases_refused(struct delivery_cases *cases, const struct report_payload *payload);
/* As report_files_finish(): once all is known that makes the exit code. */
int delivery_cases_finish(struct delivery_cases *cases, int code, struct error *err);

#endif
