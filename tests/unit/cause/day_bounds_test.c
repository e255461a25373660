/* From how many requests on a cause is said, and what is said beside its words. */
#include "day_unit.h"

/* The parameters of the makers below. */
static int few, every;

static void refuse_few(int at, struct made *made)
{
	bool is_refused = at % 2 == 1 && at < 2 * few;
	snprintf(made->body, sizeof made->body, ALERT, at, at, is_refused ? "Inquiry" : "New", "x");
	if (is_refused)
		fail_with(made, 422, "no");
}

TEST(a_cause_is_of_five_failures_and_twenty_that_were_accepted)
{
	static const struct {
		int few, length;
		bool is_found;
	} rows[] = { { 5, 25, true }, { 5, 24, false }, { 4, 900, false }, { 5, 900, true } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		few = rows[i].few;
		assert_int_equal(strstr(causes_in(refuse_few, rows[i].length), "alertType \"Inquiry\"") != NULL,
		                 rows[i].is_found);
	}
}

static void fail_amid(int at, struct made *made)
{
	snprintf(made->body, sizeof made->body, ALERT, at, at, "New", "x");
	if (at > 10 && at <= 10 + few)
		fail_with(made, 503, "");
}

TEST(an_outage_is_of_five_failures_and_twenty_that_were_accepted)
{
	few = 5;
	assert_string_equal(causes_in(fail_amid, 25), "5 x 503 : span (#11 to #15)\n");
	assert_string_equal(causes_in(fail_amid, 24), "5 x 503 : unknown\n");
	few = 4;
	assert_string_equal(causes_in(fail_amid, 900), "");
}

/* What a listener does from one request on, and until another. */
static int from, until;

static void fail_meanwhile(int at, struct made *made)
{
	if (at >= from && at < until)
		fail_with(made, 503, "");
}

TEST(an_outage_says_what_was_accepted_around_it)
{
	static const struct {
		int from, until;
		bool before, after;
	} rows[] = { { 1, 40, false, true },   { 2, 40, true, true },     { 3, 40, true, true },
		     { 480, 520, true, true }, { 900, 1000, true, true }, { 900, 1001, true, false } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		from = rows[i].from;
		until = rows[i].until;
		struct found found = find_causes(fail_meanwhile, DAY_LENGTH);
		const struct day_cause *c = found.causes;
		assert_int_equal(found.count, 1);
		assert_int_equal(c->type, DAY_SPAN);
		assert_int_equal(c->has_before, rows[i].before);
		assert_int_equal(c->has_after, rows[i].after);
		assert_true(c->is_only);
		assert_int_equal(c->accepted, DAY_LENGTH - (until - from));
		assert_int_equal(c->first_us, from * 1000000);
		assert_int_equal(c->last_us, (until - 1) * 1000000);
		day_free(found.day);
	}
}

static void fail_four_times(int at, struct made *made)
{
	if (at % 200 >= 100 && at % 200 < 120 && at < 800)
		fail_with(made, 503, "");
}

TEST(of_more_outages_than_are_said_the_first_are)
{
	assert_string_equal(causes_of(fail_four_times),
	                    "20 x 503 : span (#100 to #119)\n20 x 503 : span (#300 to #319)\n"
	                    "20 x 503 : span (#500 to #519)\n20 x 503 : unknown\n");
}

static void fail_now_and_then_and_at_the_end(int at, struct made *made)
{
	if (at % 10 == 5 || (at >= 960 && at < 1000))
		fail_with(made, 503, "");
}

/* Those that were accepted before it count, too, where there are few behind it. */
TEST(an_outage_is_one_where_few_of_those_around_it_failed)
{
	static const char outage[] = "40 x 503 : span (#960 to #999)\n";
	assert_memory_equal(causes_of(fail_now_and_then_and_at_the_end), outage, strlen(outage));
}

/* The same status now and then. */
static void fail_meanwhile_and_else(int at, struct made *made)
{
	if ((at >= 400 && at < 440) || at % 331 == 0)
		fail_with(made, 503, "");
}

TEST(an_outage_is_not_all_where_the_same_failed_elsewhere)
{
	struct found found = find_causes(fail_meanwhile_and_else, DAY_LENGTH);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.causes[0].failed, 40);
	assert_false(found.causes[0].is_only);
	assert_int_equal(found.causes[0].first, 400);
	assert_int_equal(found.causes[0].first_alike, 331);
	day_free(found.day);
}

