/* What people read of a run of `test`: one screen, and the lines to type. */
#include "probe_unit.h"

static const char long_reason[] =
        "7 of 10 user-created that got a 2xx on 5 connections left nothing; one after the other "
        "each leaves its trace, where their identifiers share nothing";
static const char long_fix[] =
        "reading, changing and writing back are three steps: take a lock around them, or let the "
        "database do it in one; and keep each under its whole identifier";

TEST(test_rows_that_are_free_are_given_to_what_is_cut)
{
	begin("effect/together");
	fail_check("effect/together", long_fix, long_reason);
	show(ROWS);
	assert_shown("identifiers share nothing;\n");
	assert_shown("whole identifier\n");
	assert_not_shown("...");
	end();
}

/* Nobody's rows are taken for that. */
TEST(test_the_first_rows_are_shared_out)
{
	static const char *const ids[] = { "effect/together",  "effect/at-once",
		                           "effect/others",    "effect/again-after-restart",
		                           "crash/kill",       "crash/stop",
		                           "repeat/concurrent" };
	begin("effect crash repeat/concurrent");
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		char reason[PROBE_REASON_SIZE];
		snprintf(reason, sizeof reason, "%s: %s", ids[i], long_reason);
		buffer_append_text(&fail_check(ids[i], long_fix, reason)->result.log, "ValueError: a word\n");
	}
	show(ROWS);
	assert_int_equal(count_rows(), ROWS - 1);
	assert_shown("1 ✗ ");
	assert_shown("5 ✗ ");
	assert_shown(" more: -v\n");
	assert_shown("...");
	end();
}

/* env(1) runs the first word that is not NAME=VALUE. */
TEST(test_the_line_to_type_has_the_environment_of_command)
{
	static const char *const words[] = { "env",     "FOLDER=a b", "API_TOKEN=4f9d7c2b",
		                             "node",    "app.js",     "--password",
		                             "hunter2", NULL };
	struct error err;
	LOCAL_BUFFER line = BUFFER_INIT;
	begin("effect/together");
	buffer_append_text(&run.route.destination.url, "http://127.0.0.1:3000/hook");
	assert_int_equal(text_list_add_all(&run.program.words, words, sizeof words / sizeof words[0], &err), 0);
	probe_add_commands(&run);
	probe_append_again(&line, &run, "effect/together", PROBE_NORMAL, false);
	assert_string_equal(buffer_text(&line),
	                    "credhook test effect/together --to http://127.0.0.1:3000/hook -- env 'FOLDER=a b' "
	                    "'API_TOKEN=...' node app.js --password VALUE");
	end();
}

/* still-up/effect plays the checks of effect, which need it; still-up/repeat does not. */
TEST(test_the_line_to_type_has_what_the_group_needs)
{
	static const char *const ids[] = { "still-up/effect", "still-up/repeat" };
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		LOCAL_BUFFER all = BUFFER_INIT, one = BUFFER_INIT;
		begin("effect/none repeat/again still-up");
		buffer_append_text(&run.route.destination.url, "http://127.0.0.1:3000/hook");
		struct probe_check *check = fail_check(ids[i], NULL, "got 500");
		probe_append_repeat(&all, &run);
		probe_append_retry(&one, &run, check);
		assert_int_equal(strstr(buffer_text(&all), "--observe 'cat kept'") != NULL, i == 0);
		assert_int_equal(strstr(buffer_text(&one), "--observe 'cat kept'") != NULL, i == 0);
		end();
	}
}

TEST(test_what_the_rest_takes_is_a_row)
{
	LOCAL_BUFFER line = BUFFER_INIT;
	begin("");
	for (size_t i = 0; i < run.checks.count; i++) {
		struct probe_result *r = &run.checks.checks[i].result;
		r->ended = run.checks.checks[i].row->expansion == PROBE_KINDS;
		r->ns = r->ended ? 1303 * CLOCK_NS_PER_MS : 0;
	}
	run.route.http.max_time_ns = 30 * CLOCK_NS_PER_S;
	probe_append_slowness(&line, &run);
	assert_true(line.length > 0 && line.length < COLUMNS);
	assert_non_null(strstr(buffer_text(&line), "a check takes 1.3 s; the rest about "));
	assert_non_null(strstr(buffer_text(&line), " to ")); /* five of them at once, and one at a time */
	end();
}

