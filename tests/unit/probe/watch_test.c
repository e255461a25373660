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

TEST_AROUND_ALL(make_plan, release_plan)