static void refuse_inquiry(int at, struct made *made)
{
	if (at % every != 1)
		return;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "Inquiry", "x");
	fail_with(made, 422, "no");
}

TEST(the_first_five_are_listed)
{
	every = 100;
	struct found found = find_causes(refuse_inquiry, DAY_LENGTH);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.causes[0].number_count, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(found.causes[0].numbers[i], 100 * i + 1);
	day_free(found.day);
}

/* Of those that are not kept the facts are compared, too. */
TEST(more_failures_than_are_kept_are_all_counted)
{
	every = 4;
	assert_string_equal(causes_in(refuse_inquiry, 10000),
	                    "2500 x 422 no: facts: each has alertType \"Inquiry\"; none of 7,500 accepted ones has "
	                    "(#1 to #9997, exact)\n");
}

static void refuse_the_last_too(int at, struct made *made)
{
	refuse_inquiry(at, made);
	if (at == 9997)
		snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "New", "x");
}

TEST(what_not_all_have_that_are_not_kept_is_not_said)
{
	every = 4;
	struct found found = find_causes(refuse_the_last_too, 10000);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.causes[0].type, DAY_UNKNOWN);
	assert_int_equal(found.causes[0].failed, 2500);
	assert_int_equal(found.causes[0].last, 9997);
	assert_int_equal(found.causes[0].last_us, INT64_C(9997000000));
	day_free(found.day);
}

/* All that are kept have another bureau. */
static void refuse_another_bureau_at_first(int at, struct made *made)
{
	refuse_inquiry(at, made);
	if (made->status == 422 && at < 9000)
		memcpy(strstr(made->body, "abc"), "xyz", 3);
}

TEST(what_those_have_alone_that_are_kept_is_not_said_beside_it)
{
	every = 4;
	const char *said = causes_in(refuse_another_bureau_at_first, 10000);
	assert_non_null(strstr(said, "2500 x 422 no: facts: each has alertType \"Inquiry\"; none of 7,500 "));
}

/* Five of them, from there on, are of one customer, as are none that were accepted. */
static void fail_now_and_then(int at, struct made *made)
{
	int customer = at % every == 0 && at >= from && at < from + 5 * every ? 7777 : 1000 + at;
	snprintf(made->body, sizeof made->body, USER, customer, customer, "Ada", "");
	if (at % every == 0)
		fail_with(made, 500, "oops");
}

TEST(a_customer_of_five_is_chance_among_many_failures)
{
	from = every = 12;
	assert_string_equal(causes_of(fail_now_and_then), "83 x 500 oops: unknown\n");
	from = every = 14;
	assert_non_null(strstr(causes_of(fail_now_and_then), "\n5 x 500 oops: facts: each has clientKey \"c-7777\";"));
	from = every = 100;
	assert_string_equal(
	        causes_of(fail_now_and_then),
	        "5 x 500 oops: facts: each has clientKey \"c-7777\"; none of 990 accepted ones has (#100 to "
	        "#500, exact)\n5 x 500 oops: unknown\n");
	from = 600;
	assert_string_equal(causes_of(fail_now_and_then),
	                    "5 x 500 oops: unknown\n5 x 500 oops: facts: each has clientKey \"c-7777\"; none of 990 "
	                    "accepted ones has (#600 to #1000, exact)\n");
}

/* All of them have one number. */
static void refuse_an_alert(int at, struct made *made)
{
	bool is_refused = at % 50 == 1;
	snprintf(made->body, sizeof made->body, ALERT, is_refused ? 777 : 1000 + at, 1000 + at, "New", "x");
	if (is_refused)
		fail_with(made, 500, "oops");
}

TEST(only_an_identifier_that_is_text_is_named)
{
	assert_string_equal(causes_of(refuse_an_alert), "20 x 500 oops: unknown\n");
}

/* Which ones fail around the run from there on, and far behind it; 0: none. */
static int near, far;

static void fail_in_a_run(int at, struct made *made)
{
	bool is_near = near && at > from - 60 && at < until + 60 && at % near == 0;
	snprintf(made->body, sizeof made->body, ALERT, 1000 + at, 1000 + at, "New", "x");
	if ((at >= from && at < until) || is_near || (near && at % 97 == 5) || (far && at > 300 && at % far == 0))
		fail_with(made, 503, "");
}

