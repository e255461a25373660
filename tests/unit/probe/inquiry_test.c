/* What is asked at the end of a run about what has failed: how much, of whom, and what becomes of a listener over it.
 */
#include "player_unit.h"
#include "probe/inquiry.h"
#include "probe/play/play.h"
#include "test.h"

static const char apostrophe[] = "O'Sample";
static const char checks[] = "deliver value";
static struct error err;

static int take(struct keeper *k, struct visit *v)
{
	(void)k, (void)v;
	return 200;
}

static int refuse(struct keeper *k, struct visit *v)
{
	(void)k;
	return strstr(v->body, apostrophe) ? 422 : 200;
}

/* A number that long breaks it. */
static int break_over_digits(struct keeper *k, struct visit *v)
{
	(void)k;
	return strstr(v->body, "7777777777") ? 500 : 200;
}

static bool has_refused;

/* The first one of these alone. */
static int refuse_once(struct keeper *k, struct visit *v)
{
	bool is_refused = !has_refused && strstr(v->body, apostrophe);
	(void)k;
	has_refused |= is_refused;
	return is_refused ? 422 : 200;
}

static const struct keeper_kind moody = { "Moody", NULL, refuse_once, show_rows, NULL, 0 };
static const struct keeper_kind fragile = { "Fragile", NULL, break_over_digits, show_rows, NULL, 0 };
static const struct keeper_kind strict = { "Strict", NULL, refuse, show_rows, NULL, 0 };
static const struct keeper_kind quick = { "Quick", NULL, take, show_rows, NULL, 0 };

/* What failed has a cause then, and nothing else has changed; of what is a note alone none is sought. */
TEST(test_questions_are_asked_of_what_has_failed)
{
	static const struct {
		const struct keeper_kind *kind;
		const char *checks;
		size_t failed;
	} rows[] = { { &strict, checks, 4 }, { &quick, checks, 0 }, { &fragile, "deliver json/huge-number", 0 } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		player_open(rows[i].kind, rows[i].checks, false);
		assert_int_equal(play_batch(&player, 0, run.plan.count, &err), 0);
		unsigned asked = keeper.requests;
		uint64_t sent = player.requests;
		assert_int_equal(inquiry_play(&player, &err), 0);
		asked = keeper.requests - asked;
		assert_true(rows[i].failed > 0 ? asked > 3 && asked < 30 : asked == 0);
		assert_int_equal(player.requests, sent);
		assert_int_equal(run.summary.stop, PROBE_THROUGH);
		assert_int_equal(run.summary.cause_count, rows[i].failed > 0);
		assert_int_equal(count_failed(&run.plan), rows[i].failed);
		for (size_t c = 0; c < run.plan.count; c++)
			assert_int_equal(run.plan.checks[c].result.cause, has_failed(&run.plan.checks[c]));
		player_close();
	}
}

/* Of a cause are those that have failed over it: not what has ended well, or as skipped, since it got that, nor what
 * was not played to its end. That it comes and goes says nothing of what has ended the listener. */
