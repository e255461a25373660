#include "base/clock.h"
#include "deliver/delivery_run.h"

#include <string.h>
#include <time.h>

#define HALF (1 << LATENCY_SUB_BITS)

bool retry_is_for(int status)
{
	static const int statuses[] = { 408, 429, 500, 502, 503, 504 };
	for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
		if (status == statuses[i])
			return true;
	return false;
}

static bool is_transient(const struct retry_policy *policy, const struct job *job)
{
	/* The listener that responds at such length has it, and would respond so again. */
	if (job->outcome == OUTCOME_UNKNOWN)
		return policy->unknown && job->exchange.failure != DELIVER_TOO_LONG;
	if (job->outcome == OUTCOME_FAILED)
		return job->exchange.transient;
	return job->outcome == OUTCOME_REJECTED && retry_is_for(job->exchange.status);
}

int64_t retry_after_seconds(const char *text, int64_t now_us)
{
	size_t digits = strspn(text, "0123456789");
	int64_t seconds = 0;
	struct tm when = { 0 };
	if (digits > 0 && text[digits] == '\0') {
		for (size_t i = 0; i < digits && seconds <= RETRY_PAUSE_MAX_S; i++)
			seconds = seconds * 10 + (text[i] - '0');
		return seconds;
	}
	const char *end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &when);
	if (!end || *end != '\0')
		return -1;
	seconds = (int64_t)timegm(&when) - now_us / 1000000;
	return seconds > 0 ? seconds : 0;
}

static int64_t pause_of(const struct retry_policy *policy, const struct job *job, struct random *random)
{
	int64_t most = RETRY_PAUSE_MAX_S * CLOCK_NS_PER_S;
	int64_t pause = policy->delay_ns;
	if (pause == 0) {
		unsigned doublings = job->attempt - 1 < 10 ? job->attempt - 1 : 10;
		pause = CLOCK_NS_PER_S << doublings;
		pause = pause < most ? pause : most;
		/* So that many that failed together do not come back together. */
		pause -= (int64_t)random_below(random, (uint64_t)pause / 2);
	}
	int64_t asked = retry_after_seconds(exchange_field(&job->exchange, "Retry-After"), clock_realtime_us());
	asked = asked > RETRY_PAUSE_MAX_S ? RETRY_PAUSE_MAX_S : asked;
	return asked * CLOCK_NS_PER_S > pause ? asked * CLOCK_NS_PER_S : pause;
}

bool retry_wanted(const struct retry_policy *policy, struct job *job, struct random *random)
{
	if (job->attempt > policy->attempts || !is_transient(policy, job))
		return false;
	job->retry_ns = pause_of(policy, job, random);
	return true;
}

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
	const struct exchange *d = &job->exchange;
	c->attempts++;
	c->responded += d->status > 0;
	c->bytes += d->request.body.length;
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
