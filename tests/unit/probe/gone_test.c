/* Listeners that end, break, or are not there, and what cannot be seen of them: on a clock on which waiting takes no
 * time. */
#include "keeper_run.h"
#include "test.h"

static struct keeper keeper;
static struct keeper_run found;

static void show_nothing_new(struct keeper *k, struct buffer *out)
{
	(void)k;
	buffer_append_text(out, "constant\n");
}

static void show_unrest(struct keeper *k, struct buffer *out)
{
	for (unsigned i = 0; i < k->looks; i++)
		buffer_append_text(out, "a line\n");
}

/* Ends when a second, different alert of a customer comes. */
static int keep_first_alert(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], service[BODY_SIZE];
	value_of(v->body, "clientKey", client);
	bool is_alert = strcmp(value_of(v->body, "service", service), "alerts") == 0;
	if (!is_alert || find(k, v->body) || mark(k, client))
		return keep(k, v);
	keeper_die(k);
	return 0;
}

/* Keeps a repeat, too, a while later. */
static int keep_repeats_late(struct keeper *k, struct visit *v)
{
	add(k, v->body, find(k, v->body) ? 500 * MS : 0, true);
	return 200;
}

static const struct keeper_kind late_repeats = { "LateRepeats", NULL, keep_repeats_late, show_rows, NULL, 0 };
static const struct keeper_kind one_alert = { "OneAlert", NULL, keep_first_alert, show_rows, NULL, 0 };
static const struct keeper_kind right = { "Store", NULL, keep, show_rows, NULL, 0 };
static const struct keeper_kind silent = { "Nothing", NULL, keep, show_nothing_new, NULL, 0 };
static const struct keeper_kind restless = { "restless", NULL, keep, show_unrest, NULL, 0 };

static const struct probe_result *result_of(const char *id)
{
	return &check_named(&found.plan, id)->result;
}

