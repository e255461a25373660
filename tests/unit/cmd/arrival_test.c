/* The line of a notification, where no clock and no terminal of a test has it. */
#include "base/fit.h"
#include "cmd/list/arrival.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#define DAY_US  (INT64_C(86400) * 1000000)
#define NOON_US (20000 * DAY_US + DAY_US / 2) /* 2024-10-04 */

static const struct arrival arrived = { .seq = 1,
	                                .received_us = NOON_US,
	                                .is_checked = true,
	                                .is_valid = true,
	                                .method = TEXT("POST"),
	                                .target = TEXT("/hook?key=secret"),
	                                .status = 200,
	                                .error = "" };

static const char *line_of(struct arrival arrival, struct arrival_style *style)
{
	static struct buffer out = BUFFER_INIT;
	buffer_clear(&out);
	arrival_append(&arrival, style, &out);
	return buffer_text(&out);
}

static bool begins(const char *line, const char *start)
{
	return strncmp(line, start, strlen(start)) == 0;
}

TEST(a_listener_prints_another_day_and_not_its_first)
{
	setenv("TZ", "UTC", 1);
	struct arrival a = arrived;
	struct arrival_style style = { .width = COLUMNS_UNLIMITED };
	assert_true(arrival_note_time(&style, NOON_US - 1000000));
	assert_true(begins(line_of(a, &style), "POST /hook\n12:00:00       #1  (unknown) "));
	assert_true(begins(line_of(a, &style), "12:00:00 "));
	a.received_us = NOON_US + DAY_US / 2 - 1;
	assert_true(begins(line_of(a, &style), "23:59:59 "));
	a.received_us++;
	assert_true(begins(line_of(a, &style), "2024-10-05\n00:00:00 "));
	a.target = text_of("/other");
	a.received_us += DAY_US;
	assert_true(begins(line_of(a, &style), "2024-10-06  POST /other\n00:00:00 "));
	/* A payload of a file has neither time nor request. */
	a.received_us = 0;
	a.method.text = NULL;
	assert_true(begins(line_of(a, &style), "-              #1  "));
}

TEST(what_every_notification_has_takes_76_columns)
{
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		struct arrival a = arrived;
		struct arrival_style style = { .width = 80 };
		a.kind = catalog_kind_at(i);
		a.seq = 999999;
		const char *line = strchr(line_of(a, &style), '\n') + 1;
		assert_int_equal(strlen(line), 77);
		assert_null(strstr(line, "..."));
		assert_string_equal(line + 73, "200\n");
		a.seq = 1000000;
		assert_string_equal(line_of(a, &style) + 74, "200\n");
	}
}

TEST(no_line_is_longer_than_the_terminal)
{
	struct arrival a = arrived;
	struct arrival_style style = { .width = 80, .alike_columns = 4, .alike = 12, .alike_in = "bureau \"abc\"" };
	a.repeat = (struct repeat){ .nth = 1, .of = 7 };
	for (size_t i = 0; i < catalog_kind_count(); i++) {
		a.kind = catalog_kind_at(i);
		for (style.width = 60; style.width <= 120; style.width++) {
			const char *line = line_of(a, &style);
			assert_non_null(strstr(line, "abc"));
			assert_non_null(strstr(line, "repeat of #7"));
			for (const char *end; (end = strchr(line, '\n')); line = end + 1)
				assert_true(fit_columns(line, (size_t)(end - line)) <= style.width);
		}
	}
}
