/* A run: what starts when, what is repeated, what ends it, and what its observer gets. */
#include "base/clock.h"
#include "fake.h"
#include "test.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

struct scene {
	struct fake fake;
	struct loop_clock clock;
	struct deliver_options http;
	struct deliver_policy policy;
	const char *const *bodies; /* ends with NULL */
	const char *keys;          /* a letter per job; NULL: none has a key */
	size_t given;
	size_t body_size;  /* of each, padded; 0: as short as it is */
	int own_expected;  /* the status that the jobs expect themselves; 0: none */
	size_t read_until; /* the observer wants no more than this many attempts; 0: all */
	/* What the observer got. */
	size_t attempts, finals, given_up, late, interruptions, turns, in_flight_then;
	struct delivery_result result;
	struct error err;
};

static enum job_got next(void *context, struct job *job, struct error *err)
{
	struct scene *s = context;
	const char *body = s->bodies[s->given];
	(void)err;
	if (!body)
		return JOB_NONE;
	buffer_append_text(&job->body, body);
	if (s->body_size > 0)
		buffer_append_repeat(&job->body, ' ', s->body_size - job->body.length - 1);
	buffer_append_byte(&job->body, '\0');
	job->has_expected = s->own_expected > 0;
	status_set_only(&job->expected, s->own_expected);
	job->keyed = s->keys != NULL;
	if (s->keys)
		buffer_append_byte(&job->key, s->keys[s->given]);
	s->given++;
	return JOB_FILLED;
}

static bool on_attempt(void *context, const struct job *job)
{
	struct scene *s = context;
	s->attempts++;
	s->finals += job->final;
	s->late += job->late;
	return s->read_until == 0 || s->attempts < s->read_until;
}

static void on_given_up(void *context, const struct job *job, bool in_flight)
{
	struct scene *s = context;
	assert_false(job->final || in_flight);
	s->given_up++;
}

static void on_interrupted(void *context, size_t in_flight)
{
	struct scene *s = context;
	s->interruptions++;
	s->in_flight_then = in_flight;
}

static int64_t on_turn_end(void *context, const struct delivery_state *state)
{
	struct scene *s = context;
	s->turns++;
	assert_int_equal(state->now_ns, s->fake.now_ns);
	return 0;
}

static void set(struct scene *s, const char *const *bodies)
{
	struct error err;
	*s = (struct scene){ .fake = { .now_ns = CLOCK_NS_PER_S, .takes_ns = 10 * MS }, .bodies = bodies };
	s->clock = (struct loop_clock){ fake_now, fake_wait_until, &s->fake };
	s->http.may_connect_context = &s->fake;
	s->policy = (struct deliver_policy){
		.concurrency = 1, .http = &s->http, .deliverer = &fake_deliverer, .clock = &s->clock
	};
	status_set_parse(&s->policy.expected, "2xx", &err);
}

static int play(struct scene *s)
{
	struct job_source source = { next, NULL, s };
	struct delivery_observer observer = { on_attempt, on_interrupted, on_turn_end, on_given_up, s };
	return run_deliveries(&s->policy, &source, &observer, &s->result, &s->err);
}

static void assert_outcomes(const struct scene *s, uint64_t accepted, uint64_t rejected, uint64_t failed,
                            uint64_t unknown)
{
	const uint64_t *outcomes = s->result.counts.outcomes;
	assert_int_equal(outcomes[OUTCOME_ACCEPTED], accepted);
	assert_int_equal(outcomes[OUTCOME_REJECTED], rejected);
	assert_int_equal(outcomes[OUTCOME_FAILED], failed);
	assert_int_equal(outcomes[OUTCOME_UNKNOWN], unknown);
}

/* When the i-th was sent, in milliseconds from the start of the run. */
static int64_t sent_at(const struct scene *s, size_t i)
{
	return (s->fake.started_ns[i] - CLOCK_NS_PER_S) / MS;
}

static const char *const five[] = { "201", "202", "203", "204", "205", NULL };

TEST(test_outcomes)
{
	static struct scene s;
	static const char *const bodies[] = { "200", "404", "-", "?", "!", NULL };
	set(&s, bodies);
	assert_int_equal(play(&s), 0);
	assert_outcomes(&s, 1, 1, 2, 1);
	assert_int_equal(s.attempts, 5);
	assert_int_equal(s.finals, 5);
	assert_false(s.result.rest);
	assert_int_equal(counts_exit_code(&s.result.counts), EXIT_CODE_FAILED);
	assert_true(s.turns > 0 && s.result.counts.ended_ns > s.result.counts.started_ns);
}

