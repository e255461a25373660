/* Counts with separators. */
#include "base/text.h"

/* clang-format off */
/* cmocka.h needs the others before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static void thousands_are_separated(void **state)
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
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char text[COUNT_SIZE];
		assert_string_equal(count_text(rows[i].count, text), rows[i].text);
	}
}

static void only_digits_up_to_the_limit_are_read(void **state)
{
	static const char *const refused[] = { "", " 1", "+1", "-1", "1 ", "1x", "101", "18446744073709551616" };
	uint64_t count;
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		assert_false(count_read(refused[i], 100, &count));
	assert_true(count_read("0100", 100, &count));
	assert_int_equal(count, 100);
	assert_false(count_read("18446744073709551616", UINT64_MAX, &count));
	assert_true(count_read("18446744073709551615", UINT64_MAX, &count));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(thousands_are_separated),
		                            cmocka_unit_test(only_digits_up_to_the_limit_are_read) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
