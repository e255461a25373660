/* What cannot be played says why, and what leaves nothing is listed. */
#include "keeper_run.h"
#include "keeps_listeners.h"
#include "test.h"

static struct keeper keeper;
static struct keeper_run found;

static int refuse_users(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "\"service\":\"user\"") ? 422 : keep_alerts(k, v);
}

/* Those that were accepted. */
TEST(test_kinds_without_a_trace_are_listed)
{
	static const struct {
		struct keeper_kind kind;
		const char *traceless;
	} lists[] = {
		{ { "Store", NULL, keep_valid, show_rows, NULL, 0 }, "" },
		{ { "Alerts", NULL, keep_alerts, show_rows, NULL, 0 }, "user-created, credit-report-ordered" },
		{ { "RefusesUsers", NULL, refuse_users, show_rows, NULL, 0 }, "credit-report-ordered" },
	};
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		keeper_open(&keeper, &lists[i].kind);
		keeper_play(&keeper,
		            "effect/once:user-created effect/once:credit-report-ordered effect/once:bureau-alert", true,
		            &found);
		assert_int_equal(found.code, 0);
		assert_string_equal(found.summary.traceless, lists[i].traceless);
		keeper_run_release(&found);
	}
}

/* Where the user's values leave nothing to make the first of a customer's notifications of. */
TEST(test_what_cannot_be_made_says_why)
{
	static const struct keeper_kind store = { "Store", NULL, keep_valid, show_rows, NULL, 0 };
	static const char *const checks[] = { "effect/once:user-created", "effect/others" };
	RELEASED(edits) edits = { .list = NULL };
	struct error err;
	assert_int_equal(edits_add_set(&edits, "details.firstName.x:=1", &err), 0);
	keeper_open(&keeper, &store);
	keeper.edits = &edits;
	keeper_play(&keeper, "effect/others effect/once:user-created effect/once:bureau-alert", true, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(check_named(&found.plan, "effect/once:bureau-alert")->result.verdict, GRADE_OK);
	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
		const struct probe_result *r = &check_named(&found.plan, checks[i])->result;
		assert_int_equal(r->verdict, GRADE_SKIP);
		assert_string_equal(r->reason,
		                    "cannot set '/details/firstName/x': '/details/firstName' is a string and has no "
		                    "members");
	}
	keeper_run_release(&found);
}

/* Ends of COMMAND. */

static void ignore_signals(void *context, int number)
{
	(void)context, (void)number;
}

static bool always_runs(void *context)
{
	(void)context;
	return true;
}

static int start_deaf(void *context)
{
	((struct keeper *)context)->starts++;
	return 0;
}

/* What is started again does not come to listen, or what was ended still does. */
TEST(test_what_is_said_of_an_end_that_fails)
{
	static const struct {
		struct listener_control control; /* its functions; NULL: the keeper's */
		bool is_detached;
		const char *url;
		const char *reason;
		enum probe_stop stop;
	} ends[] = {
		{ { .signal = ignore_signals },
		  false,
		  NULL,
		  "something still listens: it is not in COMMAND's process group (docker, setsid)",
		  PROBE_THROUGH },
		{ { .start = start_deaf, .runs = always_runs },
		  false,
		  NULL,
		  "COMMAND did not come to listen again: it runs, and accepted no connection within 5.0 s (--wait)",
		  PROBE_GONE },
		{ { .start = start_deaf },
		  false,
		  NULL,
		  "COMMAND did not come to listen again: exit code 0",
		  PROBE_GONE },
		{ { .start = NULL }, true, NULL, "COMMAND has ended, and something else listens", PROBE_THROUGH },
		{ { .start = NULL },
		  false,
		  "http://192.0.2.1/hook",
		  "the listener is not at a loopback address of this machine",
		  PROBE_THROUGH },
	};
	static const char *const checks[] = { "crash/restart", "crash/kill", "effect/again-after-restart" };
	static const struct keeper_kind store = { "Store", NULL, keep_valid, show_rows, NULL, 0 };
	for (size_t i = 0; i < sizeof ends / sizeof ends[0] * 3; i++) {
		const struct listener_control *its = &ends[i / 3].control;
		keeper_open(&keeper, &store);
		keeper.control.signal = its->signal ? its->signal : keeper.control.signal;
		keeper.control.start = its->start ? its->start : keeper.control.start;
		keeper.control.runs = its->runs ? its->runs : keeper.control.runs;
		keeper.listener.is_detached = ends[i / 3].is_detached;
		keeper.http.url = ends[i / 3].url ? ends[i / 3].url : keeper.http.url;
		keeper_play(&keeper, checks[i % 3], true, &found);
		assert_int_equal(found.code, 0);
		const struct probe_result *r = &check_named(&found.plan, checks[i % 3])->result;
		if (r->verdict != GRADE_SKIP || strcmp(r->reason, ends[i / 3].reason) != 0 ||
		    found.summary.stop != ends[i / 3].stop)
			fail_msg("%zu: %s: %d: %s; %d", i / 3, checks[i % 3], (int)r->verdict, r->reason,
			         (int)found.summary.stop);
		keeper_run_release(&found);
	}
}
