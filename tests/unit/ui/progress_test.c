/* How far work has come, and how long the rest takes. */
#include "base/clock.h"
#include "test.h"
#include "ui/progress.h"

#define S CLOCK_NS_PER_S

static void assert_fraction(double is, double expected)
{
	assert_float_equal(is, expected, 1e-9);
}

TEST(fractions_stay_between_nothing_and_all)
{
	assert_fraction(progress_fraction(0, 8), 0);
	assert_fraction(progress_fraction(3, 8), 0.375);
	assert_fraction(progress_fraction(9, 8), 1); /* a file that grew */
	assert_fraction(progress_fraction(0, 0), PROGRESS_UNKNOWN);
	assert_fraction(progress_of_rounds(0.5, 0, 1), 0.5);
	assert_fraction(progress_of_rounds(0.5, 2, 4), 0.625);
	assert_fraction(progress_of_rounds(1, 4, 4), 1);
	assert_fraction(progress_of_rounds(PROGRESS_UNKNOWN, 2, 4), PROGRESS_UNKNOWN);
	assert_fraction(progress_of_rounds(0.5, 0, UINT64_MAX), PROGRESS_UNKNOWN);
}

static void assert_line(double fraction, int64_t elapsed, const char *expected)
{
	RELEASED(buffer) out = BUFFER_INIT;
	progress_append(&out, fraction, 7, elapsed);
	assert_string_equal(buffer_text(&out), expected);
}

TEST(the_rest_takes_as_long_as_what_is_over_did)
{
	assert_line(0.25, 10 * S, "; 25 %, 7/s, 30 s left");
	assert_line(1, 10 * S, "; 100 %, 7/s, 0 s left");
	assert_line(0, 10 * S, "; 0 %, 7/s");
	assert_line(PROGRESS_UNKNOWN, 10 * S, "; 7/s");
	assert_line(0.5, S - 1, "; 50 %, 7/s"); /* too early */
	assert_line(0.5, S, "; 50 %, 7/s, 1 s left");
	assert_line(1e-12, 3600 * S, "; 0 %, 7/s");
	assert_line(0.5, 3600000 * S, "; 50 %, 7/s, 1000h00m left");
	assert_line(0.5, 3600001 * S, "; 50 %, 7/s"); /* nobody waits for that */
	assert_line(0.29, 10 * S, "; 29 %, 7/s, 25 s left");
	assert_line(0.9999, 10 * S, "; 99 %, 7/s, 1 s left");
	assert_line(0.5, 59 * S, "; 50 %, 7/s, 59 s left");
	assert_line(0.5, 125 * S, "; 50 %, 7/s, 2m05s left");
	assert_line(0.5, 12000 * S, "; 50 %, 7/s, 3h20m left");
}
