/* What a check that fails says of what has come of it: in words of the experiment that was confirmed. */
#include "keeper_run.h"
#include "keeps.h"

static const struct harm_row {
	struct keeper_kind kind;
	const char *check, *lost; /* NULL: the row's */
	bool is_double;
} harms[] = {
	{ { "KeepsAll", NULL, keep_all, show_rows, NULL, 0 }, "effect/once:bureau-alert", NULL, true },
	{ { "Clashes", NULL, clash, show_rows, NULL, 0 },
	  "effect/once:user-created",
	  "EVENT is refused when it comes twice",
	  false },
	{ { "Clashes", NULL, clash, show_rows, NULL, 0 },
	  "effect/at-once",
	  "what comes twice at the same time is refused",
	  false },
	{ { "LookThenInsert", look_first, keep_unless_known, show_rows, NULL, 0 },
	  "effect/at-once",
	  "what comes twice at the same time is kept twice",
	  true },
	{ { "Rewritten", read_all, write_all, show_rows, NULL, 0 }, "effect/together", NULL, false },
	{ { "RewrittenCounted", read_all, write_all, show_number, NULL, 0 },
	  "effect/together",
	  "some of what comes at the same time is lost, or only not counted",
	  false },
	{ { "Flushed", NULL, keep_flushed, show_rows, NULL, 0 }, "crash/kill", NULL, false },
	{ { "MarkFirst", mark_first, keep_unless_known, show_rows, NULL, 100 * MS },
	  "crash/kill",
	  "what comes again after an end is lost behind a 2xx",
	  false },
	{ { "WorkThenMark", NULL, keep_undone, show_rows, redo, 0 },
	  "crash/kill",
	  "what comes again after an end is kept twice",
	  true },
};

TEST(test_what_came_of_it_is_said)
{
	for (size_t i = 0; i < sizeof harms / sizeof harms[0]; i++) {
		const struct harm_row *row = &harms[i];
		keeper_open(&keeper, &row->kind);
		keeper_play(&keeper, row->check, true, &found);
		assert_int_equal(found.code, 0);
		const struct probe_check *check = check_named(&found.plan, row->check);
		const char *lost = check->result.lost;
		if (!has_failed(check) || !lost != !row->lost || (lost && strcmp(lost, row->lost) != 0))
			fail_msg("%s: %s: %s: %s", row->kind.name, row->check, check->result.reason, lost ? lost : "-");
		assert_int_equal(check->result.is_double, row->is_double);
		keeper_run_release(&found);
	}
}

/* Plays the checks; those that have to fail are the only ones. */
static void expect_failed(const struct keeper_kind *kind, const char *checks, const char *failed)
{
	keeper_open(&keeper, kind);
	keeper_play(&keeper, checks, true, &found);
	assert_int_equal(found.code, 0);
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_check *check = &found.plan.checks[i];
		if (has_failed(check) != is_one_of(check->id, failed))
			fail_msg("%s: %s: %s", checks, check->id, check->result.reason);
	}
}

static const struct probe_result *result_of(const char *id)
{
	return &check_named(&found.plan, id)->result;
}

static const struct keeper_kind rewritten = { "Rewritten", read_all, write_all, show_rows, NULL, 0 };

/* What comes at the same time is lost: each end is looked at with one in flight then. */
TEST(test_a_race_is_one_bug)
{
	expect_failed(&rewritten, "effect/together crash", "effect/together");
	assert_int_equal(result_of("crash/kill")->verdict, GRADE_OK);
	keeper_run_release(&found);
}

/* The group alone finds it, too, and goes on. */
TEST(test_a_race_is_found_where_nothing_was_ended)
{
	expect_failed(&rewritten, "crash", "crash/restart");
	assert_string_equal(result_of("crash/restart")->lost,
	                    "some of what comes at the same time is lost behind a 2xx");
	assert_non_null(strstr(result_of("crash/restart")->reason, "one after the other all are"));
	assert_int_equal(result_of("crash/kill")->verdict, GRADE_OK);
	assert_int_equal(result_of("crash/stop")->verdict, GRADE_OK);
	keeper_run_release(&found);
}

static int write_all_late(struct keeper *k, struct visit *v)
{
	k->count = v->seen < k->count ? v->seen : k->count;
	return keep_late(k, v);
}

/* It writes all of it again, and not to the disk before it responds. */
TEST(test_two_bugs_are_two)
{
	static const struct keeper_kind both = { "RewrittenLate", read_all, write_all_late, show_rows, NULL, 0 };
	expect_failed(&both, "effect/together crash", "effect/together crash/kill crash/stop");
	assert_non_null(strstr(result_of("crash/kill")->reason, "that got a 2xx were gone after"));
	assert_null(result_of("effect/together")->part_of);
	assert_null(result_of("crash/kill")->part_of);
	assert_ptr_equal(result_of("crash/stop")->part_of, check_named(&found.plan, "crash/kill"));
	keeper_run_release(&found);
}

