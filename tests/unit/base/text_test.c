/* "Did you mean": a slip finds its word, another word finds none; and counts with separators. */
#include "base/buffer.h"
#include "base/text.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const char *const candidates[] = {
	"events",
	"explain",
	"build",
	"validate",
	"send",
	"replay",
	"listen",
	"shell",
	"--timeout",
	"user-created",
	"user-deleted",
	"bureau-alert",
	"monitored-element-added",
	"authentication-question-retrieval-succeeded",
};

static const char *nearest_to(const char *word, size_t length)
{
	struct nearest n;
	nearest_init(&n, word, length);
	for (size_t i = 0; i < sizeof candidates / sizeof candidates[0]; i++)
		nearest_offer(&n, candidates[i]);
	return nearest_result(&n);
}

TEST(slips_find_their_word_and_others_do_not)
{
	static const struct {
		const char *word, *expected; /* NULL: none is near */
	} rows[] = {
		{ "vlaidate", "validate" },
		{ "validatee", "validate" },
		{ "user-craeted", "user-created" },
		{ "user_created", "user-created" },
		{ "USER-CREATED", "user-created" },
		{ "--timeuot", "--timeout" },
		{ "sned", "send" },
		{ "monitored-elements-added", "monitored-element-added" },
		{ "authentication-question-retrieval-suceeded", "authentication-question-retrieval-succeeded" },
		{ "snd", NULL },    /* fewer than four */
		{ "lisend", NULL }, /* two edits, and another beginning */
		{ "hull", NULL },
		{ "seed", "send" },
		{ "bild", "build" },
		{ "val", "validate" },
		{ "USER-C", "user-created" },
		{ "user-", NULL }, /* two begin so */
		{ "v", NULL },
		{ "relply", "replay" },
		{ "validity", "validate" },
		{ "", NULL },
		{ "x", NULL },
		{ "frobnicate", NULL },
		{ "completely-different-thing", NULL },
		{ "\xFF\xFE\x80\x01", NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		/* In memory of exactly its size: the word need not be terminated. */
		size_t length = strlen(rows[i].word);
		char *word = malloc(length ? length : 1);
		assert_non_null(word);
		memcpy(word, rows[i].word, length);
		const char *got = nearest_to(word, length);
		free(word);
		if ((got == NULL) != (rows[i].expected == NULL) || (got && strcmp(got, rows[i].expected) != 0))
			fail_msg("%s: %s, expected %s", rows[i].word, got ? got : "none",
			         rows[i].expected ? rows[i].expected : "none");
	}
}

TEST(the_first_of_equals_stays)
{
	struct nearest n;
	nearest_init(&n, "test", 4);
	nearest_offer(&n, "rest");
	nearest_offer(&n, "best");
	assert_string_equal(nearest_result(&n), "rest");
	nearest_offer(&n, "test");
	assert_string_equal(nearest_result(&n), "test");
}

TEST(long_words_are_bounded)
{
	static char word[200000];
	memset(word, 'a', sizeof word);
	static const size_t lengths[] = { 62, 63, 64, 65, 1000, sizeof word };
	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		assert_null(nearest_to(word, lengths[i]));
		size_t counted = lengths[i] < 63 ? lengths[i] : 63;
		assert_int_equal(nearest_distance(word, lengths[i], "", 0), counted);
		assert_int_equal(nearest_distance("", 0, word, lengths[i]), counted);
		assert_int_equal(nearest_distance(word, lengths[i], word, lengths[i]), 0);
	}
}

