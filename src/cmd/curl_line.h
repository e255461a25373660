/* How a single delivery can be done again by hand. */
#ifndef CREDHOOK_CMD_CURL_LINE_H
#define CREDHOOK_CMD_CURL_LINE_H

#include "cmd/delivery_plan.h"
#include "cmd/shell_text.h"
#include "deliver/job.h"

/* Appends one line (without its end) that sends the job's payload once more; nothing where that cannot be had again, as
 * from standard input. */
void again_append(struct buffer *out, const struct delivery_plan *plan, const struct job *job);
/* Appends the curl command that sends the same bytes, its line end included. */
void again_append_curl(struct buffer *out, const struct delivery_plan *plan, const struct job *job,
                       struct shell_secrets *secrets);

#endif
