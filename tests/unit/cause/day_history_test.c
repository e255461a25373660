/* What came before, in a day: by which keys a notification is known, and as long as that takes little memory. */
#include "day_unit.h"

/* The members of the envelope that are the same in what is refused and in what came before it, as bits. */
static unsigned same;

/* Of each customer the first is accepted; then one for each of these members, in which alone it is another; the sixth
 * has these in common with the first, and is refused. The rest are of customers of their own. */
static void refuse_what_is_the_same(int at, struct made *made)
{
	static const char *const values[][2] = {
		{ "report", "user" }, { "200", "201" }, { "get", "post" }, { "/api/report/v2", "/api/user/v2" }
	};
	const char *of[4];
	unsigned step = (unsigned)at % 10, other = step == 5 ? ~same : 0;
	bool is_known = step == 5 || (step > 0 && step < 5 && same >> (step - 1) & 1);
	if (step > 0 && step < 5)
		other = 1u << (step - 1);
	else if (step > 5)
		other = (unsigned)at * 7 / 10;
	for (unsigned i = 0; i < 4; i++)
		of[i] = values[i][other >> i & 1];
	snprintf(made->body, sizeof made->body,
	         "{\"service\":\"%s\",\"event\":\"%s\",\"method\":\"%s\",\"path\":\"%s\",\"details\":{"
	         "\"clientKey\":\"c-%04d\",\"alertId\":%d}}",
	         of[0], of[1], of[2], of[3], is_known ? at - (int)step : at, 1000 + at);
	if (step == 5)
		fail_with(made, 409, "duplicate");
}

TEST(a_repeat_is_known_by_what_no_two_that_were_accepted_have_in_common)
{
	static const char *const names[] = { "service", "event", "method", "path" };
	for (same = 0; same < 16; same++) {
		char words[256] = "99 x 409 duplicate: facts: each came after an accepted notification with the same ";
		bool any = false;
		for (unsigned i = 0; i < 4; i++)
			if (same >> i & 1) {
				strcat(strcat(words, any ? ", " : ""), names[i]);
				any = true;
			}
		strcat(strcat(words, any ? " and " : ""), "clientKey; none of 900 accepted ones did (#15 to #995)\n");
		assert_string_equal(causes_of(refuse_what_is_the_same), words);
	}
}

/* Each has identifiers of its own, nine of them, but for some that are sent again. */
static void refuse_repeats(int at, struct made *made)
{
	int of = at % 100 == 2 && at < 1000 ? at - 1 : at;
	snprintf(
	        made->body, sizeof made->body,
	        "{\"service\":\"report\",\"event\":\"200\",\"method\":\"get\",\"path\":\"/api/report/v2\",\"details\":{"
	        "\"clientKey\":\"%d\",\"userId\":\"%d\",\"authToken\":\"%d\",\"userToken\":\"%d\",\"displayToken\":\"%"
	        "d\","
	        "\"reportKey\":\"%d\",\"monitorId\":\"%d\",\"alertId\":%d,\"enrollmentCode\":\"%d\"}}",
	        of, of, of, of, of, of, of, of, of);
	if (of != at)
		fail_with(made, 409, "duplicate");
}

/* A million hashes: sixteen of each identifier, with any members of the envelope, and one of the bytes. */
TEST(repeats_are_looked_for_as_long_as_that_takes_little_memory)
{
	for (int length = 6900; length <= 6920; length += 20) {
		struct found found = find_causes(refuse_repeats, length);
		bool is_left_out = length > 6900;
		assert_int_equal(found.count, 1);
		assert_int_equal(found.causes[0].type, is_left_out ? DAY_UNKNOWN : DAY_FACTS);
		assert_int_equal(day_lacks_history(found.day), is_left_out);
		if (!is_left_out)
			assert_int_equal(found.causes[0].facts[0].kind, FACT_REPEAT);
		day_free(found.day);
	}
}

/* The same comes after what was refused. */
static void refuse_what_is_accepted_then(int at, struct made *made)
{
	snprintf(made->body, sizeof made->body, USER, 1000 + at / 5, 1000 + at / 5, "Ada", "");
	if (at % 5 == 0 && at % 50 == 0)
		fail_with(made, 500, "oops");
	else if (at / 5 % 10 != 0 || at % 5 != 1)
		snprintf(made->body, sizeof made->body, USER, 2000 + at, 2000 + at, "Ada", "");
}

TEST(what_is_accepted_later_did_not_come_before)
{
	assert_string_equal(causes_of(refuse_what_is_accepted_then), "20 x 500 oops: unknown\n");
}

static void refuse_five_repeats(int at, struct made *made)
{
	int of = at % 100 == 52 && at < 500 ? at - 2 : at;
	snprintf(made->body, sizeof made->body, USER, 1000 + of, 1000 + of, "Ada", "");
	if (of != at)
		fail_with(made, 409, "duplicate");
}

TEST(five_repeats_are_enough)
{
	const char *said = causes_of(refuse_five_repeats);
	assert_ptr_equal(strstr(said, "5 x 409 duplicate: facts: each is the same as an accepted notification before"),
	                 said);
}
