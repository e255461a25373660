/* From how many accepted requests on it is no chance what failures have in common. */
#include "day_unit.h"

/* How many there are in a day. */
static int length;

static void make_alert(int at, struct made *made, const char *bureau, const char *type)
{
	snprintf(made->body, sizeof made->body,
	         "{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"alertId\":%d,"
	         "\"clientKey\":\"c-%d\",\"bureau\":\"%s\",\"alertType\":\"%s\"}}",
	         1000 + at, 1000 + at, bureau, type);
}

/* What is lost has more in common than that. */
static void make_lost(int at, struct made *made)
{
	make_alert(at, made, "x '\\u00e9\\\"", "Lost");
}

/* 55 are lost and five void. */
static void refuse_a_few_others(int at, struct made *made)
{
	bool is_refused = at % 2 == 1 && at < 120, is_other = is_refused && at % 22 == 11;
	make_alert(at, made, "abc", is_other ? "Void" : "Paid");
	if (is_refused && !is_other)
		make_lost(at, made);
	if (is_refused)
		fail_with(made, 500, "oops");
}

/* The five are of one customer. */
static void refuse_a_customer_s_others(int at, struct made *made)
{
	refuse_a_few_others(at, made);
	if (made->status == 500 && at % 22 == 11)
		memcpy(strstr(made->body, "\"c-") + 1, "c-7777", strlen("c-7777"));
}

/* 50 are lost, and ten are void and of a bureau, which others are not together. */
static void refuse_two_of_others(int at, struct made *made)
{
	bool is_refused = at % 2 == 1 && at < 120, is_other = is_refused && at % 12 == 5;
	make_alert(at, made, is_other || at % 4 == 2 ? "xyz" : "abc",
	           is_other || at % 4 == 0 ? "Void"
	           : is_refused            ? "Lost"
	                                   : "Paid");
	if (is_refused)
		fail_with(made, 500, "oops");
}

/* Five are void, one of which comes ten before the end, and void was accepted before; 55 others fail, too. */
static void refuse_void_meanwhile(int at, struct made *made)
{
	bool is_void = at == 200 || at == 210 || at == 220 || at == 230 || at == length - 10;
	make_alert(at, made, "abc", is_void || at == 150 ? "Void" : "Paid");
	if (is_void || (at % 2 == 1 && at < 110))
		fail_with(made, 500, "oops");
}

/* These others are lost. */
static void refuse_lost_and_void_meanwhile(int at, struct made *made)
{
	refuse_void_meanwhile(at, made);
	if (made->status == 500 && at < 110)
		make_lost(at, made);
}

/* Five one after the other, and five before. */
static void fail_five_in_a_run(int at, struct made *made)
{
	make_alert(at, made, "abc", "Paid");
	if ((at < 11 && at % 2 == 0) || (at > 20 && at <= 25))
		fail_with(made, 503, "");
}

TEST(what_fits_is_said_from_as_many_on_that_chance_does_not_make_it)
{
	static const struct {
		maker *make;
		int least;
		const char *said;
	} rows[] = {
		{ refuse_a_few_others, 310, "\n5 x 500 oops: facts: each has alertType \"Void\";" },
		/* Many failures have one customer or another. */
		{ refuse_a_customer_s_others, 382,
		  "\n5 x 500 oops: facts: each has clientKey \"c-7777\", or has alertType \"Void\";" },
		{ refuse_two_of_others, 178,
		  "\n10 x 500 oops: facts: each has bureau \"xyz\" and has alertType \"Void\";" },
		{ fail_five_in_a_run, 53, "5 x 503 : span (#21 to #25)\n" },
		{ refuse_lost_and_void_meanwhile, 854,
		  "\n5 x 500 oops: facts in its span: each has alertType \"Void\";" },
		{ refuse_void_meanwhile, 854, "\n5 x 500 oops: facts in its span: each has alertType \"Void\";" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		length = rows[i].least - 1;
		assert_null(strstr(causes_in(rows[i].make, length), rows[i].said));
		length++;
		assert_non_null(strstr(causes_in(rows[i].make, length), rows[i].said));
	}
}
