/* The waits of a lookout, each at its bound. */
#include "player_unit.h"
#include "probe/keep/lookout.h"
#include "test.h"

#include <unistd.h>

#define READ_NS (2 * MS) /* a look takes */

/* What is shown, by the time since the lookout began. */
static struct {
	int64_t began_ns;
	int64_t changes_ns[8]; /* when it changes; 0: it is the last */
	int64_t every_ns;      /* and again and again; 0: not */
	const char *text;      /* instead; NULL: the number of changes so far */
} shown;

static void show(struct keeper *k, struct buffer *out)
{
	int64_t age = k->now_ns - shown.began_ns;
	unsigned changes = 0;
	for (size_t i = 0; shown.changes_ns[i] > 0; i++)
		changes += age >= shown.changes_ns[i];
	if (shown.every_ns > 0)
		changes += (unsigned)(age / shown.every_ns);
	for (unsigned i = 0; i < changes && !shown.text; i++)
		buffer_append_text(out, "a line\n");
	buffer_append_text(out, shown.text ? shown.text : "the first line\n");
}

static const struct keeper_kind kind = { "shown", NULL, keep, show, NULL, 0 };
static struct lookout look;
static struct error err;

static void begin(void)
{
	memset(&shown, 0, sizeof shown);
	player_open(&kind, "effect", false);
	shown.began_ns = keeper.now_ns;
	look = (struct lookout){ .player = &player };
}

static void finish(void)
{
	lookout_release(&look);
	player_close();
}

TEST(test_two_looks_that_agree_settle)
{
	int64_t took;
	begin();
	TOOK(took, lookout_settle(&look, &err));
	assert_between(took, 100 * MS + 2 * READ_NS, 100 * MS + 2 * READ_NS);
	assert_int_equal(keeper.looks, 2);
	finish();
}

/* The time between the two is the lag, where that is more. */
TEST(test_a_slow_listener_is_given_its_lag_to_settle)
{
	int64_t took;
	begin();
	shown.changes_ns[0] = 350 * MS;
	lookout_note_lag(&look, 400 * MS);
	TOOK(took, lookout_settle(&look, &err)); /* looks at 0, 400 and 800 ms */
	assert_between(took, 800 * MS, 810 * MS);
	assert_int_equal(look.now.count, 2);
	finish();
}

TEST(test_what_is_never_still_ends_settling_after_half_a_minute)
{
	int64_t took;
	begin();
	shown.every_ns = 50 * MS;
	TOOK(took, lookout_settle(&look, &err));
	assert_between(took, 30 * CLOCK_NS_PER_S, 30 * CLOCK_NS_PER_S + 110 * MS);
	assert_true(lookout_is_blind(&look));
	assert_string_equal(look.problem, "what --observe prints never holds still");
	finish();
}

/* A second without a change, or three times the lag. */
TEST(test_quiet_is_a_second)
{
	int64_t took;
	begin();
	TOOK(took, lookout_quiet(&look, keeper.now_ns, &err));
	assert_between(took, CLOCK_NS_PER_S, CLOCK_NS_PER_S + 110 * MS);
	finish();
	begin();
	shown.changes_ns[0] = 950 * MS; /* is seen: the last look begins when the second is over */
	TOOK(took, lookout_quiet(&look, keeper.now_ns, &err));
	assert_int_equal(look.now.count, 2);
	assert_between(look.lag_ns, 900 * MS, 1050 * MS);
	assert_between(took, 950 * MS + 3 * look.lag_ns, 1100 * MS + 3 * look.lag_ns + 110 * MS);
	finish();
}

/* At 0, 100, 300, 550, 800 and 1000 ms; and after a change from the beginning. */
TEST(test_looks_of_a_quiet_time_grow_apart)
{
	begin();
	assert_int_equal(lookout_quiet(&look, keeper.now_ns, &err), 0);
	assert_int_equal(keeper.looks, 6);
	finish();
	begin();
	shown.changes_ns[0] = 50 * MS; /* is seen at 100; then 200, 400, 650, 900 and 1100 */
	assert_int_equal(lookout_quiet(&look, keeper.now_ns, &err), 0);
	assert_int_equal(look.now.count, 2);
	assert_int_equal(keeper.looks, 7);
	finish();
}

/* What was quiet before counts, and so nothing is waited for after a while. */
TEST(test_quiet_counts_from_the_last_notification)
{
	int64_t took;
	begin();
	assert_int_equal(lookout_look(&look, &err), 0);
	keeper.now_ns += 700 * MS;
	TOOK(took, lookout_quiet(&look, keeper.now_ns - 700 * MS, &err));
	assert_between(took, 300 * MS, 410 * MS);
	keeper.now_ns += 5 * CLOCK_NS_PER_S;
	TOOK(took, lookout_quiet(&look, keeper.now_ns - 2 * CLOCK_NS_PER_S, &err));
	assert_between(took, READ_NS, READ_NS);
	finish();
}

