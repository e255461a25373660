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

#define YEARS_AHEAD 50 /* RFC 9110: a date of two digits that seems further ahead has passed */

/* Reads the three forms of a date that RFC 9110 section 5.6.7 has, in seconds. False: it is none. */
static bool read_date(const char *text, int64_t now_us, int64_t *seconds)
{
	static const struct {
		const char *form;
		bool is_short; /* the year has two digits */
	} forms[] = { { "%a, %d %b %Y %H:%M:%S GMT", false },
		      { "%A, %d-%b-%y %H:%M:%S GMT", true },
		      { "%a %b %d %H:%M:%S %Y", false } };
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		time_t now = (time_t)(now_us / 1000000);
		struct tm when = { 0 }, today;
		const char *end = strptime(text, forms[i].form, &when);
		if (!end || *end != '\0' || !gmtime_r(&now, &today))
			continue;
		if (forms[i].is_short && when.tm_year <= today.tm_year - YEARS_AHEAD)
			when.tm_year += 100;
		else if (forms[i].is_short && when.tm_year > today.tm_year + YEARS_AHEAD)
			when.tm_year -= 100;
		*seconds = (int64_t)timegm(&when);
		return true;
	}
	return false;
}

int64_t retry_after_seconds(const char *text, int64_t now_us)
{
	size_t digits = strspn(text, "0123456789");
	int64_t seconds = 0;
	if (digits > 0 && text[digits] == '\0') {
		for (size_t i = 0; i < digits && seconds <= RETRY_PAUSE_MAX_S; i++)
			seconds = seconds * 10 + (text[i] - '0');
		return seconds;
	}
	if (!read_date(text, now_us, &seconds))
		return -1;
	seconds -= now_us / 1000000;
	return seconds > 0 ? seconds : 0;
}

bool retry_wanted(const struct retry_policy *policy, struct job *job, struct random *random)
{
	const struct exchange *x = &job->exchange;
	bool is_transient = job->outcome == OUTCOME_REJECTED && retry_is_for(x->status);
	/* The listener that responds at such length has it, and would respond so again. */
	if (job->outcome == OUTCOME_UNKNOWN)
		is_transient = policy->unknown && x->failure != DELIVER_TOO_LONG;
	else if (job->outcome == OUTCOME_FAILED)
		is_transient = x->transient;
	if (policy->only != 0)
		is_transient = job->outcome == OUTCOME_REJECTED && x->status == policy->only;
	if (job->attempt > policy->attempts || !is_transient)
		return false;
	int64_t most = policy->most_ns > 0 ? policy->most_ns : RETRY_PAUSE_MAX_S * CLOCK_NS_PER_S;
	int64_t pause = policy->delay_ns;
	if (pause == 0) {
		unsigned doublings = job->attempt - 1 < 10 ? job->attempt - 1 : 10;
		pause = CLOCK_NS_PER_S << doublings;
		pause = pause < most ? pause : most;
		/* So that many that failed together do not come back together. */
		pause -= (int64_t)random_below(random, (uint64_t)pause / 2);
	}
	int64_t asked = retry_after_seconds(exchange_field(x, "Retry-After"), clock_realtime_us());
	asked = (asked < RETRY_PAUSE_MAX_S ? asked : RETRY_PAUSE_MAX_S) * CLOCK_NS_PER_S;
	asked = asked < most ? asked : most;
	job->retry_ns = asked > pause ? asked : pause;
	return true;
}
