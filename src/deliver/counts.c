#include "deliver/counts.h"

void counts_add_attempt(struct delivery_counts *c, const struct job *job)
{
	const struct delivery *d = &job->delivery;
	c->attempts++;
	c->bytes += d->body_length;
	if (d->status > 0 && d->status < 600)
		c->statuses[d->status]++;
	if (d->outcome == DELIVER_RESPONDED)
		latency_record(&c->latency, d->latency_ns);
	if (job->due_ns == 0 || job->attempt > 1)
		return;
	if (d->started_ns > 0)
		latency_record(&c->delay, d->started_ns - job->due_ns);
	if (d->outcome == DELIVER_RESPONDED)
		latency_record(&c->from_due, d->finished_ns - job->due_ns);
}

void counts_add_delivery(struct delivery_counts *c, const struct job *job)
{
	c->outcomes[job->outcome]++;
	c->late += job->late;
	if (job->recorded_status == 0)
		return;
	c->compared++;
	c->differing += job->delivery.status != job->recorded_status;
}

uint64_t counts_total(const struct delivery_counts *c)
{
	uint64_t total = 0;
	for (int i = 0; i < OUTCOME_COUNT; i++)
		total += c->outcomes[i];
	return total;
}

uint64_t counts_failures(const struct delivery_counts *c)
{
	return counts_total(c) - c->outcomes[OUTCOME_ACCEPTED] + c->late;
}

enum exit_code counts_exit_code(const struct delivery_counts *c)
{
	uint64_t responses = c->outcomes[OUTCOME_ACCEPTED] + c->outcomes[OUTCOME_REJECTED];
	if (c->interrupted)
		return EXIT_CODE_INTERRUPTED;
	if (c->attempts > 0 && responses == 0)
		return EXIT_CODE_UNDELIVERED;
	return counts_failures(c) > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}
