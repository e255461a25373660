/* Whether the listener takes valid ones behind a group as it did at the group's beginning: by how much it may be
 * slower, and which check of the group is blamed. */
#include "base/clock.h"
#include "player_unit.h"
#include "probe/inquiry.h"
#include "probe/play/play.h"
#include "probe/play/still_up.h"
#include "test.h"

static unsigned refused_from, refused_to; /* these requests are */

static int take(struct keeper *k, struct visit *v)
{
	(void)v;
	return k->requests >= refused_from && k->requests <= refused_to ? 500 : 200;
}

static const struct keeper_kind kind = { "Refuses", NULL, take, show_rows, NULL, 0 };
static const struct keeper_kind store = { "Store", NULL, keep, show_rows, NULL, 0 };
static struct error err;

static void note(struct still_up *s, unsigned times, size_t length, int64_t ns)
{
	for (unsigned i = 0; i < times; i++)
		still_up_note(s, length, ns);
}

/* The median of the five before the group; where there are none, of its own first five. */
TEST(test_the_beginning_of_a_group_is_five_of_them)
{
	struct still_up s = { .count = 0 };
	still_up_begin(&s);
	note(&s, STILL_UP_MAX - 1, 10, 3 * MS);
	assert_int_equal(s.first_ns, 0);
	note(&s, 20, 10, 0); /* these are not timed */
	assert_int_equal(s.first_ns, 0);
	assert_int_equal(s.requests, 24);
	note(&s, 1, 10, 3 * MS);
	assert_int_equal(s.first_ns, 3 * MS);
	assert_int_equal(s.first_requests, 25);
	assert_int_equal(s.first_bytes, 250);
	note(&s, 9, 10, 50 * MS); /* the same group */
	assert_int_equal(s.first_ns, 3 * MS);
	still_up_begin(&s);
	assert_int_equal(s.first_ns, 50 * MS);
	assert_int_equal(s.first_requests, 34);
	note(&s, 2, 10, MS); /* fewer than half of the five */
	still_up_begin(&s);
	assert_int_equal(s.first_ns, 50 * MS);
	note(&s, 1, 10, MS);
	still_up_begin(&s);
	assert_int_equal(s.first_ns, MS);
}

/* Grades still-up behind the group deliver, which was right, with these times. */
static const struct probe_result *grade(int64_t first_ns, int64_t last_ns, double bytes_times, double requests_times)
{
	struct probe_check *check = check_of("still-up/deliver");
	check->result = (struct probe_result){ .ended = true, .verdict = GRADE_OK };
	player.still_up = (struct still_up){ .count = STILL_UP_MAX,
		                             .first_ns = first_ns,
		                             .first_bytes = 1000,
		                             .bytes = (uint64_t)(1000 * bytes_times),
		                             .first_requests = 100,
		                             .requests = (uint64_t)(100 * requests_times) };
	for (size_t i = 0; i < STILL_UP_MAX; i++)
		player.still_up.ns[i] = last_ns;
	assert_int_equal(still_up_end(&player, check, &err), 0);
	return &check->result;
}

TEST(test_five_times_as_slow_and_a_tenth_of_a_second_is_slower)
{
	static const struct {
		int64_t first_ns, last_ns;
		double bytes, requests;
		bool is_slower;
	} rows[] = {
		{ 1 * MS, 100 * MS, 1, 1, false },
		{ 1 * MS, 101 * MS, 1, 1, true },
		{ 30 * MS, 150 * MS, 1, 1, false },
		{ 30 * MS, 151 * MS, 1, 1, true },
		/* One that keeps twice as much may take twice as long, and so with twice as many. */
		{ 30 * MS, 300 * MS, 2, 1, false },
		{ 30 * MS, 301 * MS, 2, 1, true },
		{ 30 * MS, 300 * MS, 1, 2, false },
		{ 30 * MS, 301 * MS, 1, 2, true },
		{ 30 * MS, 900 * MS, 2, 6, false },
		{ 0, 9000 * MS, 1, 1, false }, /* it is not known */
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		player_open(&kind, "deliver still-up", false);
		const struct probe_result *r =
		        grade(rows[i].first_ns, rows[i].last_ns, rows[i].bytes, rows[i].requests);
		if ((r->verdict == GRADE_WARN) != rows[i].is_slower)
			fail_msg("%zu: %d, '%s'", i, (int)r->verdict, r->reason);
		player_close();
	}
}

