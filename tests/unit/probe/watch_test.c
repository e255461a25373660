/* What several responses show together. */
#include "base/clock.h"
#include "probe/play/watch.h"
#include "probe/run_unit.h"
#include "test.h"

static const char *leak_in(const char *body, const char *url)
{
	const struct probe_maker at_url = { .run_id = "0badcafe", .url = url };
	struct probe_watch watch = { .events = NULL };
	struct exchange d = response(500, body);
	probe_watch_add(&watch, NULL, catalog_kind_at(0), &d, &at_url, true);
	exchange_release(&d);
	assert_int_equal(watch.trace.count, watch.trace.what != NULL);
	return watch.trace.what ? watch.trace.what : "none";
}

TEST(test_leaks)
{
	static const struct {
		const char *body, *what;
	} rows[] = {
		{ "KeyError\n  File \"/srv/app.py\", line 3, in post", "a stack trace" },
		{ "TypeError: x\n    at handler (/srv/app.js:3:4)", "a stack trace" },
		{ "java.lang.X\n\tat com.x.Y.z(Y.java:12)", "a stack trace" },
		{ "Fatal error: Uncaught X in /var/www/html/hook.php on line 12", "a stack trace" },
		{ "<b>Warning</b>:  x in <b>/srv/hook.php</b> on line <b>26</b>", "a stack trace" },
		{ "UNIQUE constraint failed: events.id", "SQL" },
		{ "cannot open /home/me/events.db", "a file path" },
		{ "{\"error\":\"details.appKey is missing\"}", "none" },
		{ "look at http://127.0.0.1:1/hook", "none" },
		{ "", "none" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(leak_in(rows[i].body, maker.url), rows[i].what);
}

TEST(test_what_the_url_holds_is_no_leak)
{
	static const char url[] = "http://127.0.0.1:1/home/opt/", body[] = "look at http://127.0.0.1:1/home/opt/";
	assert_string_equal(leak_in(body, url), "none");
	assert_string_equal(leak_in(body, maker.url), "a file path");
	assert_string_equal(leak_in("no http://127.0.0.1:1/home/opt/ in /srv/app", url), "a file path");
}

TEST(test_too_many_requests_is_no_refusal)
{
	static const int statuses[] = { 200, 202, 400, 415, 429, 429, 503 };
	struct probe_watch watch = { .events = NULL };
	for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
		struct exchange d = response(statuses[i], "");
		probe_watch_add(&watch, check_named(&plan, "bad/top-null"), catalog_kind_at(0), &d, &maker, true);
		exchange_release(&d);
	}
	assert_int_equal(watch.invalid[0], 2);
	assert_int_equal(watch.invalid[1], 2);
	assert_int_equal(watch.invalid[2], 3);
	probe_watch_release(&watch);
}

/* Which checks say something of it: what has no body needs no type; what is long is so by its length, whatever is kept.
 */
TEST(test_what_a_response_lacks)
{
	static const struct header typed = { TEXT("Content-Type"), TEXT("text/plain") },
	                           json = { TEXT("Content-Type"), TEXT("application/json; charset=utf-8") },
	                           problem = { TEXT("Content-Type"), TEXT("application/problem+json") },
	                           retry = { TEXT("Retry-After"), TEXT("5") };
	static const struct {
		int status;
		const char *body;
		uint64_t length; /* 0: of the body */
		const struct header *header;
		size_t untyped, long_body, no_retry_after, echo, echo_in_json;
	} rows[] = {
		{ 200, "", 0, NULL, 0, 0, 0, 0, 0 },
		{ 200, "x", 0, NULL, 1, 0, 0, 0, 0 },
		{ 200, "x", 0, &typed, 0, 0, 0, 0, 0 },
		{ 200, "x", 64 << 10, &typed, 0, 0, 0, 0, 0 },
		{ 200, "x", (64 << 10) + 1, &typed, 0, 1, 0, 0, 0 },
		{ 429, "", 0, NULL, 0, 0, 1, 0, 0 },
		{ 503, "", 0, NULL, 0, 0, 1, 0, 0 },
		{ 503, "", 0, &retry, 0, 0, 0, 0, 0 },
		{ 500, "", 0, NULL, 0, 0, 0, 0, 0 },
		{ 200, "Sample 0badcafe", 0, &typed, 0, 0, 0, 1, 0 },
		{ 200, "Sample 0badcafe", 0, &json, 0, 0, 0, 0, 1 },
		{ 400, "Sample 0badcafe", 0, &problem, 0, 0, 0, 0, 1 },
		{ 0, "Sample 0badcafe", 0, NULL, 0, 0, 0, 0, 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct probe_watch watch = { .events = NULL };
		struct exchange d = response(rows[i].status, rows[i].body);
		d.response_length = rows[i].length > 0 ? rows[i].length : d.response_length;
		d.response.headers = rows[i].header;
		d.response.header_count = rows[i].header != NULL;
		probe_watch_add(&watch, check_named(&plan, "deliver/user-created"), catalog_kind_at(0), &d, &maker,
		                false);
		if (watch.untyped.count != rows[i].untyped || watch.long_body.count != rows[i].long_body ||
		    watch.no_retry_after.count != rows[i].no_retry_after || watch.echo.count != rows[i].echo ||
		    watch.echo_in_json.count != rows[i].echo_in_json)
			fail_msg("row %zu", i);
		probe_watch_release(&watch);
	}
}

/* What is quoted is of the first that gives something away. */
TEST(test_the_first_leak_is_quoted)
{
	static const char *const bodies[] = { "fine", "cannot open /home/me/events.db", "fine",
		                              "cannot open /srv/other.db" };
	struct probe_watch watch = { .events = NULL };
	struct probe_check *check = fresh("leak/trace");
	for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
		struct exchange d = response(500, bodies[i]);
		probe_watch_add(&watch, check_named(&plan, "deliver/user-created"), catalog_kind_at(0), &d, &maker,
		                true);
		exchange_release(&d);
	}
	check->row->look(&watch, check, NULL);
	assert_int_equal(check->result.verdict, GRADE_WARN);
	assert_string_equal(check->result.reason, "a file path in 2 responses, first in deliver/user-created: cannot "
	                                          "open /home/me/events.db");
	probe_watch_release(&watch);
}

static void see(struct probe_watch *watch, const char *event, int64_t ns)
{
	struct exchange d = response(200, "");
	struct catalog_kind kind;
	d.sent_ns = 1;
	d.finished_ns = 1 + ns;
	assert_int_equal(catalog_find_kind(event, &kind, NULL), CATALOG_FOUND);
	probe_watch_add(watch, check_named(&plan, "deliver/user-created"), kind, &d, &maker, true);
	exchange_release(&d);
}

TEST(test_the_slowest_event_counts_by_its_median)
{
	struct probe_watch watch = { .events = NULL };
	struct probe_check *check = fresh("time/response");
	struct catalog_kind kind;
	see(&watch, "user-created", 9 * CLOCK_NS_PER_S);
	see(&watch, "user-created", 1);
	see(&watch, "user-created", 2);
	for (int i = 0; i < 3; i++)
		see(&watch, "bureau-alert", 3 * CLOCK_NS_PER_S);
	assert_true(probe_watch_slowest(&watch, &kind) == 3 * CLOCK_NS_PER_S);
	assert_string_equal(kind.event->name, "bureau-alert");
	check->row->look(&watch, check, NULL);
	assert_int_equal(check->result.verdict, GRADE_WARN);
	assert_string_equal(check->result.reason, "bureau-alert takes 3.0 s");
	probe_watch_release(&watch);
}

/* Two seconds are right, and ten are too long. */
TEST(test_how_long_a_response_may_take)
{
	static const struct {
		int64_t ns;
		enum grade verdict;
	} rows[] = {
		{ 1, GRADE_OK },
		{ 2 * CLOCK_NS_PER_S, GRADE_OK },
		{ 2 * CLOCK_NS_PER_S + 1, GRADE_WARN },
		{ 10 * CLOCK_NS_PER_S, GRADE_WARN },
		{ 10 * CLOCK_NS_PER_S + 1, GRADE_FAIL },
		{ 0, GRADE_SKIP }, /* nothing was accepted */
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct probe_watch watch = { .events = NULL };
		struct probe_check *check = fresh("time/response");
		if (rows[i].ns > 0)
			see(&watch, "user-created", rows[i].ns);
		check->row->look(&watch, check, NULL);
		assert_int_equal(check->result.verdict, rows[i].verdict);
		probe_watch_release(&watch);
	}
}

TEST(test_plain_http_is_a_failure_where_it_leaves_the_machine)
{
	static const struct {
		const char *id, *url;
		enum grade verdict;
		const char *reason;
	} rows[] = {
		{ "tls/trust", "http://127.0.0.1:1/", GRADE_SKIP, "plain http to this machine" },
		{ "tls/trust", "http://192.0.2.1/", GRADE_WARN, "plain http: everybody on the way can read it" },
		{ "tls/expiry", "http://192.0.2.1/", GRADE_SKIP, "plain http: everybody on the way can read it" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct probe_watch watch = { .events = NULL };
		struct probe_check *check = fresh(rows[i].id);
		check->row->look(&watch, check, &(struct deliver_options){ .url = rows[i].url });
		assert_int_equal(check->result.verdict, rows[i].verdict);
		assert_string_equal(check->result.reason, rows[i].reason);
	}
}

TEST_AROUND_ALL(make_plan, release_plan)