static const struct probe_summary untested = {
	.stop = PROBE_THROUGH,
	.untested = true,
	.message = "the listener is not started by this run",
	.counts = { [PROBE_MUST] = { [GRADE_OK] = 1, [GRADE_SKIP] = 3 } },
};

TEST(test_nothing_is_right_where_nothing_was_tested)
{
	begin("crash/kill");
	probe_reopen(check_named(&run.checks, "crash/kill"), PROBE_SAID_AGAIN);
	probe_end(check_named(&run.checks, "crash/kill"), PROBE_SKIPPED, NULL, "%s", untested.message);
	show_end(&untested);
	assert_shown("! nothing was tested: the listener is not started by this run\n");
	assert_not_shown("no must failed");
	end();
}

/* The place of the words on the screen. */
static size_t place_of(const char *words)
{
	const char *at = strstr(buffer_text(&seen), words);
	expect_shown(words, true);
	return (size_t)(at - buffer_text(&seen));
}

TEST(test_the_worst_is_first)
{
	begin("repeat/concurrent effect crash");
	fail_check("effect/again-after-restart", NULL, "twice")->result.is_double = true;
	fail_check("effect/together", NULL, "lost");
	fail_check("effect/distinct:bureau-alert", "one key", "left nothing");
	fail_check("effect/distinct:user-token-generated", "one key", "left nothing");
	fail_check("repeat/concurrent", NULL, "refused")->result.status = 500;
	show(ROWS);
	assert_true(place_of("1 ✗ what comes several times at once is refused: 500") <
	            place_of("2 ✗ what a customer gets second is lost behind a 2xx"));
	assert_true(place_of("3 ✗ some of what comes at the same time is lost") <
	            place_of("4 ✗ what comes again after a restart is kept twice"));
	end();
}

TEST(test_what_is_doubled_is_not_lost)
{
	static const struct {
		bool is_double[2];
		const char *words;
	} rows[] = { { { false, false }, "2 bugs lose notifications: 2 musts" },
		     { { false, true }, "2 bugs lose or double notifications: 2 musts" },
		     { { true, true }, "2 bugs double notifications: 2 musts" } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct probe_summary summary = { .stop = PROBE_THROUGH,
			                         .counts = { [PROBE_MUST] = { [GRADE_FAIL] = 2 } } };
		begin("effect crash");
		fail_check("effect/together", NULL, "a")->result.is_double = rows[i].is_double[0];
		fail_check("crash/kill", NULL, "b")->result.is_double = rows[i].is_double[1];
		show_end(&summary);
		assert_shown(rows[i].words);
		end();
	}
}

/* Its first line says what was sent, and what the user expects. */
TEST(test_what_only_the_user_expects_loses_nothing)
{
	struct probe_summary summary = { .stop = PROBE_THROUGH, .counts = { [PROBE_MUST] = { [GRADE_FAIL] = 1 } } };
	begin("repeat/again");
	struct probe_check *check = fail_check("repeat/again", probe_contrary_fix, "");
	status_set_only(&check->expected.ok, 409);
	buffer_clear(&check->expected.text);
	buffer_append_text(&check->expected.text, "409");
	check->result.status = 200;
	check->result.is_contrary = true;
	show_end(&summary);
	assert_shown("1 bug: 1 must in 1 group");
	assert_shown("the same payload twice: expected 409, got 200");
	assert_not_shown("refused");
	end();
}

/* Not what was sent. */
TEST(test_a_must_says_what_is_lost)
{
	begin("");
	for (size_t i = 0; i < run.checks.count; i++) {
		const struct probe_check *check = &run.checks.checks[i];
		bool says = check->level != PROBE_MUST || check->row->lost;
		if (!says)
			fprintf(stderr, "%s\n", check->id);
		assert_true(says);
	}
	end();
}

