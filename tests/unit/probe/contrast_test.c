/* Two values of a field: what the lines of three customers say of them. */
#include "probe/keep/contrast.h"
#include "test.h"

#include <string.h>

struct lines {
	const char *texts[CONTRAST_THREE];
	bool is;
};

TEST(test_values_are_seen_in_any_form_that_is_theirs)
{
	static const struct lines changes[] = {
		{ { "1|<clientKey>|7\n", "2|<clientKey>|8\n", "3|<clientKey>|7\n" }, true },
		{ { "7|<clientKey>|7\n", "8|<clientKey>|8\n", "9|<clientKey>|7\n" }, false }, /* rows */
		{ { "a +7.00\n", "a +8.00\n", "a +7.00\n" }, true },
		{ { "{\"change\":\"7\",\"v\":8}", "{\"change\":\"8\",\"v\":8}", "{\"change\":\"7\",\"v\":8}" }, true },
		{ { "007", "008", "007" }, true },
		{ { "7.5", "8.5", "7.5" }, false },
		{ { "7.05", "8.05", "7.05" }, false },
		{ { "70", "80", "70" }, false },
		{ { "v7", "v8", "v7" }, false },
		{ { "7", "7", "7" }, false },
		{ { "7 of 8", "9 of 8", "7 of 8" }, false },
		{ { "7 of 7", "8 of 7", "9 of 7" }, false },
		{ { "7", "8", "8" }, false },
		{ { "", "", "" }, false },
	};
	static const struct lines names[] = {
		{ { "ANNA Sample\n", "BERTA Sample\n", "ANNA Sample\n" }, true },
		{ { "Anna", "Anna", "Anna" }, false },
		{ { "Annabelle", "Berta", "Annabelle" }, false },
		{ { "Dear Anna.", "Dear Berta.", "Dear Anna." }, true },
	};
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
		assert_int_equal(contrast_is_seen(&contrast_change, changes[i].texts), changes[i].is);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_int_equal(contrast_is_seen(&contrast_first_name, names[i].texts), names[i].is);
}

TEST(test_anything_that_comes_of_the_value_tells_them_apart)
{
	static const struct lines changes[] = {
		{ { "1|7|a\n", "2|7|a\n", "3|7|a\n" }, true },
		{ { "1|-7|a\n", "2|7|a\n", "3|-7|a\n" }, false },
		{ { "1|(7)\n", "2|7\n", "3|(7)\n" }, false },
		{ { "1|7-\n", "2|7\n", "3|7-\n" }, false },
		{ { "1|7\n", "2|+7\n", "3|7\n" }, false },
		{ { "1|decrease|7\n", "2|increase|7\n", "3|decrease|7\n" }, false },
		{ { "1|7|\n", "2|7|1\n", "3|7|\n" }, false },
		{ { "1|7\n", "2|7\nraised\n", "3|7\n" }, false },
		{ { "7\n", "7\n7\n", "7\n" }, false },
		/* What differs in all of them comes of something else. */
		{ { "1|<time>|a1f7|7|12\n", "2|<time>|b2|7|13\n", "3|<time>|c3e|7|13\n" }, true },
		/* What was not accepted is not there. */
		{ { "1|7|a\n", NULL, "3|7|a\n" }, true },
		{ { "1|-8|a\n", NULL, "3|-8|a\n" }, false },
	};
	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
		assert_int_equal(contrast_is_alike(&contrast_change, changes[i].texts), changes[i].is);
}

TEST(test_what_is_more_than_a_digest_may_be_the_value)
{
	char a[600], b[600];
	memset(a, 'a', sizeof a);
	memset(b, 'b', sizeof b);
	a[64] = b[64] = '\0';
	assert_false(contrast_is_opaque(a, b));
	a[64] = 'a', b[64] = 'b';
	a[128] = b[128] = '\0';
	assert_false(contrast_is_opaque(a, b));
	a[128] = 'a', b[128] = 'b';
	a[129] = b[129] = '\0';
	assert_true(contrast_is_opaque(a, b));
	a[129] = 'a', b[129] = 'b';
	a[sizeof a - 1] = b[sizeof b - 1] = '\0';
	assert_true(contrast_is_opaque(a, b));
	assert_true(contrast_is_opaque("x", b));
	assert_true(contrast_is_opaque(a, "x"));
	assert_false(contrast_is_opaque(a, a));
	for (size_t i = 99; i < sizeof a - 1; i += 100)
		a[i] = b[i] = '\n';
	assert_false(contrast_is_opaque(a, b));
	memset(a, '1', sizeof a - 1);
	memset(b, '2', sizeof b - 1);
	assert_false(contrast_is_opaque(a, b)); /* numbers */
}

TEST(test_a_value_as_it_was_sent)
{
	assert_true(contrast_stands("a|02134|b", "02134"));
	assert_true(contrast_stands("a|2134|b\n02134", "02134"));
	assert_true(contrast_stands("change:-7", "-7"));
	assert_true(contrast_stands("-70 -7", "-7"));
	assert_false(contrast_stands("2025-7 -70 7", "-7"));
	assert_false(contrast_stands("2134 102134 021345 x02134", "02134"));
	assert_false(contrast_stands("", "7"));
}

TEST(test_the_double_next_to_an_integer)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{ "a|9007199254740992|b", true },
		{ "9007199254740992.0", true },
		{ "9.007199254740992e+15\n", true },
		{ "9.00719925474099E15", true },
		{ "9007199254740994", false },
		{ "9007199254740990", false },
		{ "9e15", false },
		{ "1", false },
		{ "-1", false },
		{ "x9007199254740992 1.9007199254740992", false },
		{ "0x 1e 1e999 .", false },
		{ "", false },
	};
	struct random random;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(contrast_is_rounded(rows[i].text, 9007199254740993), rows[i].is);
	random_seed(&random, 7);
	for (int i = 0; i < 1000; i++) {
		uint64_t integer = contrast_integer(&random);
		assert_true(integer < 10000000000000000 && (uint64_t)(double)integer != integer);
	}
}

TEST(test_whose_value_is_whose)
{
	assert_int_equal(contrast_customers(&contrast_zip), 6);
	assert_string_equal(contrast_value(&contrast_zip, 0), "10001");
	assert_string_equal(contrast_value(&contrast_zip, 1), "60601");
	assert_string_equal(contrast_value(&contrast_zip, 2), "10001");
	assert_string_equal(contrast_value(&contrast_zip, 3), "02134");
	assert_string_equal(contrast_value(&contrast_zip, 4), "2134");
	assert_string_equal(contrast_value(&contrast_zip, 5), "02134");
	assert_int_equal(contrast_customers(&contrast_off_cycle), 3);
	assert_string_equal(contrast_value(&contrast_off_cycle, 0), "true");
	assert_string_equal(contrast_value(&contrast_off_cycle, 1), "false");
	assert_string_equal(contrast_value(&contrast_off_cycle, 2), "true");
}
