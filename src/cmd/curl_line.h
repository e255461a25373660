/* A delivery as a curl command. */
#ifndef CREDHOOK_CMD_CURL_LINE_H
#define CREDHOOK_CMD_CURL_LINE_H

#include "cmd/delivery_plan.h"
#include "cmd/shell_text.h"
#include "deliver/job.h"

/* Appends the curl command that sends the job's bytes, its line end included. */
void curl_line_append(struct buffer *out, const struct delivery_plan *plan, const struct job *job,
                      struct shell_secrets *secrets);

#endif