TEST(test_one_at_a_time_in_order)
{
	static struct scene s;
	set(&s, five);
	assert_int_equal(play(&s), 0);
	assert_int_equal(s.fake.most_in_flight, 1);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(s.fake.bodies[i], five[i]);
		assert_int_equal(sent_at(&s, i), 10 * (int64_t)i);
	}
}

TEST(test_several_at_a_time)
{
	static struct scene s;
	set(&s, five);
	s.policy.concurrency = 3;
	assert_int_equal(play(&s), 0);
	assert_int_equal(s.fake.most_in_flight, 3);
	assert_int_equal(sent_at(&s, 2), 0);
	assert_int_equal(sent_at(&s, 3), 10);
}

/* Together they hold at most 8 MiB when another one is read; one that is alone may hold more. */
TEST(test_bodies_in_memory)
{
	enum { MOST = 8 << 20 };
	static const struct {
		size_t size;
		unsigned in_flight;
	} rows[] = { { MOST / 2 - 1, 3 }, { MOST / 2, 2 }, { MOST - 1, 2 }, { MOST, 1 }, { 2 * MOST, 1 } };
	static struct scene s;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		set(&s, five);
		s.policy.concurrency = 5;
		s.body_size = rows[i].size;
		assert_int_equal(play(&s), 0);
		assert_int_equal(s.fake.most_in_flight, rows[i].in_flight);
		assert_outcomes(&s, 5, 0, 0, 0);
		for (size_t j = 0; j < 5; j++)
			assert_int_equal(sent_at(&s, j), 10 * (j / rows[i].in_flight));
	}
}

/* A slow response does not shift those after it. */
TEST(test_a_rate)
{
	static struct scene s;
	set(&s, five);
	s.policy.interval_ns = 100 * MS;
	s.policy.concurrency = 4;
	s.fake.takes_ns = 250 * MS;
	assert_int_equal(play(&s), 0);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(sent_at(&s, i), 100 * (int64_t)i);
	assert_int_equal(s.fake.most_in_flight, 3);
	assert_int_equal(s.result.counts.delay.count, 5);
	assert_int_equal(s.result.counts.delay.max_ns, 0);
}

TEST(test_retries)
{
	static struct scene s;
	static const char *const bodies[] = { "503,200", "-,-", "?,200", "400,200", NULL };
	set(&s, bodies);
	s.policy.retry = (struct retry_policy){ .attempts = 2, .delay_ns = 500 * MS };
	assert_int_equal(play(&s), 0);
	assert_outcomes(&s, 1, 1, 1, 1);
	assert_int_equal(s.attempts, 2 + 3 + 1 + 1);
	assert_int_equal(s.finals, 4);
	/* The order is kept: each has had its last attempt before the next one begins. */
	assert_int_equal(sent_at(&s, 1), 510);
	assert_string_equal(s.fake.bodies[2], "-,-");
	assert_int_equal(sent_at(&s, 5), 520 + 3 * 10 + 2 * 500);
	static const char *const unknown[] = { "?,200", NULL };
	set(&s, unknown);
	s.policy.retry = (struct retry_policy){ .attempts = 1, .unknown = true };
	assert_int_equal(play(&s), 0);
	assert_outcomes(&s, 1, 0, 0, 0);
}

