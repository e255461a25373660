/* Lines: what goes below. Tables: which columns are shown, and how they are aligned. */
#include "test.h"
#include "ui/line.h"

#include <string.h>

static const struct column columns[] = {
	{ .title = "event", .rank = 0 },
	{ .title = "service", .rank = 2 },
	{ .title = "count", .rank = 1, .right = true },
	{ .title = "x", .rank = 3 },
};
#define COLUMNS (sizeof columns / sizeof columns[0])

static const char *const cells[] = {
	"user-created", "user",   "1,338", "a", /* */
	"bureau-alert", "alerts", "2",     NULL,
};

TEST(table_fits)
{
	static const struct {
		int width;
		const char *text;
	} rows[] = {
		{ COLUMNS_UNLIMITED, "event         service  count  x\n"
		                     "user-created  user     1,338  a\n"
		                     "bureau-alert  alerts       2\n" },
		{ 31, "event         service  count  x\n"
		      "user-created  user     1,338  a\n"
		      "bureau-alert  alerts       2\n" },
		{ 30, "event         service  count\n"
		      "user-created  user     1,338\n"
		      "bureau-alert  alerts       2\n" },
		/* The next useful one, and what still fits beside it. */
		{ 27, "event         count  x\n"
		      "user-created  1,338  a\n"
		      "bureau-alert      2\n" },
		{ 19, "event         count\n"
		      "user-created  1,338\n"
		      "bureau-alert      2\n" },
		{ 18, "event         x\n"
		      "user-created  a\n"
		      "bureau-alert\n" },
		{ 9, "event\n"
		     "use...ted\n"
		     "bur...ert\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		columns_append_table(&out, columns, COLUMNS, cells, 2, rows[i].width, false);
		assert_string_equal(buffer_text(&out), rows[i].text);
	}
}

/* The first column gives way, until the next one is left out. */
TEST(table_takes_two_lines)
{
	static const char *const long_cells[] = {
		"custom-authentication-succeeded",
		"user",
		"1,338",
		"a", /* */
		"bureau-alert",
		"alerts",
		"2",
		NULL,
	};
	static const struct {
		int width;
		unsigned left_out;
		const char *text;
	} rows[] = {
		{ 50, 0,
		  "event                            service  count  x\n"
		  "custom-authentication-succeeded  user     1,338  a\n"
		  "bureau-alert                     alerts       2\n" },
		{ 43, 0,
		  "event                     service  count  x\n"
		  "custom-authentication-succeeded\n"
		  "                          user     1,338  a\n"
		  "bureau-alert              alerts       2\n" },
		{ 42, 1 << 3,
		  "event                       service  count\n"
		  "custom-authentication-succeeded\n"
		  "                            user     1,338\n"
		  "bureau-alert                alerts       2\n" },
		{ 26, 1 << 1 | 1 << 2 | 1 << 3,
		  "event\n"
		  "custom-authe...n-succeeded\n"
		  "bureau-alert\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		unsigned left_out = columns_append_table(&out, columns, COLUMNS, long_cells, 2, rows[i].width, false);
		assert_string_equal(buffer_text(&out), rows[i].text);
		assert_int_equal(left_out, rows[i].left_out);
	}
}

TEST(line_fits)
{
	static const struct {
		int width;
		const char *name, *remark, *text;
	} rows[] = {
		{ COLUMNS_UNLIMITED, "user-created", "a b c d e", "#1    user-created  200  a b c d e" },
		{ 34, "user-created", "a b c d e", "#1    user-created  200  a b c d e" },
		{ 33, "user-created", "a b c d e", "#1    user-created  200\n    a b c d e" },
		{ 13, "user-created-too", "a b c d e", "#1    user-...-too  200\n    a b c d e" },
		{ 11, "x", "a b c d e", "#1    x             200\n    a b c d\n    e" },
		{ 11, "x", "/a/long/path", "#1    x             200\n    /a...th" },
		{ 3, "x", "/a/long/path", "#1    x             200\n    /...h" },
		{ 80, "x", "", "#1    x             200" },
		{ 80, "\x1b", "\x1b", "#1    \\x1B          200  \\x1B" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		struct text_line line = { .out = &out, .width = rows[i].width, .indent = 4 };
		text_line_cell(&line, STYLE_FAINT, "#1", 4);
		text_line_cell(&line, STYLE_PLAIN, rows[i].name, 12);
		text_line_append(&line, STYLE_ERROR, "200");
		text_line_remark(&line, rows[i].remark, strlen(rows[i].remark));
		assert_string_equal(buffer_text(&out), rows[i].text);
	}
}
