/* Of a long day most requests are not read: those that can have nothing that may still be said. */
#include "day_unit.h"
#include "sanitizers.h"

/* The requests whose facts were looked at. */
static size_t looked_at;

bool __real_facts_of(const struct fact_request *request, const struct fact_sink *sink, struct fact_keys *keys);
bool __wrap_facts_of(const struct fact_request *request, const struct fact_sink *sink, struct fact_keys *keys);
bool __wrap_facts_of(const struct fact_request *request, const struct fact_sink *sink, struct fact_keys *keys)
{
	looked_at++;
	return __real_facts_of(request, sink, keys);
}

#define LONG_DAY 4000

static maker *inner;
static bool is_recorded; /* what event each is */
/* At the end of the day one of those that are refused else is accepted. */
#define LATE 3900
static bool accepts_late;
static size_t accepted;

/* Each of these fails twenty times in a thousand requests. */
static bool may_fail(int at)
{
	return at % 50 == 1;
}

static void make_recorded(int at, struct made *made)
{
	snprintf(made->body, sizeof made->body, ALERT, 10000 + at, 10000 + at, at % 4 == 3 ? "Paid" : "Open",
	         "abcdefg");
	inner(at, made);
	if (accepts_late && (at == LATE || at == LATE + 1))
		made->status = 200;
	if (is_recorded)
		made->event = strstr(made->body, "alertId") ? "bureau-alert" : "user-created";
	accepted += made->status == 200;
}

static void refuse_a_value(int at, struct made *made)
{
	if (may_fail(at)) {
		snprintf(made->body, sizeof made->body, ALERT, 10000 + at, 10000 + at, "Lost", "abcdefg");
		fail_with(made, 422, "no");
	}
}

static void refuse_what_is_absent(int at, struct made *made)
{
	if (may_fail(at)) {
		snprintf(made->body, sizeof made->body,
		         "{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"alertId\":%d,"
		         "\"appKey\":\"a\",\"clientKey\":\"c-%d\",\"alertType\":\"Open\",\"alertDetails\":{\"note\":"
		         "\"x\"}}}",
		         10000 + at, 10000 + at);
		fail_with(made, 500, "no");
	}
}

static void refuse_a_member(int at, struct made *made)
{
	if (at % 2 == 0)
		snprintf(made->body, sizeof made->body, USER, 10000 + at, 10000 + at, "Ada",
		         at % 50 == 0 ? ",\"offCycle\":\"true\"" : ",\"disputeStatus\":\"abcdef\"");
	if (at % 50 == 0)
		fail_with(made, 500, "no");
}

static void refuse_a_sender(int at, struct made *made)
{
	if (may_fail(at)) {
		made->sender = "10.9.9.9";
		fail_with(made, 403, "no");
	}
}

static void refuse_letters(int at, struct made *made)
{
	if (at % 2)
		snprintf(made->body, sizeof made->body, USER, 10000 + at, 10000 + at,
		         may_fail(at) ? "Zo\xc3\xab" : "Anna", "");
	if (may_fail(at))
		fail_with(made, 403, "no");
}

static void refuse_a_large_body(int at, struct made *made)
{
	if (may_fail(at)) {
		snprintf(made->body, sizeof made->body, ALERT, 10000 + at, 10000 + at, "Open",
		         "abcdefghijklmnopqrstuvwxyz abcdefghijklmnopqrstuvwxyz");
		fail_with(made, 413, "no");
	}
}

static void refuse_a_customer(int at, struct made *made)
{
	if (may_fail(at)) {
		snprintf(made->body, sizeof made->body, ALERT, 10000 + at, 77777, "Open", "abcdefg");
		fail_with(made, 500, "no");
	}
}

/* It is refused from the middle of the day on, when it has been accepted for long; and a sender is all the time. */
static void refuse_since_a_deploy(int at, struct made *made)
{
	refuse_a_sender(at, made);
	if (at % 10 != 0)
		return;
	snprintf(made->body, sizeof made->body, USER, 10000 + at, 10000 + at, "Ada",
	         at % 20 == 0 ? ",\"offCycle\":\"true\"" : "");
	if (at % 20 == 0 && at > LONG_DAY / 2)
		fail_with(made, 403, "no");
}

static void refuse_all_but_one_since_a_deploy(int at, struct made *made)
{
	refuse_since_a_deploy(at, made);
	if (at == LONG_DAY * 3 / 4)
		fail_with(made, 200, "");
}

static void refuse_both_together(int at, struct made *made)
{
	bool is_lost = at % 3 == 0, is_escaped = at % 5 == 0;
	snprintf(made->body, sizeof made->body, ALERT, 10000 + at, 10000 + at, is_lost ? "Lost" : "Open",
	         is_escaped ? "\\u00e9" : "abcdefg");
	if (is_lost && is_escaped)
		fail_with(made, 500, "no");
}

static void fail_without_reason(int at, struct made *made)
{
	if (at % 53 == 0)
		fail_with(made, 500, "no");
}

/* They are of one customer, who was accepted once, and who is in those that fail at the end of the day only. */
static void refuse_who_was_accepted_once(int at, struct made *made)
{
	refuse_a_value(at, made);
	if (at == 100 || (may_fail(at) && at > LONG_DAY * 3 / 4))
		snprintf(made->body, sizeof made->body, ALERT, 10000 + at, 77777, at == 100 ? "Open" : "Lost",
		         "abcdefg");
}

/* Sixteen of them have not come before three quarters of the day are over: until then each may be a repeat. */
static void refuse_a_value_seldom(int at, struct made *made)
{
	if (at % 200 == 1)
		refuse_a_value(at, made);
}

