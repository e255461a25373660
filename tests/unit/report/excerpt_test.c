/* The caret stands under what it means: wide, combining and control characters, tabs, long lines. */
#include "report/excerpt.h"
#include "test.h"

#include <string.h>

#define E_ACUTE_COMBINING "e\xCC\x81"
#define JAPAN             "\xE6\x97\xA5\xE6\x9C\xAC"

static void append(struct buffer *out, const char *text, size_t length, const char *gutter, const char *bar,
                   size_t start, size_t stop)
{
	static const struct finding finding = { .severity = SEVERITY_ERROR };
	const struct payload_origin origin = { .text = text, .length = length };
	const struct finding_walk walk = { .origin = &origin, .finding = &finding, .start = start, .stop = stop };
	excerpt_append(out, &walk, gutter, bar, false, 80);
}

static void expect(const char *text, const char *gutter, const char *bar, size_t start, size_t stop, const char *lines)
{
	RELEASED(buffer) out = BUFFER_INIT;
	append(&out, text, strlen(text), gutter, bar, start, stop);
	if (strcmp(buffer_text(&out), lines) != 0)
		fail_msg("%s:\n%sexpected\n%s", text, buffer_text(&out), lines);
}

TEST(the_caret_is_aligned)
{
	static const struct {
		const char *text, *mark, *lines; /* the part of the text that is marked */
	} cases[] = {
		{ "{\"a\":1}", "1", "   7 | {\"a\":1}\n     |      ^\n" },
		{ "{\"a\":true}", "true", "   7 | {\"a\":true}\n     |      ^^^^\n" },
		{ "{}", "", "   7 | {}\n     | ^\n" },
		/* wide characters take two columns, combining ones none */
		{ "{\"" JAPAN "\":1}", "1", "   7 | {\"" JAPAN "\":1}\n     |         ^\n" },
		{ "{\"" JAPAN "\":1}", JAPAN, "   7 | {\"" JAPAN "\":1}\n     |   ^^^^\n" },
		{ "{\"" E_ACUTE_COMBINING "\":1}", "1", "   7 | {\"" E_ACUTE_COMBINING "\":1}\n     |      ^\n" },
		/* a tab is one space, on both lines */
		{ "\t{\t\"a\":1}", "1", "   7 |  { \"a\":1}\n     |        ^\n" },
		/* what a terminal would obey is shown, and counted as shown */
		{ "\x1B[31m2", "2", "   7 | \\x1B[31m2\n     |         ^\n" },
		{ "\xFF\"a\"", "\"a\"", "   7 | \\xFF\"a\"\n     |     ^^^\n" },
		/* the line of several that is meant, without its CR */
		{ "{\r\n \"a\":1\r\n}", "1", "   7 |  \"a\":1\n     |      ^\n" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t start = (size_t)(strstr(cases[i].text, cases[i].mark) - cases[i].text);
		expect(cases[i].text, "   7", " | ", start, start + strlen(cases[i].mark), cases[i].lines);
	}
	expect("{", "   1", " | ", 1, 1, "   1 | {\n     |  ^\n");
	expect("{\n\"a\": 12}", "    ", "", 7, 9, "    \"a\": 12}\n         ^^\n");
}

/* Wherever the caret is in a line of 100 kB, both lines fit the width, and the caret is under its character. */
TEST(a_long_line_is_cut_around_the_caret)
{
	static char text[100000];
	memset(text, '.', sizeof text);
	static const size_t places[] = { 0, 1, 30, 49, 50, 70, 71, 79, 80, 5000, 50000, 99950, 99999 };
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		text[places[i]] = 'X';
		append(&out, text, sizeof text, "   1", " | ", places[i], places[i] + 1);
		text[places[i]] = '.';
		const char *lines = buffer_text(&out), *second = strchr(lines, '\n') + 1;
		const char *caret = strchr(second, '^'), *x = strchr(lines, 'X');
		assert_non_null(x);
		assert_non_null(caret);
		assert_int_equal(caret - second, x - lines);
		assert_in_range(second - lines - 1, 1, 80);
	}
}
