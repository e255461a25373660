#include "deliver/retry.h"

#include "base/clock.h"

#include <string.h>
#include <time.h>

bool retry_is_for(int status)
{
	static const int statuses[] = { 408, 429, 500, 502, 503, 504 };
	for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
		if (status == statuses[i])
			return true;
	return false;
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

bool retry_wanted(const struct retry_policy *policy, struct job *job, struct random *random)
{
	const struct exchange *d = &job->exchange;
	bool is_transient = job->outcome == OUTCOME_REJECTED && retry_is_for(d->status);
	/* The listener that responds at such length has it, and would respond so again. */
	if (job->outcome == OUTCOME_UNKNOWN)
		is_transient = policy->unknown && d->failure != DELIVER_TOO_LONG;
	else if (job->outcome == OUTCOME_FAILED)
		is_transient = d->transient;
	if (job->attempt > policy->attempts || !is_transient)
		return false;
	int64_t most = RETRY_PAUSE_MAX_S * CLOCK_NS_PER_S, pause = policy->delay_ns;
	if (pause == 0) {
		unsigned doublings = job->attempt - 1 < 10 ? job->attempt - 1 : 10;
		pause = CLOCK_NS_PER_S << doublings;
		pause = pause < most ? pause : most;
		/* So that many that failed together do not come back together. */
		pause -= (int64_t)random_below(random, (uint64_t)pause / 2);
	}
	int64_t asked = retry_after_seconds(exchange_field(d, "Retry-After"), clock_realtime_us());
	asked = (asked < RETRY_PAUSE_MAX_S ? asked : RETRY_PAUSE_MAX_S) * CLOCK_NS_PER_S;
	job->retry_ns = asked > pause ? asked : pause;
	return true;
}
