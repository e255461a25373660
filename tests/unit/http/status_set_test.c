#include "http/status.h"
#include "test.h"

#include <string.h>

TEST(lists_classes_and_ranges_are_read)
{
	static const struct {
		const char *text;
		int in[4];
		int out[4];
	} cases[] = {
		{ "2xx", { 200, 204, 250, 299 }, { 199, 300, 100, 500 } },
		{ "2XX,409", { 200, 299, 409, 409 }, { 408, 410, 199, 300 } },
		{ "500-503", { 500, 501, 502, 503 }, { 499, 504, 200, 100 } },
		{ "100,599", { 100, 599, 100, 599 }, { 101, 598, 163, 164 } },
		{ "1xx,2xx,3xx,4xx,5xx", { 100, 300, 444, 599 }, { 99, 600, 0, -1 } },
		{ "409|5xx,2xx", { 409, 500, 599, 204 }, { 408, 410, 300, 499 } },
		{ "404-404", { 404, 404, 404, 404 }, { 403, 405, 0, 1000000 } },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct status_set set;
		struct error err;
		assert_int_equal(status_set_parse(&set, cases[i].text, &err), 0);
		for (int j = 0; j < 4; j++) {
			assert_true(status_set_contains(&set, cases[i].in[j]));
			assert_false(status_set_contains(&set, cases[i].out[j]));
		}
	}
}

TEST(what_is_none_is_named)
{
	static const struct {
		const char *text;
		const char *named;
	} cases[] = {
		{ "", "''" },
		{ "2xx,", "''" },
		{ "2xx|", "''" },
		{ "|2xx", "''" },
		{ "200,abc,300", "'abc'" },
		{ "6xx", "'6xx'" },
		{ "0xx", "'0xx'" },
		{ "2x", "'2x'" },
		{ "20", "'20'" },
		{ "2000", "'2000'" },
		{ "099", "'099'" },
		{ "600", "'600'" },
		{ "200-", "'200-'" },
		{ "-200", "'-200'" },
		{ "503-500", "'503-500'" },
		{ "200 ", "'200 '" },
		{ "200-300-400", "'200-300-400'" },
		{ "2xx-3xx", "'2xx-3xx'" },
		{ "+20", "'+20'" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct status_set set;
		struct error err;
		assert_int_equal(status_set_parse(&set, cases[i].text, &err), -1);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		if (!strstr(err.message, cases[i].named))
			fail_msg("'%s': %s", cases[i].text, err.message);
	}
}

TEST(sets_meet_in_a_status)
{
	struct status_set set, other, none = { { 0 } };
	struct error err;
	assert_int_equal(status_set_parse(&set, "2xx,409", &err), 0);
	static const char *const meeting[] = { "409", "200-204", "299-500", "4xx" }, *const apart[] = { "404",
		                                                                                        "410-500",
		                                                                                        "1xx" };
	for (size_t i = 0; i < sizeof meeting / sizeof meeting[0]; i++) {
		assert_int_equal(status_set_parse(&other, meeting[i], &err), 0);
		assert_true(status_set_meets(&set, &other) && status_set_meets(&other, &set));
	}
	for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
		assert_int_equal(status_set_parse(&other, apart[i], &err), 0);
		assert_false(status_set_meets(&set, &other) || status_set_meets(&set, &none));
	}
}

TEST(statuses_have_phrases)
{
	assert_string_equal(http_status_phrase(200), "OK");
	assert_string_equal(http_status_phrase(422), "Unprocessable Content");
	assert_string_equal(http_status_phrase(299), "Unknown");
	assert_string_equal(http_status_phrase(-1), "Unknown");
}
