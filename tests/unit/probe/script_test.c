/* Checks that write their requests as bytes: sent again while a listener that was started is not ready, cut short by a
 * signal, and played again where it has ended. What comes back is made here. */
#include "http/raw.h"
#include "player_unit.h"
#include "probe/inquiry.h"
#include "probe/play/play.h"
#include "probe/play/requests.h"
#include "test.h"

#include <unistd.h>

static int take(struct keeper *k, struct visit *v)
{
	(void)k, (void)v;
	return 200;
}

static const struct keeper_kind quick = { "Quick", NULL, take, show_rows, NULL, 0 };
static struct signals signals = SIGNALS_INIT;
static struct error err;

static struct {
	int64_t busy_ns; /* 503 so long after a start */
	int status;      /* then */
	int64_t takes_ns;
	bool interrupts; /* gets SIGINT */
	unsigned times, requests, bodies;
} server;

static unsigned count(const char *text, const char *part)
{
	unsigned times = 0;
	for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
		times++;
	return times;
}

typedef const struct deliver_options http_options;
typedef const struct raw_script bytes;
typedef const struct signals waiting;
int __wrap_raw_exchange(http_options *http, bytes *script, waiting *to, struct exchange *x, struct error *error);
int __wrap_raw_exchange(http_options *http, bytes *script, waiting *to, struct exchange *x, struct error *error)
{
	unsigned starts = keeper.starts;
	(void)http, (void)to, (void)error;
	server.times++;
	server.requests = count(buffer_text(&script->text), "HTTP/1.1\r\n");
	server.bodies = count(buffer_text(&script->text), "\"details\"");
	x->started_ns = x->sent_ns = keeper.now_ns;
	if (server.interrupts) {
		assert_int_equal(kill(getpid(), SIGINT), 0);
		signals_wait_input(&signals, -1, -1);
	}
	bool is_busy = keeper.now_ns < keeper.started_ns + server.busy_ns;
	keeper_wait_until(&keeper, keeper.now_ns + server.takes_ns);
	bool is_there = keeper.is_up && keeper.starts == starts && !server.interrupts;
	x->status = !is_there ? 0 : is_busy ? 503 : server.status;
	x->outcome = is_there ? DELIVER_RESPONDED : DELIVER_UNKNOWN;
	x->response.body = text_of("");
	x->finished_ns = keeper.now_ns;
	return 0;
}

static void serve(int64_t busy_ns, int status)
{
	memset(&server, 0, sizeof server);
	server.busy_ns = busy_ns;
	server.status = status;
	server.takes_ns = MS;
}

static int play(const char *id)
{
	return play_script(&player, (size_t)(check_of(id) - run.plan.checks), &err);
}

/* As long as any other request is, and not where nothing was started. */
TEST(test_one_that_is_not_ready_is_waited_for)
{
	static const struct {
		int64_t busy_ns;
		int status;
		bool is_ours;
		enum grade verdict;
		int seen;
		unsigned least, most; /* times that it is sent */
	} rows[] = {
		{ 0, 200, true, GRADE_OK, 200, 1, 1 },
		{ CLOCK_NS_PER_S, 200, true, GRADE_OK, 200, 10, 12 },
		{ CLOCK_NS_PER_S, 500, true, GRADE_FAIL, 500, 10, 12 },
		{ 3600 * CLOCK_NS_PER_S, 200, true, GRADE_FAIL, 503, 48, 52 }, /* 5 s */
		{ 0, 500, true, GRADE_FAIL, 500, 1, 1 },
		{ CLOCK_NS_PER_S, 200, false, GRADE_FAIL, 503, 1, 1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		player_open(&quick, "http/pieces", rows[i].is_ours);
		serve(rows[i].busy_ns, rows[i].status);
		assert_int_equal(play("http/pieces"), 0);
		const struct probe_result *r = &check_of("http/pieces")->result;
		if (r->verdict != rows[i].verdict || r->status != rows[i].seen || r->graded != 1 ||
		    server.times < rows[i].least || server.times > rows[i].most)
			fail_msg("%zu: %d, %d, %u of %u times", i, (int)r->verdict, r->status, r->graded, server.times);
		assert_int_equal(run.summary.stop, PROBE_THROUGH);
		assert_false(player.recovery.is_due);
		player_close();
	}
}

/* Five seconds, or three times as long as its first start has taken; at that the time that it is given for it, where
 * that is longer. One that took such a notification before is not ready then; another one refuses it. */
TEST(test_one_that_is_not_ready_has_its_time)
{
	static const struct {
		int64_t wait_ns, first_took;
		bool was_ready, was_refused;
		int64_t patience_ns;
		enum probe_stop stop;
	} rows[] = {
		{ CLOCK_NS_PER_S, 0, false, false, 5 * CLOCK_NS_PER_S, PROBE_THROUGH },
		{ 8 * CLOCK_NS_PER_S, 0, false, false, 8 * CLOCK_NS_PER_S, PROBE_THROUGH },
		{ 8 * CLOCK_NS_PER_S, CLOCK_NS_PER_S, true, false, 5 * CLOCK_NS_PER_S, PROBE_NOT_READY },
		{ CLOCK_NS_PER_S, 3 * CLOCK_NS_PER_S, true, false, 9 * CLOCK_NS_PER_S, PROBE_NOT_READY },
		{ CLOCK_NS_PER_S, CLOCK_NS_PER_S, true, true, 5 * CLOCK_NS_PER_S, PROBE_THROUGH },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int64_t took;
		player_open(&quick, "http/pieces", true);
		serve(3600 * CLOCK_NS_PER_S, 200);
		keeper.listener.wait_ns = rows[i].wait_ns;
		player.recovery.first_took = rows[i].first_took;
		player.recovery.was_ready = rows[i].was_ready;
		player.maker.failed[0] = rows[i].was_refused;
		TOOK(took, play("http/pieces"));
		assert_between(took, rows[i].patience_ns, rows[i].patience_ns + 500 * MS);
		assert_int_equal(run.summary.stop, rows[i].stop);
		assert_int_equal(check_of("http/pieces")->result.ended, rows[i].stop == PROBE_THROUGH);
		player_close();
	}
}

/* How long its first start took, until it responded to something. */
TEST(test_how_long_a_start_takes_is_known_from_the_first)
{
	static const struct {
		int status;
		bool was_ready;
		int64_t first_took;
		bool is_ready;
	} rows[] = { { 200, false, CLOCK_NS_PER_S, true },
		     { 400, false, CLOCK_NS_PER_S, true },
		     { 200, true, 0, true },
		     { 0, false, CLOCK_NS_PER_S, false } };
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		player_open(&quick, "http/pieces", true);
		serve(CLOCK_NS_PER_S, rows[i].status);
		player.recovery.was_ready = rows[i].was_ready;
		assert_int_equal(play("http/pieces"), 0);
		assert_between(player.recovery.first_took, rows[i].first_took, rows[i].first_took * 6 / 5);
		assert_int_equal(player.recovery.was_ready, rows[i].is_ready);
		player_close();
	}
}