/* What nothing was sent for says so; the times are no matter then. */
TEST(test_what_has_ended_otherwise_stays)
{
	player_open(&kind, "deliver still-up", false);
	struct probe_check *check = check_of("still-up/deliver");
	grade(MS, 9000 * MS, 1, 1);
	assert_int_equal(check->result.verdict, GRADE_WARN);
	assert_string_equal(check->result.reason,
	                    "responses take 9.0 s, and took 1.0 ms at the beginning of 'deliver'");
	check->result = (struct probe_result){ .ended = true, .verdict = GRADE_SKIP };
	assert_int_equal(still_up_end(&player, check, &err), 0);
	assert_int_equal(check->result.verdict, GRADE_SKIP);
	assert_int_equal(keeper.requests, 0);
	player_close();
}

/* The checks of the group were sent, and the ones behind it have failed. */
static struct probe_check *fail_behind(const char *sent)
{
	struct probe_check *check = check_of("still-up/deliver");
	for (size_t i = 0; i < run.plan.count; i++)
		if (is_one_of(run.plan.checks[i].id, sent))
			run.plan.checks[i].result = (struct probe_result){ .ended = true, .verdict = GRADE_OK };
	check->result = (struct probe_result){ .ended = true, .verdict = GRADE_FAIL };
	return check;
}

/* Nothing is accepted any more: what has done that cannot be found. */
TEST(test_what_takes_nothing_more_is_blamed_on_the_group)
{
	player_open(&kind, "deliver still-up", false);
	refused_from = 1;
	refused_to = UINT32_MAX;
	struct probe_check *check = fail_behind("deliver/user-created deliver/bureau-alert");
	note(&player.still_up, 1, 10, MS); /* before the group, or in it */
	assert_int_equal(still_up_end(&player, check, &err), 0);
	assert_string_equal(check->advice,
	                    "one of the 2 checks of 'deliver' has stopped it or slowed it down; which of "
	                    "them is not known");
	assert_int_equal(keeper.requests, 1);
	check = fail_behind("");
	check_of("deliver/user-created")->result.ended = false;
	assert_int_equal(still_up_end(&player, check, &err), 0); /* there was no other one */
	assert_string_equal(check->advice, "deliver/bureau-alert has stopped it or slowed it down");
	player_close();
}

/* It was the same before: a listener that never took anything, or a group of which nothing was sent. */
TEST(test_what_was_so_before_is_blamed_on_nothing)
{
	for (unsigned accepted = 0; accepted <= 2; accepted++) {
		player_open(&kind, "deliver still-up", false);
		refused_from = 1;
		refused_to = UINT32_MAX;
		struct probe_check *check = fail_behind(accepted > 0 ? "" : "deliver/user-created");
		check->result.fix = accepted > 1 ? check->row->fix : "of its status";
		note(&player.still_up, accepted, 10, MS);
		assert_int_equal(still_up_end(&player, check, &err), 0);
		assert_string_equal(check->advice, "");
		assert_string_equal(check->result.fix,
		                    accepted > 1 ? "see the listener's log: it accepts no valid notification"
		                                 : "of its status");
		player_close();
	}
}

/* It is refused behind the check three times, and not the fourth time. */
TEST(test_what_comes_and_goes_is_not_blamed_on_a_check)
{
	player_open(&kind, "deliver still-up", false);
	refused_from = 3;
	refused_to = 7;
	struct probe_check *check = fail_behind("deliver/user-created deliver/bureau-alert");
	note(&player.still_up, 1, 10, MS);
	assert_int_equal(still_up_end(&player, check, &err), 0);
	assert_non_null(strstr(check->advice, "which of them is not known"));
	player_close();
}

/* Each time behind one of them: the check, started again where the process is ours. */
TEST(test_what_breaks_it_each_time_is_blamed)
{
	player_open(&store, "deliver still-up", true);
	keeper.dies_of = "\"alertId\"";
	keeper.breaks = true;
	unsigned starts = keeper.starts;
	struct probe_check *check = fail_behind("deliver/user-created deliver/bureau-alert");
	assert_int_equal(still_up_end(&player, check, &err), 0);
	assert_string_equal(check->advice, "deliver/bureau-alert has stopped it or slowed it down");
	assert_int_equal(keeper.starts, starts + 2); /* to look for it, and for what follows */
	assert_int_equal(check->result.verdict, GRADE_FAIL);
	player_close();
}

static bool was_order;

/* What comes behind the order of a report is refused. */
static int refuse_behind_orders(struct keeper *k, struct visit *v)
{
	bool is_refused = was_order;
	(void)k;
	was_order = strstr(v->body, "\"offCycle\"") != NULL;
	return is_refused ? 500 : 200;
}

static const struct keeper_kind sulking = { "Sulking", NULL, refuse_behind_orders, show_rows, NULL, 0 };