TEST(test_quiet_grows_with_the_lag_up_to_a_bound)
{
	int64_t took;
	begin();
	lookout_note_lag(&look, CLOCK_NS_PER_S);
	lookout_note_lag(&look, 10 * MS);
	TOOK(took, lookout_quiet(&look, keeper.now_ns, &err));
	assert_between(took, 3 * CLOCK_NS_PER_S, 3 * CLOCK_NS_PER_S + 110 * MS);
	lookout_note_lag(&look, 60 * CLOCK_NS_PER_S);
	assert_int_equal(look.lag_ns, LOOKOUT_EXPECTED_NS);
	finish();
}

TEST(test_what_is_never_still_ends_the_quiet_after_half_a_minute)
{
	int64_t took;
	begin();
	shown.every_ns = 400 * MS;
	TOOK(took, lookout_quiet(&look, keeper.now_ns, &err));
	assert_between(took, 30 * CLOCK_NS_PER_S, 30 * CLOCK_NS_PER_S + 110 * MS);
	assert_true(lookout_is_blind(&look));
	finish();
}

/* A command that takes 4 s shows what was there when it began. */
TEST(test_a_look_that_takes_long_is_not_a_quiet_time)
{
	begin();
	keeper.look_takes_ns = 4 * CLOCK_NS_PER_S;
	shown.changes_ns[0] = 900 * MS;
	assert_int_equal(lookout_quiet(&look, keeper.now_ns, &err), 0);
	assert_int_equal(look.now.count, 2);
	finish();
}

TEST(test_a_command_that_fails_is_tried_for_five_seconds)
{
	int64_t took;
	begin();
	keeper.fails_at = 1;
	TOOK(took, lookout_look(&look, &err));
	assert_between(took, 5 * CLOCK_NS_PER_S, 5 * CLOCK_NS_PER_S + 110 * MS);
	assert_true(lookout_is_blind(&look));
	assert_string_equal(look.problem, "the command failed with exit code 7");
	unsigned looks = keeper.looks;
	assert_int_equal(lookout_look(&look, &err), 0); /* it is not tried any more */
	assert_int_equal(lookout_settle(&look, &err), 0);
	assert_int_equal(keeper.looks, looks);
	finish();
}

/* A change that comes back to what it was is none. */
TEST(test_the_same_text_is_read_once)
{
	begin();
	assert_int_equal(lookout_look(&look, &err), 0);
	assert_int_equal(lookout_look(&look, &err), 0);
	assert_int_equal(look.before.count, look.now.count);
	assert_int_equal(roles_add(&look.roles, "a1b2c3d4-0000-4000-8000-000000000001", "clientKey of A1", &err), 0);
	shown.text = "a1b2c3d4-0000-4000-8000-000000000001";
	assert_int_equal(lookout_look(&look, &err), 0);
	assert_int_equal(observation_count(&look.now, "<clientKey of A1>"), 1);
	finish();
}

/* Seconds since 1970 are a time where they are near that of the run, whose clock it is. */
TEST(test_a_time_is_known_by_the_clock_of_the_run)
{
	char seconds[64];
	begin();
	snprintf(seconds, sizeof seconds, "at %lld\n", (long long)KEEPER_BEGAN_S + 5);
	shown.text = seconds;
	assert_int_equal(lookout_look(&look, &err), 0);
	assert_int_equal(observation_count(&look.now, "at <time>"), 1);
	keeper.now_ns += 100 * 3600 * CLOCK_NS_PER_S; /* days later it is a number */
	shown.text = strcat(seconds, "\n");
	assert_int_equal(lookout_look(&look, &err), 0);
	assert_int_equal(observation_count(&look.now, "at #"), 1);
	finish();
}

/* What is said to be in flight, when a signal comes. */
static size_t said_in_flight;

static void on_signal(void *context, size_t in_flight)
{
	(void)context;
	said_in_flight = in_flight;
}

/* While it looks, nothing is. */
TEST(test_a_signal_ends_the_waiting)
{
	struct signals signals = SIGNALS_INIT;
	int64_t took;
	begin();
	said_in_flight = SIZE_MAX;
	observer.interrupted = on_signal;
	assert_int_equal(signals_open(&signals, &err), 0);
	options.signals = &signals;
	assert_int_equal(kill(getpid(), SIGINT), 0);
	signals_wait_input(&signals, -1, -1);
	TOOK(took, lookout_quiet(&look, keeper.now_ns, &err));
	assert_between(took, 0, 110 * MS);
	assert_int_equal(run.summary.stop, PROBE_INTERRUPTED);
	assert_int_equal(said_in_flight, 0);
	assert_true(lookout_is_blind(&look));
	signals_close(&signals);
	finish();
}

/* A command for which there is none is one that fails, and is tried again. */
TEST(test_memory_may_run_out_at_each_look)
{
	unsigned long all = 1, failed = 0;
	for (unsigned long n = 0; n <= all; n++) {
		begin();
		shown.every_ns = 150 * MS;
		shown.changes_ns[0] = 10 * MS;
		allocations = 0;
		fail_at = n;
		int code = lookout_look(&look, &err) < 0 ? -1 : lookout_settle(&look, &err);
		fail_at = 0;
		if (code < 0)
			assert_string_equal(err.message, "out of memory");
		failed += code < 0;
		all = n == 0 ? allocations : all;
		finish();
	}
	assert_true(failed > all / 2);
}
