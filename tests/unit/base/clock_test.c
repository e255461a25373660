/* Stamps agree with the C library's calendar, and bad texts are refused; durations are read as the command line has
 * them. */
#include "base/clock.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define S          CLOCK_NS_PER_S
#define MS         CLOCK_NS_PER_MS
#define YEAR_0     INT64_C(-62167219200) /* 0000-01-01T00:00:00Z */
#define YEAR_10000 INT64_C(253402300800)

static void check_round_trip(int64_t seconds, int fraction)
{
	time_t when = (time_t)seconds;
	struct tm utc;
	gmtime_r(&when, &utc);
	char expected[80], stamp[CLOCK_STAMP_SIZE];
	snprintf(expected, sizeof expected, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", utc.tm_year + 1900, utc.tm_mon + 1,
	         utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, fraction);
	int64_t microseconds = (int64_t)timegm(&utc) * 1000000 + fraction, back = -1;
	clock_format_stamp(microseconds, stamp);
	if (strcmp(stamp, expected) != 0)
		fail_msg("%" PRId64 ": written as %s, expected %s", microseconds, stamp, expected);
	if (!clock_parse_stamp(stamp, &back) || back != microseconds)
		fail_msg("%s: read as %" PRId64 ", expected %" PRId64, stamp, back, microseconds);
}

TEST(random_times_round_trip)
{
	uint64_t random = UINT64_C(0x9E3779B97F4A7C15); /* xorshift, the same every time */
	for (int i = 0; i < 200000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		check_round_trip(YEAR_0 + (int64_t)(random % (uint64_t)(YEAR_10000 - YEAR_0)),
		                 (int)(random >> 44) % 1000000);
	}
	static const int64_t edges[] = {
		YEAR_0, -1, 0, 1, INT64_C(951782399), INT64_C(951782400), INT64_C(2147483648), YEAR_10000 - 1
	};
	for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
		check_round_trip(edges[i], 0);
		check_round_trip(edges[i], 999999);
	}
}

TEST(stamps_outside_four_digits_stay_in_their_buffer)
{
	static const int64_t extremes[] = { INT64_MIN, INT64_MAX, YEAR_10000 * 1000000, YEAR_0 * 1000000 - 1 };
	for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; i++) {
		char stamp[CLOCK_STAMP_SIZE];
		clock_format_stamp(extremes[i], stamp);
		assert_true(strlen(stamp) < sizeof stamp);
		assert_int_equal(stamp[strlen(stamp) - 1], 'Z');
	}
}

TEST(good_stamps_are_read)
{
	static const struct {
		const char *text;
		int64_t microseconds;
	} rows[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "1970-01-01T00:00:00.5Z", 500000 },
		{ "1970-01-01T00:00:00.000001Z", 1 },
		{ "1970-01-01T00:00:00.123456789Z", 123456 },
		{ "1969-12-31T23:59:59.999999Z", -1 },
		{ "1970-01-01t00:00:01z", 1000000 },
		{ "1970-01-01 00:00:01Z", 1000000 },
		{ "1970-01-01T01:00:00+01:00", 0 },
		{ "1969-12-31T19:30:00-04:30", 0 },
		{ "1970-01-01T00:00:00-00:00", 0 },
		{ "1970-01-01T23:59:00+23:59", 0 },
		{ "2000-02-29T00:00:00Z", INT64_C(951782400000000) },
		{ "2024-02-29T12:00:00Z", INT64_C(1709208000000000) },
		{ "2400-02-29T00:00:00Z", INT64_C(13574563200000000) },
		{ "2016-12-31T23:59:60Z", INT64_C(1483228800000000) },
		{ "2026-01-02T03:04:05.123456Z", INT64_C(1767323045123456) },
		{ "0000-01-01T00:00:00Z", YEAR_0 * 1000000 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int64_t got = INT64_MIN;
		if (!clock_parse_stamp(rows[i].text, &got) || got != rows[i].microseconds)
			fail_msg("%s: %" PRId64 ", expected %" PRId64, rows[i].text, got, rows[i].microseconds);
	}
}