/* The more of those around it failed, or of all, the more have to be in one run. */
TEST(a_run_of_failures_is_an_outage_from_the_length_on_that_chance_does_not_make)
{
	static const struct {
		int from, near, far, least;
	} rows[] = { { 3, 2, 0, 11 },  { 3, 3, 0, 9 },   { 3, 5, 0, 6 },  { 300, 2, 0, 14 }, { 300, 4, 0, 8 },
		     { 570, 3, 0, 9 }, { 570, 5, 0, 7 }, { 50, 0, 2, 9 }, { 50, 0, 4, 6 } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		from = rows[i].from;
		near = rows[i].near;
		far = rows[i].far;
		until = from + rows[i].least - 1;
		assert_null(strstr(causes_in(fail_in_a_run, 600), "span"));
		until++;
		assert_non_null(strstr(causes_in(fail_in_a_run, 600), "span"));
	}
}

/* Half of an hour's fail, in runs as long as chance makes them. */
static void fail_by_halves(int at, struct made *made)
{
	uint32_t x = (uint32_t)at * 2654435761u;
	x ^= x >> 15;
	x *= 3266489917u;
	x ^= x >> 16;
	snprintf(made->body, sizeof made->body, ALERT, 1000 + at, at % 50, "New", "x");
	if (at > 400 && at <= 500 && x % 2 == 0)
		fail_with(made, 503, "");
}

TEST(a_run_of_failures_where_half_fail_is_no_outage)
{
	assert_string_equal(causes_of(fail_by_halves), "58 x 503 : unknown\n");
}

/* Those that have both fail. */
static void fail_both_together(int at, struct made *made)
{
	bool is_escaped = at % 3 == 0, is_inquiry = at % 5 == 0;
	snprintf(made->body, sizeof made->body, ALERT, 1000 + at, at % 50, is_inquiry ? "Inquiry" : "Revision",
	         is_escaped ? "\\u00e9" : "abcdef");
	if (is_escaped && is_inquiry)
		fail_with(made, 500, "oops");
}

/* Ten of them among others that have one of both. */
static void fail_ten_together(int at, struct made *made)
{
	bool is_failed = at % 3 == 1 && at < 30;
	snprintf(made->body, sizeof made->body, ALERT, 1000 + at, at % 50, is_failed || at % 2 ? "Inquiry" : "Revision",
	         is_failed || at % 2 == 0 ? "\\u00e9" : "abcdef");
	if (is_failed)
		fail_with(made, 500, "oops");
}

/* Of most of them that are not kept. */
static void fail_both_mostly(int at, struct made *made)
{
	bool is_accepted = at % 8 < 2;
	snprintf(made->body, sizeof made->body, ALERT, 1000 + at, at % 50, at % 8 != 0 ? "Inquiry" : "Revision",
	         at % 8 != 1 ? "\\u00e9" : "abcdef");
	if (!is_accepted)
		fail_with(made, 500, "oops");
}

TEST(two_facts_together_are_said_of_twenty_that_were_accepted)
{
	assert_non_null(
	        strstr(causes_in(fail_ten_together, 30), "10 x 500 oops: facts: each has alertType \"Inquiry\" and"));
	assert_string_equal(causes_in(fail_ten_together, 29), "10 x 500 oops: unknown\n");
}

TEST(two_facts_together_are_said_of_all_that_are_not_kept)
{
	struct found found = find_causes(fail_both_mostly, 2800);
	assert_int_equal(found.count, 1);
	assert_true(found.causes[0].needs_all && found.causes[0].is_exact);
	assert_int_equal(found.causes[0].failed, 2100);
	assert_int_equal(found.causes[0].last, 2799);
	day_free(found.day);
}

TEST(two_facts_together_are_said_of_ten_failures)
{
	assert_non_null(
	        strstr(causes_in(fail_both_together, 150), "10 x 500 oops: facts: each has alertType \"Inquiry\" and"));
	assert_string_equal(causes_in(fail_both_together, 149), "9 x 500 oops: unknown\n");
}

