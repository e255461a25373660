/* Counts with separators. */
#include "base/text.h"
#include "test.h"

TEST(thousands_are_separated)
{
	static const struct {
		uint64_t count;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 7, "7" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 1338, "1,338" },
		{ 123456, "123,456" },
		{ 1000000, "1,000,000" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char text[COUNT_SIZE];
		assert_string_equal(count_text(rows[i].count, text), rows[i].text);
	}
}

TEST(only_digits_up_to_the_limit_are_read)
{
	static const char *const refused[] = { "", " 1", "+1", "-1", "1 ", "1x", "101", "18446744073709551616" };
	uint64_t count;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		assert_false(count_read(refused[i], 100, &count));
	assert_true(count_read("0100", 100, &count));
	assert_int_equal(count, 100);
	assert_false(count_read("18446744073709551616", UINT64_MAX, &count));
	assert_true(count_read("18446744073709551615", UINT64_MAX, &count));
}
