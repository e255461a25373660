/* Each allocation of a short run of each of keeps.h fails once: the run ends with that, or as it does else. Under the
 * sanitizers, which take 20 times as long, one in a few, and others of each row. */
#include "keeps.h"
#include "sanitizers.h"

#define ONE_IN (IS_SANITIZED ? 13 : 1)

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
	for (size_t i = 0; i < ROWS; i++) {
		check_without_memory(&rows[i], 0);
		for (unsigned long n = 1 + i % ONE_IN, all = allocations; n <= all; n += ONE_IN)
			check_without_memory(&rows[i], n);
	}
}