TEST(test_who_has_a_cause_has_failed_over_it)
{
	static const char id[] = "value/user-created:firstName=apostrophe";
	static const struct {
		const struct keeper_kind *kind;
		bool ended;
		enum grade verdict;
		bool ended_listener, has_cause;
	} rows[] = {
		{ &strict, true, GRADE_FAIL, false, true },  { &strict, true, GRADE_WARN, false, true },
		{ &strict, true, GRADE_FAIL, true, true },   { &strict, true, GRADE_OK, false, false },
		{ &strict, true, GRADE_SKIP, false, false }, { &strict, false, GRADE_FAIL, false, false },
		{ &moody, true, GRADE_FAIL, false, true },   { &moody, true, GRADE_FAIL, true, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		player_open(rows[i].kind, checks, false);
		has_refused = false;
		assert_int_equal(play_batch(&player, 0, run.plan.count, &err), 0);
		struct probe_result *r = &check_of(id)->result;
		assert_int_equal(r->verdict, GRADE_FAIL);
		r->ended = rows[i].ended;
		r->verdict = rows[i].verdict;
		r->ended_listener = rows[i].ended_listener;
		assert_int_equal(inquiry_play(&player, &err), 0);
		assert_int_equal(run.summary.cause_count, 1);
		assert_int_equal(run.summary.causes[0].type == CAUSE_FLAKY, rows[i].kind == &moody);
		if ((r->cause == 1) != rows[i].has_cause)
			fail_msg("%zu: %u", i, r->cause);
		player_close();
	}
}

/* Where one check is named, others are sent to compare with once it has failed: they are not of the run. */
TEST(test_what_failed_alone_is_compared_with_others)
{
	static const char id[] = "value/user-created:firstName=apostrophe";
	static const struct {
		const struct keeper_kind *kind;
		bool ended_listener;
		bool is_compared;
	} rows[] = { { &strict, false, true }, { &strict, true, false }, { &quick, false, false } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		player_open(rows[i].kind, id, false);
		assert_int_equal(play_batch(&player, 0, run.plan.count, &err), 0);
		assert_int_equal(keeper.requests, 1);
		check_of(id)->result.ended_listener = rows[i].ended_listener;
		assert_int_equal(inquiry_play(&player, &err), 0);
		assert_int_equal(keeper.requests > run.plan.count, rows[i].is_compared);
		assert_int_equal(probe_watch_median(&player.watch), rows[i].kind == &quick ? MS : 0);
		assert_true(!rows[i].is_compared || run.summary.causes[0].fact_count > 0);
		for (size_t c = 0; c < run.plan.count; c++) {
			const struct probe_check *check = &run.plan.checks[c];
			bool is_it = strcmp(check->id, id) == 0;
			assert_true(check->chosen == is_it && check->result.ended == is_it);
		}
		player_close();
	}
}

/* What ends over them is started again four times; then no more is asked. */
TEST(test_questions_end_a_listener_four_times_at_most)
{
	for (int is_ours = 0; is_ours < 2; is_ours++) {
		player_open(&quick, checks, is_ours);
		keeper.dies_of = apostrophe;
		keeper.is_supervised = true;
		assert_int_equal(play_batch(&player, 0, run.plan.count, &err), 0);
		unsigned starts = keeper.starts;
		assert_int_equal(inquiry_play(&player, &err), 0);
		assert_int_equal(keeper.starts - starts, 4);
		assert_int_equal(run.summary.stop, PROBE_THROUGH);
		assert_int_equal(run.summary.cause_count, 1);
		assert_int_equal(run.summary.causes[0].check_count, 4);
		assert_int_equal(count_failed(&run.plan), 4);
		player_close();
	}
}

/* The run has been through, and no check is to blame. */
TEST(test_a_listener_that_is_gone_over_a_question_was_there)
{
	player_open(&strict, checks, false);
	assert_int_equal(play_batch(&player, 0, run.plan.count, &err), 0);
	keeper.dies_of = apostrophe;
	unsigned asked = keeper.requests;
	assert_int_equal(inquiry_play(&player, &err), 0);
	assert_int_equal(run.summary.stop, PROBE_THROUGH);
	assert_true(keeper.requests - asked < 13);
	assert_int_equal(count_failed(&run.plan), 4);
	for (size_t i = 0; i < run.plan.count; i++)
		assert_false(run.plan.checks[i].result.ended_listener);
	player_close();
}

/* Why it was stopped stays, and no causes are sought where nothing is graded. */
TEST(test_a_run_that_is_over_asks_nothing)
{
	static const struct {
		enum probe_stop stop;
		size_t causes;
	} rows[] = { { PROBE_INTERRUPTED, 1 },
		     { PROBE_GONE, 1 },
		     { PROBE_NOT_READY, 1 },
		     { PROBE_LOCKED_OUT, 0 },
		     { PROBE_UNREACHABLE, 0 } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		player_open(&strict, checks, false);
		assert_int_equal(play_batch(&player, 0, run.plan.count, &err), 0);
		unsigned before = keeper.requests;
		run.summary.stop = rows[i].stop;
		assert_int_equal(inquiry_play(&player, &err), 0);
		assert_int_equal(run.summary.stop, rows[i].stop);
		assert_int_equal(keeper.requests, before);
		assert_int_equal(run.summary.cause_count, rows[i].causes);
		player_close();
	}
}

#define CUSTOMER "0badcafe-0000-4000-8000-000000000001"

static unsigned unknown; /* requests of another customer */

static int refuse_strangers(struct keeper *k, struct visit *v)
{
	char key[BODY_SIZE];
	(void)k;
	bool is_known = strcmp(value_of(v->body, "clientKey", key), CUSTOMER) == 0;
	unknown += !is_known;
	return !is_known || strstr(v->body, "\"alertId\"") ? 422 : 200;
}

/* A listener may know the values alone that the user has set, by whichever option. */
TEST(test_what_is_asked_has_the_values_that_are_set)
{
	static const struct keeper_kind knowing = { "Knowing", NULL, refuse_strangers, show_rows, NULL, 0 };
	for (size_t i = 0; i < PROBE_EDITS_MAX; i++) {
		RELEASED(edits) edits = { .list = NULL };
		unknown = 0;
		player_open(&knowing, "deliver", false);
		assert_int_equal(edits_add_set(&edits, "details.clientKey=" CUSTOMER, &err), 0);
		player.maker.edits[i] = &edits;
		assert_int_equal(play_batch(&player, 0, run.plan.count, &err), 0);
		unsigned asked = keeper.requests;
		assert_int_equal(inquiry_play(&player, &err), 0);
		assert_true(keeper.requests > asked);
		assert_int_equal(unknown, 0);
		player_close();
	}
}
