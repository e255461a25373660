/* Which responses are of one class: what differs from request to request is left out of their words. */
#include "day_unit.h"

/* What is said of the two kinds of requests, and the values that they have. */
static const char *before, *values[2], *behind;
static bool is_in_body;

static void refuse_in_words(int at, struct made *made)
{
	static char said[256];
	const char *value = values[at % 40 == 1];
	if (at % 20 != 1)
		return;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "Lost", is_in_body ? value : "none");
	snprintf(said, sizeof said, "%s%s%s", before, value, behind);
	fail_with(made, 422, said);
}

#define FORTY      "a sentence that has forty characters by "
#define FORTY_LESS "a sentence that has forty characters ..." /* of a line that is longer */

TEST(words_that_differ_from_request_to_request_are_one_class)
{
	static const struct {
		const char *before, *values[2], *behind;
		bool is_in_body;
		const char *said; /* of one class; NULL: there are two */
	} rows[] = {
		{ "no ", { "abc", "xyz" }, " here", true, "no ... here" },
		{ "no ", { "abc", "xyz" }, " here", false, NULL },
		{ "no ", { "ab", "xy" }, " here", true, NULL }, /* too short to say something */
		{ "no ", { "abc", "abc xyz" }, " here", true, "no ... here" },
		{ "", { "abc", "xyz" }, "", true, "..." },
		{ "(", { "abc", "xyz" }, ")", true, "(...)" },
		{ "no ", { "abc", "xyz" }, "ish here", true, NULL }, /* another word */
		{ "no un", { "abc", "xyz" }, " here", true, NULL },
		{ "no ", { "a7", "b-8" }, " here", false, "no ... here" },
		{ "no ", { "7-a", "b-c" }, " here", false, NULL },
		{ FORTY FORTY FORTY, { "abc", "xyz" }, "", false, NULL },
		{ FORTY FORTY FORTY FORTY, { "abc", "xyz" }, "", false, FORTY FORTY FORTY FORTY_LESS },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		before = rows[i].before;
		behind = rows[i].behind;
		values[0] = rows[i].values[0];
		values[1] = rows[i].values[1];
		is_in_body = rows[i].is_in_body;
		struct found found = find_causes(refuse_in_words, DAY_LENGTH);
		if (found.count != (rows[i].said ? 1 : 2) ||
		    (rows[i].said && strcmp(found.causes[0].said, rows[i].said) != 0))
			fail_msg("row %zu: %zu, %s", i, found.count, found.causes[0].said);
		day_free(found.day);
	}
}

/* A value, and behind it one with which it begins. */
static void refuse_a_longer_value(int at, struct made *made)
{
	bool is_other = at % 40 == 1;
	if (at % 20 != 1)
		return;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, is_other ? "abc xyz" : "abc uvw", "abc");
	fail_with(made, 422, is_other ? "no abc xyz here" : "no abc uvw here");
}

TEST(the_longest_value_is_what_words_repeat)
{
	struct found found = find_causes(refuse_a_longer_value, DAY_LENGTH);
	assert_int_equal(found.count, 1);
	assert_string_equal(found.causes[0].said, "no ... here");
	day_free(found.day);
}

/* Every other request has one of the words itself. */
static void refuse_in_one_sentence(int at, struct made *made)
{
	if (at % 20 != 1)
		return;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "Lost", at % 40 == 1 ? "abc" : "none");
	fail_with(made, 422, "no abc here");
}

TEST(one_sentence_is_one_class_whoever_has_a_word_of_it)
{
	struct found found = find_causes(refuse_in_one_sentence, DAY_LENGTH);
	assert_int_equal(found.count, 1);
	assert_string_equal(found.causes[0].said, "no abc here");
	day_free(found.day);
}

/* How many words the responses have, and how often each. */
static int different, often;

static void refuse_in_many_words(int at, struct made *made)
{
	static char said[32];
	int nth = at / 10;
	if (at % 10 != 1 || nth >= different * often)
		return;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "Lost", "x");
	snprintf(said, sizeof said, "word %c%c", 'a' + nth % different / 26, 'a' + nth % different % 26);
	fail_with(made, 422, said);
}

/* Eight are told apart, and what is beyond them is one class, with those that are fewer than five. */
TEST(many_words_of_one_status_are_eight_classes_and_the_rest)
{
	static const struct {
		int different, often;
		unsigned count, rest; /* classes, and failures of the rest */
	} rows[] = {
		{ 8, 5, 8, 0 }, { 9, 5, 9, 5 }, { 12, 5, 9, 20 }, { 8, 4, 0, 0 }, { 9, 4, 1, 36 }, { 20, 3, 1, 60 }
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		unsigned rest = 0;
		different = rows[i].different;
		often = rows[i].often;
		struct found found = find_causes(refuse_in_many_words, DAY_LENGTH);
		assert_int_equal(found.count, rows[i].count);
		for (size_t c = 0; c < found.count; c++) {
			const struct day_cause *cause = &found.causes[c];
			bool is_rest = strcmp(cause->said, "...") == 0;
			assert_int_equal(cause->failed, is_rest ? rows[i].rest : (unsigned)often);
			if (is_rest)
				assert_int_equal(cause->first, often < 5 ? 1 : 81);
			assert_int_equal(cause->last_us, cause->last * 1000000);
			rest += is_rest;
		}
		assert_int_equal(rest, rows[i].rest > 0);
		day_free(found.day);
	}
}

/* Four of each of many words: more than are kept of the rest, where none is added to them. */
static void refuse_in_a_word_each_time(int at, struct made *made)
{
	static char said[32];
	int nth = at / 2;
	if (at % 2 != 1 || nth >= 2704)
		return;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "Lost", "x");
	snprintf(said, sizeof said, "word %c%c", 'a' + nth % 676 / 26, 'a' + nth % 26);
	fail_with(made, 422, said);
}

TEST(of_the_rest_no_more_are_kept_than_of_another_class)
{
	struct found found = find_causes(refuse_in_a_word_each_time, 5500);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.causes[0].failed, 2704 - 8 * 4);
	day_free(found.day);
}