/* One that is not ours is not started again: nothing is waited for, and what comes next is sent as ever. */
TEST(test_what_breaks_one_that_is_not_ours_is_blamed)
{
	int64_t took;
	was_order = false;
	player_open(&sulking, "deliver still-up", false);
	struct probe_check *check = fail_behind("deliver/user-created deliver/credit-report-ordered "
	                                        "deliver/bureau-alert");
	TOOK(took, still_up_end(&player, check, &err));
	assert_string_equal(check->advice, "deliver/credit-report-ordered has stopped it or slowed it down");
	assert_int_equal(keeper.requests, 1 + 2 + 5 * 2); /* those before it, itself, and none behind it */
	assert_between(took, 0, 50 * MS);
	assert_false(player.recovery.is_due);
	player_close();
}

/* What it got behind that check is explained: no cause is sought in what it sent. Until then it comes and goes. */
TEST(test_what_another_check_has_broken_has_no_cause_of_its_own)
{
	for (int is_known = 0; is_known < 2; is_known++) {
		player_open(&sulking, "deliver/credit-report-ordered deliver/user-created still-up", false);
		was_order = false;
		size_t at = (size_t)(check_of("still-up/deliver") - run.plan.checks);
		assert_int_equal(play_batch(&player, 0, at, &err), 0);
		was_order = true;
		assert_int_equal(play_batch(&player, at, at + 1, &err), 0);
		assert_true(has_failed(check_of("still-up/deliver")));
		if (is_known)
			assert_int_equal(still_up_end(&player, check_of("still-up/deliver"), &err), 0);
		assert_int_equal(inquiry_play(&player, &err), 0);
		assert_int_equal(run.summary.cause_count, !is_known);
		assert_int_equal(check_of("still-up/deliver")->result.cause, !is_known);
		player_close();
	}
}

/* It is started once, to look for what has broken it; where nothing has, it is left as it is. */
TEST(test_what_breaks_nothing_is_no_reason_to_start_it_again)
{
	was_order = false;
	player_open(&sulking, "deliver still-up", true);
	unsigned starts = keeper.starts;
	struct probe_check *check = fail_behind("deliver/user-created deliver/bureau-alert");
	note(&player.still_up, 1, 10, MS);
	assert_int_equal(still_up_end(&player, check, &err), 0);
	assert_non_null(strstr(check->advice, "which of them is not known"));
	assert_int_equal(keeper.starts, starts + 1);
	player_close();
}

/* An experiment is more than a request: it is not tried. */
TEST(test_an_experiment_is_not_played_again)
{
	was_order = false;
	player_open(&sulking, "effect still-up", false);
	struct probe_check *check = check_of("still-up/effect");
	for (size_t i = 0; i < run.plan.count; i++)
		if (is_one_of(run.plan.checks[i].id, "effect"))
			run.plan.checks[i].result = (struct probe_result){ .ended = true, .verdict = GRADE_OK };
	check->result = (struct probe_result){ .ended = true, .verdict = GRADE_FAIL };
	assert_int_equal(still_up_end(&player, check, &err), 0);
	assert_int_equal(keeper.requests, 1);
	player_close();
}

/* A slow listener is not asked for ever: ten seconds. */
TEST(test_the_search_has_an_end)
{
	static const struct keeper_kind slow = { "Slow", NULL, take, show_rows, NULL, 3000 * MS };
	player_open(&slow, "deliver still-up", false);
	refused_from = UINT32_MAX;
	struct probe_check *check = fail_behind("deliver");
	check->result.verdict = GRADE_FAIL;
	note(&player.still_up, 1, 10, MS);
	int64_t began = keeper.now_ns;
	assert_int_equal(still_up_end(&player, check, &err), 0);
	assert_between(keeper.now_ns - began, 10 * CLOCK_NS_PER_S, 20 * CLOCK_NS_PER_S);
	assert_non_null(strstr(check->advice, "which of them is not known"));
	player_close();
}

TEST(test_memory_may_run_out_in_the_search)
{
	size_t failed = 0;
	refused_from = UINT32_MAX;
	for (unsigned long n = 1, all = n; n <= all; n++) {
		player_open(&kind, "deliver still-up", false);
		struct probe_check *check = fail_behind("deliver/user-created");
		allocations = 0;
		fail_at = n;
		int code = still_up_end(&player, check, &err);
		fail_at = 0;
		all = allocations;
		failed += code < 0;
		if (code < 0)
			assert_string_equal(err.message, "out of memory");
		assert_true(check->result.ended);
		assert_int_equal(check->result.verdict, GRADE_FAIL);
		player_close();
	}
	assert_true(failed > 5);
}
