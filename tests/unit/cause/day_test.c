/* What failures of a capture have in common: tables of requests, each with the cause that is to be said of them. */
#include "day_unit.h"

static void all_fine(int at, struct made *made)
{
	(void)at;
	(void)made;
}

static void four_fail(int at, struct made *made)
{
	if (at % 200 == 0 && at < DAY_LENGTH)
		fail_with(made, 500, "oops");
}

TEST(fewer_than_five_failures_have_no_cause)
{
	assert_string_equal(causes_of(all_fine), "");
	assert_string_equal(causes_of(four_fail), "");
}

static void refuse_inquiry(int at, struct made *made)
{
	if (at % 100 != 1)
		return;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "Inquiry", "x");
	fail_with(made, 422, "{\"error\":\"unknown alertType Inquiry\"}");
}

TEST(a_value_that_is_refused_is_named)
{
	assert_string_equal(
	        causes_of(refuse_inquiry),
	        "10 x 422 {\"error\":\"unknown alertType Inquiry\"}: facts: each has alertType \"Inquiry\"; "
	        "none of 990 accepted ones has (#1 to #901, exact)\n");
}

/* Of some nothing is known of the response. */
static void refuse_inquiry_or_end(int at, struct made *made)
{
	refuse_inquiry(at, made);
	if (at % 100 != 61)
		return;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "Inquiry", "x");
	made->status = 0;
}

TEST(a_request_without_a_response_is_neither_accepted_nor_a_failure)
{
	assert_non_null(
	        strstr(causes_of(refuse_inquiry_or_end),
	               "facts: each has alertType \"Inquiry\"; none of 980 accepted ones has (#1 to #901, exact)"));
}

static void refuse_without_bureau(int at, struct made *made)
{
	if (at % 100 != 1)
		return;
	snprintf(made->body, sizeof made->body,
	         "{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"alertId\":%d,"
	         "\"appKey\":\"a\",\"clientKey\":\"c-%d\",\"alertType\":\"New\",\"alertDetails\":{\"note\":\"x\"}}}",
	         at, at);
	fail_with(made, 500, "KeyError: 'bureau'");
}

/* That users have no bureau says nothing: no user has. */
TEST(a_member_that_is_missing_is_named)
{
	assert_non_null(strstr(causes_of(refuse_without_bureau),
	                       "10 x 500 KeyError: 'bureau': facts: each has no bureau; none of 990"));
}

static void fail_for_a_while(int at, struct made *made)
{
	if (at >= 400 && at < 440)
		fail_with(made, 503, "");
}

TEST(an_outage_is_a_span)
{
	assert_string_equal(causes_of(fail_for_a_while), "40 x 503 : span (#400 to #439)\n");
}

static void refuse_from_noon(int at, struct made *made)
{
	if (at % 2 == 0 && at % 5 == 0)
		snprintf(made->body, sizeof made->body, USER, at, at, "Ada", ",\"address\":{\"zip\":\"12345\"}");
	if (at % 2 == 0 && at % 5 == 0 && at > 500)
		fail_with(made, 400, "bad address");
}

TEST(what_is_refused_since_a_deploy_is_said_of_its_span)
{
	const char *said = causes_of(refuse_from_noon);
	assert_non_null(strstr(said, "50 x 400 bad address: facts in its span: each has address; none of 196 accepted "
	                             "ones meanwhile has (#510 to #1000, exact)"));
}

static void refuse_a_sender(int at, struct made *made)
{
	made->sender = at % 3 ? "10.0.0.2" : made->sender;
	if (at % 90 != 7)
		return;
	made->sender = "10.9.9.9";
	fail_with(made, 403, "forbidden");
}

TEST(a_sender_is_named)
{
	assert_non_null(strstr(causes_of(refuse_a_sender), "12 x 403 forbidden: facts: each comes from 10.9.9.9;"));
}

/* Others are as large. */
static void refuse_members(int at, struct made *made)
{
	bool is_refused = at % 50 == 0;
	snprintf(made->body, sizeof made->body, USER, 1000 + at, 1000 + at, "Ada",
	         is_refused ? ",\"scoreModifiers\":{\"a\":1,\"b\":2,\"c\":3}"
	                    : ",\"scoreModifiers\":{\"a\":1000000,\"b\":2000000}");
	if (is_refused)
		fail_with(made, 400, "no");
}

TEST(how_many_members_an_object_has_is_said_beside_the_most_accepted)
{
	assert_string_equal(causes_of(refuse_members),
	                    "20 x 400 no: facts: each has more members in scoreModifiers than each that was "
	                    "accepted (up to 2) (#50 to #1000)\n");
}

static void limit_the_rate(int at, struct made *made)
{
	if (at % 30 == 0)
		fail_with(made, 429, "slow down");
}

TEST(a_limit_of_the_rate_is_no_cause_of_content)
{
	assert_string_equal(causes_of(limit_the_rate), "33 x 429 slow down: busy\n");
}