/* Four reasons, of which the first has most and the last fewest. */
static void refuse_for_four_reasons(int at, struct made *made)
{
	static const char *const types[] = { "Lost", "Void", "Late", "Open" };
	int reason = at % 30 == 1 ? 0 : at % 40 == 3 ? 1 : at % 50 == 5 ? 2 : at % 60 == 7 ? 3 : -1;
	snprintf(made->body, sizeof made->body, ALERT, 1000 + at, 100 + at % 47, reason < 0 ? "Paid" : types[reason],
	         "abc");
	if (reason >= 0)
		fail_with(made, 500, "oops");
}

TEST(three_reasons_are_said_of_one_response_and_the_rest_is_unknown)
{
	struct found found = find_causes(refuse_for_four_reasons, DAY_LENGTH);
	static const char *const types[] = { "Lost", "Void", "Late" };
	static const unsigned failed[] = { 34, 25, 20, 17 };
	assert_int_equal(found.count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct day_cause *c = &found.causes[i];
		assert_int_equal(c->failed, failed[i]);
		assert_int_equal(c->type, i < 3 ? DAY_FACTS : DAY_UNKNOWN);
		assert_int_equal(c->fact_count, i < 3);
		if (i < 3)
			assert_string_equal(c->facts[0].value, types[i]);
		assert_int_equal(c->alike, 0); /* the first failure is of another part */
	}
	day_free(found.day);
}

static void fail_in_two_ways(int at, struct made *made)
{
	refuse_inquiry(at, made);
	if (at >= 640 && at < 650 && made->status == 200)
		fail_with(made, 503, "");
}

TEST(an_outage_comes_first)
{
	every = 20;
	const char *said = causes_of(fail_in_two_ways);
	assert_ptr_equal(strstr(said, "9 x 503 : span (#640 to #649)\n50 x 422 no: "), said);
}

/* Says in which of the two the listener has failed. */
static void refuse_for_two_reasons(int at, struct made *made)
{
	bool is_first = at % 50 == 1, is_second = at % 30 == 3;
	snprintf(made->body, sizeof made->body, ALERT, 1000 + at, 100 + at % 47,
	         is_first    ? "Lost"
	         : is_second ? "Void"
	                     : "Paid",
	         "abc");
	if (is_first || is_second)
		fail_with(made, is_first ? 422 : 500, "oops");
}

TEST(the_cause_of_most_failures_comes_first)
{
	const char *said = causes_of(refuse_for_two_reasons);
	assert_ptr_equal(strstr(said, "34 x 500 "), said);
	assert_non_null(strstr(said, "\n20 x 422 "));
}

/* Which one has no apostrophe. */
static int nearest;

/* Others have an apostrophe, but for two, or have nothing at all. */
static void fail_without_reason(int at, struct made *made)
{
	bool is_failed = at % 30 == 20;
	if (at % 2 == 0 || at == nearest)
		snprintf(made->body, sizeof made->body, USER, 1000 + at, 1000 + at,
		         is_failed || at == nearest || at == 702 ? "Ada" : "O'S", "");
	if (at == 100)
		strcpy(made->body, "{}");
	if (is_failed)
		fail_with(made, 500, "oops");
}

TEST(where_no_difference_is_found_the_nearest_of_both_sides_are_said)
{
	static const int rows[] = { 1, 502 };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		nearest = rows[i];
		struct found found = find_causes(fail_without_reason, DAY_LENGTH);
		assert_int_equal(found.count, 1);
		assert_int_equal(found.causes[0].type, DAY_UNKNOWN);
		assert_int_equal(found.causes[0].alike, 20);
		assert_int_equal(found.causes[0].unlike, nearest);
		day_free(found.day);
	}
}

/* Facts that say the same. */

static void refuse_an_address(int at, struct made *made)
{
	snprintf(made->body, sizeof made->body, USER, 1000 + at, 1000 + at, "Ada",
	         at % 50 == 0 ? ",\"address\":{\"zip\":\"12345\"}" : "");
	if (at % 50 == 0)
		fail_with(made, 400, "no");
}

static void refuse_a_zip(int at, struct made *made)
{
	snprintf(made->body, sizeof made->body, USER, 1000 + at, 1000 + at, "Ada",
	         at % 50 == 0 ? ",\"address\":{\"city\":\"abc\",\"zip\":\"02345\"}"
	         : at % 2     ? ",\"address\":{\"city\":\"abcdefghijklmnopqr\"}"
	                      : "");
	if (at % 50 == 0)
		fail_with(made, 400, "no");
}

