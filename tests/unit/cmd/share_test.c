/* How far a run has come, and how long the rest takes. */
#include "base/clock.h"
#include "cmd/share.h"

/* cmocka.h wants these before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define S CLOCK_NS_PER_S

static void assert_share(double is, double expected)
{
	assert_float_equal(is, expected, 1e-9);
}

static void shares_stay_between_nothing_and_all(void **state)
{
	(void)state;
	assert_share(share_of(0, 8), 0);
	assert_share(share_of(3, 8), 0.375);
	assert_share(share_of(9, 8), 1); /* a file that grew */
	assert_share(share_of(0, 0), SHARE_UNKNOWN);
	assert_share(share_of_rounds(0.5, 0, 1), 0.5);
	assert_share(share_of_rounds(0.5, 2, 4), 0.625);
	assert_share(share_of_rounds(1, 4, 4), 1);
	assert_share(share_of_rounds(SHARE_UNKNOWN, 2, 4), SHARE_UNKNOWN);
	assert_share(share_of_rounds(0.5, 0, UINT64_MAX), SHARE_UNKNOWN);
}

static void what_is_under_way_is_not_over(void **state)
{
	(void)state;
	assert_share(share_over(1, 0, 64), 0);
	assert_share(share_over(1, 64, 64), 0.5);
	assert_share(share_over(0.5, 3, 1), 0.375);
	assert_share(share_over(1, 5, 0), 1);
	assert_share(share_over(0, 0, 0), 0);
	assert_share(share_over(SHARE_UNKNOWN, 5, 0), SHARE_UNKNOWN);
}

static void the_rest_takes_as_long_as_what_is_over_did(void **state)
{
	(void)state;
	assert_int_equal(share_time_left(0.25, 10 * S, SHARE_NO_END), 30 * S);
	assert_int_equal(share_time_left(1, 10 * S, SHARE_NO_END), 0);
	assert_int_equal(share_time_left(0, 10 * S, SHARE_NO_END), SHARE_NO_END);
	assert_int_equal(share_time_left(SHARE_UNKNOWN, 10 * S, SHARE_NO_END), SHARE_NO_END);
	assert_int_equal(share_time_left(0.5, S / 2, SHARE_NO_END), SHARE_NO_END); /* too early */
	assert_int_equal(share_time_left(1e-12, 3600 * S, SHARE_NO_END), SHARE_NO_END);
}

static void an_end_that_is_set_is_the_most_it_takes(void **state)
{
	(void)state;
	assert_int_equal(share_time_left(0.25, 10 * S, 20 * S), 20 * S);
	assert_int_equal(share_time_left(0.25, 10 * S, 40 * S), 30 * S);
	assert_int_equal(share_time_left(0.25, 10 * S, 0), 0);
	assert_int_equal(share_time_left(SHARE_UNKNOWN, 10 * S, 20 * S), 20 * S);
	assert_int_equal(share_time_left(0.5, S / 2, 20 * S), 20 * S);
	assert_int_equal(share_time_left(1e-12, 3600 * S, 20 * S), 20 * S);
}

static void assert_left(int64_t ns, const char *expected)
{
	struct buffer out = BUFFER_INIT;
	share_append_left(&out, ns);
	assert_string_equal(buffer_text(&out), expected);
	buffer_release(&out);
}

static void assert_percent(double share, const char *expected)
{
	struct buffer out = BUFFER_INIT;
	share_append(&out, share);
	assert_string_equal(buffer_text(&out), expected);
	buffer_release(&out);
}

static void a_person_reads_it(void **state)
{
	(void)state;
	assert_percent(0, "0 %");
	assert_percent(0.29, "29 %");
	assert_percent(0.9999, "99 %");
	assert_percent(1, "100 %");
	assert_left(SHARE_NO_END, "");
	assert_left(0, ", 0 s left");
	assert_left(1, ", 1 s left");
	assert_left(59 * S, ", 59 s left");
	assert_left(59 * S + 1, ", 1m00s left");
	assert_left(125 * S, ", 2m05s left");
	assert_left(3600 * S, ", 1h00m left");
	assert_left(12000 * S, ", 3h20m left");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_stay_between_nothing_and_all),
		cmocka_unit_test(what_is_under_way_is_not_over),
		cmocka_unit_test(the_rest_takes_as_long_as_what_is_over_did),
		cmocka_unit_test(an_end_that_is_set_is_the_most_it_takes),
		cmocka_unit_test(a_person_reads_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
