/* Times and durations as people type them. */
#include "base/clock.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOW INT64_C(1795860000000000) /* 2026-11-28T10:00:00Z, a Saturday */
#define S   INT64_C(1000000000)

/* In a place of its own, so that what reads beyond its end is seen. */
static char *copy_of(const char *text)
{
	char *copy = strdup(text);
	assert_non_null(copy);
	return copy;
}

TEST(durations_are_read_in_any_spelling)
{
	static const struct {
		const char *text;
		int64_t seconds; /* -1: it is refused */
	} rows[] = {
		{ "5sec", 5 },         { "5 s", 5 },       { "30 seconds", 30 }, { "2min", 120 },
		{ "2 Minutes", 120 },  { "1hr", 3600 },    { "1h30m", 5400 },    { "1m30s", 90 },
		{ "1d, 12h", 129600 }, { "2w", 1209600 },  { "1.5h", 5400 },     { "2000ms", 2 },
		{ "3000 msec", 3 },    { "0h", 0 },        { "1M", 60 },         { "1mo", -1 },
		{ "h", -1 },           { "1h 30", -1 },    { "5s,", -1 },        { "5s ", -1 },
		{ "-1h", -1 },         { "1h ago", -1 },   { "1y", -1 },         { "5:30", -1 },
		{ "1e3s", -1 },        { "9999h 2h", -1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *text = copy_of(rows[i].text);
		int64_t got = -S;
		bool is_read = clock_parse_duration(text, &got);
		if (is_read != (rows[i].seconds >= 0) || (is_read && got != rows[i].seconds * S))
			fail_msg("%s: %lld", text, (long long)got);
		free(text);
	}
}

TEST(times_are_read_as_people_write_them)
{
	static const struct {
		const char *text, *meant; /* NULL: it is refused */
	} rows[] = {
		{ "today", "2026-11-28 00:00:00" },
		{ "yesterday 17:00", "2026-11-27 17:00:00" },
		{ "17:00 yesterday", "2026-11-27 17:00:00" },
		{ "Yesterday at 5pm", "2026-11-27 17:00:00" },
		{ "yesterday,  noon", "2026-11-27 12:00:00" },
		{ "tomorrow", "2026-11-29 00:00:00" },
		{ "09:00:05", "2026-11-28 09:00:05" },
		{ "2026-11-28 17:00:05", "2026-11-28 17:00:05" },
		{ "saturday", "2026-11-21 00:00:00" },
		{ "mon 8:15", "2026-11-23 08:15:00" },
		{ "now", "2026-11-28 10:00:00" },
		{ "10am", "2026-11-28 10:00:00" },
		{ "10 am", "2026-11-28 10:00:00" },
		{ "5:30pm", "2026-11-28 17:30:00" },
		{ "5:30 p.m.", "2026-11-28 17:30:00" },
		{ "12am", "2026-11-28 00:00:00" },
		{ "12pm", "2026-11-28 12:00:00" },
		{ "midnight", "2026-11-28 00:00:00" },
		{ "9:05", "2026-11-28 09:05:00" },
		{ "28 Nov 2026", "2026-11-28 00:00:00" },
		{ "28 november 2026 17:00", "2026-11-28 17:00:00" },
		{ "28th Nov 2026", "2026-11-28 00:00:00" },
		{ "28. November 2026", "2026-11-28 00:00:00" },
		{ "Nov 28, 2026", "2026-11-28 00:00:00" },
		{ "Nov. 3 2026 4pm", "2026-11-03 16:00:00" },
		{ "28 Nov", "2026-11-28 00:00:00" },
		{ "24 Dec 9:00", "2025-12-24 09:00:00" },
		{ "29 Feb", "2024-02-29 00:00:00" },
		{ "28-Nov-2026", "2026-11-28 00:00:00" },
		{ "2026/11/28", "2026-11-28 00:00:00" },
		{ "2026.11.28 9:00", "2026-11-28 09:00:00" },
		{ "28.11.2026", "2026-11-28 00:00:00" },
		{ "28/11/2026", "2026-11-28 00:00:00" },
		{ "11/28/2026 5pm", "2026-11-28 17:00:00" },
		{ "20261128", "2026-11-28 00:00:00" },
		{ "20261128T120005Z", "2026-11-28 12:00:05" },
		{ "2026-11-28T09", "2026-11-28 09:00:00" },
		{ "2026-11-28T0930", "2026-11-28 09:30:00" },
		{ "2026-11-28t09:30:15.25", "2026-11-28 09:30:15" },
		{ "2026-11-28  12:00", "2026-11-28 12:00:00" },
		{ "2026-11-28\t12:00", "2026-11-28 12:00:00" },
		{ "2026-11-28_12:00", "2026-11-28 12:00:00" },
		{ "2026-1-2 3:04", "2026-01-02 03:04:00" },
		{ "2026-11-28 12:00 +0200", "2026-11-28 10:00:00" },
		{ "2026-11-28 12:00+02", "2026-11-28 10:00:00" },
		{ "2026-11-28 12:00 UTC", "2026-11-28 12:00:00" },
		{ "Sat, 28 Nov 2026 10:00:00 GMT", "2026-11-28 10:00:00" },
		{ "Sat Nov 28 10:00:00 UTC 2026", "2026-11-28 10:00:00" },
		{ "28/Nov/2026:10:00:00 -0500", "2026-11-28 15:00:00" },
		{ "1795860000", "2026-11-28 10:00:00" },
		{ "1795860000123", "2026-11-28 10:00:00" },
		{ "10m", "2026-11-28 09:50:00" },
		{ "2 hours ago", "2026-11-28 08:00:00" },
		{ "an hour ago", "2026-11-28 09:00:00" },
		{ "-1h", "2026-11-28 09:00:00" },
		{ "1d", "2026-11-27 10:00:00" },
		{ "13pm", NULL },
		{ "0am", NULL },
		{ "5", "2026-11-28 09:59:55" },
		{ "2026", "2026-11-28 09:26:14" }, /* seconds */
		{ "20261301", NULL },              /* neither a date nor seconds */
		{ "20260230", NULL },
		{ "2026-11", NULL },
		{ "2026-11-", NULL },
		{ "2026/13/01", NULL },
		{ "2026-02-30", NULL },
		{ "30 Feb", NULL },
		{ "Nov 2026", NULL },
		{ "05/06/2026", NULL },
		{ "5/6", NULL },
		{ "someday", NULL },
		{ "yesterday today", NULL },
		{ "yesterday 28 Nov", NULL },
		{ "17:00 18:00", NULL },
		{ "17:00 +99", NULL },
		{ "24:00", NULL },
		{ "12:00 ", NULL },
		{ "12:00 CET", NULL },
		{ "1 month ago", NULL },
		{ "now 12:00", NULL },
		{ "am", NULL },
		{ "", NULL },
	};
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *text = copy_of(rows[i].text), local[CLOCK_STAMP_SIZE] = "";
		int64_t got = 0;
		bool is_read = clock_parse_time(text, NOW, &got, NULL);
		if (is_read)
			clock_format_local(got, local);
		if (is_read != (rows[i].meant != NULL) || strcmp(local, rows[i].meant ? rows[i].meant : "") != 0)
			fail_msg("%s: '%s', expected '%s'", text, local, rows[i].meant ? rows[i].meant : "");
		free(text);
	}
}

