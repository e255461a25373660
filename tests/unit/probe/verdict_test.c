/* What responses mean for checks. */
#include "probe/play/verdict.h"
#include "probe/run_unit.h"
#include "test.h"

static const struct probe_result *grade(const char *id, int status, const char *body)
{
	struct probe_check *check = fresh(id);
	struct exchange d = response(status, body);
	probe_grade(check, &d, &maker);
	exchange_release(&d);
	return &check->result;
}

TEST(test_statuses)
{
	static const struct {
		const char *id;
		int status; /* 0: closed without one */
		enum grade verdict;
	} rows[] = {
		{ "deliver/user-created", 204, GRADE_OK },
		{ "deliver/user-created", 302, GRADE_FAIL },
		{ "deliver/user-created", 404, GRADE_FAIL },
		{ "deliver/user-created", 0, GRADE_FAIL },
		{ "repeat/again", 409, GRADE_WARN },
		{ "repeat/again", 400, GRADE_FAIL },
		{ "bad/wrong-type:details", 202, GRADE_OK },
		{ "bad/wrong-type:details", 422, GRADE_OK },
		{ "bad/wrong-type:details", 500, GRADE_WARN },
		{ "json/bom", 500, GRADE_NOTE },
		{ "size/short", 0, GRADE_OK },
		{ "size/16m", 0, GRADE_NOTE },
		{ "size/16m", 500, GRADE_WARN },
		{ "frame/folded", 0, GRADE_OK },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(grade(rows[i].id, rows[i].status, "")->verdict, rows[i].verdict);
}

TEST(test_the_worst_of_several_stays)
{
	struct probe_check *check = fresh("repeat/again");
	static const int statuses[] = { 200, 409, 200, 500, 409 };
	for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
		struct exchange d = response(statuses[i], "");
		probe_grade(check, &d, &maker);
		exchange_release(&d);
	}
	assert_int_equal(check->result.verdict, GRADE_FAIL);
	assert_int_equal(check->result.status, 500);
	probe_end(check, PROBE_SKIPPED, NULL, "too late");
	assert_int_equal(check->result.verdict, GRADE_FAIL);
}

TEST(test_a_timeout_is_not_a_closed_connection)
{
	static const struct {
		const char *id, *fix;
	} rows[] = {
		{ "size/short", "compare the length" },   { "deliver/user-created", "store the notification" },
		{ "size/64k", "store the notification" }, { "size/16m", "limit the request body" },
		{ "method/put", "respond 405" },          { "json/truncated", "parse the body" },
		{ "bad/top-null", "respond 4xx to a" },   { "bad/wrong-type:details", "store the notification" },
	};
	const struct exchange d = { .outcome = DELIVER_UNKNOWN, .failure = DELIVER_TIMED_OUT, .message = "timed out" };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct probe_check *check = fresh(rows[i].id);
		probe_grade(check, &d, &maker);
		assert_true(probe_has_failed(check));
		assert_non_null(strstr(check->result.fix, rows[i].fix));
	}
}

