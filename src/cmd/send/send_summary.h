/* The end of a run in words and numbers, and what sends the rest. */
#ifndef CREDHOOK_CMD_SEND_SEND_SUMMARY_H
#define CREDHOOK_CMD_SEND_SEND_SUMMARY_H

#include "base/buffer.h"
#include "base/error.h"
#include "cmd/send/run.h"
#include "cmd/send/send_report.h"
#include "deliver/delivery_run.h"

/* The sum, the reasons, and how to repeat what was not accepted and to send the rest, on stderr; with --json the sum
 * also on stdout. `err`: what ended the run; NULL: nothing. */
void send_summary_end(const struct send_report *report, const struct delivery_result *result, const struct error *err);

/* For the page: the sum, latency, and pace and statuses, a line each; those that say nothing are empty. */
void send_summary_append_lines(struct buffer *out, const struct send_run *run, const struct delivery_counts *counts);

#endif
