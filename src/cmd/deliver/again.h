/* How a single delivery can be done again by hand. */
#ifndef CREDHOOK_CMD_DELIVER_AGAIN_H
#define CREDHOOK_CMD_DELIVER_AGAIN_H

#include "cmd/deliver/job.h"
#include "cmd/deliver/plan.h"
#include "cmd/deliver/shell_text.h"

/* Appends one line (without its end) that sends the job's payload once more; nothing where that cannot be had again, as
 * from standard input. */
void again_append(struct buffer *out, const struct delivery_plan *plan, const struct job *job);
/* Appends the curl command that sends the same bytes, its line end included. */
void again_append_curl(struct buffer *out, const struct delivery_plan *plan, const struct job *job,
                       struct shell_secrets *secrets);

#endif
