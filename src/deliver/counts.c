#include "deliver/counts.h"

#define HALF (1 << LATENCY_SUB_BITS)

/* Below 2^LATENCY_SUB_BITS us each microsecond has a bucket; above, each power of two has 2^LATENCY_SUB_BITS. */
static unsigned index_of(int64_t us)
{
	if (us > LATENCY_MAX_US)
		us = LATENCY_MAX_US;
	if (us < HALF)
		return (unsigned)us;
	unsigned top = 63u - (unsigned)__builtin_clzll((unsigned long long)us);
	unsigned shift = top - LATENCY_SUB_BITS;
	return ((shift + 1) << LATENCY_SUB_BITS) + (unsigned)((us >> shift) - HALF);
}

/* The first microsecond of the bucket. */
static int64_t start_of(unsigned index)
{
	unsigned row = index >> LATENCY_SUB_BITS;
	int64_t column = index & (HALF - 1);
	return row == 0 ? column : (HALF + column) << (row - 1);
}

void latency_record(struct latency *latency, int64_t nanoseconds)
{
	if (nanoseconds < 0)
		nanoseconds = 0;
	unsigned index = index_of(nanoseconds / 1000);
	latency->buckets[index]++;
	if (nanoseconds > latency->max_ns)
		latency->max_ns = nanoseconds;
	latency->total_ns += (double)nanoseconds;
	latency->count++;
}

int64_t latency_percentile(const struct latency *latency, double percent)
{
	if (latency->count == 0)
		return 0;
	double wanted = (double)latency->count * percent / 100;
	uint64_t seen = 0;
	for (unsigned i = 0; i < LATENCY_BUCKETS - 1; i++) {
		seen += latency->buckets[i];
		/* Rounding must not add one: 99.9 % of 1,000 must be 999, not 999.0000000000001. */
		if (seen > 0 && (double)seen >= wanted - 1e-6) {
			int64_t end = start_of(i + 1) * 1000 - 1;
			return end < latency->max_ns ? end : latency->max_ns;
		}
	}
	return latency->max_ns;
}

int64_t latency_mean(const struct latency *latency)
{
	return latency->count == 0 ? 0 : (int64_t)(latency->total_ns / (double)latency->count);
}

uint64_t latency_bucket(const struct latency *latency, unsigned index, int64_t *from_ns, int64_t *to_ns)
{
	*from_ns = start_of(index) * 1000;
	*to_ns = start_of(index + 1) * 1000;
	return latency->buckets[index];
}

void counts_add_attempt(struct delivery_counts *c, const struct job *job)
{
	const struct exchange *x = &job->exchange;
	c->attempts++;
	c->responded += x->status > 0;
	c->bytes += x->request.body.length;
	if (x->status > 0 && x->status < 600)
		c->statuses[x->status]++;
	if (x->outcome == DELIVER_RESPONDED)
		latency_record(&c->latency, x->latency_ns);
	if (job->due_ns == 0 || job->attempt > 1)
		return;
	if (x->started_ns > 0)
		latency_record(&c->delay, x->started_ns - job->due_ns);
	if (x->outcome == DELIVER_RESPONDED)
		latency_record(&c->from_due, x->finished_ns - job->due_ns);
}

void counts_add_delivery(struct delivery_counts *c, const struct job *job)
{
	c->outcomes[job->outcome]++;
	c->late += job->late;
	if (!job->has_recorded)
		return;
	c->compared++;
	c->differing += job->exchange.status != job->recorded_status;
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
	if (c->interrupted)
		return EXIT_CODE_INTERRUPTED;
	if (c->attempts > 0 && c->responded == 0)
		return EXIT_CODE_UNDELIVERED;
	return counts_failures(c) > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}