static void refuse_letters(int at, struct made *made)
{
	snprintf(made->body, sizeof made->body, USER, 1000 + at, 1000 + at, at % 50 == 0 ? "\\u00e9" : "Ada", "");
	if (at % 50 == 0)
		fail_with(made, 400, "no");
}

static void refuse_upper_case(int at, struct made *made)
{
	snprintf(made->body, sizeof made->body,
	         "{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"alertId\":%d,"
	         "\"clientKey\":\"aaaaaaaa-0000-4000-8000-00000000%04d\",\"bureau\":\"abc\"}}",
	         1000 + at, 1000 + at);
	if (at % 50 != 0)
		return;
	memcpy(strstr(made->body, "aaaaaaaa"), "AAAAAAAA", 8);
	fail_with(made, 400, "no");
}

static void refuse_a_kind(int at, struct made *made)
{
	if (at % 20 != 0) {
		snprintf(made->body, sizeof made->body, ALERT, 1000 + at, 1000 + at, "New", "x");
		return;
	}
	snprintf(made->body, sizeof made->body, USER, 1000 + at, 1000 + at, "Ada", "");
	fail_with(made, 404, "no");
}

/* Of a name, an object and a way in which texts are written: where the body is no larger than others. */
static void refuse_five_members(int at, struct made *made)
{
	snprintf(made->body, sizeof made->body, USER, 1000 + at, 1000 + at,
	         at % 50 == 0 ? "Ada"
	                      : "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
	         at % 50 == 0 ? ",\"bureau\":\"abc\",\"alertType\":\"a\",\"productCode\":\"b\",\"offCycle\":\"true\","
	                        "\"disputeStatus\":\"c\""
	                      : "");
	if (at % 50 == 0)
		fail_with(made, 400, "no");
}

/* Their bodies are larger, too. */
static void refuse_long_names(int at, struct made *made)
{
	snprintf(made->body, sizeof made->body, USER, 1000 + at, 1000 + at,
	         at % 50 == 0 ? "abcdefghijklmnopqrstuvwxyz" : "Ada", "");
	if (at % 50 == 0)
		fail_with(made, 400, "no");
}

/* A name of two words is longer, too. */
static void refuse_spaces(int at, struct made *made)
{
	snprintf(made->body, sizeof made->body, USER, 1000 + at, 1000 + at, at % 50 == 0 ? "Ada Maria" : "Ada", "");
	if (at % 50 == 0)
		fail_with(made, 400, "no");
}

static void refuse_a_sender_elsewhere(int at, struct made *made)
{
	if (at % 50 != 0)
		return;
	made->sender = "10.9.9.9";
	fail_with(made, 400, "no");
}

