/* When an outage is said, and when what has failed meanwhile. */
#include "day_unit.h"

static void make_alert(int at, struct made *made, bool is_inquiry)
{
	snprintf(made->body, sizeof made->body, ALERT, 1000 + at, 1000 + at, is_inquiry ? "Inquiry" : "New", "x");
	if (is_inquiry)
		fail_with(made, 500, "oops");
}

/* Twenty of them come one after the other. */
static void refuse_inquiries(int at, struct made *made)
{
	make_alert(at, made, at % 20 == 7 || (at >= 500 && at < 520));
}

/* From the three hundredth on; of twenty of them in a row others are users, which are accepted. */
static void refuse_inquiries_for_a_while(int at, struct made *made)
{
	bool is_inquiry = at % 20 == 7 || (at >= 500 && at < 540);
	if (at % 2)
		make_alert(at, made, is_inquiry);
	if (at < 300)
		fail_with(made, 200, "");
}

/* Four fail elsewhere. */
static void fail_alerts_meanwhile(int at, struct made *made)
{
	if (at % 2 && (at % 200 == 51 || (at >= 400 && at < 440)) && at < 800)
		fail_with(made, 503, "");
}

TEST(an_outage_is_said_unless_one_fact_is_true_of_all)
{
	static const struct {
		maker *make;
		const char *causes;
	} rows[] = {
		{ refuse_inquiries,
		  "69 x 500 oops: facts: each has alertType \"Inquiry\"; none of 931 accepted ones has "
		  "(#7 to #987, exact)\n" },
		{ refuse_inquiries_for_a_while,
		  "53 x 500 oops: facts in its span: each has alertType \"Inquiry\"; none of 288 accepted ones "
		  "meanwhile has (#307 to #987, exact)\n" },
		{ fail_alerts_meanwhile, "20 x 503 : span (#401 to #439)\n" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(causes_of(rows[i].make), rows[i].causes);
}
