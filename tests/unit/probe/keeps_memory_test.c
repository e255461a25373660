/* One in a few allocations of a short run of each of keeps.h fails, others of each row, and with LONG each: the run
 * ends with that, or as it does else. The sanitizers take 20 times as long. */
#include "keeps.h"
#include "sanitizers.h"

static void check_without_memory(const struct row *row, unsigned long number)
{
	const char *checks = open_short(row);
	fail_at = number;
	keeper_play(&keeper, checks, true, &found);
	if (found.code == 0) {
		check_row(row);
		check_counts(row);
	} else {
		assert_int_equal(found.err.code, EXIT_CODE_INTERNAL);
		assert_string_equal(found.err.message, "out of memory");
	}
	/* What was found is handed over. */
	if (found.summary.stop == PROBE_BROKEN)
		check_nothing_else(row);
	keeper_run_release(&found);
}

TEST(test_memory_may_run_out_anywhere)
{
	const size_t one_in = getenv("LONG") ? 1 : IS_SANITIZED ? 61 : 7;
	for (size_t i = 0; i < ROWS; i++) {
		check_without_memory(&rows[i], 0);
		for (unsigned long n = 1 + i % one_in, all = allocations; n <= all; n += one_in)
			check_without_memory(&rows[i], n);
	}
}