TEST(what_says_the_same_is_said_once)
{
	static const struct {
		maker *make;
		const char *words;
	} rows[] = {
		{ refuse_an_address, "20 x 400 no: facts: each has address; none of 980" },
		{ refuse_a_zip, "20 x 400 no: facts: each has zip; none of 980" },
		{ refuse_letters, "20 x 400 no: facts: each has characters that are not ASCII in firstName; none of" },
		{ refuse_upper_case, "20 x 400 no: facts: each has clientKey in upper case; none of 980" },
		{ refuse_a_kind, "50 x 404 no: facts: each is user-created, or has path; one of these is why: they "
		                 "always came together; none of 950 accepted ones is (" },
		{ refuse_long_names, "20 x 400 no: facts: each has a larger body than each that was accepted (up to "
		                     "152 bytes), or has a longer firstName than each" },
		{ refuse_spaces, "20 x 400 no: facts: each has a space in firstName; none of 980" },
		{ refuse_a_sender_elsewhere,
		  "20 x 400 no: facts: each comes from 10.9.9.9; none of 980 accepted ones does (" },
		{ refuse_five_members, "20 x 400 no: facts: each has bureau, has alertType, has productCode, or has "
		                       "offCycle; one of" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *said = causes_of(rows[i].make);
		if (strncmp(said, rows[i].words, strlen(rows[i].words)) != 0)
			fail_msg("%s, not %s", said, rows[i].words);
	}
}

/* What else fails with the status. */
static maker *others;

static void refuse_lost(int at, struct made *made)
{
	bool is_lost = at % 50 == 1;
	snprintf(made->body, sizeof made->body, ALERT, 1000 + at, 100 + at % 47, is_lost ? "Lost" : "Paid", "abc");
	if (is_lost)
		fail_with(made, 422, "no");
	others(at, made);
}

static void say_otherwise(int at, struct made *made)
{
	if (at == 501)
		made->said = "no such type";
}

static void say_otherwise_of_others(int at, struct made *made)
{
	if (at == 502)
		fail_with(made, 422, "no such customer");
}

static void say_it_with_another_status(int at, struct made *made)
{
	if (at == 501)
		made->status = 400;
}

/* A filter may take it for the text. */
static void refuse_a_number(int at, struct made *made)
{
	if (at != 502)
		return;
	snprintf(made->body, sizeof made->body,
	         "{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"alertId\":1502,"
	         "\"clientKey\":\"c-102\",\"alertType\":5}}");
	fail_with(made, 422, "no number");
}

static void refuse_nothing_else(int at, struct made *made)
{
	(void)at;
	(void)made;
}

TEST(a_cause_is_exact_where_no_other_failure_with_the_status_has_its_facts)
{
	static const struct {
		maker *others;
		size_t failed;
		bool is_exact;
	} rows[] = {
		{ refuse_nothing_else, 20, true },     { say_otherwise, 19, false },
		{ say_otherwise_of_others, 20, true }, { say_it_with_another_status, 19, true },
		{ refuse_a_number, 20, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		others = rows[i].others;
		struct found found = find_causes(refuse_lost, DAY_LENGTH);
		assert_int_equal(found.count, 1);
		assert_int_equal(found.causes[0].failed, rows[i].failed);
		assert_string_equal(found.causes[0].facts[0].value, "Lost");
		assert_int_equal(found.causes[0].is_exact, rows[i].is_exact);
		day_free(found.day);
	}
}

static void refuse_many_others(int at, struct made *made)
{
	if (at % 4 == 2)
		fail_with(made, 422, "no user");
}

TEST(a_cause_is_not_exact_where_not_all_failures_with_the_status_are_kept)
{
	others = refuse_many_others;
	for (int length = 8000; length <= 8400; length += 400) {
		struct found found = find_causes(refuse_lost, length);
		for (size_t i = 0; i < found.count; i++)
			if (strcmp(found.causes[i].said, "no") == 0)
				assert_int_equal(found.causes[i].is_exact, length == 8000);
		day_free(found.day);
	}
}

/* Of those that have both all fail; and what else fails. */
static void refuse_lost_of_two(int at, struct made *made)
{
	bool is_lost = at % 3 == 0, is_of_two = at % 5 == 0;
	snprintf(made->body, sizeof made->body,
	         "{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"alertId\":%d,"
	         "\"clientKey\":\"c-%d\",\"bureau\":\"%s\",\"alertType\":\"%s\"}}",
	         1000 + at, at % 50, is_of_two ? "two" : "one", is_lost ? "Lost" : "Paid");
	if (is_lost && is_of_two)
		fail_with(made, 422, "no");
	others(at, made);
}

static void say_otherwise_of_both(int at, struct made *made)
{
	if (at == 510)
		made->said = "no such type";
}

/* Each has one of both. */
static void refuse_one_of_two(int at, struct made *made)
{
	if (at == 501 || at == 505)
		fail_with(made, 422, "no other");
}

TEST(two_facts_are_exact_where_no_other_failure_with_the_status_has_both)
{
	static const struct {
		maker *others;
		bool is_exact;
	} rows[] = { { refuse_nothing_else, true },
		     { say_otherwise_of_both, false },
		     { refuse_one_of_two, true },
		     { refuse_a_number, false } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		others = rows[i].others;
		struct found found = find_causes(refuse_lost_of_two, DAY_LENGTH);
		assert_int_equal(found.count, 1);
		assert_int_equal(found.causes[0].fact_count, 2);
		assert_string_equal(found.causes[0].facts[1].subject, "/details/alertType");
		assert_true(found.causes[0].needs_all);
		assert_int_equal(found.causes[0].is_exact, rows[i].is_exact);
		day_free(found.day);
	}
}

/* More kinds of responses than are told apart: nothing is known of the last. */
static void fail_with_many_statuses(int at, struct made *made)
{
	if (at % 50 == 2 && at < 50 * every)
		fail_with(made, 430 + at / 50, "no");
}

TEST(a_cause_is_not_exact_where_not_all_failures_are_known)
{
	others = fail_with_many_statuses;
	for (every = 15; every <= 16; every++) {
		struct found found = find_causes(refuse_lost, DAY_LENGTH);
		assert_int_equal(found.count, 1);
		assert_int_equal(found.causes[0].is_exact, every == 15);
		day_free(found.day);
	}
}

/* The times of the days on which something changes. */

static void refuse_lost_for_a_while(int at, struct made *made)
{
	bool is_lost = at % 50 == 1;
	snprintf(made->body, sizeof made->body, ALERT, 1000 + at, 100 + at % 47, is_lost ? "Lost" : "Paid", "abc");
	if (is_lost && at > 300 && at < 700)
		fail_with(made, 422, "no");
}

TEST(what_is_refused_for_a_while_was_accepted_before)
{
	struct found found = find_causes(refuse_lost_for_a_while, DAY_LENGTH);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.causes[0].type, DAY_FACTS);
	assert_true(found.causes[0].is_in_span && found.causes[0].has_before && found.causes[0].is_exact);
	assert_int_equal(found.causes[0].failed, 8);
	assert_int_equal(found.causes[0].accepted, 343); /* between #301 and #651 */
	day_free(found.day);
}

/* Those that have two letters have theirs alone in common with one that was accepted. */
static void fail_in_two_classes(int at, struct made *made)
{
	const char *name = at % 50 == 10 || at == 704 ? "O'S" : at % 50 == 30 || at == 602 ? "A B" : "\\u00e9\\\\";
	if (at % 2 == 0)
		snprintf(made->body, sizeof made->body, USER, 1000 + at, 1000 + at, name, "");
	if (at % 50 == 10 || at % 50 == 30)
		fail_with(made, at % 50 == 10 ? 500 : 502, "oops");
}

TEST(each_class_has_its_own_nearest)
{
	struct found found = find_causes(fail_in_two_classes, DAY_LENGTH);
	assert_int_equal(found.count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(found.causes[i].type, DAY_UNKNOWN);
		assert_int_equal(found.causes[i].alike, found.causes[i].status == 500 ? 10 : 30);
		assert_int_equal(found.causes[i].unlike, found.causes[i].status == 500 ? 704 : 602);
	}
	day_free(found.day);
}

/* Which one is larger than those that fail; all others are smaller. */
static int largest;

static void refuse_larger_ones(int at, struct made *made)
{
	bool is_refused = at % 50 == 3;
	snprintf(made->body, sizeof made->body, ALERT, 1000 + at, 1000 + at, "New",
	         at == largest ? "abcdefghijklmnopqrstuvwxyz"
	         : is_refused  ? "abcdefghijklmnopqrst"
	                       : "abc");
	if (is_refused)
		fail_with(made, 500, "oops");
}

TEST(a_size_is_no_cause_where_one_of_them_was_accepted)
{
	static const int rows[] = { 1, 2, 500, 1000 };
	largest = 0;
	assert_string_equal(causes_of(refuse_larger_ones),
	                    "20 x 500 oops: facts: each has a larger body than each that was accepted (up to 175 "
	                    "bytes) (#3 to #953)\n");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		largest = rows[i];
		assert_string_equal(causes_of(refuse_larger_ones), "20 x 500 oops: unknown\n");
	}
}

