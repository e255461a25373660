/* The listener ends once at each request of a short run of each of keeps.h, over none in particular; it is started
 * again. Nothing is found of it that is not there, and each check has an end. */
#include "keeps.h"
#include "sanitizers.h"

#define ONE_IN (IS_SANITIZED ? 9 : 1) /* requests, others of each row */

static void check_end(const struct row *row, unsigned at)
{
	const char *checks = open_short(row);
	keeper.dies_at = at;
	keeper_play(&keeper, checks, true, &found);
	if (found.code < 0)
		fail_msg("%s: %s", row->kind.name, found.err.message);
	check_nothing_else(row);
	assert_int_equal(found.summary.stop, PROBE_THROUGH);
	assert_int_equal(found.summary.not_run, 0);
	keeper_run_release(&found);
}

TEST(test_it_may_end_at_each_request)
{
	for (size_t i = 0; i < ROWS; i++) {
		check_end(&rows[i], 0);
		for (unsigned n = 1 + (unsigned)(i % ONE_IN), all = keeper.requests; n <= all; n += ONE_IN)
			check_end(&rows[i], n);
	}
}