static struct catalog_kind created(void)
{
	struct catalog_kind kind;
	assert_int_equal(catalog_find_kind("user-created", &kind, NULL), CATALOG_FOUND);
	return kind;
}

static void end_listener(const char *id, const char *reason, const char *lost, bool is_usual)
{
	struct probe_result *r = &fail_check(id, NULL, reason)->result;
	r->ended_listener = true;
	r->lost = lost;
	if (is_usual)
		r->ended_by = created();
}

/* Whatever the check that was sent last is about. */
TEST(test_what_ends_the_listener_is_the_heading)
{
	begin("deliver effect value");
	end_listener("effect/once:bureau-alert", "the listener ended: exit code 1, over a user-created", NULL, true);
	show(ROWS);
	assert_shown("1 ✗ user-created ends the listener   ");
	assert_shown("    exit code 1, over a user-created; ");
	end();
	begin("deliver effect value");
	end_listener("value/user-created:firstName=apostrophe", "the listener ended: SIGSEGV", NULL, false);
	show(ROWS);
	assert_shown("1 ✗ user-created with firstName=apostrophe ends the listener ");
	assert_shown("    SIGSEGV; ");
	end();
	begin("deliver effect value");
	end_listener("value/user-created:firstName=apostrophe",
	             "the listener ended: exit code 1, and started again it ends without a request: something that it "
	             "has stored; accepted last: deliver/bureau-alert, and in the second before it 7 from "
	             "deliver/user-created on",
	             "what it has stored ends the listener, again after a start", false);
	show(ROWS);
	assert_shown("1 ✗ what it has stored ends the listener, again after a start ");
	assert_shown("deliver/user-created on");
	assert_not_shown("apostrophe");
	end();
}

TEST(test_what_another_check_explains_is_in_its_block)
{
	begin("deliver effect crash");
	end_listener("deliver/user-created", "the listener ended: exit code 1", NULL, true);
	end_listener("effect/once:user-created", "the listener ended: exit code 1, over a user-created", NULL, true);
	for (size_t i = 0; i < 2; i++)
		fail_check(i == 0 ? "effect/value:user-created:firstName=apostrophe"
		                  : "effect/value:user-created:city=apostrophe",
		           NULL, i == 0 ? "user-created with firstName=apostrophe left nothing" : "another one");
	fail_check("effect/together", NULL, "7 of 10 left nothing");
	one_bug_join(&run.checks);
	show(ROWS);
	assert_int_equal(run.block_count, 3);
	assert_shown("1 ✗ user-created ends the listener: exit code 1");
	assert_shown("deliver 1, effect 1\n");
	assert_shown("2 ✗ user-created with apostrophe in 2 texts is lost behind a 2xx ");
	assert_shown("user-created with firstName=apostrophe left nothing; ");
	assert_shown("3 ✗ some of what comes at the same time is lost behind a 2xx ");
	end();
}

TEST(test_a_block_of_two_rows_names_both)
{
	begin("effect");
	const struct probe_check *key = fail_check("effect/distinct:bureau-alert", "one key", "left nothing");
	fail_check("effect/distinct:user-token-generated", "one key", "left nothing");
	fail_check("effect/once:user-token-generated", "one key", "left nothing behind another one")->result.part_of =
	        key;
	show(ROWS);
	assert_int_equal(run.block_count, 1);
	assert_shown("1 ✗ what a customer gets second is lost behind a 2xx   effect/distinct 2, once 1\n");
	end();
}

/* Of more than two rows only the group. */
TEST(test_where_more_rows_fail_the_group_is_named)
{
	begin("crash");
	for (size_t i = 0; i < run.checks.count; i++)
		if (run.checks.checks[i].chosen && !run.checks.checks[i].after)
			fail_check(run.checks.checks[i].id, "see its log", "it does not listen again");
	show(ROWS);
	assert_shown("3 checks, crash\n");
	end();
}
