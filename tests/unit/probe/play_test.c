/* How checks are played: in which order, what is played again when the listener has ended, what is not played, and what
 * is left open where the run ends. */
#include "player_unit.h"
#include "probe/play/play.h"
#include "probe/play/requests.h"
#include "sanitizers.h"
#include "test.h"

#include <unistd.h>

static int take(struct keeper *k, struct visit *v)
{
	(void)k, (void)v;
	return 200;
}

static int refuse_alerts(struct keeper *k, struct visit *v)
{
	(void)k;
	return strstr(v->body, "\"alertId\"") ? 400 : 200;
}

static int refuse_users(struct keeper *k, struct visit *v)
{
	(void)k;
	return strstr(v->body, "\"firstName\"") ? 400 : 200;
}

/* The retrieval of a report, which is of another path than its order. */
static int refuse_reports(struct keeper *k, struct visit *v)
{
	char method[BODY_SIZE];
	(void)k;
	return strstr(v->body, "\"reportKey\"") && strcmp(value_of(v->body, "method", method), "get") == 0 ? 400 : 200;
}

static int keep_payloads(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "\"details\":{") || strstr(v->body, "\"details\": {") ? keep(k, v) : 400;
}

static const struct keeper_kind quick = { "Quick", NULL, take, show_rows, NULL, 0 };
static const struct keeper_kind slow = { "Slow", NULL, take, show_rows, NULL, 10 * MS };
static const struct keeper_kind no_alerts = { "NoAlerts", NULL, refuse_alerts, show_rows, NULL, 0 };
static const struct keeper_kind no_users = { "NoUsers", NULL, refuse_users, show_rows, NULL, 0 };
static const struct keeper_kind no_reports = { "NoReports", NULL, refuse_reports, show_rows, NULL, 0 };
static const struct keeper_kind strict = { "Strict", NULL, keep_payloads, show_rows, NULL, 0 };
static const struct keeper_kind store = { "Store", NULL, keep, show_rows, NULL, 0 };
static struct error err;

static size_t index_of(const char *id)
{
	return (size_t)(check_of(id) - run.plan.checks);
}

static void assert_ended(const char *id, enum grade verdict, const char *reason)
{
	const struct probe_result *r = &check_of(id)->result;
	if (!r->ended || r->verdict != verdict || strcmp(r->reason, reason) != 0)
		fail_msg("%s: %s, %d: '%s'", id, r->ended ? "ended" : "open", (int)r->verdict, r->reason);
}

static void assert_open(const char *id)
{
	if (check_of(id)->result.ended)
		fail_msg("%s: %d: '%s'", id, (int)check_of(id)->result.verdict, check_of(id)->result.reason);
}

/* Whatever has ended the run: what is right was played to its end. */
static void assert_nothing_is_half_right(void)
{
	for (size_t i = 0; i < run.plan.count; i++) {
		const struct probe_check *check = &run.plan.checks[i];
		const struct probe_result *r = &check->result;
		bool is_sent = check->row->make && (!check->row->play || check->row->framing);
		if (is_sent && r->ended && r->verdict == GRADE_OK && r->graded < requests_of(check))
			fail_msg("%s: %u of %u", check->id, r->graded, requests_of(check));
	}
}

TEST(test_a_batch_is_played_in_order)
{
	player_open(&quick, "deliver", false);
	assert_int_equal(play_batch(&player, 0, run.plan.count, &err), 0);
	assert_int_equal(keeper.requests, run.plan.count);
	assert_int_equal(player.requests, run.plan.count);
	assert_int_equal(player.responses, run.plan.count);
	assert_int_equal(player.at, run.plan.count - 1);
	for (size_t i = 0; i < run.plan.count; i++) {
		assert_ended(run.plan.checks[i].id, GRADE_OK, "");
		assert_int_equal(run.plan.checks[i].result.graded, 1);
	}
	player_close();
}