/* Users are accepted all the time. */
static void fail_alerts_meanwhile(int at, struct made *made)
{
	if (at % 2 == 1 && at >= 400 && at < 440)
		fail_with(made, 503, "");
	else if (at % 200 == 0)
		fail_with(made, 500, "of a user");
}

static void refuse_lost_meanwhile(int at, struct made *made)
{
	fail_alerts_meanwhile(at, made);
	if (made->status == 503)
		snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "Lost", "x");
}

TEST(an_outage_of_some_kinds_is_one_unless_a_fact_explains_it)
{
	struct found found = find_causes(fail_alerts_meanwhile, DAY_LENGTH);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.causes[0].type, DAY_SPAN);
	assert_int_equal(found.causes[0].failed, 20);
	assert_int_equal(found.causes[0].accepted, 480); /* alerts */
	day_free(found.day);
	assert_non_null(strstr(causes_of(refuse_lost_meanwhile), "20 x 503 : facts: each has alertType \"Lost\";"));
}

static void fail_meanwhile_what_is_lost(int at, struct made *made)
{
	if (at < 400 || at >= 440)
		return;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "Lost", "x");
	fail_with(made, 503, "");
}

TEST(of_an_outage_is_said_what_only_those_have_that_came_then)
{
	RELEASED(buffer) words = BUFFER_INIT;
	struct found found = find_causes(fail_meanwhile_what_is_lost, DAY_LENGTH);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.causes[0].type, DAY_SPAN);
	day_append_facts(&found.causes[0], &words);
	assert_string_equal(buffer_text(&words), "each has alertType \"Lost\", and no accepted one has");
	day_free(found.day);
}