TEST(test_too_many_hangs_leave_a_script_out)
{
	player_open(&quick, "http/pieces", false);
	serve(0, 200);
	player.hangs = PROBE_HANGS_MAX;
	assert_int_equal(play("http/pieces"), 0);
	assert_int_equal(server.times, 0);
	assert_int_equal(check_of("http/pieces")->result.verdict, GRADE_SKIP);
	player_close();
}

/* Both on one connection; and the same where the check is sent again, which grades nothing. */
TEST(test_all_requests_of_a_script_go_out_together)
{
	static const char id[] = "http/keep-alive";
	struct request_outcome outcome;
	player_open(&quick, id, false);
	serve(0, 200);
	assert_int_equal(play(id), 0);
	struct probe_check *check = check_of(id);
	assert_int_equal(server.times, 1);
	assert_int_equal(server.requests, 2);
	assert_int_equal(server.bodies, 2);
	assert_int_equal(check->result.verdict, GRADE_OK);
	assert_int_equal(check->result.graded, 2);
	server.status = 500;
	assert_int_equal(requests_send_again(&player, check, &outcome, &err), 0);
	assert_int_equal(server.times, 2);
	assert_int_equal(server.requests, 2);
	assert_false(outcome.is_accepted);
	assert_int_equal(check->result.verdict, GRADE_OK);
	player_close();
}

/* A question is a body alone: it says nothing of bytes that fail. */
TEST(test_a_script_that_fails_is_not_asked_about)
{
	player_open(&quick, "deliver http/pieces", false);
	serve(0, 500);
	assert_int_equal(play_batch(&player, 0, (size_t)(check_of("http/pieces") - run.plan.checks), &err), 0);
	assert_int_equal(play("http/pieces"), 0);
	unsigned before = keeper.requests;
	assert_int_equal(inquiry_play(&player, &err), 0);
	assert_int_equal(keeper.requests - before, 1); /* whether anything is accepted any more */
	assert_int_equal(server.times, 1);
	player_close();
}

/* What it has cut short is not the listener's. */
TEST(test_a_signal_ends_a_script)
{
	player_open(&quick, "http/pieces", true);
	serve(0, 200);
	server.interrupts = true;
	assert_int_equal(signals_open(&signals, &err), 0);
	options.signals = &signals;
	assert_int_equal(play("http/pieces"), 0);
	signals_close(&signals);
	assert_int_equal(run.summary.stop, PROBE_INTERRUPTED);
	assert_int_equal(server.times, 1);
	assert_false(check_of("http/pieces")->result.ended);
	player_close();
}

/* Over an alert the listener ends while a script is under way: that is played again. */
TEST(test_a_script_without_a_response_is_played_again)
{
	keeper_open(&keeper, &quick);
	keeper.poison = "\"alertId\"";
	keeper.poison_ns = 50 * MS;
	serve(0, 200);
	server.takes_ns = 100 * MS;
	keeper_play(&keeper, "deliver/bureau-alert http/pieces", true, &run);
	assert_int_equal(run.code, 0);
	assert_int_equal(run.summary.stop, PROBE_THROUGH);
	assert_int_equal(run.summary.not_run, 0);
	assert_non_null(strstr(check_of("deliver/bureau-alert")->result.reason, "the listener ended"));
	const struct probe_result *r = &check_of("http/pieces")->result;
	assert_true(r->ended && !r->ended_listener);
	assert_int_equal(r->verdict, GRADE_OK);
	assert_int_equal(r->status, 200);
	keeper_run_release(&run);
}