TEST(what_is_not_read_changes_nothing_that_is_said)
{
	static const struct {
		maker *make;
		size_t read; /* of those that were accepted */
		const char *words;
	} rows[] = {
		{ refuse_a_value, 1024, "has alertType \"Lost\";" },
		{ refuse_a_value_seldom, 3131, "has alertType \"Lost\";" },
		{ refuse_what_is_absent, 1024, "has no bureau;" },
		{ refuse_a_member, 1024, "has offCycle;" },
		{ refuse_a_sender, 1024, "comes from 10.9.9.9;" },
		{ refuse_letters, 1024, "has characters that are not ASCII in firstName;" },
		{ refuse_a_large_body, 1024, "has a larger body than each that was accepted (up to 182 bytes)" },
		{ refuse_a_customer, 1024, "has clientKey \"c-77777\";" },
		{ refuse_who_was_accepted_once, 1024, "has alertType \"Lost\";" },
		/* Few of those that came before the first that is refused. */
		{ refuse_since_a_deploy, 1281, "has offCycle; none of 1,842 accepted ones meanwhile has" },
		{ refuse_all_but_one_since_a_deploy, 1282, "99 x 403 no: unknown" },
		/* Of two facts that accepted ones have, any may be the first with both. */
		{ refuse_both_together, 3734, "has alertType \"Lost\" and is written with escaped characters" },
		{ fail_without_reason, 1024, "unknown" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i += IS_SANITIZED ? 3 : 1) {
		char said[4096];
		inner = rows[i].make;
		for (int recorded = 0; recorded < 2; recorded++) {
			is_recorded = recorded == 1;
			accepted = looked_at = 0;
			const char *words = causes_in(make_recorded, LONG_DAY);
			if (!strstr(words, rows[i].words) || (is_recorded && strcmp(words, said) != 0))
				fail_msg("%zu: %s", i, words);
			snprintf(said, sizeof said, "%s", words);
			/* Each failure is read once, and an accepted one is counted twice. */
			assert_int_equal(looked_at - (LONG_DAY - accepted / 2),
			                 is_recorded ? rows[i].read : accepted / 2);
		}
	}
}

static void refuse_a_value_but_escaped(int at, struct made *made)
{
	refuse_a_value(at, made);
	if (at == LATE + 1)
		snprintf(made->body, sizeof made->body, ALERT, 10000 + at, 10000 + at, "\\u004cost", "abcdefg");
}

/* Five of them have another value than the rest: the last one after one was accepted with it. */
static void refuse_five_of_a_value(int at, struct made *made)
{
	bool is_of_five = (at < LATE / 3 && at % 400 == 1) || at == LATE + 60;
	refuse_a_value(at, made);
	if (is_of_five || at == LATE)
		snprintf(made->body, sizeof made->body, ALERT, 10000 + at, 10000 + at, "Void", "abcdefg");
	if (is_of_five)
		fail_with(made, 422, "no");
}

static void refuse_a_kind(int at, struct made *made)
{
	if (at % 50 != 0)
		return;
	snprintf(made->body, sizeof made->body, USER, 10000 + at, 10000 + at, "Ada", "");
	fail_with(made, 404, "no");
}

/* Also where the record alone says it, its sender or its kind: that other facts came with it is in the body. */
TEST(what_is_accepted_late_is_read)
{
	static maker *const rows[] = {
		refuse_a_value,         refuse_a_value_but_escaped,
		refuse_what_is_absent,  refuse_a_member,
		refuse_a_sender,        refuse_a_kind,
		refuse_letters,         refuse_a_large_body,
		refuse_five_of_a_value, refuse_a_customer,
		refuse_both_together,
	};
	accepts_late = true;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		inner = rows[i];
		is_recorded = true;
		const char *words = causes_in(make_recorded, LONG_DAY);
		if (!strstr(words, " no: unknown\n") || strchr(words, '\n') != strrchr(words, '\n'))
			fail_msg("%zu: %s", i, words);
	}
	accepts_late = false;
}

/* Seventy are lost. Ten others alone are both of a place and void, until one is accepted late that is. */
static void refuse_lost_and_two_together(int at, struct made *made)
{
	bool is_of_ten = at % 400 == 151, is_late = accepts_late && at == LATE;
	bool is_lost = may_fail(at) && !is_of_ten && at != LATE + 1;
	snprintf(made->body, sizeof made->body,
	         "{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"alertId\":%d,"
	         "\"clientKey\":\"c-%d\",\"bureau\":\"%s\",\"alertType\":\"%s\"}}",
	         10000 + at, 10000 + at, at % 8 == 2 || is_of_ten || is_late ? "xyz" : "abc",
	         at % 8 == 4 || is_of_ten || is_late ? "Void"
	         : is_lost                           ? "Lost"
	                                             : "Paid");
	if (is_of_ten || is_lost)
		fail_with(made, 422, "no");
}

TEST(two_facts_of_a_part_are_not_said_where_not_all_was_read)
{
	inner = refuse_lost_and_two_together;
	for (int i = 0; i < 4; i++) {
		is_recorded = i % 2 == 1;
		accepts_late = i / 2 == 1;
		const char *words = causes_in(make_recorded, LONG_DAY);
		assert_non_null(strstr(words, "x 422 no: facts: each has alertType \"Lost\";"));
		if (i == 0)
			assert_non_null(strstr(
			        words, "\n10 x 422 no: facts: each has bureau \"xyz\" and has alertType \"Void\";"));
		else
			assert_non_null(strstr(words, "\n10 x 422 no: unknown\n"));
	}
	accepts_late = false;
}
