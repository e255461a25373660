/* What is meant by times and durations as people type them. */
#include "base/clock_typed.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOW INT64_C(1795860000000000) /* 2026-11-28T10:00:00Z, a Saturday */

TEST(durations_become_one_unit)
{
	static const struct {
		const char *text, *meant; /* NULL: nothing is */
	} rows[] = {
		{ "1h30m", "90m" }, { "2w", "14d" },      { "30 seconds", "30s" }, { "2 hours ago", "2h" },
		{ "-1h", "1h" },    { "1d, 12h", "36h" }, { "90 min", "90m" },     { "0h", NULL },
		{ "1mo", NULL },    { "500ms", NULL },    { "5", NULL },           { "h", NULL },
		{ "", NULL },       { "1000000s", NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char out[CLOCK_TYPED_SIZE] = "";
		assert_int_equal(clock_typed_duration(rows[i].text, out), rows[i].meant != NULL);
		if (rows[i].meant)
			assert_string_equal(out, rows[i].meant);
	}
}

TEST(times_become_dates)
{
	static const struct {
		const char *text, *meant;
	} rows[] = {
		{ "today", "2026-11-28" },
		{ "yesterday 5pm", "2026-11-27 17:00" },
		{ "saturday", "2026-11-21" },
		{ "mon", "2026-11-23" },
		{ "5:30pm", "17:30" },
		{ "12am", "00:00" },
		{ "13pm", NULL },
		{ "2026/11/28", "2026-11-28" },
		{ "2026-11-28T09", "2026-11-28 09:00" },
		{ "28 Nov 2026", "2026-11-28" },
		{ "Nov 28, 2026", "2026-11-28" },
		{ "2026", NULL },
		{ "2026-11", NULL },
		{ "2026-11-", NULL },
		{ "2026/13/01", NULL },
		{ "someday", NULL },
	};
	setenv("TZ", "UTC", 1);
	tzset();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char out[CLOCK_TYPED_SIZE] = "";
		/* In a place of its own, so that what reads beyond its end is seen. */
		char *text = strdup(rows[i].text);
		assert_non_null(text);
		if (clock_typed_time(text, NOW, out) != (rows[i].meant != NULL))
			fail_msg("%s: %s", text, out);
		if (rows[i].meant)
			assert_string_equal(out, rows[i].meant);
		free(text);
	}
}
