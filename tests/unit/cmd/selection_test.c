/* Which step of a selection refuses a record, and what is kept of those that were refused. */
#include "cmd/args/selection.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --record 2- --since (1 s) --status 5xx --events bureau-alert --where details.bureau=X --where details.alertType=Y */
static void init(struct selection_options *o, struct selection *s)
{
	struct error err;
	*o = (struct selection_options){ .since = { .given = true, .us = 1000000 }, .limit = UINT64_MAX };
	assert_int_equal(selection_parse_records(&o->records, "2-", &err), 0);
	assert_int_equal(status_set_parse(&o->statuses.set, "5xx", &err), 0);
	o->statuses.given = true;
	assert_int_equal(text_list_add(&o->events, "bureau-alert", &err), 0);
	assert_int_equal(where_add(&o->where, "details.bureau=X", &err), 0);
	assert_int_equal(where_add(&o->where, "details.alertType=Y", &err), 0);
	assert_int_equal(selection_init(s, o, &err), 0);
}

static void release(struct selection_options *o, struct selection *s)
{
	selection_release(s);
	free(o->records.ranges);
	text_list_release(&o->events);
	where_release(&o->where);
}

static enum selection_answer ask(struct selection *s, uint64_t line, int64_t us, int status, const char *event,
                                 const char *body)
{
	struct capture_record record = { .received_us = us, .status = status };
	struct error err;
	record.event = text_of(event);
	record.request.body = text_of(body);
	return selection_takes(s, &record, line, line, NULL, &err);
}

/* Of all that were refused, as long as none was taken. */
TEST(what_the_inputs_have)
{
	setenv("TZ", "UTC0", 1);
	static const char alert[] = "bureau-alert", half[] = "{\"details\":{\"bureau\":\"X\",\"alertType\":\"Z\"}}";
	static const struct {
		uint64_t line;
		int64_t us;
		int status;
		const char *event, *body;
	} refused[] = {
		{ 1, 5, 200, alert, "{}" },
		{ 2, 5, 200, alert, "{}" },
		{ 3, 2000000, 404, alert, "{}" },
		{ 4, 2000000, 0, alert, "{}" },
		{ 5, 2000000, 503, "user-created", "{}" },
		{ 6, 2000000, 503, alert, "{}" },
		{ 7, 2000000, 503, alert, half },
	};
	struct selection_options o;
	struct selection s;
	struct error err;
	init(&o, &s);
	assert_int_equal(selection_nothing(&s, "replay", EXIT_CODE_OK, &err), -1);
	assert_string_equal(err.message, "nothing to replay: no notification in the inputs");
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		assert_int_equal(
		        ask(&s, refused[i].line, refused[i].us, refused[i].status, refused[i].event, refused[i].body),
		        SELECTION_NO);
	assert_int_equal(selection_nothing(&s, "replay", EXIT_CODE_OK, &err), -1);
	assert_int_equal(err.code, EXIT_CODE_FAILED);
	assert_string_equal(err.message, "nothing to replay in 7 records of user-created, bureau-alert, "
	                                 "1970-01-01 00:00:00 to 1970-01-01 00:00:02; highest "
	                                 "number: 7; status: 200, 404, 503; details.bureau: X; details.alertType: Z");
	assert_int_equal(ask(&s, 8, 2000000, 599, alert, "{\"details\":{\"bureau\":\"X\",\"alertType\":\"Y\"}}"),
	                 SELECTION_YES);
	assert_int_equal(ask(&s, 1, 2000000, 500, alert, "{}"), SELECTION_NO);
	assert_int_equal(s.refused.records, 7); /* none is noted once one was taken */
	release(&o, &s);
}

TEST(different_values_are_counted_up_to_a_number)
{
	struct selection_options o = { .limit = UINT64_MAX };
	struct selection s;
	struct error err;
	char body[64];
	assert_int_equal(where_add(&o.where, "details.clientKey=x", &err), 0);
	assert_int_equal(selection_init(&s, &o, &err), 0);
	for (int i = 0; i < 3 * SELECTION_VALUES_MAX; i++) {
		snprintf(body, sizeof body, "{\"details\":{\"clientKey\":\"%d\"}}", i % (SELECTION_VALUES_MAX + 1));
		assert_int_equal(ask(&s, 1, 1, 200, "bureau-alert", body), SELECTION_NO);
		if (i + 1 != SELECTION_VALUES_MAX)
			continue;
		selection_nothing(&s, "replay", EXIT_CODE_OK, &err);
		assert_non_null(strstr(err.message, "details.clientKey: 1,000 different values"));
	}
	selection_nothing(&s, "replay", EXIT_CODE_OK, &err);
	assert_non_null(strstr(err.message, "details.clientKey: more than 1,000 different values"));
	selection_release(&s);
	where_release(&o.where);
}
