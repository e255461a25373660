/* What a table says of its rows, it says of requests that come alone. */
#include "cause/cause_internal.h"
#include "test.h"

#include <string.h>

#define BODY(service, event, method, path, details)                                                                    \
	"{\"service\":\"" service "\",\"event\":\"" event "\",\"method\":\"" method "\",\"path\":\"" path              \
	"\",\"details\":{" details "}}"
#define ID(digit) "aaaaaaaa-0000-4000-8000-00000000000" digit

static const struct {
	const char *body;
	bool is_accepted;
} rows[] = {
	{ BODY("user", "201", "post", "/api/user/v2", "\"clientKey\":\"" ID("1") "\",\"firstName\":\"Zo\\u00eb\""),
	  true },
	{ BODY("report", "200", "post", "/api/report/v2",
	       "\"clientKey\":\"" ID("1") "\",\"reportKey\":\"" ID("7") "\",\"offCycle\":\"true\""),
	  true },
	{ BODY("report", "200", "get", "/api/report/v2", "\"clientKey\":\"" ID("1") "\",\"reportKey\":\"" ID("7") "\""),
	  false },
	{ BODY("report", "200", "get", "/api/report/v2", "\"clientKey\":\"" ID("2") "\",\"reportKey\":\"" ID("8") "\""),
	  false },
	{ BODY("user", "201", "post", "/api/user/v2", "\"clientKey\":\"" ID("1") "\",\"firstName\":\"Zo\\u00eb\""),
	  false },
	{ BODY("monitoring", "200", "post", "/api/monitoring/v2",
	       "\"clientKey\":\"" ID("1") "\",\"userId\":\"" ID("1") "\""),
	  true },
	{ BODY("monitoring", "200", "post", "/api/monitoring/v2",
	       "\"clientKey\":\"" ID("3") "\",\"userId\":\"" ID("3") "\""),
	  true },
	{ BODY("monitoring", "200", "post", "/api/monitoring/v2",
	       "\"clientKey\":\"" ID("1") "\",\"enrollmentCode\":\"a\""),
	  true },
	{ BODY("monitoring", "200", "post", "/api/monitoring/v2",
	       "\"clientKey\":\"" ID("1") "\",\"enrollmentCode\":\"a\",\"userId\":\"" ID("1") "\""),
	  false },
	{ BODY("monitoring", "200", "post", "/api/monitoring/v2",
	       "\"clientKey\":\"" ID("3") "\",\"enrollmentCode\":\"a\""),
	  true },
	{ BODY("monitoring", "200", "delete", "/api/monitoring/v2",
	       "\"clientKey\":\"" ID("1") "\",\"enrollmentCode\":\"a\""),
	  false },
	{ "{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"clientKey\":\"" ID(
	          "1") "\",\"alertId\":12345678901,\"alertType\":\"a longer sample\"}}",
	  false },
	{ "{\"service\":\"alerts\",\"event\":\"push\",\"method\":\"push\",\"details\":{\"clientKey\":\"" ID(
	          "1") "\",\"alertId\":1.5,\"alertType\":\"sample\"}}",
	  true },
	/* The first that has a code owns it, and not the next, nor who only refers to it. */
	{ BODY("monitoring", "200", "post", "/api/monitoring/v2",
	       "\"clientKey\":\"" ID("3") "\",\"enrollmentCode\":\"a\",\"offCycle\":\"true\""),
	  false },
	{ BODY("monitoring", "200", "delete", "/api/monitoring/v2",
	       "\"clientKey\":\"" ID("6") "\",\"enrollmentCode\":\"b\""),
	  true },
	{ BODY("monitoring", "200", "post", "/api/monitoring/v2",
	       "\"clientKey\":\"" ID("7") "\",\"enrollmentCode\":\"b\""),
	  false },
	/* A user who is another customer was begun, too. */
	{ BODY("user", "201", "post", "/api/user/v2", "\"clientKey\":\"" ID("4") "\",\"userId\":\"" ID("5") "\""),
	  true },
	{ BODY("monitoring", "200", "post", "/api/monitoring/v2",
	       "\"clientKey\":\"" ID("4") "\",\"userId\":\"" ID("5") "\""),
	  false },
	{ "[1]", false },
	{ "[1", true },
	{ "[1", false },
};
#define ROWS (sizeof rows / sizeof rows[0])

static struct fact_request request_at(size_t at)
{
	return (struct fact_request){ .body = rows[at].body, .length = strlen(rows[at].body) };
}

TEST(test_a_fact_holds_of_a_request_alone_as_in_the_table)
{
	struct rows table;
	struct error err;
	bool added;
	size_t looked_back = 0, measured = 0;
	assert_int_equal(rows_init(&table, &err), 0);
	for (size_t i = 0; i < ROWS; i++) {
		const struct cause_request request = { .what = request_at(i),
			                               .side = rows[i].is_accepted ? CAUSE_ACCEPTED : CAUSE_FAILED,
			                               .words = "",
			                               .check = i,
			                               .sent_ns = (int64_t)(2 * i),
			                               .finished_ns = (int64_t)(2 * i + 1) };
		assert_int_equal(rows_add(&table, &request, false, &added, &err), 0);
	}
	assert_int_equal(rows_settle(&table, &err), 0);
	for (size_t f = 0; f < table.fact_count; f++) {
		const struct cause_fact fact = rows_fact(&table.facts[f]);
		struct cause_history history = { 0 };
		/* A measure that no accepted one has says nothing. */
		bool is_known = !fact_rows[fact.kind].is_measure || table.facts[f].limit_text[0];
		for (size_t i = 0; is_known && i < ROWS; i++) {
			const struct fact_request request = request_at(i);
			unsigned holds;
			assert_int_equal(cause_facts_hold(&fact, 1, &request, &history, &holds, &err), 0);
			if ((holds == 1) != bits_have(&table.facts[f].rows, i))
				fail_msg("row %zu: %s %s %s", i, fact_rows[fact.kind].name, fact.subject, fact.value);
			looked_back += holds == 1 && fact.kind <= FACT_NEW;
			measured += holds == 1 && fact_rows[fact.kind].is_measure;
			if (rows[i].is_accepted)
				assert_int_equal(cause_history_add(&history, &fact, 1, &request, &err), 0);
		}
		cause_history_release(&history);
	}
	assert_true(looked_back > 4 && measured > 1);
	rows_release(&table);
}