static void limit_the_rate(int at, struct made *made)
{
	if (at > 50)
		fail_with(made, 429, "slow down");
}

TEST(all_are_counted_that_were_too_many)
{
	struct found found = find_causes(limit_the_rate, 2200);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.causes[0].type, DAY_BUSY);
	assert_int_equal(found.causes[0].failed, 2150);
	assert_int_equal(found.causes[0].last, 2200);
	assert_int_equal(found.causes[0].accepted, 50);
	day_free(found.day);
}

static void fail_always(int at, struct made *made)
{
	if (at > few)
		fail_with(made, 503, "");
}

TEST(an_outage_is_not_said_where_not_all_of_it_is_kept)
{
	few = 50;
	struct found found = find_causes(fail_always, 2200);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.causes[0].type, DAY_UNKNOWN);
	assert_int_equal(found.causes[0].failed, 2150);
	assert_int_equal(found.causes[0].alike, 51);
	day_free(found.day);
}

TEST(where_nothing_was_accepted_nothing_is_the_nearest)
{
	few = 0;
	struct found found = find_causes(fail_always, 50);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.causes[0].type, DAY_UNKNOWN);
	assert_int_equal(found.causes[0].alike, 0);
	assert_int_equal(found.causes[0].unlike, 0);
	day_free(found.day);
}

/* Addresses are refused from the middle of the day on, and then nothing else comes for a while. */
static void refuse_an_address_and_fail(int at, struct made *made)
{
	bool has_address = at % 10 == 0 || (at >= 600 && at < 640);
	snprintf(made->body, sizeof made->body, USER, 1000 + at, 1000 + at, "Ada",
	         has_address ? ",\"address\":{\"zip\":\"12345\"}" : "");
	if (has_address && at > 500)
		fail_with(made, 500, "oops");
}

TEST(an_outage_is_said_before_what_is_refused_meanwhile)
{
	assert_string_equal(
	        causes_of(refuse_an_address_and_fail),
	        "41 x 500 oops: span (#600 to #640)\n"
	        "45 x 500 oops: facts in its span: each has address; none of 405 accepted ones meanwhile has "
	        "(#510 to #1000)\n");
}

/* Some of its own kind are refused that have many facts, which come first; then alerts, of which others are accepted.
 */
static void fail_with_many_facts(int at, struct made *made)
{
	if (at % 50 == 1) {
		snprintf(made->body, sizeof made->body,
		         "{\"details\":{\"firstName\":\"a'\\\" %c\",\"lastName\":\"a'\\\" b\",\"productCode\":\"a'\\\" "
		         "b\","
		         "\"bureau\":\"a'\\\" b\",\"alertType\":\"a'\\\" b\",\"disputeStatus\":\"a'\\\" "
		         "b\",\"offCycle\":\"a'\\\" "
		         "b\"},\"service\":\"sample\",\"event\":\"200\",\"method\":\"get\"}",
		         'a' + at % 26);
		fail_with(made, 500, "oops");
	} else if (at % 2 == 1) {
		snprintf(made->body, sizeof made->body, ALERT, 1000 + at, 1000 + at, at % 5 == 0 ? "Lost" : "Paid",
		         "abc");
		if (at % 10 == 5 && at % 30 == 15)
			fail_with(made, 422, "no");
	}
}

TEST(however_many_facts_there_are_those_that_were_accepted_are_not_said)
{
	assert_non_null(strstr(causes_of(fail_with_many_facts), "33 x 422 no: unknown\n"));
}
