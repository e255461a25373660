/* What to do about a delivery that did not go well. */
#ifndef CREDHOOK_CMD_DELIVERY_HINTS_H
#define CREDHOOK_CMD_DELIVERY_HINTS_H

#include "cmd/delivery_plan.h"
#include "deliver/job.h"

/* Appends the advice, in one line without its end; nothing where there is none. */
void hint_append(struct buffer *out, const struct delivery_plan *plan, const struct job *job);

#endif
