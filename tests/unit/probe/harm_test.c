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
