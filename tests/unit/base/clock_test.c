/* Stamps agree with the C library's calendar, and bad texts are refused; durations are read as the command line has
 * them. */
#include "base/clock.h"
#include "test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The rules of two zones, written out: not every machine has the files with their names. */
#define BERLIN   "CET-1CEST,M3.5.0,M10.5.0/3"
#define NEW_YORK "EST5EDT,M3.2.0,M11.1.0"
#define BEIRUT   "EET-2EEST,M3.5.0/0,M10.5.0/0"

static void set_zone(const char *zone)
{
	setenv("TZ", zone, 1);
	tzset();
}

TEST(times_are_local_unless_they_say_otherwise)
{
	/* Now it is 2026-11-21T03:30:00Z: in New York still the day before. */
	static const struct {
		const char *zone, *text, *stamp;
	} rows[] = {
		{ "UTC0", "2026-11-21", "2026-11-21T00:00:00Z" },
		{ "UTC0", "12:00", "2026-11-21T12:00:00Z" },
		{ "UTC0", "2d", "2026-11-19T03:30:00Z" },
		{ "UTC0", "90", "2026-11-21T03:28:30Z" },
		{ BERLIN, "2026-11-21 12:00:05", "2026-11-21T11:00:05Z" },
		{ BERLIN, "2026-11-21T12:00:05.5", "2026-11-21T11:00:05.5Z" },
		{ BERLIN, "2026-11-21 12:00", "2026-11-21T11:00:00Z" },
		{ BERLIN, "2026-07-21", "2026-07-20T22:00:00Z" },
		{ BERLIN, "12:00", "2026-11-21T11:00:00Z" },
		{ BERLIN, "12:00:01Z", "2026-11-21T12:00:01Z" },
		{ BERLIN, "2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z" },
		{ BERLIN, "2026-11-21 12:00+05:30", "2026-11-21T06:30:00Z" },
		{ BERLIN, "2026-11-21Z", "2026-11-21T00:00:00Z" },
		{ BERLIN, "2026-11-21-03:00", "2026-11-21T03:00:00Z" },
		{ NEW_YORK, "2026-11-21", "2026-11-21T05:00:00Z" },
		{ NEW_YORK, "12:00", "2026-11-20T17:00:00Z" },
		{ NEW_YORK, "12:00Z", "2026-11-21T12:00:00Z" },
		{ NEW_YORK, "12:00+09:00", "2026-11-21T03:00:00Z" },
		{ NEW_YORK, "2h", "2026-11-21T01:30:00Z" },
		/* The clock is set forward, ... */
		{ BERLIN, "2026-03-29 01:59:59", "2026-03-29T00:59:59Z" },
		{ BERLIN, "2026-03-29 02:30", "2026-03-29T01:30:00Z" },
		{ BERLIN, "2026-03-29 03:00", "2026-03-29T01:00:00Z" },
		{ BERLIN, "2026-03-29 23:00", "2026-03-29T21:00:00Z" },
		{ NEW_YORK, "2026-03-08 01:59", "2026-03-08T06:59:00Z" },
		{ NEW_YORK, "2026-03-08 03:00", "2026-03-08T07:00:00Z" },
		{ BEIRUT, "2026-03-29", "2026-03-28T22:00:00Z" }, /* where there is no midnight */
		/* ... and back: the first of two. */
		{ BERLIN, "2026-10-25", "2026-10-24T22:00:00Z" },
		{ BERLIN, "2026-10-25 01:59:59", "2026-10-24T23:59:59Z" },
		{ BERLIN, "2026-10-25 02:00", "2026-10-25T00:00:00Z" },
		{ BERLIN, "2026-10-25 02:59:59", "2026-10-25T00:59:59Z" },
		{ BERLIN, "2026-10-25 03:00", "2026-10-25T02:00:00Z" },
		{ NEW_YORK, "2026-11-01 01:00", "2026-11-01T05:00:00Z" },
		{ NEW_YORK, "2026-11-01 01:59:59", "2026-11-01T05:59:59Z" },
		{ NEW_YORK, "2026-11-01 02:00", "2026-11-01T07:00:00Z" },
		{ NEW_YORK, "2026-11-01 01:30-05:00", "2026-11-01T06:30:00Z" }, /* the second */
	};
	int64_t now, expected, got;
	assert_true(clock_parse_stamp("2026-11-21T03:30:00Z", &now));
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		set_zone(rows[i].zone);
		assert_true(clock_parse_stamp(rows[i].stamp, &expected));
		got = INT64_MIN;
		if (!clock_parse_time(rows[i].text, now, &got, NULL) || got != expected)
			fail_msg("%s in %s: %" PRId64 ", expected %" PRId64, rows[i].text, rows[i].zone, got, expected);
	}
	static const char *const bad[] = { "",           "1200:00",     "12:",           "12:0",
		                           "24:00",      "12:60",       "2026-",         "2026-11",
		                           "2026-11-31", "2026-11-21 ", "2026-11-21 12", "2026-11-21 12:00.5",
		                           "12:00z5",    "417d" };
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (clock_parse_time(bad[i], now, &got, NULL))
			fail_msg("'%s' was read as a time", bad[i]);
}

/* Each local time as it is printed is read as itself, or where it is there twice as the first. */
TEST(what_is_printed_is_accepted)
{
	static const char *const zones[] = { "UTC0", BERLIN, NEW_YORK, BEIRUT };
	char text[CLOCK_STAMP_SIZE];
	for (size_t z = 0; z < sizeof zones / sizeof zones[0]; z++) {
		set_zone(zones[z]);
		for (int64_t minute = 0; minute < 366 * 24 * 60; minute += 7) {
			int64_t us = INT64_C(1767225600000000) + minute * 60000000, got = 0;
			clock_format_local(us, text);
			bool is_read = clock_parse_time(text, us, &got, NULL);
			if (!is_read || (got != us && got != us - INT64_C(3600000000)))
				fail_msg("%s in %s: %" PRId64 ", expected %" PRId64, text, zones[z], got, us);
		}
	}
}

TEST(good_durations_are_read)
{
	static const struct {
		const char *text;
		int64_t nanoseconds;
	} rows[] = {
		{ "500ms", 500 * MS },        { "5s", 5 * S },   { "2m", 120 * S },   { "1h", 3600 * S },
		{ "1.5", 1500 * MS },         { "0", 0 },        { ".5s", 500 * MS }, { "0.000000001", 1 },
		{ "0.1", 100 * MS },          { "007s", 7 * S }, { "1d", 86400 * S }, { "10000h", 36000000 * S },
		{ "36000000", 36000000 * S },
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
		" 5",
		"5s ",
		"-1",
		"+1",
		"1e3s",
		"0x10",
		"0x1p3",
		"nan",
		"inf",
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
