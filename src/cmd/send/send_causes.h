/* Why deliveries of a run were not accepted: what these have in common, and no accepted one has (cause/day.h). */
#ifndef CREDHOOK_CMD_SEND_SEND_CAUSES_H
#define CREDHOOK_CMD_SEND_SEND_CAUSES_H

#include "base/buffer.h"
#include "cmd/cmd.h"
#include "cmd/list/list_causes.h"
#include "deliver/job.h"

#include <stdint.h>

/* Zero-initialise. What there is no memory for has no causes. */
struct send_causes {
	struct list_causes *list; /* NULL: none yet, or no memory */
	uint64_t number;          /* of the delivery that has ended last, from 1 */
};

void send_causes_release(struct send_causes *causes);
/* A delivery has ended, `went_well` or not. */
void send_causes_add(struct send_causes *causes, struct context *context, const struct job *job, bool went_well);
/* After the last one. */
void send_causes_find(struct send_causes *causes);
/* Appends the causes of the reason whose first delivery has the number, and which `count` have: a line each. */
void send_causes_append(const struct send_causes *causes, uint64_t number, uint64_t count, struct buffer *out);
/* Appends all of them as lines of JSON. */
void send_causes_append_json(const struct send_causes *causes, struct buffer *out);

#endif