TEST(a_time_alone_is_known_as_one)
{
	static const char *const alone[] = { "12:00", "10am", "noon", "5:30 pm", "12:00Z" };
	static const char *const dated[] = { "2026-11-28 12:00", "yesterday", "10m", "1795860000", "now", "mon 5pm" };
	bool has_date;
	int64_t us;
	for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
		assert_true(clock_parse_time(alone[i], NOW, &us, &has_date) && !has_date);
	for (size_t i = 0; i < sizeof dated / sizeof dated[0]; i++)
		assert_true(clock_parse_time(dated[i], NOW, &us, &has_date) && has_date);
}

TEST(a_date_and_a_time_are_one_time)
{
	static const struct {
		const char *text, *next;
		bool continues;
	} rows[] = {
		{ "2026-11-26", "12:00", true },
		{ "yesterday", "5pm", true },
		{ "28 Nov", "noon", true },
		{ "2026-11-26", "12:00:05Z", true },
		{ "2026-11-26 10:00", "12:00", false },
		{ "2026-11-26", "3", false },
		{ "2026-11-26", "capture.ndjson", false },
		{ "2026-11-26", "2026-11-27", false },
		{ "10m", "12:00", false },
		{ "12:00", "12:00", false },
		{ "28", "12:00", false },
		{ "2026-11-26", "", false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (clock_continues(rows[i].text, rows[i].next) != rows[i].continues)
			fail_msg("%s, %s", rows[i].text, rows[i].next);
}