static void refuse_a_customer(int at, struct made *made)
{
	if (at % 120 == 0) {
		snprintf(made->body, sizeof made->body, USER, 7777, 7777, "Ada", "");
		fail_with(made, 500, "boom");
	}
}

TEST(a_customer_is_named)
{
	assert_string_equal(
	        causes_of(refuse_a_customer),
	        "8 x 500 boom: facts: each has clientKey \"c-7777\"; none of 992 accepted ones has (#120 to "
	        "#960, exact)\n");
}

static void refuse_two_for_two_reasons(int at, struct made *made)
{
	refuse_inquiry(at, made);
	if (at % 60 == 4)
		snprintf(made->body, sizeof made->body, USER, at, at, "Zo\xf0\x9f\x98\x80", "");
	if (at % 60 == 4 || made->status != 200)
		fail_with(made, 500, "oops");
}

TEST(two_reasons_with_one_response_are_said_both)
{
	const char *said = causes_of(refuse_two_for_two_reasons);
	assert_non_null(strstr(said, "17 x 500 oops: facts: each has characters that are not ASCII in firstName"));
	assert_non_null(strstr(said, "10 x 500 oops: facts: each has alertType \"Inquiry\""));
}

static void fail_both_together(int at, struct made *made)
{
	bool is_escaped = at % 3 == 0, is_inquiry = at % 5 == 0;
	if (at % 2 == 0)
		return;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, is_inquiry ? "Inquiry" : "New",
	         is_escaped ? "\\u00e9" : "a longer note, so that size is no reason");
	if (is_escaped && is_inquiry)
		fail_with(made, 500, "oops");
}

TEST(two_facts_together_are_named_from_ten_on)
{
	const char *said = causes_of(fail_both_together);
	assert_non_null(
	        strstr(said, "33 x 500 oops: facts: each has alertType \"Inquiry\" and is written with escaped"));
	assert_non_null(strstr(said, "has both"));
}

/* A later one of the same customer and event, with other content. */
static void refuse_repeats(int at, struct made *made)
{
	int of = at % 40 == 8 ? at - 6 : at;
	if (at % 2 == 0)
		snprintf(made->body, sizeof made->body, USER, of, of, of == at ? "Ada" : "Grace", "");
	if (of != at)
		fail_with(made, 409, "duplicate");
}

TEST(what_came_before_is_named_by_its_keys)
{
	assert_non_null(strstr(causes_of(refuse_repeats),
	                       "25 x 409 duplicate: facts: each came after an accepted notification with the same "
	                       "userId; none of 975 accepted ones did"));
}

static void fail_with_identifiers(int at, struct made *made)
{
	static char said[64];
	refuse_inquiry(at, made);
	if (made->status == 200)
		return;
	snprintf(said, sizeof said, "job 4711-%d: no \"Inquiry\" of c-%d", at, at % 50);
	made->said = said;
}

TEST(words_are_the_same_whatever_the_digits_and_what_they_repeat)
{
	assert_non_null(strstr(causes_of(fail_with_identifiers),
	                       "10 x 422 job ...: no \"...\" of ...: facts: each has alertType"));
}

/* The same requests fail or not: pseudo-random, by their number alone. */
static unsigned turn;
static void fail_at_random(int at, struct made *made)
{
	uint32_t x = (uint32_t)at * 2654435761u ^ turn * 40503u;
	x ^= x >> 13;
	x *= 2246822519u;
	x ^= x >> 16;
	if (x % 1000 < 5 + turn * 7 % 300)
		fail_with(made, x & 4096 ? 500 : 503, x & 8192 ? "oops" : "");
}

/* As in a redacted capture, where a text that named an identifier is another one each time. */
static void make_other_words(int at, struct made *made)
{
	static const char *const said[] = { "qx rtv", "ab kmw", "zz popl", "lor em", "vu txy", "mm nop",
		                            "hj klo", "we rty", "as dfg",  "yx cvb", "qw ert", "zu iop" };
	if (at % 80 != 1)
		return;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "Inquiry", "x");
	made->status = 422;
	made->said = said[at / 80 % 12];
}

TEST(words_that_differ_each_time_are_one_class)
{
	assert_string_equal(causes_of(make_other_words),
	                    "13 x 422 ...: facts: each has alertType \"Inquiry\"; none of 987 accepted ones has (#1 to "
	                    "#961, exact)\n");
}

TEST(random_failures_have_no_cause)
{
	for (turn = 0; turn < 40; turn++) {
		const char *said = causes_of(fail_at_random);
		if (strstr(said, "facts") || strstr(said, "span"))
			fail_msg("day %u: %s", turn, said);
	}
}

static void select_some(int at, struct made *made)
{
	refuse_inquiry(at, made);
	made->is_left_out = at < 300;
}

TEST(what_is_selected_is_compared_with_all_that_was_accepted)
{
	assert_non_null(strstr(causes_of(select_some),
	                       "7 x 422 {\"error\":\"unknown alertType Inquiry\"}: facts: each has "
	                       "alertType \"Inquiry\"; none of 990 accepted ones has (#301"));
}
