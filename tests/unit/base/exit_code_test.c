/* When several exit codes apply: 3 over 4 over 1, and what is worse than those over them. */
#include "base/error.h"
#include "test.h"

static const enum exit_code mildest_first[] = { 0, 1, 4, 3, 2, 5, 130 };
#define COUNT (sizeof mildest_first / sizeof mildest_first[0])

TEST(the_worse_of_two_wins_in_either_order)
{
	for (size_t i = 0; i < COUNT; i++)
		for (size_t j = 0; j < COUNT; j++)
			assert_int_equal(exit_code_worse(mildest_first[i], mildest_first[j]),
			                 mildest_first[i > j ? i : j]);
}

TEST(every_code_has_one_row_with_a_meaning)
{
	assert_int_equal(exit_code_row_count, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		size_t found = 0;
		for (size_t row = 0; row < exit_code_row_count; row++)
			found += exit_code_rows[row].code == mildest_first[i] && exit_code_rows[row].meaning[0] != '\0';
		assert_int_equal(found, 1);
	}
	for (size_t row = 1; row < exit_code_row_count; row++)
		assert_true(exit_code_rows[row - 1].code < exit_code_rows[row].code);
}