TEST(bad_stamps_are_refused)
{
	static const char *const rows[] = {
		"",
		"2026",
		"2026-01-02T03:04Z",
		"2026-01-02T03:04:05",
		"2026-01-02T03:04:05.Z",
		"2026-01-02T03:04:05.1234567890Z",
		"2026-01-02T03:04:05Z ",
		" 2026-01-02T03:04:05Z",
		"2026-01-02_03:04:05Z",
		"26-01-02T03:04:05Z",
		"+026-01-02T03:04:05Z",
		"2026-1-2T03:04:05Z",
		"2026-00-02T03:04:05Z",
		"2026-13-02T03:04:05Z",
		"2026-01-00T03:04:05Z",
		"2026-02-29T03:04:05Z",
		"1900-02-29T03:04:05Z",
		"2024-02-30T03:04:05Z",
		"2026-01-02T24:00:00Z",
		"2026-01-02T03:60:05Z",
		"2026-01-02T03:04:61Z",
		"2026-01-02T03:04:05+0100",
		"2026-01-02T03:04:05+24:00",
		"2026-01-02T03:04:05+01:60",
		"2026-01-02T-3:04:05Z",
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int64_t got;
		if (clock_parse_stamp(rows[i], &got))
			fail_msg("\"%s\" was read as a stamp", rows[i]);
	}
	/* A fraction without end is refused at its tenth digit. */
	char text[5000] = "2026-01-02T03:04:05.";
	memset(text + strlen(text), '1', sizeof text - 1 - strlen(text));
	text[sizeof text - 1] = '\0';
	int64_t got;
	assert_false(clock_parse_stamp(text, &got));
}

TEST(good_durations_are_read)
{
	static const struct {
		const char *text;
		int64_t nanoseconds;
	} rows[] = {
		{ "500ms", 500 * MS }, { "5s", 5 * S },   { "2m", 120 * S },          { "1h", 3600 * S },
		{ "1.5", 1500 * MS },  { "0", 0 },        { ".5s", 500 * MS },        { "0.000000001", 1 },
		{ "0.1", 100 * MS },   { "007s", 7 * S }, { "10000h", 36000000 * S }, { "36000000", 36000000 * S },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int64_t got = -1;
		if (!clock_parse_duration(rows[i].text, &got) || got != rows[i].nanoseconds)
			fail_msg("%s: %" PRId64 ", expected %" PRId64, rows[i].text, got, rows[i].nanoseconds);
	}
}

TEST(bad_durations_are_refused)
{
	static const char *const rows[] = {
		"",
		" ",
		".",
		"1.2.3",
		"1,5",
		"5x",
		"5 s",
		" 5",
		"5s ",
		"-1",
		"+1",
		"1e3s",
		"0x10",
		"0x1p3",
		"nan",
		"inf",
		"1m30s",
		"10000.1h",
		"36000001",
		"999999999999999999999",
		"99999999999999999999h",
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int64_t got;
		if (clock_parse_duration(rows[i], &got))
			fail_msg("\"%s\" was read as %" PRId64 " ns", rows[i], got);
	}
}

TEST(durations_are_written_for_people)
{
	static const struct {
		int64_t nanoseconds;
		const char *text;
	} rows[] = {
		{ 0, "0 us" },
		{ 499, "0 us" },
		{ 87400, "87 us" },
		{ 840000, "840 us" },
		{ 999400, "999 us" },
		{ 999500, "1.0 ms" },
		{ 1200000, "1.2 ms" },
		{ 9940000, "9.9 ms" },
		{ 9960000, "10 ms" },
		{ 12 * MS, "12 ms" },
		{ 999 * MS, "999 ms" },
		{ 999600000, "1.0 s" },
		{ 3200 * MS, "3.2 s" },
		{ 59940 * MS, "59.9 s" },
		{ 59960 * MS, "1m00s" },
		{ 60 * S, "1m00s" },
		{ 125 * S, "2m05s" },
		{ 119600 * MS, "2m00s" },
		{ 3599 * S, "59m59s" },
		{ 3599500 * MS, "1h00m" },
		{ 53338 * S, "14h48m" },
		{ 36000000 * S, "10000h00m" },
		{ INT64_MAX, "2562047h47m" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char text[CLOCK_DURATION_SIZE];
		clock_format_duration(rows[i].nanoseconds, text);
		if (strcmp(text, rows[i].text) != 0)
			fail_msg("%" PRId64 " ns: \"%s\", expected \"%s\"", rows[i].nanoseconds, text, rows[i].text);
	}
	char text[CLOCK_DURATION_SIZE];
	clock_format_duration(INT64_MIN, text);
	assert_true(strlen(text) < sizeof text);
}