/* Those that are not chosen are passed over. */
TEST(test_what_is_not_chosen_is_not_sent)
{
	player_open(&quick, "deliver/bureau-alert", false);
	assert_int_equal(play_batch(&player, 0, run.plan.count, &err), 0);
	assert_int_equal(keeper.requests, 1);
	assert_ended("deliver/bureau-alert", GRADE_OK, "");
	assert_open("deliver/user-created");
	player_close();
}

TEST(test_a_check_that_has_failed_is_not_asked_further)
{
	player_open(&no_alerts, "order/alert-unknown repeat/again", false);
	player.maker.accepted = check_of("deliver/bureau-alert")->kind;
	size_t at = index_of("repeat/again");
	assert_int_equal(play_batch(&player, at, at + 1, &err), 0);
	assert_int_equal(keeper.requests, 1);
	assert_int_equal(check_of("repeat/again")->result.verdict, GRADE_FAIL);
	player_close();
}

/* What comes before the checks: what they refer to, in the order of the story, and nothing where all is delivered. */
TEST(test_what_the_checks_refer_to_is_introduced)
{
	player_open(&store, "order/report-unknown", false);
	assert_int_equal(play_introduction(&player, &err), 0);
	assert_true(keeper.count > 0 && keeper.count < 5);
	assert_non_null(strstr(keeper.kept[0].body, "\"firstName\""));
	assert_int_equal(player.requests, keeper.requests);
	player_close();
	player_open(&store, "deliver order/report-unknown", false);
	assert_int_equal(play_introduction(&player, &err), 0);
	assert_int_equal(keeper.requests, 0);
	player_close();
}

/* One that is refused is no failure of a check, and is known not to be taken. */
TEST(test_what_is_introduced_may_be_refused)
{
	player_open(&no_users, "value/bureau-alert", false);
	assert_int_equal(play_introduction(&player, &err), 0);
	assert_int_equal(keeper.requests, 1);
	for (size_t i = 0; i < catalog_kind_count(); i++)
		assert_int_equal(player.maker.failed[i], strcmp(KIND_NAME(catalog_kind_at(i)), "user-created") == 0);
	player_close();
}

/* Requests that may be of any event are of one that is taken, and so is a defect that it may have, too. */
TEST(test_what_may_be_of_any_event_is_of_one_that_is_accepted)
{
	static const char *const ids[] = { "bad/wrong-type:details", "method/put", "still-up/deliver" };
	for (size_t count = 2; count <= 3; count++) {
		keeper_open(&keeper, &no_users);
		keeper_play(&keeper,
		            count == 2 ? "deliver bad/wrong-type:details method/put"
		                       : "deliver bad/wrong-type:details method/put still-up",
		            false, &run);
		assert_int_equal(run.code, 0);
		assert_true(has_failed(check_of("deliver/user-created")));
		for (size_t i = 0; i < count; i++) {
			const struct probe_result *r = &check_of(ids[i])->result;
			if (!r->ended || r->verdict > GRADE_NOTE)
				fail_msg("%s: %d: %d, '%s'", ids[i], (int)r->verdict, r->status, r->reason);
		}
		keeper_run_release(&run);
	}
}

