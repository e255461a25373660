/* Listeners that respond before what they keep can be seen, on the run's clock: what is waited for once is not waited
 * for again with each notification, and nobody is blamed for being late. */
#include "keeper_run.h"
#include "sanitizers.h"
#include "test.h"

#define CHECKS "deliver value bad effect crash"
#define LATE   (2 * CLOCK_NS_PER_S)

/* What is seen a while after its response. */
static int64_t lag_ns;

static bool is_valid(const struct visit *v)
{
	return strstr(v->body, "\"details\":{") || strstr(v->body, "\"details\": {");
}

static int keep_late(struct keeper *k, struct visit *v)
{
	if (!is_valid(v))
		return 400;
	if (!find(k, v->body))
		add(k, v->body, lag_ns, true);
	return 200;
}

/* A worker, which takes the time for each. */
static int keep_in_turn(struct keeper *k, struct visit *v)
{
	int64_t busy_ns =
	        k->count > 0 && !is_seen(k, &k->kept[k->count - 1]) ? k->kept[k->count - 1].due_ns - k->now_ns : 0;
	if (!is_valid(v))
		return 400;
	if (!find(k, v->body))
		add(k, v->body, busy_ns + lag_ns, true);
	return 200;
}

/* A job at the end of each period. */
static int keep_by_job(struct keeper *k, struct visit *v)
{
	if (!is_valid(v))
		return 400;
	if (!find(k, v->body))
		add(k, v->body, lag_ns - k->now_ns % lag_ns, true);
	return 200;
}

/* Only what came last of all. */
static int keep_last(struct keeper *k, struct visit *v)
{
	if (!is_valid(v))
		return 400;
	if (k->count == 0 || strcmp(k->kept[k->count - 1].body, v->body) != 0) {
		k->count = 0;
		add(k, v->body, lag_ns, true);
	}
	return 200;
}

static struct keeper keeper;
static struct keeper_run found;

/* Plays them; returns how long it took. */
static int64_t play(const struct keeper_kind *kind, const char *checks, int64_t lag)
{
	lag_ns = lag;
	keeper_open(&keeper, kind);
	keeper_play(&keeper, checks, true, &found);
	assert_int_equal(found.code, 0);
	return keeper.now_ns;
}

/* Nothing has failed, but what begins with one of the words. */
static void check_right(const char *words)
{
	for (size_t i = 0; i < found.plan.count; i++)
		if (has_failed(&found.plan.checks[i]) && !is_one_of(found.plan.checks[i].id, words))
			fail_msg("%s: %s", found.plan.checks[i].id, found.plan.checks[i].result.reason);
	keeper_run_release(&found);
}

TEST(test_what_is_seen_late_is_waited_for_once_for_all)
{
	static const struct keeper_kind kind = { "Late", NULL, keep_late, show_rows, NULL, 0 };
	int64_t prompt_ns = play(&kind, CHECKS, MS);
	unsigned requests = keeper.requests;
	check_right("");
	int64_t late_ns = play(&kind, CHECKS, LATE);
	assert_int_equal(keeper.requests, requests); /* no suspicion had to be looked at again */
	check_right("");
	assert_in_range(prompt_ns, 0, 25 * CLOCK_NS_PER_S);
	assert_in_range(late_ns, 0, 110 * CLOCK_NS_PER_S);
}

TEST(test_one_after_the_other_is_late_too)
{
	static const struct keeper_kind workers[] = { { "Worker", NULL, keep_in_turn, show_rows, NULL, 0 },
		                                      { "Job", NULL, keep_by_job, show_rows, NULL, 0 },
		                                      { "Numbers", NULL, keep_late, show_number, NULL, 0 } };
	static const int64_t lags[] = { 20 * MS, 600 * MS, LATE };
	for (size_t i = 0; i < sizeof workers / sizeof workers[0]; i++)
		for (size_t l = IS_SANITIZED ? 2 : 0; l < sizeof lags / sizeof lags[0]; l++) {
			play(&workers[i], "effect crash", lags[l]);
			check_right("");
		}
}

/* What it has is there at once, and after a start when it was read again. */
static void read_again(struct keeper *k)
{
	for (size_t i = 0; i < k->count; i++)
		k->kept[i].due_ns = k->now_ns + LATE;
}

TEST(test_what_is_shown_late_after_a_start_is_not_lost)
{
	static const struct keeper_kind kind = { "ReadsAgain", NULL, keep_late, show_rows, read_again, 0 };
	play(&kind, "crash", 0);
	assert_int_equal(check_named(&found.plan, "crash/restart")->result.verdict, GRADE_OK);
	assert_int_equal(check_named(&found.plan, "crash/kill")->result.verdict, GRADE_OK);
	check_right("");
}

/* It keeps one state, and shows it late. */
TEST(test_what_only_the_last_one_leaves_is_tried_one_by_one)
{
	static const struct keeper_kind kind = { "Last", NULL, keep_last, show_rows, NULL, 0 };
	for (int i = 0; i < 2; i++) {
		play(&kind, "effect/once effect/distinct", i == 0 ? MS : LATE);
		check_right("effect/distinct");
	}
}
