/* Deliveries as cases of --report. */
#ifndef CREDHOOK_CMD_SEND_SEND_CASES_H
#define CREDHOOK_CMD_SEND_SEND_CASES_H

#include "cmd/send/send_report.h"
#include "deliver/job.h"

#include <stdbool.h>

/* A delivery that has ended, as a case of the reports, if any. `in_flight`: it was abandoned, and job->exchange is not
 * to be read. */
void send_report_case(struct send_report *report, const struct job *job, bool in_flight);

#endif
