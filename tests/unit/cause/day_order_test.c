/* Requests that are listed in another order than they came in: captures of several listeners, one after the other. */
#include "day_unit.h"

/* Every second one first: two captures of the same hours. */
static int two_captures(int place, int length)
{
	int half = (length + 1) / 2;
	return place <= half ? 2 * place - 1 : 2 * (place - half);
}

/* The later capture first. */
static int later_first(int place, int length)
{
	int half = length / 2;
	return place <= length - half ? half + place : place - (length - half);
}

static int backwards(int place, int length)
{
	return length + 1 - place;
}

/* Some come a little late, as where responses take their time. */
static int nearly(int place, int length)
{
	(void)length;
	return place % 10 == 3 ? place + 4 : place % 10 == 7 ? place - 4 : place;
}

static void fail_all_meanwhile(int at, struct made *made)
{
	if (at >= 400 && at < 440)
		fail_with(made, 503, "down");
}

/* One of two listeners was down, and the other one took all kinds. */
static void fail_at_one_of_two(int at, struct made *made)
{
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, "New", "x");
	if (at >= 400 && at < 440 && at % 2)
		fail_with(made, 503, "down");
}

static void refuse_inquiries(int at, struct made *made)
{
	bool is_inquiry = at % 20 == 7;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, is_inquiry ? "Inquiry" : "New", "x");
	if (is_inquiry)
		fail_with(made, 422, "no");
}

/* A new version of the listener refuses what the one before took, and the next one takes again. */
static void refuse_inquiries_meanwhile(int at, struct made *made)
{
	bool is_inquiry = at % 5 == 2;
	snprintf(made->body, sizeof made->body, ALERT, at, at % 50, is_inquiry ? "Inquiry" : "New", "x");
	if (is_inquiry && at > 300 && at < 700)
		fail_with(made, 422, "no");
}

/* What is sent again 500 later is refused then. */
static void refuse_repeats(int at, struct made *made)
{
	int one = at > 500 ? at - 500 : at;
	snprintf(made->body, sizeof made->body, USER, one, one, "Ada", "");
	if (at > 500 && at % 10 == 1)
		fail_with(made, 409, "known");
	else if (at > 500)
		snprintf(made->body, sizeof made->body, USER, at, at, "Ada", "");
}

/* What was refused came again and was taken: the failures came before. */
static void take_later(int at, struct made *made)
{
	int one = at > 500 ? at - 500 : at;
	bool is_refused = at % 10 == 1;
	snprintf(made->body, sizeof made->body, USER, is_refused ? one : at, is_refused ? one : at, "Ada", "");
	if (is_refused && at <= 500)
		fail_with(made, 409, "no");
}

/* The causes, with the seconds of the first and the last. */
static const char *causes_listed(maker *make, int (*order)(int place, int length))
{
	static char text[2048];
	listed = order;
	struct found found = find_causes(make, DAY_LENGTH);
	listed = NULL;
	text[0] = '\0';
	for (size_t i = 0; i < found.count; i++) {
		RELEASED(buffer) words = BUFFER_INIT;
		const struct day_cause *c = &found.causes[i];
		if (c->type == DAY_FACTS)
			day_append_facts(c, &words);
		size_t length = strlen(text);
		snprintf(text + length, sizeof text - length, "%llu %s %s %lld-%lld\n", (unsigned long long)c->failed,
		         day_type_names[c->type], buffer_text(&words), (long long)(c->first_us / 1000000),
		         (long long)(c->last_us / 1000000));
	}
	day_free(found.day);
	return text;
}

TEST(causes_are_the_same_in_whatever_order_requests_are_listed)
{
	static const struct {
		maker *make;
		const char *causes;
	} rows[] = {
		{ fail_all_meanwhile, "40 span  400-439\n" },
		{ fail_at_one_of_two, "20 unknown  401-439\n" },
		{ refuse_inquiries, "50 facts each has alertType \"Inquiry\"; none of 950 accepted ones has 7-987\n" },
		{ refuse_inquiries_meanwhile,
		  "80 facts each has alertType \"Inquiry\"; none of 316 accepted ones meanwhile has 302-697\n" },
		{ refuse_repeats,
		  "50 facts each is the same as an accepted notification before, or came after an accepted "
		  "notification with the same clientKey; one of these is why: they always came together; none of 950 "
		  "accepted ones is 501-991\n" },
		{ take_later, "50 unknown  1-491\n" },
	};
	int (*const orders[])(int, int) = { NULL, two_captures, later_first, backwards, nearly };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
			const char *causes = causes_listed(rows[i].make, orders[o]);
			if (strcmp(causes, rows[i].causes) != 0)
				fail_msg("row %zu, order %zu: %s", i, o, causes);
		}
}