TEST(distances_count_edits)
{
	static const struct {
		const char *a, *b;
		size_t distance;
	} rows[] = {
		{ "", "", 0 },         { "a", "", 1 },
		{ "abc", "abc", 0 },   { "abc", "ABC", 0 },
		{ "abc", "abd", 1 },   { "abc", "ab", 1 },
		{ "abc", "abxc", 1 },  { "ab", "ba", 1 },
		{ "abcd", "badc", 2 }, { "kitten", "sitting", 3 },
		{ "ca", "abc", 3 },    { "abc", "xyz", 3 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *a = rows[i].a, *b = rows[i].b;
		size_t forth = nearest_distance(a, strlen(a), b, strlen(b));
		size_t back = nearest_distance(b, strlen(b), a, strlen(a));
		if (forth != rows[i].distance || back != rows[i].distance)
			fail_msg("%s, %s: %zu and %zu, expected %zu", a, b, forth, back, rows[i].distance);
	}
}

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

TEST(counts_are_read_as_people_write_them)
{
	static const struct {
		const char *text;
		uint64_t thousand, count;
		const char *rest; /* NULL: it is refused */
	} rows[] = {
		{ "1000", 1000, 1000, "" },
		{ "1,000", 1000, 1000, "" },
		{ "1,000,000", 1000, 1000000, "" },
		{ "1_000", 1000, 1000, "" },
		{ "1'000", 1000, 1000, "" },
		{ "1 000", 1000, 1000, "" },
		{ "1k", 1000, 1000, "" },
		{ "10K", 1000, 10000, "" },
		{ "1.5k", 1000, 1500, "" },
		{ "2M", 1000, 2000000, "" },
		{ "1.0", 1000, 1, "" },
		{ "5k/s", 1000, 5000, "/s" },
		{ "64K", 1024, 65536, "" },
		{ "64 KiB", 1024, 65536, "" },
		{ "1MB", 1024, 1048576, "" },
		{ "1.5m", 1024, 1572864, "" },
		{ "512 B", 1024, 512, "" },
		{ "512b", 1024, 512, "" },
		{ "18446744073709551615", 1000, UINT64_MAX, "" },
		{ "18446744073709551616", 1000, 0, NULL },
		{ "99999999999999T", 1000, 0, NULL },
		{ "1.5", 1000, 0, NULL },
		{ "1.0001k", 1000, 0, NULL },
		{ "1000,000", 1000, 0, NULL },
		{ "1,00", 1000, 1, ",00" },
		{ "1,000_000", 1000, 1000, "_000" },
		{ "1kB", 1000, 1000, "B" },
		{ "1x", 1000, 1, "x" },
		{ "k", 1000, 0, NULL },
		{ "-1", 1000, 0, NULL },
		{ " 1", 1000, 0, NULL },
		{ "", 1000, 0, NULL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint64_t count = 0;
		const char *rest = count_parse(rows[i].text, rows[i].thousand, UINT64_MAX, &count);
		if (!rest != !rows[i].rest || (rest && (count != rows[i].count || strcmp(rest, rows[i].rest) != 0)))
			fail_msg("%s: %llu, '%s'", rows[i].text, (unsigned long long)count, rest ? rest : "refused");
	}
	uint64_t count;
	assert_null(count_parse("101", 1000, 100, &count));
	assert_null(count_parse("1k", 1000, 999, &count));
	assert_non_null(count_parse("1k", 1000, 1000, &count));
	assert_null(count_parse("7", 1000, 5, &count));
}

TEST(ranges_have_these_signs)
{
	static const struct {
		const char *text;
		size_t length;
	} rows[] = { { "-5", 1 },    { ":5", 1 }, { "..5", 2 }, { "...5", 3 },
		     { "....5", 0 }, { ".5", 0 }, { "5", 0 },   { "", 0 } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(range_sign_length(rows[i].text, strlen(rows[i].text)), rows[i].length);
}

TEST(words_with_digits_are_alike)
{
	static const char *const rows[][2] = {
		{ "", "" },
		{ "no such key", "no such key" },
		{ "at 12:30:05, id a1b2_c3!", "at ...:...:..., id ...!" },
		{ "snake_case stays, v2 does not", "snake_case stays, ... does not" },
		{ "\xC3\xA9t\xC3\xA9 7", "\xC3\xA9t\xC3\xA9 ..." },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		text_append_alike(&out, rows[i][0], strlen(rows[i][0]));
		assert_string_equal(buffer_text(&out), rows[i][1]);
	}
}

TEST(a_list_owns_its_texts)
{
	struct owned_texts texts = { .list = { .count = 0 } };
	struct error err;
	for (int i = 0; i < 100; i++)
		assert_int_equal(owned_texts_add(&texts, strdup("a text"), &err), 0);
	assert_int_equal(owned_texts_replace(&texts, 99, strdup("another"), &err), 0);
	assert_int_equal(texts.list.count, 100);
	assert_string_equal(texts.list.items[98], "a text");
	assert_string_equal(texts.list.items[99], "another");
	assert_int_equal(owned_texts_add(&texts, NULL, &err), -1);
	assert_int_equal(owned_texts_replace(&texts, 0, NULL, &err), -1);
	assert_int_equal(err.code, EXIT_CODE_INTERNAL);
	assert_int_equal(texts.list.count, 100);
	owned_texts_release(&texts);
	assert_int_equal(texts.list.count, 0);
	owned_texts_release(&texts);
}