/* Why nothing can be seen, or ended. */
TEST(test_what_cannot_be_looked_at_says_why)
{
	static const struct {
		const char *id;
		bool observes;
		const char *why;
	} rows[] = {
		{ "effect/none", false, "--observe is not given" },
		{ "effect/stays", false, "--observe is not given" },
		{ "effect/again-after-restart", false, "--observe is not given" },
		{ "effect/again-after-restart", true,
		  "-- COMMAND is not given, and only what test has started is ended" },
		{ "crash/kill", true, "-- COMMAND is not given, and only what test has started is ended" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		keeper_open(&keeper, &store);
		keeper_plan(&run, rows[i].id, false);
		options = keeper_options(&keeper, &run.plan, false);
		options.store.read = rows[i].observes ? options.store.read : NULL;
		observer = keeper_observer;
		observer.context = &run;
		assert_int_equal(probe_run(&options, &observer, &run.summary, &run.err), 0);
		assert_ended(rows[i].id, GRADE_SKIP, rows[i].why);
		keeper_run_release(&run);
	}
}

static void assert_not_played(const char *id, const char *reason)
{
	size_t at = index_of(id);
	unsigned before = keeper.requests;
	assert_int_equal(play_batch(&player, at, at + 1, &err), 0);
	assert_int_equal(keeper.requests, before);
	assert_ended(id, GRADE_SKIP, reason);
}

TEST(test_a_header_of_the_user_takes_the_place_of_the_checks)
{
	player_open(&quick, "type method", false);
	options.own_content_type = true;
	size_t count = 0;
	for (size_t i = 0; i < run.plan.count; i++) {
		const struct probe_check *check = &run.plan.checks[i];
		if (!check->chosen || !check->row->sets_type)
			continue;
		assert_not_played(check->id, "a header given sets the Content-Type");
		count++;
	}
	assert_true(count > 0);
	size_t at = index_of("method/get");
	assert_int_equal(play_batch(&player, at, at + 1, &err), 0);
	assert_true(keeper.requests > 0);
	player_close();
}

/* Five are too many, or three where there was never a whole response; a check of the group before is about that. */
TEST(test_too_many_hangs_end_a_group)
{
	static const char why[] = "too many requests of this group got no response in time";
	static const struct {
		unsigned hangs, unended;
		uint64_t responses;
		bool is_played;
	} rows[] = {
		{ PROBE_HANGS_MAX, 0, 0, false },    { PROBE_HANGS_MAX - 1, 0, 0, true },
		{ PROBE_UNENDED_MAX, 1, 0, false },  { PROBE_UNENDED_MAX - 1, 1, 0, true },
		{ PROBE_HANGS_MAX - 1, 1, 1, true }, { PROBE_HANGS_MAX, 1, 1, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		player_open(&quick, "deliver still-up", false);
		player.hangs = rows[i].hangs;
		player.unended = rows[i].unended;
		player.responses = rows[i].responses;
		if (rows[i].is_played) {
			assert_int_equal(play_batch(&player, 0, 1, &err), 0);
			assert_ended(run.plan.checks[0].id, GRADE_OK, "");
		} else {
			assert_not_played(run.plan.checks[0].id, why);
		}
		size_t still_up = index_of("still-up/deliver");
		assert_int_equal(play_batch(&player, still_up, still_up + 1, &err), 0);
		assert_ended("still-up/deliver", GRADE_OK, "");
		player_close();
	}
}

static int respond_without_end(struct keeper *k, struct visit *v)
{
	(void)k;
	v->is_endless = true;
	return 200;
}

static unsigned unended; /* how often it was said */
static const struct probe_check *first_unended;

static void count_unended(void *context, const struct probe_check *check)
{
	(void)context;
	first_unended = unended++ == 0 ? check : first_unended;
}

/* While others are still waited for; and then three of them are enough. */
TEST(test_a_response_without_an_end_is_said_once)
{
	static const struct keeper_kind endless = { "Endless", NULL, respond_without_end, show_rows, NULL, 0 };
	player_open(&endless, "deliver", false);
	unended = 0;
	observer.unended = count_unended;
	assert_int_equal(play_batch(&player, 0, run.plan.count, &err), 0);
	assert_int_equal(unended, 1);
	assert_ptr_equal(first_unended, &run.plan.checks[0]);
	assert_int_equal(player.unended, PROBE_UNENDED_MAX);
	assert_int_equal(keeper.requests, PROBE_UNENDED_MAX);
	player_close();
}

/* Another check says that already; also where its first request got a 2xx. */
TEST(test_what_is_of_an_event_that_is_not_accepted_is_in_vain)
{
	keeper_open(&keeper, &no_alerts);
	keeper_play(&keeper, "deliver value/bureau-alert", false, &run);
	assert_int_equal(run.code, 0);
	size_t count = 0;
	for (size_t i = 0; i < run.plan.count; i++) {
		const struct probe_check *check = &run.plan.checks[i];
		if (!check->chosen || strcmp(check->row->group, "value") != 0)
			continue;
		assert_ended(check->id, GRADE_SKIP, "the event is not accepted");
		count++;
	}
	assert_true(count > 0);
	assert_true(has_failed(check_of("deliver/bureau-alert")));
	keeper_run_release(&run);
	keeper_open(&keeper, &no_reports);
	keeper_play(&keeper, "deliver order/report-unknown", false, &run);
	assert_true(has_failed(check_of("deliver/credit-report-retrieved")));
	assert_int_equal(check_of("order/report-unknown")->result.verdict, GRADE_SKIP);
	keeper_run_release(&run);
}

static int accept_no_alerts(struct keeper *k, struct visit *v)
{
	(void)k;
	v->is_late = strstr(v->body, "\"alertId\"") != NULL;
	return v->is_late ? 0 : 200;
}

static int close_alerts(struct keeper *k, struct visit *v)
{
	(void)k;
	return strstr(v->body, "\"alertId\"") ? 0 : 200;
}

/* A listener that accepts no connection in time, or closes it, has not ended: the check has failed. */
TEST(test_what_gets_no_response_has_failed)
{
	static const struct {
		struct keeper_kind kind;
		unsigned hangs;
	} rows[] = {
		{ { "Late", NULL, accept_no_alerts, show_rows, NULL, 0 }, 1 },
		{ { "Closing", NULL, close_alerts, show_rows, NULL, 0 }, 0 },
	};
	for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
		player_open(&rows[n].kind, "deliver", false);
		assert_int_equal(play_batch(&player, 0, run.plan.count, &err), 0);
		for (size_t i = 0; i < run.plan.count; i++) {
			const struct probe_check *check = &run.plan.checks[i];
			bool is_alert = strcmp(check->id, "deliver/bureau-alert") == 0;
			assert_int_equal(check->result.verdict, is_alert ? GRADE_FAIL : GRADE_OK);
			assert_int_equal(player.maker.failed[catalog_kind_index(check->kind)], is_alert);
		}
		assert_int_equal(player.hangs, rows[n].hangs);
		assert_int_equal(player.responses, run.plan.count - 1);
		assert_false(player.presence.doubtful);
		assert_null(player.presence.unsent);
		player_close();
	}
}

static int refuse_first(struct keeper *k, struct visit *v)
{
	(void)v;
	return k->requests == 1 ? 400 : 200;
}

/* For what else it shows: it is neither graded nor counted, and its customer is no other one's. */
TEST(test_what_is_sent_again_changes_nothing)
{
	static const struct keeper_kind slow_start = { "SlowStart", NULL, refuse_first, show_rows, NULL, 0 };
	static const struct {
		const struct keeper_kind *kind;
		const char *id;
		unsigned requests;
		bool is_accepted;
	} rows[] = {
		{ &slow_start, "repeat/again", 2, false },
		{ &quick, "repeat/again", 2, true },
		{ &quick, "order/removed-before-added", 3, true },
		{ &quick, "still-up/repeat", 1, true },
		{ &quick, "load/burst", 100, true },
		{ &quick, "deliver/user-created", 1, true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct request_outcome outcome = { .is_refused = true };
		player_open(rows[i].kind, "repeat order load still-up", false);
		const struct probe_session session = player.maker.session;
		assert_int_equal(requests_send_again(&player, check_of(rows[i].id), &outcome, &err), 0);
		assert_int_equal(keeper.requests, rows[i].requests);
		assert_int_equal(outcome.is_accepted, rows[i].is_accepted);
		assert_false(outcome.is_refused);
		assert_memory_equal(&player.maker.session, &session, sizeof session);
		assert_int_equal(player.requests + run.summary.pages.others, 0);
		assert_open(rows[i].id);
		keeper_die(&keeper);
		assert_int_equal(requests_send_again(&player, check_of(rows[i].id), &outcome, &err), 0);
		assert_true(outcome.is_refused && !outcome.is_accepted);
		player_close();
	}
}

static unsigned late_each, have_come;
static int served; /* the status of the others */

static int accept_some(struct keeper *k, struct visit *v)
{
	(void)k;
	v->is_late = ++have_come % late_each == 0;
	return v->is_late ? 0 : served;
}

/* Of many at once it is said how many got none; one that has failed sends none of the rest. */
TEST(test_of_a_crowd_those_are_counted_that_get_no_response)
{
	static const struct keeper_kind busy = { "Busy", NULL, accept_some, show_rows, NULL, 0 };
	static const struct {
		const char *id;
		unsigned late_each;
		int served;
		enum grade verdict;
		const char *reason;
	} rows[] = {
		{ "repeat/concurrent", 4, 200, GRADE_WARN,
		  "5 of 20 requests timed out after 10.0 s without a response" },
		{ "repeat/concurrent", 1, 200, GRADE_FAIL,
		  "20 of 20 requests timed out after 10.0 s without a response" },
		{ "load/burst", 4, 200, GRADE_WARN, "12 of 100 requests timed out after 10.0 s without a response" },
		{ "load/burst", 101, 200, GRADE_OK, "" },
		{ "load/burst", 4, 500, GRADE_WARN, "" }, /* for these */
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		have_come = 0;
		late_each = rows[i].late_each;
		served = rows[i].served;
		player_open(&busy, rows[i].id, false);
		size_t at = index_of(rows[i].id);
		assert_int_equal(play_batch(&player, at, at + 1, &err), 0);
		assert_ended(rows[i].id, rows[i].verdict, rows[i].reason);
		player_close();
	}
}

/* How long a response took is of those that were alone, and valid; what is sent for the causes alone is not watched. */
TEST(test_what_is_timed_was_sent_alone)
{
	static const struct {
		const char *id;
		bool has_played;
		uint64_t requests;
		size_t timed;
		int64_t median_ns;
		uint64_t accepted; /* of the invalid ones */
	} rows[] = {
		{ "deliver/bureau-alert", false, 1, 1, MS, 0 }, { "deliver/bureau-alert", true, 1, 1, 0, 0 },
		{ "load/burst", false, 100, 0, 0, 0 },          { "bad/wrong-type:event", false, 1, 0, 0, 1 },
		{ "bad/wrong-type:event", true, 1, 0, 0, 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		player_open(&quick, rows[i].id, false);
		player.has_played = rows[i].has_played;
		size_t at = index_of(rows[i].id);
		assert_int_equal(play_batch(&player, at, at + 1, &err), 0);
		assert_int_equal(player.still_up.requests, rows[i].requests);
		assert_int_equal(player.still_up.count, rows[i].timed);
		assert_int_equal(probe_watch_median(&player.watch), rows[i].median_ns);
		assert_int_equal(player.watch.invalid[0], rows[i].accepted);
		player_close();
	}
}

/* What was sent and what came back, of the first of those that are as bad. */
TEST(test_messages_are_kept_where_they_are_asked_for)
{
	static const char request[] = "POST http://127.0.0.1:1/hook\nContent-Type: application/json\n";
	static const struct {
		const struct keeper_kind *kind;
		const char *id, *response;
		bool is_kept;
	} rows[] = {
		{ &no_alerts, "deliver/bureau-alert", "400", true },
		{ &no_alerts, "deliver/bureau-alert", "", false },
		{ &quick, "repeat/again", "200", true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		player_open(rows[i].kind, rows[i].id, false);
		options.keeps_messages = rows[i].is_kept;
		size_t at = index_of(rows[i].id), kept = rows[i].is_kept ? strlen(request) : 0;
		int64_t began = keeper.now_ns;
		assert_int_equal(play_batch(&player, at, at + 1, &err), 0);
		const struct probe_result *r = &check_of(rows[i].id)->result;
		assert_int_equal(r->sent_ns, rows[i].is_kept ? began : 0);
		assert_int_equal(strncmp(buffer_text(&r->request.head), request, kept), 0);
		assert_string_equal(buffer_text(&r->response.head), rows[i].response);
		assert_int_equal(strstr(buffer_text(&r->request.body), "\"details\":{") != NULL, rows[i].is_kept);
		assert_int_equal(r->request.length, r->request.body.length);
		player_close();
	}
}

/* The listener ends over an alert, a while after its response, when the next check is under way: that is played from
 * its beginning again. */
static void play_over_alert(const struct keeper_kind *kind, const char *check, int64_t after_ns)
{
	char checks[64];
	snprintf(checks, sizeof checks, "deliver/bureau-alert %s", check);
	keeper_open(&keeper, kind);
	keeper.poison = "\"alertId\"";
	keeper.poison_ns = after_ns;
	keeper_play(&keeper, checks, true, &run);
	assert_int_equal(run.code, 0);
	assert_int_equal(run.summary.stop, PROBE_THROUGH);
	assert_true(has_failed(check_of("deliver/bureau-alert")));
	assert_non_null(strstr(check_of("deliver/bureau-alert")->result.reason, "the listener ended"));
	assert_ended(check, GRADE_OK, "");
	assert_int_equal(check_of(check)->result.graded, requests_of(check_of(check)));
	keeper_run_release(&run);
}

TEST(test_what_got_no_response_is_played_again)
{
	play_over_alert(&slow, "repeat/again", 15 * MS); /* amid the first one */
	play_over_alert(&slow, "repeat/again", 25 * MS); /* amid the second one */
}

/* So is one that has many in flight: none of these is taken for a response of the second time. */
TEST(test_what_was_in_flight_when_it_ended_is_of_no_later_request)
{
	play_over_alert(&slow, "load/burst", 15 * MS);
	play_over_alert(&slow, "load/burst", 25 * MS);
	play_over_alert(&slow, "repeat/concurrent", 15 * MS);
}

/* Nobody but those in flight can have ended it. */
TEST(test_many_that_end_it_are_blamed)
{
	keeper_open(&keeper, &slow);
	keeper.dies_at = 30; /* behind those that are introduced */
	keeper_play(&keeper, "load/burst", true, &run);
	assert_int_equal(run.code, 0);
	assert_true(has_failed(check_of("load/burst")));
	assert_non_null(strstr(check_of("load/burst")->result.reason, "the listener ended"));
	keeper_run_release(&run);
}

static unsigned at_once;

static void end_over_many(struct keeper *k, struct visit *v)
{
	(void)v;
	if (++at_once <= 20)
		return;
	at_once = 0;
	keeper_die(k);
}

static int take_one_of_many(struct keeper *k, struct visit *v)
{
	(void)k, (void)v;
	at_once -= at_once > 0;
	return 200;
}

/* They are known to be so when they come together again. */
TEST(test_many_that_end_it_each_time_are_known)
{
	static const struct keeper_kind fragile = { "Fragile", end_over_many, take_one_of_many, show_rows, NULL, 0 };
	at_once = 0;
	keeper_open(&keeper, &fragile);
	keeper_play(&keeper, "deliver load/burst", true, &run);
	assert_int_equal(run.code, 0);
	assert_true(has_failed(check_of("load/burst")));
	assert_string_equal(check_of("load/burst")->result.reason, "the listener ended: exit code 0");
	assert_false(check_of("load/burst")->result.ended_by_itself);
	keeper_run_release(&run);
}

/* Gets SIGINT when the request of that number begins. */
static struct signals signals = SIGNALS_INIT;
static unsigned interrupted_at;

static void interrupt(struct keeper *k, struct visit *v)
{
	(void)v;
	if (k->requests != interrupted_at)
		return;
	assert_int_equal(kill(getpid(), SIGINT), 0);
	signals_wait_input(&signals, -1, -1);
}

/* A run of the checks that SIGINT ends there, or that is short of memory. */
static void play_interrupted(const struct keeper_kind *kind, const char *checks)
{
	unsigned long failing = fail_at;
	keeper_open(&keeper, kind);
	keeper.customers_most = 2;
	keeper_plan(&run, checks, false);
	options = keeper_options(&keeper, &run.plan, false);
	observer = keeper_observer;
	observer.context = &run;
	assert_int_equal(signals_open(&signals, &err), 0);
	options.signals = &signals;
	allocations = 0;
	fail_at = failing;
	run.code = probe_run(&options, &observer, &run.summary, &run.err);
	fail_at = 0;
	signals_close(&signals);
}

TEST(test_what_a_signal_cuts_short_is_left_open)
{
	static const struct keeper_kind kind = { "Interrupted", interrupt, keep, show_rows, NULL, 10 * MS };
	static const char checks[] = "deliver repeat order load";
	interrupted_at = 0;
	play_interrupted(&kind, checks);
	assert_int_equal(run.summary.stop, PROBE_THROUGH);
	unsigned all = keeper.requests;
	keeper_run_release(&run);
	for (interrupted_at = 1; interrupted_at <= all; interrupted_at++) {
		play_interrupted(&kind, checks);
		assert_int_equal(run.code, 0);
		assert_int_equal(run.summary.stop, PROBE_INTERRUPTED);
		assert_nothing_is_half_right();
		size_t open = 0;
		for (size_t i = 0; i < run.plan.count; i++)
			open += run.plan.checks[i].chosen && !run.plan.checks[i].result.ended;
		assert_int_equal(open, run.summary.not_run);
		keeper_run_release(&run);
	}
}

#define ONE_IN (IS_SANITIZED ? 13 : 3) /* allocation fails: under the sanitizers each run takes ten times as long */

TEST(test_what_no_memory_cuts_short_is_left_open)
{
	static const char checks[] = "deliver/bureau-alert repeat/again load/burst";
	fail_at = 0;
	play_interrupted(&quick, checks);
	assert_int_equal(run.code, 0);
	unsigned long all = allocations;
	size_t failed = 0, alone = 0;
	keeper_run_release(&run);
	for (unsigned long n = 1; n <= all; n += ONE_IN) {
		fail_at = n;
		play_interrupted(&quick, checks);
		failed += run.code < 0;
		/* What was graded before is handed over; where nothing was, there is only the error. */
		bool is_handed_over = run.summary.run_id[0] != '\0', is_broken = run.code < 0 && is_handed_over;
		alone += !is_handed_over;
		assert_true(is_handed_over || run.code < 0);
		assert_int_equal(run.summary.stop, is_broken ? PROBE_BROKEN : PROBE_THROUGH);
		assert_nothing_is_half_right();
		keeper_run_release(&run);
	}
	assert_true(failed > all / ONE_IN / 4 && alone > 0);
}

/* Refused payloads that leave nothing are right when that was looked at, not when they were refused. */
TEST(test_what_is_not_seen_to_its_end_is_not_right)
{
	unsigned looks = 1;
	for (unsigned n = 0; n <= looks; n++) {
		keeper_open(&keeper, &strict);
		keeper.fails_at = n;
		keeper_play(&keeper, "effect/none", false, &run);
		looks = n == 0 ? keeper.looks : looks;
		assert_int_equal(run.code, 0);
		assert_int_equal(check_of("effect/none")->result.verdict, n == 0 ? GRADE_OK : GRADE_SKIP);
		keeper_run_release(&run);
	}
	assert_true(looks > 3);
}

static bool has_come; /* an invalid one */

static int fail_over_invalid(struct keeper *k, struct visit *v)
{
	int status = keep_payloads(k, v);
	has_come |= status != 200;
	return status == 200 ? 200 : 500;
}

/* A status that is not right is known, whatever is seen. */
TEST(test_what_has_failed_is_so_though_it_is_not_seen_to_its_end)
{
	static const struct keeper_kind kind = { "Fails", NULL, fail_over_invalid, show_rows, NULL, 0 };
	unsigned looks = 1, failed = 0;
	for (unsigned n = 0; n <= looks; n++) {
		has_come = false;
		keeper_open(&keeper, &kind);
		keeper.fails_at = n;
		keeper_play(&keeper, "effect/none", false, &run);
		looks = n == 0 ? keeper.looks : looks;
		failed += has_come;
		assert_int_equal(run.code, 0);
		assert_int_equal(check_of("effect/none")->result.verdict, has_come ? GRADE_WARN : GRADE_SKIP);
		keeper_run_release(&run);
	}
	assert_true(failed > 1 && failed < looks);
}

/* The same where a signal ends the run, whatever has been sent. */
TEST(test_what_a_signal_keeps_from_being_seen_is_left_open)
{
	static const struct keeper_kind kind = { "Interrupted", interrupt, keep_payloads, show_rows, NULL, 0 };
	interrupted_at = 0;
	play_interrupted(&kind, "effect/none");
	assert_ended("effect/none", GRADE_OK, "");
	unsigned all = keeper.requests;
	keeper_run_release(&run);
	for (interrupted_at = 1; interrupted_at <= all; interrupted_at++) {
		play_interrupted(&kind, "effect/none");
		assert_int_equal(run.summary.stop, PROBE_INTERRUPTED);
		assert_open("effect/none");
		keeper_run_release(&run);
	}
}

/* Where the user's values make a second token like the first, it would be taken for a repeat. */
TEST(test_a_second_one_that_is_like_the_first_is_not_sent)
{
	static const char id[] = "effect/distinct:authentication-token-generated";
	for (int is_set = 0; is_set < 2; is_set++) {
		RELEASED(edits) edits = { .list = NULL };
		keeper_open(&keeper, &store);
		keeper_plan(&run, id, false);
		options = keeper_options(&keeper, &run.plan, false);
		observer = keeper_observer;
		observer.context = &run;
		if (is_set)
			assert_int_equal(
			        edits_add_set(&edits, "details.authToken=a1b2c3d4-0000-4000-8000-000000000001", &err),
			        0);
		options.edits[0] = &edits;
		assert_int_equal(probe_run(&options, &observer, &run.summary, &run.err), 0);
		assert_ended(id, is_set ? GRADE_SKIP : GRADE_OK,
		             is_set ? "--set makes a second one like the first" : "");
		keeper_run_release(&run);
	}
}

/* How far it has come is what is printed meanwhile. */
static struct {
	size_t ended, total;
	const struct probe_check *at;
	unsigned times;
} shown;

static int64_t on_shown(void *context, size_t ended, size_t total, const struct probe_check *at, int64_t now)
{
	(void)context, (void)now;
	if (shown.times > 0 && (ended < shown.ended || (at && shown.at && at < shown.at)))
		fail_msg("from %s, %zu, back to %s, %zu", shown.at ? shown.at->id : "-", shown.ended, at ? at->id : "-",
		         ended);
	assert_true(ended <= total);
	shown.times++;
	shown.ended = ended;
	shown.total = total;
	shown.at = at ? at : shown.at;
	return 0;
}

/* Not even where a check sends requests within another one's, or what failed is compared with more. */
TEST(test_a_run_only_goes_forward)
{
	static const char *const checks[] = { "deliver repeat effect crash still-up", "deliver value effect/none" };
	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
		memset(&shown, 0, sizeof shown);
		keeper_open(&keeper, i == 0 ? &store : &no_alerts);
		keeper.customers_most = 2;
		keeper_plan(&run, checks[i], true);
		options = keeper_options(&keeper, &run.plan, true);
		observer = keeper_observer;
		observer.context = &run;
		observer.progress = on_shown;
		assert_int_equal(probe_run(&options, &observer, &run.summary, &run.err), 0);
		assert_true(shown.times > 100 && shown.total > 25);
		keeper_run_release(&run);
	}
}