/* What the sender knows of why nothing came is said first; of a listener that closes, it knows nothing. */
TEST(test_a_hint_says_what_to_do)
{
	static const struct {
		enum deliver_outcome outcome;
		enum deliver_failure failure;
		bool is_hint;
	} rows[] = {
		{ DELIVER_FAILED, DELIVER_OTHER_FAILURE, true },
		{ DELIVER_UNKNOWN, DELIVER_OTHER_FAILURE, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct exchange d = { .outcome = rows[i].outcome, .failure = rows[i].failure, .hint = "a hint" };
		struct probe_check *check = fresh("deliver/user-created");
		probe_grade(check, &d, &maker);
		assert_int_equal(strcmp(check->result.fix, "a hint") == 0, rows[i].is_hint);
	}
}

/* A machine that is busy breaks no must: of several connections some get their turn late. What a listener closes, or
 * never responds to, does. */
TEST(test_a_connection_without_a_turn)
{
	static const struct exchange late = { .outcome = DELIVER_UNKNOWN,
		                              .failure = DELIVER_TIMED_OUT,
		                              .message = "timed out" };
	static const struct exchange out = { .outcome = DELIVER_FAILED,
		                             .failure = DELIVER_TIMED_OUT,
		                             .message = "timed out" };
	static const struct exchange gone = {
		.outcome = DELIVER_UNKNOWN, .failure = DELIVER_OTHER_FAILURE, .finished_ns = 1, .message = "closed"
	};
	static const struct {
		const char *id;
		const struct exchange *d;
		bool served;
		enum grade verdict;
	} rows[] = {
		{ "repeat/concurrent", &late, true, GRADE_WARN },  { "repeat/concurrent", &out, true, GRADE_WARN },
		{ "repeat/concurrent", &late, false, GRADE_FAIL }, { "repeat/concurrent", &gone, true, GRADE_FAIL },
		{ "load/burst", &late, true, GRADE_WARN },         { "repeat/again", &late, true, GRADE_FAIL },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct probe_check *check = fresh(rows[i].id);
		struct exchange ok = response(200, "");
		if (rows[i].served)
			probe_grade(check, &ok, &maker);
		probe_grade(check, rows[i].d, &maker);
		assert_int_equal(check->result.verdict, rows[i].verdict);
		if (rows[i].d != &gone && check->row->connections > 0)
			assert_non_null(strstr(check->result.fix, "accept queue"));
		assert_int_equal(check->result.broke_ns != 0, rows[i].d == &gone);
		exchange_release(&ok);
	}
}

/* A body that breaks off behind an error status is that error. */
TEST(test_what_breaks_off)
{
	static const struct {
		int status, seen;
		bool broke;
	} rows[] = { { 0, 0, true }, { 200, 0, true }, { 302, 302, false }, { 404, 404, false }, { 500, 500, true } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct exchange d = { .outcome = DELIVER_UNKNOWN,
			                    .status = rows[i].status,
			                    .response = { .body = TEXT("") },
			                    .message = "the connection was closed",
			                    .sent_ns = 5,
			                    .finished_ns = 7,
			                    .latency_ns = 3 };
		struct probe_check *check = fresh("deliver/user-created");
		probe_grade(check, &d, &maker);
		assert_int_equal(check->result.verdict, GRADE_FAIL);
		assert_int_equal(check->result.status, rows[i].seen);
		assert_int_equal(check->result.broke_ns, rows[i].broke ? 7 : 0);
		assert_int_equal(check->result.ns, rows[i].seen ? 2 : 3);
	}
}

/* Where invalid payloads are to be rejected, accepting them is no fix; and the other way round. */
TEST(test_fixes_follow_what_is_wanted)
{
	static const struct {
		enum probe_invalid invalid;
		const char *fix;
	} rows[] = {
		{ PROBE_INVALID_AUTO, "check the payload first and respond 4xx, or store it and respond 2xx" },
		{ PROBE_INVALID_REJECT, "check the payload before using it, and respond 4xx" },
		{ PROBE_INVALID_ACCEPT, "store the payload, respond 2xx and check it later" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct text_list none = { 0 };
		struct probe_choice choice = {
			.wanted = &none, .skipped = &none, .expected = &none, .invalid = rows[i].invalid
		};
		struct probe_plan one = { 0 };
		struct error err;
		assert_int_equal(probe_plan_init(&one, &choice, &err), 0);
		struct probe_check *check = check_named(&one, "bad/wrong-type:details");
		struct exchange d = response(500, "");
		probe_grade(check, &d, &maker);
		assert_string_equal(check->result.fix, rows[i].fix);
		exchange_release(&d);
		probe_plan_release(&one);
	}
}

/* What is not right is advised by its status: a redirect, one that the row knows, and any other. */
TEST(test_a_fix_is_of_the_status)
{
	static const struct {
		const char *id;
		int status;
		const char *fix;
	} rows[] = {
		{ "method/put", 200, "respond 405 to methods other than POST" },
		{ "method/put", 299, "respond 405 to methods other than POST" },
		{ "method/put", 300, "respond 2xx at this URL: senders do not follow redirects" },
		{ "deliver/user-created", 399, "respond 2xx at this URL: senders do not follow redirects" },
		{ "method/put", 500, "respond 405 to methods other than POST" },
		{ "size/64k", 413, "raise the limit of the request body" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(grade(rows[i].id, rows[i].status, "")->fix, rows[i].fix);
}

/* TRACE gives back what was sent where it is served; what refuses it may say what it refuses. */
TEST(test_what_trace_gives_back)
{
	static const struct {
		int status;
		const char *method, *body;
		enum grade verdict;
	} rows[] = {
		{ 200, "TRACE", "X-Test: 0badcafe", GRADE_WARN },
		{ 299, "TRACE", "0badcafe", GRADE_WARN },
		{ 200, "TRACE", "fine", GRADE_NOTE },
		{ 200, "PUT", "0badcafe", GRADE_NOTE },
		{ 405, "TRACE", "no TRACE of 0badcafe", GRADE_OK },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct probe_check *check = fresh("method/trace");
		struct exchange d = response(rows[i].status, rows[i].body);
		d.request.method = text_of(rows[i].method);
		probe_grade(check, &d, &maker);
		assert_int_equal(check->result.verdict, rows[i].verdict);
	}
}

/* Where a listener may close the connection, it has to accept one first. */
TEST(test_a_connection_that_is_refused_was_not_closed)
{
	static const struct {
		enum deliver_outcome outcome;
		enum grade verdict;
	} rows[] = { { DELIVER_UNKNOWN, GRADE_OK }, { DELIVER_FAILED, GRADE_WARN } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct exchange d = { .outcome = rows[i].outcome,
			                    .failure = i == 0 ? DELIVER_OTHER_FAILURE : DELIVER_REFUSED,
			                    .finished_ns = 1,
			                    .message = "refused" };
		struct probe_check *check = fresh("size/short");
		probe_grade(check, &d, &maker);
		assert_int_equal(check->result.verdict, rows[i].verdict);
		assert_int_equal(check->result.broke_ns, 0);
	}
}

TEST(test_reasons)
{
	static const struct {
		const char *body, *reason;
	} rows[] = {
		{ "Traceback (most recent call last):\n  File \"app.py\"\nKeyError: 'path'\n", "KeyError: 'path'" },
		{ "a\033[31m\n", "a\\x1B[31m" },
		{ "", "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(grade("deliver/user-created", 500, rows[i].body)->reason, rows[i].reason);
	assert_string_equal(grade("deliver/user-created", 200, "KeyError: x")->reason, "");
}

/* Where one leads that is no success, without what is secret there. */
TEST(test_where_a_redirect_leads_is_said)
{
	static const struct header location = { TEXT("Location"), TEXT("https://host/new?token=sesame") };
	static const struct {
		const char *id;
		bool is_said;
	} rows[] = { { "deliver/user-created", true }, { "method/get", false } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct probe_check *check = fresh(rows[i].id);
		struct exchange d = response(302, "moved");
		d.response.headers = &location;
		d.response.header_count = 1;
		probe_grade(check, &d, &maker);
		assert_int_equal(strstr(check->result.reason, "https://host/new") != NULL, rows[i].is_said);
		assert_null(strstr(check->result.reason, "sesame"));
		assert_int_equal(check->result.reason[0] != '\0', rows[i].is_said);
	}
}

/* A response that is too long is not a connection that was closed; behind an error status it does not matter. */
TEST(test_an_endless_response)
{
	static const char short_body[] = "respond with a short body, or none";
	static const struct {
		const char *id;
		int status;
		bool too_long;
		enum grade verdict;
		bool is_endless;
	} rows[] = {
		{ "deliver/user-created", 200, false, GRADE_FAIL, false },
		{ "deliver/user-created", 200, true, GRADE_FAIL, true },
		{ "size/short", 200, false, GRADE_OK, false },
		{ "size/short", 200, true, GRADE_WARN, true },
		{ "size/16m", 299, false, GRADE_NOTE, false },
		{ "size/16m", 299, true, GRADE_WARN, true },
		{ "bad/wrong-type:details", 422, true, GRADE_OK, false },
		{ "deliver/user-created", 500, true, GRADE_FAIL, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct probe_check *check = fresh(rows[i].id);
		struct exchange d = response(rows[i].status, "");
		d.outcome = DELIVER_UNKNOWN;
		d.failure = rows[i].too_long ? DELIVER_TOO_LONG : DELIVER_OTHER_FAILURE;
		probe_grade(check, &d, &maker);
		const struct probe_result *r = &check->result;
		if (r->verdict != rows[i].verdict ||
		    (r->fix && strcmp(r->fix, short_body) == 0) != rows[i].is_endless ||
		    r->too_long != rows[i].is_endless)
			fail_msg("row %zu: %d %s", i, r->verdict, r->fix ? r->fix : "none");
	}
}

/* A response of which nothing says where it ends is told from one that is slow, or cut. */
TEST(test_a_response_without_an_end)
{
	static const struct header length = { TEXT("Content-Length"), TEXT("5") };
	static const struct {
		enum deliver_failure failure;
		size_t headers;
		bool is_unended;
	} rows[] = { { DELIVER_TIMED_OUT, 0, true },
		     { DELIVER_TIMED_OUT, 1, false },
		     { DELIVER_OTHER_FAILURE, 0, false } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct probe_check *check = fresh("deliver/user-created");
		struct exchange d = response(200, "");
		d.outcome = DELIVER_UNKNOWN;
		d.failure = rows[i].failure;
		d.response.headers = &length;
		d.response.header_count = rows[i].headers;
		probe_grade(check, &d, &maker);
		assert_int_equal(check->result.verdict, GRADE_FAIL);
		assert_int_equal(check->result.unended, rows[i].is_unended);
		assert_int_equal(strstr(check->result.fix, "Content-Length") != NULL, rows[i].is_unended);
	}
}

/* The log says why a listener failed; it says nothing of a connection that was closed by design. */
TEST(test_where_the_log_says_why)
{
	static const struct {
		const char *id;
		int status; /* 0: closed without one */
		bool broke;
	} rows[] = {
		{ "deliver/user-created", 500, true },
		{ "deliver/user-created", 404, false },
		{ "deliver/user-created", 0, true },
		{ "http/half-close", 0, false },
		{ "size/short", 0, false },
		{ "frame/folded", 0, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct probe_check *check = fresh(rows[i].id);
		struct exchange d = response(rows[i].status, "");
		d.finished_ns = 1;
		probe_grade(check, &d, &maker);
		assert_int_equal(check->result.broke_ns != 0, rows[i].broke);
		exchange_release(&d);
	}
}

TEST_AROUND_ALL(make_plan, release_plan)

TEST(test_a_result_is_opened_again)
{
	struct probe_check *check = fresh("deliver/user-created");
	buffer_append_text(&check->result.log, "a line");
	probe_end(check, PROBE_FAILED, NULL, "%s", "first");
	probe_end(check, PROBE_RIGHT, NULL, "%s", "");
	assert_true(probe_has_failed(check)); /* what was found stays */
	check->result.is_double = true;
	check->result.lost = "what comes twice is kept twice";
	check->result.part_of = check;
	check->result.graded = 2;
	probe_reopen(check, PROBE_SAID_AGAIN);
	assert_false(check->result.ended);
	assert_false(check->result.is_double);
	assert_null(check->result.lost);
	assert_null(check->result.part_of);
	assert_int_equal(check->result.graded, 0);
	assert_int_equal(check->result.log.length, strlen("a line"));
	probe_end(check, PROBE_SKIPPED, NULL, "%s", "second");
	assert_int_equal(check->result.verdict, GRADE_SKIP);
	assert_string_equal(check->result.reason, "second");
	probe_reopen(check, PROBE_PLAYED_AGAIN);
	assert_int_equal(check->result.log.length, 0);
	buffer_release(&check->result.log);
	/* Over it the listener has ended: that stays. */
	probe_end(check, PROBE_FAILED, NULL, "%s", "third");
	check->result.ended_listener = true;
	probe_reopen(check, PROBE_SAID_AGAIN);
	assert_true(check->result.ended);
}

/* Who refuses says why below the title of the page; who fails, in the line with the error. */
TEST(test_a_page_is_quoted_without_its_markup)
{
	static const char page[] =
	        "<html><head><title>403 Forbidden</title><style>p { color: red }</style></head>"
	        "<body><h1>Forbidden</h1><p>CSRF verification failed. Request aborted.</p></body></html>";
	const struct probe_result *r = grade("deliver/user-created", 403, page);
	assert_non_null(strstr(r->reason, "CSRF verification failed."));
	assert_null(strchr(r->reason, '<'));
	r = grade("deliver/user-created", 500, "Traceback\n  File \"app.py\", line 3\nKeyError: 'path'\n");
	assert_string_equal(r->reason, "KeyError: 'path' (app.py:3)");
}