TEST(test_who_ends_it_is_blamed)
{
	keeper_open(&keeper, &right);
	keeper.dies_of = "\"alertId\"";
	keeper_play(&keeper, "deliver still-up", true, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(found.summary.stop, PROBE_THROUGH);
	assert_true(has_failed(check_named(&found.plan, "deliver/bureau-alert")));
	assert_string_equal(result_of("deliver/bureau-alert")->reason, "the listener ended: exit code 0");
	assert_string_equal(KIND_NAME(result_of("deliver/bureau-alert")->ended_by), "bureau-alert");
	assert_int_equal(count_failed(&found.plan), 1);
	assert_true(keeper.starts >= 3); /* once over it, and again, to know that it was it */
	keeper_run_release(&found);
}

/* It is skipped, not failed, for what another check has done; and played again. */
TEST(test_who_comes_behind_is_played_again)
{
	for (unsigned number = 1; number <= 26; number += 5) {
		keeper_open(&keeper, &right);
		keeper.dies_at = number;
		keeper_play(&keeper, "deliver still-up", true, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(count_failed(&found.plan), 1);
		assert_int_equal(found.summary.not_run, 0);
		keeper_run_release(&found);
	}
}

/* The only check that is chosen may be blamed before its own notifications are sent: by those that show what they
 * leave, but for those that only come before these. */
TEST(test_the_only_check_may_be_over_early)
{
	size_t failed = 0;
	for (unsigned number = 1; number <= 12; number++) {
		keeper_open(&keeper, &right);
		keeper.dies_at = number;
		keeper_play(&keeper, "crash/kill", true, &found);
		assert_int_equal(found.code, 0);
		assert_true(result_of("crash/kill")->ended);
		failed += count_failed(&found.plan);
		keeper_run_release(&found);
	}
	assert_true(failed > 0);
}

TEST(test_it_is_started_again_five_times)
{
	keeper_open(&keeper, &right);
	keeper.dies_of = "\"details\"";
	keeper_play(&keeper, "deliver", true, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(found.summary.stop, PROBE_GONE);
	assert_true(found.summary.not_run > 0 && count_failed(&found.plan) > 0);
	keeper_run_release(&found);
}

/* One that is not ours: it is waited for, 5 s at most. */
TEST(test_who_starts_it_again_is_waited_for)
{
	keeper_open(&keeper, &right);
	keeper.dies_of = "\"alertId\"";
	keeper.is_supervised = true;
	keeper_play(&keeper, "deliver still-up", false, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(found.summary.stop, PROBE_THROUGH);
	assert_int_equal(count_failed(&found.plan), 1);
	assert_true(has_failed(check_named(&found.plan, "deliver/bureau-alert")));
	keeper_run_release(&found);
	keeper_open(&keeper, &right);
	keeper.dies_of = "\"alertId\"";
	int64_t began = keeper.now_ns;
	keeper_play(&keeper, "deliver still-up", false, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(found.summary.stop, PROBE_GONE);
	assert_string_equal(found.summary.last, "deliver/bureau-alert");
	assert_true(keeper.now_ns - began >= 5 * CLOCK_NS_PER_S && keeper.now_ns - began < 8 * CLOCK_NS_PER_S);
	keeper_run_release(&found);
}

/* That nobody is there is seen by the only request, too, and by nothing where there is none. */
TEST(test_nobody_there_grades_nothing)
{
	static const struct {
		const char *checks;
		enum probe_stop stop;
		size_t ended;
	} rows[] = { { "deliver", PROBE_UNREACHABLE, 0 },
		     { "deliver/user-created", PROBE_UNREACHABLE, 0 },
		     { "tls", PROBE_THROUGH, 2 } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		keeper_open(&keeper, &right);
		keeper_die(&keeper);
		keeper_play(&keeper, rows[i].checks, false, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(found.summary.stop, rows[i].stop);
		assert_int_equal(found.ended, rows[i].ended);
		keeper_run_release(&found);
	}
}

/* That the listener is still up says nothing of what was to be tested. */
TEST(test_what_is_skipped_altogether_is_not_known)
{
	static const struct {
		const char *checks;
		bool untested;
	} rows[] = { { "crash still-up", true }, { "crash/kill", true }, { "deliver crash", false } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		keeper_open(&keeper, &right);
		keeper_play(&keeper, rows[i].checks, false, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(found.summary.untested, rows[i].untested);
		assert_false(found.summary.uncounted);
		if (rows[i].untested)
			assert_string_equal(found.summary.message, result_of("crash/kill")->reason);
		keeper_run_release(&found);
	}
}

/* What breaks it is found by sending each check of the group again, five times. */
TEST(test_what_breaks_it_is_named)
{
	keeper_open(&keeper, &right);
	keeper.dies_of = "\"alertId\"";
	keeper.breaks = true;
	keeper_play(&keeper, "deliver still-up", true, &found);
	assert_int_equal(found.code, 0);
	struct probe_check *still_up = check_named(&found.plan, "still-up/deliver");
	assert_true(has_failed(still_up));
	assert_string_equal(still_up->advice, "deliver/bureau-alert has stopped it or slowed it down");
	keeper_run_release(&found);
}

/* A file that is written again at each request grows with the run; one that is slow from some request on does not. */
TEST(test_what_grows_is_not_slowed_down)
{
	keeper_open(&keeper, &right);
	keeper.slower_ns = 20 * MS;
	keeper_play(&keeper, "deliver value method path still-up", true, &found);
	assert_int_equal(found.code, 0);
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_check *check = &found.plan.checks[i];
		if (check->chosen && check->after && check->result.verdict != GRADE_OK)
			fail_msg("%s: %s", check->id, check->result.reason);
	}
	assert_true(keeper.count > 100);
	keeper_run_release(&found);
	keeper_open(&keeper, &right);
	keeper.slow_behind = "Completion";
	keeper_play(&keeper, "deliver value method still-up", true, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(result_of("still-up/deliver")->verdict, GRADE_OK);
	assert_int_equal(result_of("still-up/value")->verdict, GRADE_WARN);
	assert_string_equal(result_of("still-up/value")->reason,
	                    "responses take 301 ms, and took 1.0 ms at the beginning of 'value'");
	assert_int_equal(result_of("still-up/method")->verdict, GRADE_OK);
	keeper_run_release(&found);
}

static int keep_payloads(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "\"details\":{") || strstr(v->body, "\"details\": {") ? keep(k, v) : 400;
}

static const struct keeper_kind strict = { "Strict", NULL, keep_payloads, show_rows, NULL, 0 };

/* It says 503 for a while after each start. */
TEST(test_who_recovers_after_a_start_is_waited_for)
{
	static const int64_t times[] = { 30 * MS, 1500 * MS, 4 * CLOCK_NS_PER_S };
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		keeper_open(&keeper, &strict);
		keeper.recovers_ns = times[i];
		keeper_play(&keeper, "deliver value method effect crash still-up", true, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(found.summary.stop, PROBE_THROUGH);
		for (size_t n = 0; n < found.plan.count; n++)
			if (has_failed(&found.plan.checks[n]))
				fail_msg("%s: %s", found.plan.checks[n].id, found.plan.checks[n].result.reason);
		assert_int_equal(result_of("crash/kill")->verdict, GRADE_OK);
		assert_int_equal(found.summary.not_run, 0);
		keeper_run_release(&found);
	}
}

/* So is one that a request has ended: that one alone is blamed. */
TEST(test_who_recovers_after_its_end_is_waited_for)
{
	for (int is_ours = 0; is_ours < 2; is_ours++) {
		keeper_open(&keeper, &right);
		keeper.dies_of = "\"alertId\"";
		keeper.recovers_ns = is_ours ? 1500 * MS : 0;
		keeper.is_supervised = true;
		keeper_play(&keeper, "deliver value still-up", is_ours, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(count_failed(&found.plan), 1);
		assert_true(has_failed(check_named(&found.plan, "deliver/bureau-alert")));
		keeper_run_release(&found);
	}
}

/* At its first start it has the time that --wait gives it; after a later one it is told what it says. */
TEST(test_who_never_recovers_is_not_blamed_for_each_request)
{
	keeper_open(&keeper, &right);
	keeper.recovers_ns = CLOCK_NS_PER_S;
	keeper.recovers_longer_ns = 3600 * CLOCK_NS_PER_S;
	keeper_play(&keeper, "deliver crash repeat method", true, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(found.summary.stop, PROBE_NOT_READY);
	assert_non_null(strstr(found.summary.message, "started again, the listener responds 503, and has done so for"));
	assert_int_equal(count_failed(&found.plan), 0);
	assert_true(found.summary.not_run > 0);
	keeper_run_release(&found);
	keeper_open(&keeper, &right);
	keeper.recovers_ns = 3600 * CLOCK_NS_PER_S;
	keeper.listener.wait_ns = 30 * CLOCK_NS_PER_S;
	int64_t began = keeper.now_ns;
	keeper_play(&keeper, "deliver", true, &found);
	assert_int_equal(found.code, 0);
	assert_true(keeper.now_ns - began >= 30 * CLOCK_NS_PER_S && keeper.now_ns - began < 33 * CLOCK_NS_PER_S);
	keeper_run_release(&found);
}

/* It has stored what it ends over: it cannot be started again, and what it got meanwhile is not blamed alone. */
TEST(test_what_it_has_stored_ends_it_again)
{
	keeper_open(&keeper, &right);
	keeper.poison = "\"Completion\"";
	keeper.poison_ns = 50 * MS;
	keeper_play(&keeper, "deliver value method", true, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(found.summary.stop, PROBE_GONE);
	assert_int_equal(count_failed(&found.plan), 1);
	const char *reason = NULL;
	for (size_t i = 0; i < found.plan.count; i++)
		if (has_failed(&found.plan.checks[i]))
			reason = found.plan.checks[i].result.reason;
	assert_non_null(reason);
	assert_non_null(strstr(reason,
	                       "started again it ends without a request: something that it has stored; accepted "
	                       "last: "));
	assert_int_equal(keeper.starts, 2);
	assert_true(found.summary.not_run > 0);
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_result *r = &found.plan.checks[i].result;
		if (has_failed(&found.plan.checks[i]))
			assert_string_equal(r->lost, "what it has stored ends the listener, again after a start");
	}
	keeper_run_release(&found);

	keeper_open(&keeper, &right);
	keeper.poison = "\"alertId\"";
	keeper.poison_ns = 50 * MS;
	keeper_play(&keeper, "deliver/bureau-alert", true, &found);
	assert_string_equal(result_of("deliver/bureau-alert")->reason,
	                    "the listener ended: exit code 0, and started again it ends without a request: something "
	                    "that it has stored; accepted last: deliver/bureau-alert");
	keeper_run_release(&found);
}

static int take_all(struct keeper *k, struct visit *v)
{
	(void)k, (void)v;
	return 200;
}

static const struct keeper_kind queue = { "Queue", NULL, take_all, show_nothing_new, NULL, 0 };

/* A worker ends it over what got its 2xx before, behind hundreds of others, or when all has been played. */
TEST(test_what_a_worker_ends_over_is_found)
{
	static const char culprit[] = "value/bureau-alert:disputeStatus=Completion";
	static const struct {
		const char *checks;
		int64_t after_ns;
		bool is_ours;
	} rows[] = {
		{ "deliver value repeat", 400 * MS, true },  { "deliver value repeat", 50 * MS, true },
		{ "deliver value repeat", 900 * MS, true },  { "value/bureau-alert", 400 * MS, true },
		{ "deliver value repeat", 400 * MS, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		keeper_open(&keeper, &queue);
		keeper.poison = "\"Completion\"";
		keeper.poison_ns = rows[i].after_ns;
		keeper.is_supervised = !rows[i].is_ours;
		keeper_play(&keeper, rows[i].checks, rows[i].is_ours, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(found.summary.stop, PROBE_THROUGH);
		assert_int_equal(found.summary.not_run, 0);
		if (count_failed(&found.plan) != 1)
			fail_msg("%zu: %zu", i, count_failed(&found.plan));
		assert_true(has_failed(check_named(&found.plan, culprit)));
		assert_false(result_of(culprit)->ended_by_itself);
		keeper_run_release(&found);
	}
}

/* It ends once: none of those that came last does it again, and none is to blame; not the only one that came, either.
 */
TEST(test_it_may_end_by_itself)
{
	static const unsigned numbers[] = { 10, 2, 1 };
	for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
		keeper_open(&keeper, &queue);
		keeper.dies_at = numbers[n];
		keeper_play(&keeper, "deliver", true, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(count_failed(&found.plan), 1);
		for (size_t i = 0; i < found.plan.count; i++) {
			const struct probe_result *r = &found.plan.checks[i].result;
			assert_int_equal(r->cause, 0);
			if (!has_failed(&found.plan.checks[i]))
				continue;
			assert_string_equal(r->reason,
			                    "the listener ended: exit code 0, before this response; what ended it is "
			                    "not known: the last requests, sent again, did not");
			assert_true(r->ended_by_itself);
			assert_string_equal(r->lost, "the listener ended by itself");
			assert_null(r->ended_by.event);
		}
		assert_int_equal(found.summary.cause_count, 0); /* not even of one that came alone */
		keeper_run_release(&found);
	}
}

static unsigned ends_behind; /* that request, once */

static int take_and_end(struct keeper *k, struct visit *v)
{
	(void)v;
	if (k->requests == ends_behind)
		keeper_die(k);
	return 200;
}

/* Nothing waited for a response then, also where the next request was refused, and where there was no next one; unless
 * the check waits for another one. */
TEST(test_it_may_end_by_itself_between_two_requests)
{
	static const struct keeper_kind fleeting = { "Fleeting", NULL, take_and_end, show_nothing_new, NULL, 0 };
	static const struct {
		const char *checks;
		unsigned behind;
		bool is_ours;
		const char *reason;
	} rows[] = {
		{ "deliver", 10, true,
		  "exit code 0; what ended it is not known: the last requests, sent again, did not" },
		{ "deliver", 10, false, "what ended it is not known: the last requests, sent again, did not" },
		{ "deliver", 25, true,
		  "exit code 0; what ended it is not known: the last requests, sent again, did not" },
		{ "deliver repeat/again", 26, false,
		  "before this response; what ended it is not known: the last requests, sent again, did not" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t failed = 0;
		ends_behind = rows[i].behind;
		keeper_open(&keeper, &fleeting);
		keeper.is_supervised = !rows[i].is_ours;
		keeper_play(&keeper, rows[i].checks, rows[i].is_ours, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(found.summary.not_run, 0);
		for (size_t n = 0; n < found.plan.count; n++) {
			if (!has_failed(&found.plan.checks[n]))
				continue;
			failed++;
			assert_string_equal(found.plan.checks[n].result.reason + strlen("the listener ended: "),
			                    rows[i].reason);
		}
		assert_int_equal(failed, 1);
		keeper_run_release(&found);
	}
}

/* What ended it each time is known, and so what those that did have in common. */
TEST(test_what_ends_it_has_a_cause)
{
	for (int is_ours = 0; is_ours < 2; is_ours++) {
		keeper_open(&keeper, &right);
		keeper.dies_of = "O'Sample";
		keeper.is_supervised = true;
		keeper_play(&keeper, "deliver value", is_ours, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(count_failed(&found.plan), 4);
		assert_int_equal(found.summary.cause_count, 1);
		assert_int_equal(found.summary.causes[0].check_count, 4);
		for (size_t i = 0; i < found.plan.count; i++)
			assert_int_equal(found.plan.checks[i].result.cause, has_failed(&found.plan.checks[i]));
		keeper_run_release(&found);
	}
}

/* Nobody starts it again, and the last one that came had its 2xx: that is the one. */
TEST(test_it_may_end_a_while_after_its_response)
{
	keeper_open(&keeper, &right);
	keeper.poison = "\"firstName\"";
	keeper.poison_ns = 50 * MS;
	keeper_play(&keeper, "repeat/later", false, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(found.summary.stop, PROBE_GONE);
	assert_true(has_failed(check_named(&found.plan, "repeat/later")));
	assert_string_equal(result_of("repeat/later")->reason, "the listener ended afterwards");
	keeper_run_release(&found);
}

/* Nobody starts it again. What came behind the one that has ended it got no response: both are named, and nothing is
 * made of what the last one was. */
TEST(test_it_may_end_just_after_its_response)
{
	static const struct keeper_kind slow = { "Slow", NULL, keep, show_rows, NULL, 10 * MS };
	keeper_open(&keeper, &slow);
	keeper.poison = "\"Completion\"";
	keeper.poison_ns = 15 * MS;
	keeper_play(&keeper, "deliver value method", false, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(found.summary.stop, PROBE_GONE);
	assert_int_equal(count_failed(&found.plan), 1);
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_check *check = &found.plan.checks[i];
		if (!has_failed(check))
			continue;
		assert_non_null(strstr(check->result.reason, "the listener ended: over this check or after value/"));
		assert_non_null(strstr(check->result.reason, "disputeStatus=Completion"));
		assert_int_equal(check->result.cause, 0);
	}
	keeper_run_release(&found);
}

/* Of those that are played together, the check about the notification that ended it; where that is not chosen, it is
 * named. */
TEST(test_the_notification_that_ends_it_is_named)
{
	static const struct {
		const char *dies_of, *checks, *blamed, *reason;
	} rows[] = {
		{ "\"alertId\"", "effect/once", "effect/once:bureau-alert",
		  "the listener ended: exit code 0, over a bureau-alert" },
		{ "\"service\":\"user\"", "effect/once:bureau-alert", "effect/once:bureau-alert",
		  "the listener ended: exit code 0, over a user-created" },
		{ "\"alertId\"", "crash", "crash/restart", "the listener ended: exit code 0, over a bureau-alert" },
		{ "\"service\":\"user\"", "value/bureau-alert", NULL,
		  "the listener ended: exit code 0, over a user-created" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t failed = 0;
		keeper_open(&keeper, &right);
		keeper.dies_of = rows[i].dies_of;
		keeper_play(&keeper, rows[i].checks, true, &found);
		assert_int_equal(found.code, 0);
		for (size_t n = 0; n < found.plan.count; n++) {
			const struct probe_check *check = &found.plan.checks[n];
			if (!has_failed(check) || !strstr(check->result.reason, "the listener ended"))
				continue;
			failed++;
			assert_string_equal(check->result.reason, rows[i].reason);
			if (rows[i].blamed)
				assert_string_equal(check->id, rows[i].blamed);
			/* It may have been a repeat: the first one of the kind was not looked at. */
			assert_null(check->result.ended_by.event);
			assert_string_equal(check->result.lost, "a request ends the listener");
		}
		assert_int_equal(failed, 1);
		keeper_run_release(&found);
	}
}

/* Of an experiment only the kind can be sent again, which does not end it: the last ones are named, each once. */
TEST(test_what_is_alike_is_named_once)
{
	size_t named = 0;
	keeper_open(&keeper, &right);
	keeper.dies_of = "\"Completion\"";
	keeper_play(&keeper, "effect/value effect/once:bureau-alert effect/differs", true, &found);
	assert_int_equal(found.code, 0);
	for (size_t i = 0; i < found.plan.count; i++) {
		const char *reason = found.plan.checks[i].result.reason, *doubt = strstr(reason, "or after ");
		const char *first = doubt ? strstr(reason, "a bureau-alert") : NULL;
		if (!has_failed(&found.plan.checks[i]) || !doubt)
			continue;
		named++;
		assert_false(found.plan.checks[i].result.ended_by_itself);
		if (first && strstr(first + 1, "a bureau-alert"))
			fail_msg("%s", reason);
	}
	assert_true(named > 0);
	keeper_run_release(&found);
}

/* Either it is not shown, or it is not kept: nothing is graded for that. */
TEST(test_what_shows_nothing_is_not_known)
{
	static const char *const checks[] = { "effect crash", "effect/once:bureau-alert", "effect/none", "crash/kill" };
	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
		keeper_open(&keeper, &silent);
		keeper_play(&keeper, checks[i], true, &found);
		assert_int_equal(found.code, 0);
		assert_true(found.summary.uncounted);
		assert_non_null(strstr(found.summary.message, "either that does not show it, or nothing is kept"));
		for (size_t n = 0; n < found.plan.count; n++)
			if (found.plan.checks[n].chosen)
				assert_int_equal(found.plan.checks[n].result.verdict, GRADE_SKIP);
		keeper_run_release(&found);
	}
}

static int refuse_all(struct keeper *k, struct visit *v)
{
	(void)k, (void)v;
	return 422;
}

/* Nothing was accepted: nothing can be seen of it, and that is no fault of what is looked at. */
TEST(test_what_is_refused_has_nothing_to_show)
{
	static const struct keeper_kind refusing = { "Refusing", NULL, refuse_all, show_nothing_new, NULL, 0 };
	static const char *const checks[] = { "crash/kill", "effect/once:bureau-alert" };
	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
		keeper_open(&keeper, &refusing);
		keeper_play(&keeper, checks[i], true, &found);
		assert_int_equal(found.code, 0);
		assert_false(found.summary.uncounted);
		assert_int_equal(result_of(checks[i])->verdict, GRADE_SKIP);
		keeper_run_release(&found);
	}
}

static int keep_alerts_alone(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "\"alertId\"") ? keep(k, v) : 200;
}

static const struct keeper_kind alerts = { "Alerts", NULL, keep_alerts_alone, show_rows, NULL, 0 };

/* It may be meant, or not be seen; a check alone says what it says among others. */
TEST(test_what_is_dropped_is_said_where_others_are_kept)
{
	static const char *const checks[] = { "effect", "effect/once:user-created" };
	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
		keeper_open(&keeper, &alerts);
		keeper_play(&keeper, checks[i], true, &found);
		assert_int_equal(found.code, 0);
		assert_false(found.summary.uncounted);
		const struct probe_check *check = check_named(&found.plan, "effect/once:user-created");
		assert_int_equal(check->level, PROBE_SHOULD);
		assert_int_equal(check->result.verdict, GRADE_WARN);
		assert_string_equal(check->result.reason,
		                    "it got a 2xx and left no trace, while other events leave one");
		assert_string_equal(check->result.lost, "EVENT is not kept, or not seen");
		if (i == 0)
			assert_int_equal(result_of("effect/once:bureau-alert")->verdict, GRADE_OK);
		keeper_run_release(&found);
	}
}

static int keep_tokens_alone(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "/authenticate/v2/authtoken\"") ? keep(k, v) : 200;
}

/* Something is kept, of the last kind that is tried. */
TEST(test_what_keeps_one_kind_alone_is_seen)
{
	static const struct keeper_kind tokens = { "Tokens", NULL, keep_tokens_alone, show_rows, NULL, 0 };
	static const struct {
		const char *check;
		enum grade verdict;
	} rows[] = { { "effect/once:user-created", GRADE_WARN },
		     { "effect/none", GRADE_OK },
		     { "crash/restart", GRADE_OK } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		keeper_open(&keeper, &tokens);
		keeper_play(&keeper, rows[i].check, true, &found);
		assert_int_equal(found.code, 0);
		assert_false(found.summary.uncounted);
		assert_int_equal(result_of(rows[i].check)->verdict, rows[i].verdict);
		keeper_run_release(&found);
	}
}

/* What came before the first of them is no matter. */
TEST(test_an_end_before_the_experiments_takes_nothing_from_them)
{
	static const char *const ids[] = { "effect/once:bureau-alert", "effect/at-once", "effect/stays" };
	keeper_open(&keeper, &right);
	keeper.dies_at = 3;
	keeper_play(&keeper, "deliver effect/once:bureau-alert effect/at-once effect/stays", true, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(count_failed(&found.plan), 1);
	assert_true(keeper.starts > 1);
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		const struct probe_result *r = result_of(ids[i]);
		if (r->verdict != GRADE_OK)
			fail_msg("%s: %d: %s", ids[i], (int)r->verdict, r->reason);
	}
	keeper_run_release(&found);
}

/* Whose it is fails; what is kept may be gone with it, so that a check that looks at the end of the run says nothing.
 */
TEST(test_an_end_amid_the_experiments_is_no_loss)
{
	keeper_open(&keeper, &right);
	keeper.dies_at = 3;
	keeper_play(&keeper, "effect/once:bureau-alert effect/stays", true, &found);
	assert_int_equal(found.code, 0);
	assert_true(result_of("effect/once:bureau-alert")->ended_listener);
	assert_int_equal(result_of("effect/stays")->verdict, GRADE_SKIP);
	assert_string_equal(result_of("effect/stays")->reason, "what is kept has not outlived an end of the listener");
	keeper_run_release(&found);
}

/* Where the only check of the group has failed already, it is not blamed for what is not seen. */
TEST(test_nothing_is_seen_and_the_only_check_has_failed)
{
	static const char *const checks[] = { "effect/at-once", "effect/together", "effect/once:bureau-alert",
		                              "effect/order:alert-unknown" };
	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
		keeper_open(&keeper, &silent);
		keeper.dies_of = "\"alertId\"";
		keeper_play(&keeper, checks[i], true, &found);
		assert_int_equal(found.code, 0);
		assert_true(has_failed(check_named(&found.plan, checks[i])));
		assert_non_null(strstr(result_of(checks[i])->reason, "the listener ended"));
		keeper_run_release(&found);
	}
}

/* Not the first check of the group, with which all are played. */
TEST(test_what_asks_is_blamed_in_a_group_that_is_played_together)
{
	keeper_open(&keeper, &one_alert);
	keeper_play(&keeper, "effect/once:bureau-alert effect/distinct:bureau-alert", true, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(count_failed(&found.plan), 1);
	assert_true(has_failed(check_named(&found.plan, "effect/distinct:bureau-alert")));
	assert_non_null(strstr(result_of("effect/distinct:bureau-alert")->reason, "the listener ended"));
	assert_string_equal(result_of("effect/once:bureau-alert")->reason, "the listener ended meanwhile");
	keeper_run_release(&found);
}

TEST(test_what_cannot_be_read_is_skipped)
{
	for (unsigned look = 1; look < 60; look += 7) {
		keeper_open(&keeper, &right);
		keeper.fails_at = look;
		keeper_play(&keeper, "effect crash", true, &found);
		assert_int_equal(found.code, 0);
		assert_true(found.summary.uncounted);
		assert_string_equal(found.summary.message, "the command failed with exit code 7");
		assert_int_equal(count_failed(&found.plan), 0);
		assert_int_equal(found.summary.not_run, 0);
		keeper_run_release(&found);
	}
}

TEST(test_what_never_holds_still_is_skipped)
{
	keeper_open(&keeper, &restless);
	int64_t began = keeper.now_ns;
	keeper_play(&keeper, "effect/none", true, &found);
	assert_int_equal(found.code, 0);
	assert_true(found.summary.uncounted && keeper.now_ns - began >= 30 * CLOCK_NS_PER_S);
	assert_string_equal(result_of("effect/none")->reason, "what --observe prints never holds still");
	keeper_run_release(&found);
}

/* A command that takes seconds to print shows what was there when it began. */
TEST(test_a_slow_look_is_not_quiet)
{
	static const int64_t takes[] = { 0, 900 * MS, 2 * CLOCK_NS_PER_S, 4 * CLOCK_NS_PER_S };
	for (size_t i = 0; i < sizeof takes / sizeof takes[0]; i++) {
		keeper_open(&keeper, &late_repeats);
		keeper.look_takes_ns = takes[i];
		keeper_play(&keeper, "effect/once:bureau-alert", true, &found);
		assert_int_equal(found.code, 0);
		assert_string_equal(result_of("effect/once:bureau-alert")->reason,
		                    "sent twice it left 1 line more than once");
		keeper_run_release(&found);
	}
}
