/* Text in so many columns: whole where it fits, else without its middle; and safe either way. */
#include "base/fit.h"
#include "test.h"

#include <string.h>

TEST(long_text_loses_its_middle)
{
	static const struct {
		const char *text;
		int columns;
		const char *shown;
	} rows[] = {
		{ "", 5, "" },
		{ "short", 5, "short" },
		{ "longer", 5, "l...r" },
		{ "http://127.0.0.1:8080/hook", 16, "http://...0/hook" },
		{ "http://127.0.0.1:8080/hook", 17, "http://...80/hook" },
		{ "http://127.0.0.1:8080/hook", 26, "http://127.0.0.1:8080/hook" },
		/* Whole characters: three bytes, two columns each. */
		{ "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e", 12, "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e" },
		{ "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e", 8, "\u65e5...\u8a9e" },
		{ "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e", 7, "\u65e5...\u8a9e" },
		{ "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e", 6, "\u65e5..." },
		/* What a terminal would obey is shown, and never cut in two. */
		{ "\033[31m", 8, "\\x1B[31m" },
		{ "\033\033\033\033", 12, "\\x1B...\\x1B" },
		{ "\xff\xff\xff", 10, "\\xFF..." },
		{ "\xff\xff\xff", 9, "..." },
		{ "\xff\xff\xff", 11, "\\xFF...\\xFF" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		int used = fit_append(&out, rows[i].text, strlen(rows[i].text), rows[i].columns);
		assert_string_equal(buffer_text(&out), rows[i].shown);
		assert_int_equal(used, fit_columns(rows[i].shown, strlen(rows[i].shown)));
		assert_true(used <= rows[i].columns);
	}
}

TEST(a_column_is_filled_up)
{
	RELEASED(buffer) out = BUFFER_INIT;
	fit_append_column(&out, "user-created", 14);
	fit_append_column(&out, "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e", 8);
	assert_string_equal(buffer_text(&out), "user-created  \u65e5...\u8a9e ");
}
