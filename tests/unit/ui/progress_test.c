/* How far work has come, and how long the rest takes. */
#include "base/clock.h"
#include "test.h"
#include "ui/progress.h"

#include <stdio.h>
#include <unistd.h>

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
}

static void assert_rate(double rate, int digits, const char *expected)
{
	RELEASED(buffer) out = BUFFER_INIT;
	progress_append_rate(&out, rate, digits);
	assert_string_equal(buffer_text(&out), expected);
}

TEST(a_slow_rate_is_a_time)
{
	assert_rate(0, 0, "");
	assert_rate(1200.4, 0, "1,200/s");
	assert_rate(1.26, 1, "1.3/s");
	assert_rate(0.67, 0, "1/s");
	assert_rate(2.0 / 3, 0, "one every 2 s");
	assert_rate(0.5, 1, "one every 2 s");
	assert_rate(1.0 / 60, 0, "one every 60 s");
	assert_rate(1e-9, 0, "one every 1000000000 s");
}

/* What is displayed, on stderr. */
static void assert_displayed(struct progress *p, double fraction, uint64_t count, int64_t now, const char *expected)
{
	char said[256] = "";
	int kept = dup(STDERR_FILENO), file = fileno(tmpfile());
	fflush(stderr);
	dup2(file, STDERR_FILENO);
	progress_display(p, "here", fraction, count, now);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	assert_true(pread(file, said, sizeof said - 1, 0) >= 0);
	close(file);
	assert_string_equal(said, expected);
}

TEST(without_a_terminal_a_line_a_minute)
{
	struct terminal t = { .err_is_tty = false }, silent = { .quiet = true };
	struct progress p;
	progress_start(&p, &silent, 5 * S);
	assert_int_equal(p.due_ns, 0);
	progress_start(&p, &t, 5 * S);
	assert_int_equal(p.due_ns, 65 * S);
	assert_displayed(&p, 0.25, 30, 65 * S, "here; 25 %, one every 2 s, 3m00s left\n");
	assert_int_equal(p.due_ns, 125 * S);
	assert_displayed(&p, 0.25, 30, 125 * S, "here; 25 %, one every 4 s, 6m00s left\n");
	assert_displayed(&p, PROGRESS_UNKNOWN, 3030, 185 * S, "here; 17/s\n");
	progress_stop(&p);
}

/* A rate is of a few pieces at least, and else of all the time that there was none. */
TEST(a_rate_is_no_noise)
{
	struct terminal t = { .err_is_tty = true };
	struct progress p;
	progress_start(&p, &t, 0);
	assert_int_equal(p.due_ns, S / 5);
	assert_displayed(&p, 0.5, 0, S / 5, "\rhere; 50 %\033[K");
	assert_displayed(&p, 0.5, 1, 2 * S, "\rhere; 50 %, one every 2 s, 2 s left\033[K");
	assert_displayed(&p, 0.5, 5, 10 * S, "\rhere; 50 %, one every 2 s, 10 s left\033[K");
	assert_displayed(&p, 0.5, 5, 11 * S, "\rhere; 50 %, one every 2 s, 11 s left\033[K");
	assert_displayed(&p, 0.5, 1000, 12 * S, "\rhere; 50 %, 83/s, 12 s left\033[K");
	assert_displayed(&p, 0.5, 2000, 13 * S, "\rhere; 50 %, 665/s, 13 s left\033[K");
	assert_displayed(&p, 0.5, 3000, 14 * S, "\rhere; 50 %, 1,000/s, 14 s left\033[K");
	progress_stop(&p);
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