/* What leaves nothing behind others of its customer, and something alone, is lost to the same key. */
TEST(test_a_coarse_key_is_one_bug_with_the_kinds_that_it_drops)
{
	static const struct keeper_kind coarse = { "Coarse", NULL, keep_by_service_but_tokens, show_rows, NULL, 0 };
	size_t parts = 0;
	keeper_open(&keeper, &coarse);
	keeper_play(&keeper, "effect/once effect/distinct", true, &found);
	assert_int_equal(found.code, 0);
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_check *check = &found.plan.checks[i];
		if (!check->result.part_of)
			continue;
		parts++;
		assert_true(is_one_of(check->result.part_of->id, "effect/distinct:"));
		assert_int_equal(check->result.part_of->result.verdict, GRADE_FAIL);
		assert_int_equal(check->result.verdict, GRADE_FAIL);
		assert_string_equal(check->result.lost, "what a customer gets second is lost behind a 2xx");
	}
	assert_true(parts > 0);
	/* One that leaves nothing alone either is another matter. */
	const struct probe_check *token = check_named(&found.plan, "effect/once:authentication-token-generated");
	assert_true(has_failed(token) && !token->result.part_of);
	keeper_run_release(&found);
}

static void keep_at_once(struct keeper *k, struct visit *v)
{
	add(k, v->body, 0, true);
}

static int say_kept(struct keeper *k, struct visit *v)
{
	(void)k, (void)v;
	return 200;
}

/* Its effect is there before it has responded, so that it is sent again behind an end, and kept twice as without one.
 */
TEST(test_what_is_always_kept_twice_is_no_matter_of_ends)
{
	static const struct keeper_kind kind = { "KeepsAtOnce", keep_at_once, say_kept, show_rows, NULL, 0 };
	expect_failed(&kind, "crash", "");
	assert_int_equal(result_of("crash/kill")->verdict, GRADE_OK);
	assert_int_equal(result_of("crash/stop")->verdict, GRADE_OK);
	keeper_run_release(&found);
}

/* At SIGTERM it marks what is done. */
static void end_in_order(void *context, int number)
{
	struct keeper *k = context;
	for (size_t i = 0; k->is_up && number == SIGTERM && i < k->count; i++)
		k->kept[i].done_ns = 0;
	keeper_signal(k, number);
}

TEST(test_what_kill_alone_doubles_is_its_own)
{
	static const struct keeper_kind kind = { "WorkThenMark", NULL, keep_undone, show_rows, redo, 0 };
	keeper_open(&keeper, &kind);
	keeper.control.signal = end_in_order;
	keeper_play(&keeper, "crash", true, &found);
	assert_int_equal(found.code, 0);
	assert_true(has_failed(check_named(&found.plan, "crash/kill")));
	assert_non_null(strstr(result_of("crash/kill")->reason, "were there twice"));
	assert_int_equal(result_of("crash/stop")->verdict, GRADE_OK);
	keeper_run_release(&found);
}

/* What either end does by itself is its own. */
TEST(test_what_sigterm_alone_loses_is_its_own)
{
	static const struct keeper_kind right = { "Right", NULL, keep, show_rows, NULL, 0 };
	keeper_open(&keeper, &right);
	keeper.drops_at_sigterm = true;
	keeper_play(&keeper, "crash", true, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(result_of("crash/kill")->verdict, GRADE_OK);
	assert_int_equal(result_of("crash/stop")->verdict, GRADE_FAIL);
	assert_null(result_of("crash/stop")->part_of);
	keeper_run_release(&found);
}

/* What it has got in the last second is stored, and done again behind the next start. */
static void store_at_sigterm(void *context, int number)
{
	struct keeper *k = context;
	for (size_t i = 0; k->is_up && number == SIGTERM && i < k->count; i++) {
		struct entry *e = &k->kept[i];
		e->done_ns = e->due_ns > k->now_ns ? k->now_ns + CLOCK_NS_PER_S : 0;
		e->is_on_disk = true;
	}
	keeper_signal(k, number);
}

TEST(test_what_each_end_does_is_its_own)
{
	static const struct keeper_kind kind = { "LosesOrDoubles", NULL, keep_flushed, show_rows, redo, 0 };
	keeper_open(&keeper, &kind);
	keeper.control.signal = store_at_sigterm;
	keeper_play(&keeper, "crash", true, &found);
	assert_int_equal(found.code, 0);
	assert_non_null(strstr(result_of("crash/kill")->reason, "were gone after kill -9"));
	assert_null(result_of("crash/kill")->lost);
	assert_non_null(strstr(result_of("crash/stop")->reason, "were there twice after SIGTERM"));
	assert_string_equal(result_of("crash/stop")->lost, "what had its 2xx before an end is kept twice");
	assert_null(result_of("crash/stop")->part_of);
	keeper_run_release(&found);
}
