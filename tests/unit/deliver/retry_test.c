/* Which attempts are repeated, and after what pause. */
#include "base/clock.h"
#include "deliver/delivery_run.h"
#include "test.h"

#include <string.h>

#define NOW INT64_C(1767323045000000) /* 2026-01-02T03:04:05Z */

static struct job attempt_of(enum outcome outcome, int status, unsigned number)
{
	struct job job = { .outcome = outcome, .attempt = number };
	job.exchange.status = status;
	return job;
}

TEST(test_which)
{
	static const struct {
		enum outcome outcome;
		int status;
		bool transient;
		bool retry_unknown;
		bool wanted;
	} rows[] = {
		{ OUTCOME_ACCEPTED, 200, false, true, false }, { OUTCOME_ACCEPTED, 503, false, false, false },
		{ OUTCOME_REJECTED, 408, false, false, true }, { OUTCOME_REJECTED, 429, false, false, true },
		{ OUTCOME_REJECTED, 500, false, false, true }, { OUTCOME_REJECTED, 502, false, false, true },
		{ OUTCOME_REJECTED, 503, false, false, true }, { OUTCOME_REJECTED, 504, false, false, true },
		{ OUTCOME_REJECTED, 501, false, true, false }, { OUTCOME_REJECTED, 404, false, true, false },
		{ OUTCOME_FAILED, 0, true, false, true },      { OUTCOME_FAILED, 0, false, true, false },
		{ OUTCOME_UNKNOWN, 0, false, false, false },   { OUTCOME_UNKNOWN, 0, false, true, true },
	};
	struct random random;
	random_seed(&random, 1);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct retry_policy o = { .attempts = 2, .unknown = rows[i].retry_unknown };
		struct job job = attempt_of(rows[i].outcome, rows[i].status, 2);
		job.exchange.transient = rows[i].transient;
		assert_int_equal(retry_wanted(&o, &job, &random), rows[i].wanted);
		job.attempt = 3; /* the second retry was the last */
		assert_false(retry_wanted(&o, &job, &random));
	}
}

TEST(test_one_that_is_too_long_is_not_repeated)
{
	struct random random;
	random_seed(&random, 1);
	struct retry_policy policy = { .attempts = 2, .unknown = true };
	struct job job = attempt_of(OUTCOME_UNKNOWN, 200, 1);
	job.exchange.failure = DELIVER_TOO_LONG;
	assert_false(retry_wanted(&policy, &job, &random));
	job.exchange.failure = DELIVER_TIMED_OUT;
	assert_true(retry_wanted(&policy, &job, &random));
}

TEST(test_pauses)
{
	struct random random;
	random_seed(&random, 2);
	for (unsigned attempt = 1; attempt < 40; attempt++) {
		struct retry_policy o = { .attempts = 100 };
		struct job job = attempt_of(OUTCOME_REJECTED, 503, attempt);
		int64_t most = attempt > 10 ? RETRY_PAUSE_MAX_S : 1 << (attempt - 1);
		most = most > RETRY_PAUSE_MAX_S ? RETRY_PAUSE_MAX_S : most;
		assert_true(retry_wanted(&o, &job, &random));
		assert_in_range(job.retry_ns, most * CLOCK_NS_PER_S / 2, most * CLOCK_NS_PER_S);
		o.delay_ns = 5 * CLOCK_NS_PER_MS;
		assert_true(retry_wanted(&o, &job, &random));
		assert_int_equal(job.retry_ns, 5 * CLOCK_NS_PER_MS);
	}
}

TEST(test_one_status_alone_may_be_repeated)
{
	struct random random;
	random_seed(&random, 1);
	struct retry_policy policy = { .attempts = 9, .delay_ns = 1, .only = 503, .most_ns = 3 };
	for (int status = 500; status <= 504; status++) {
		struct job job = attempt_of(OUTCOME_REJECTED, status, 1);
		assert_int_equal(retry_wanted(&policy, &job, &random), status == 503);
	}
	struct job failed = attempt_of(OUTCOME_FAILED, 0, 1);
	failed.exchange.transient = true;
	assert_false(retry_wanted(&policy, &failed, &random));
	struct job job = attempt_of(OUTCOME_REJECTED, 503, 1);
	static const struct header late = HEADER("Retry-After", "60");
	job.exchange.response = (struct message){ .headers = &late, .header_count = 1 };
	assert_true(retry_wanted(&policy, &job, &random));
	assert_int_equal(job.retry_ns, 3);
}

TEST(test_retry_after)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} rows[] = {
		{ "0", 0 },
		{ "7", 7 },
		{ "", -1 },
		{ "-1", -1 },
		{ "1.5", -1 },
		{ "soon", -1 },
		{ "7 ", -1 },
		{ "Fri, 02 Jan 2026 03:04:15 GMT", 10 },
		{ "Fri, 02 Jan 2026 03:04:00 GMT", 0 },
		{ "Fri, 02 Jan 2026 03:04:15", -1 },
		{ "Friday, 02-Jan-26 03:04:15 GMT", 10 },
		{ "Friday, 02-Jan-26 03:04:00 GMT", 0 },
		{ "Sunday, 06-Nov-94 08:49:37 GMT", 0 },
		{ "Friday, 02-Jan-26 03:04:15", -1 },
		{ "Friday, 02-Jan-2026 03:04:15 GMT", -1 },
		{ "Fri Jan  2 03:04:15 2026", 10 },
		{ "Fri Jan  2 03:04:00 2026", 0 },
		{ "Sun Nov  6 08:49:37 1994", 0 },
		{ "Fri Jan  2 03:04:15 2026 GMT", -1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(retry_after_seconds(rows[i].text, NOW), rows[i].seconds);
	assert_true(retry_after_seconds("99999999999999999999999999", NOW) > RETRY_PAUSE_MAX_S);
	static const struct header soon = HEADER("Retry-After", "30"), late = HEADER("retry-after", "86400");
	struct random random;
	struct retry_policy o = { .attempts = 1, .delay_ns = CLOCK_NS_PER_S };
	struct job job = attempt_of(OUTCOME_REJECTED, 503, 1);
	random_seed(&random, 3);
	job.exchange.response = (struct message){ .headers = &soon, .header_count = 1 };
	assert_true(retry_wanted(&o, &job, &random));
	assert_int_equal(job.retry_ns, 30 * CLOCK_NS_PER_S);
	job.exchange.response.headers = &late;
	assert_true(retry_wanted(&o, &job, &random));
	assert_int_equal(job.retry_ns, RETRY_PAUSE_MAX_S * CLOCK_NS_PER_S);
}
