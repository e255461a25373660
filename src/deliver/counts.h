/* What a run comes to: counted as deliveries end, reported at its end. */
#ifndef CREDHOOK_DELIVER_COUNTS_H
#define CREDHOOK_DELIVER_COUNTS_H

#include "base/error.h"
#include "deliver/job.h"
#include "http/latency.h"

#include <stdbool.h>
#include <stdint.h>

struct delivery_counts {
	uint64_t outcomes[OUTCOME_COUNT]; /* of deliveries that have ended, retries counted with them */
	uint64_t late;
	uint64_t attempts;
	uint64_t compared; /* --compare: had a recorded status */
	uint64_t differing;
	uint64_t statuses[600];  /* of attempts */
	uint64_t bytes;          /* of bodies, all attempts */
	struct latency latency;  /* of responses, from the sending */
	struct latency from_due; /* the same from the due time: what a client that does not wait would see */
	struct latency delay;    /* how much after its due time each attempt began */
	int64_t started_ns;      /* monotonic */
	int64_t ended_ns;
	bool interrupted;
	bool gave_up; /* too many failures */
};

void counts_add_attempt(struct delivery_counts *counts, const struct job *job);
void counts_add_delivery(struct delivery_counts *counts, const struct job *job); /* after its last attempt */

uint64_t counts_total(const struct delivery_counts *counts);
uint64_t counts_failures(const struct delivery_counts *counts); /* not accepted, or late */
enum exit_code counts_exit_code(const struct delivery_counts *counts);

#endif
