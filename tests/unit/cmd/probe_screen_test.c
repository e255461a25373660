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
