/* Days to find causes in: tables of requests that functions make. */
#ifndef CREDHOOK_TESTS_CAUSE_DAY_UNIT_H
#define CREDHOOK_TESTS_CAUSE_DAY_UNIT_H

#include "cause/day.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define ALERT                                                                                                          \
	"{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"alertId\":%d,\"appKey\":\"a\"," \
	"\"clientKey\":\"c-%d\",\"bureau\":\"abc\",\"alertType\":\"%s\",\"alertDetails\":{\"note\":\"%s\"}}}"
#define USER                                                                                                           \
	"{\"service\":\"user\",\"event\":\"201\",\"method\":\"post\",\"path\":\"/api/user/v2\",\"details\":{"          \
	"\"appKey\":\"a\",\"clientKey\":\"c-%d\",\"userId\":\"c-%d\",\"firstName\":\"%s\"%s}}"

/* A request of a day, which come a second after the other. */
struct made {
	char body[512];
	const char *said, *sender;
	const char *event; /* as it is recorded; NULL: it is not */
	int status;
	bool is_left_out; /* not selected */
};
typedef void maker(int at, struct made *made);

#define DAY_LENGTH 1000 /* unless a test says so */

/* Alerts and users in turn, each user another one. */
static inline void make_base(int at, struct made *made)
{
	*made = (struct made){ .status = 200, .said = "", .sender = "10.0.0.1" };
	if (at % 2)
		snprintf(made->body, sizeof made->body, ALERT, at, at % 50, at % 4 ? "New" : "Closed", "x");
	else
		snprintf(made->body, sizeof made->body, USER, at, at, "Ada", "");
}

static inline void fail_with(struct made *made, int status, const char *said)
{
	made->status = status;
	made->said = said;
}

/* Which request is listed there, where they do not come in their order; both from 1. NULL: they do. */
static int (*listed)(int place, int length);

static inline void pass(struct day *day, maker *make, int length, bool first)
{
	struct error err;
	for (int place = 1; place <= length; place++) {
		int at = listed ? listed(place, length) : place;
		struct made made;
		make_base(at, &made);
		make(at, &made);
		const struct day_request request = {
			.what = { .body = made.body, .length = strlen(made.body), .sender = made.sender },
			.number = (uint64_t)place,
			.received_us = at * INT64_C(1000000),
			.status = made.status,
			.said = { made.said, strlen(made.said) },
			.event = made.event ? text_of(made.event) : (struct text){ .text = NULL },
			.is_selected = !made.is_left_out,
		};
		assert_int_equal(first ? day_add(day, &request, &err) : day_compare(day, &request, &err), 0);
	}
}

/* What was found in a day. Free the day. */
struct found {
	struct day *day;
	const struct day_cause *causes;
	size_t count;
};

static inline struct found find_causes(maker *make, int length)
{
	struct error err;
	struct found found = { .day = day_new(&err) };
	assert_non_null(found.day);
	pass(found.day, make, length, true);
	if (day_begin(found.day, &err))
		pass(found.day, make, length, false);
	assert_int_equal(day_find(found.day, &found.causes, &found.count, &err), 0);
	return found;
}

/* The causes in words, a line each: "12 x 422: each has ...". */
static inline const char *causes_in(maker *make, int length)
{
	static char text[4096];
	struct found found = find_causes(make, length);
	text[0] = '\0';
	for (size_t i = 0; i < found.count; i++) {
		RELEASED(buffer) words = BUFFER_INIT;
		const struct day_cause *c = &found.causes[i];
		buffer_printf(&words, "%llu x %d %s: %s", (unsigned long long)c->failed, c->status, c->said,
		              day_type_names[c->type]);
		if (c->type == DAY_FACTS) {
			buffer_append_text(&words, c->is_in_span ? " in its span: " : ": ");
			day_append_facts(c, &words);
		}
		if (c->type == DAY_FACTS || c->type == DAY_SPAN)
			buffer_printf(&words, " (#%llu to #%llu%s)", (unsigned long long)c->first,
			              (unsigned long long)c->last, c->is_exact ? ", exact" : "");
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n", buffer_text(&words));
	}
	day_free(found.day);
	return text;
}

static inline const char *causes_of(maker *make)
{
	return causes_in(make, DAY_LENGTH);
}

#endif