TEST(test_keys)
{
	static struct scene s;
	set(&s, five);
	s.policy.concurrency = 5;
	s.keys = "aabab";
	assert_int_equal(play(&s), 0);
	static const int64_t expected[] = { 0, 0, 10, 10, 20 }; /* a b, a b, a */
	assert_int_equal(s.fake.sent, 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(sent_at(&s, i), expected[i]);
	assert_string_equal(s.fake.bodies[4], five[3]);
	assert_outcomes(&s, 5, 0, 0, 0);
}

TEST(test_what_is_expected)
{
	static struct scene s;
	set(&s, five);
	s.own_expected = 203; /* of the job's own, whatever the policy says */
	s.policy.expect_within_ns = 5 * MS;
	assert_int_equal(play(&s), 0);
	assert_outcomes(&s, 1, 4, 0, 0);
	assert_int_equal(s.late, 1);
	assert_int_equal(counts_failures(&s.result.counts), 5);
}

TEST(test_too_many_failures)
{
	static struct scene s;
	static const char *const bodies[] = { "500", "200", "500", "500", "200", NULL };
	set(&s, bodies);
	s.policy.gives_up_at = 2;
	assert_int_equal(play(&s), 0);
	assert_true(s.result.counts.gave_up);
	assert_int_equal(s.fake.sent, 3);
	assert_outcomes(&s, 1, 2, 0, 0);
	set(&s, bodies);
	s.policy.concurrency = 2;
	s.policy.gives_up_at = 1;
	assert_int_equal(play(&s), 0);
	assert_int_equal(s.fake.sent, 2); /* what was in flight ends */
	assert_outcomes(&s, 1, 1, 0, 0);
}

/* That another attempt was to follow, as was reported, is overtaken by the end of the run. */
TEST(test_too_many_failures_beside_a_retry)
{
	static struct scene s;
	static const char *const bodies[] = { "503", "400", NULL };
	set(&s, bodies);
	s.policy.concurrency = 2;
	s.policy.retry = (struct retry_policy){ .attempts = 1, .delay_ns = CLOCK_NS_PER_S };
	s.policy.gives_up_at = 1;
	assert_int_equal(play(&s), 0);
	assert_int_equal(s.fake.sent, 2);
	assert_outcomes(&s, 0, 2, 0, 0);
	assert_int_equal(s.finals + s.given_up, 2);
	assert_false(s.result.unsent);
}

/* The same where both come back together: what is refused does so when the first one has made room for it. */
TEST(test_too_many_failures_together_with_a_retry)
{
	static struct scene s;
	static const char *const bodies[] = { "503", "!", "200", NULL };
	set(&s, bodies);
	s.policy.concurrency = 3;
	s.fake.most_room = 1;
	s.policy.retry = (struct retry_policy){ .attempts = 1, .delay_ns = CLOCK_NS_PER_S };
	s.policy.gives_up_at = 1;
	assert_int_equal(play(&s), 0);
	assert_int_equal(s.fake.sent, 2);
	assert_outcomes(&s, 1, 1, 1, 0);
	assert_true(s.finals == 2 && s.given_up == 1);
}

TEST(test_nobody_reads_on)
{
	static struct scene s;
	set(&s, five);
	s.policy.concurrency = 2;
	s.read_until = 1;
	assert_int_equal(play(&s), 0);
	assert_int_equal(s.fake.sent, 2);
	assert_outcomes(&s, 2, 0, 0, 0);
}

/* Plays with a signal that waits from the start on. */
static void play_interrupted(struct scene *s)
{
	struct signals signals = SIGNALS_INIT;
	struct error err;
	assert_int_equal(signals_open(&signals, &err), 0);
	kill(getpid(), SIGTERM);
	struct pollfd waits = { .fd = signals.fd, .events = POLLIN };
	assert_int_equal(poll(&waits, 1, 10000), 1);
	s->policy.signals = &signals;
	assert_int_equal(play(s), 0);
	signals_close(&signals);
	assert_int_equal(s->interruptions, 1);
	assert_int_equal(counts_exit_code(&s->result.counts), EXIT_CODE_INTERRUPTED);
}

TEST(test_a_signal)
{
	static struct scene s;
	set(&s, five);
	s.policy.concurrency = 2;
	play_interrupted(&s);
	assert_int_equal(s.in_flight_then, 2);
	assert_outcomes(&s, 2, 0, 0, 0);
}

/* No attempt follows: what was in flight has had its last, and is reported as that. */
TEST(test_a_signal_before_a_retry)
{
	static struct scene s;
	static const char *const bodies[] = { "503", "-", "200", NULL };
	set(&s, bodies);
	s.policy.concurrency = 2;
	s.policy.retry = (struct retry_policy){ .attempts = 3, .delay_ns = MS };
	play_interrupted(&s);
	assert_int_equal(s.fake.sent, 2);
	assert_outcomes(&s, 0, 1, 1, 0);
	assert_int_equal(s.finals, 2);
	assert_int_equal(s.given_up, 0);
}

static enum job_got fail_later(void *context, struct job *job, struct error *err)
{
	struct scene *s = context;
	if (s->given == 2)
		return (enum job_got)error_set(err, EXIT_CODE_IO, "torn");
	return next(context, job, err);
}

TEST(test_a_source_that_fails)
{
	static struct scene s;
	set(&s, five);
	struct job_source source = { fail_later, NULL, &s };
	struct delivery_observer observer = { on_attempt, on_interrupted, on_turn_end, on_given_up, &s };
	assert_int_equal(run_deliveries(&s.policy, &source, &observer, &s.result, &s.err), -1);
	assert_int_equal(s.err.code, EXIT_CODE_IO);
	assert_outcomes(&s, 2, 0, 0, 0); /* what was taken before has been delivered */
	assert_true(s.result.counts.ended_ns > 0);
}
