/* Whether the listener is there: waits at their bounds, what is remembered of its last requests, and who is blamed. */
#include "base/clock.h"
#include "player_unit.h"
#include "probe/play/presence.h"
#include "test.h"

#include <unistd.h>

static const struct keeper_kind kind = { "none", NULL, keep, show_rows, NULL, 0 };
static struct error err;

static void open_of(bool is_ours)
{
	player_open(&kind, "deliver", is_ours);
}

/* It is down, and somebody starts it again after that time; 0: nobody does. */
static void take_down(int64_t for_ns)
{
	keeper_die(&keeper);
	keeper.is_supervised = for_ns > 0;
	keeper.ended_ns = keeper.now_ns + for_ns - CLOCK_NS_PER_S;
}

TEST(test_who_starts_it_again_has_five_seconds)
{
	static const struct {
		int64_t down_ns, least_ns, most_ns;
		bool is_there;
	} rows[] = {
		{ 4900 * MS, 4900 * MS, 4930 * MS, true },
		{ 5100 * MS, 5000 * MS, 5030 * MS, false },
		{ 10 * MS, 10 * MS, 40 * MS, true },
		{ 0, 5000 * MS, 5030 * MS, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		open_of(false);
		take_down(rows[i].down_ns);
		int64_t began = keeper.now_ns;
		assert_int_equal(presence_wait(&player), rows[i].is_there);
		assert_between(keeper.now_ns - began, rows[i].least_ns, rows[i].most_ns);
		player_close();
	}
}

TEST(test_who_is_there_is_not_waited_for)
{
	open_of(false);
	int64_t began = keeper.now_ns;
	assert_true(presence_wait(&player));
	assert_false(presence_has_ended(&player));
	assert_between(keeper.now_ns - began, 0, 5 * MS);
	player_close();
}

/* The process that is ours is started by nobody else. */
TEST(test_a_process_of_ours_that_has_ended_is_not_waited_for)
{
	open_of(true);
	assert_false(presence_has_ended(&player));
	assert_false(presence_is_doubtful(&player));
	keeper_die(&keeper);
	int64_t began = keeper.now_ns;
	assert_false(presence_wait(&player));
	assert_between(keeper.now_ns - began, 0, 10 * MS);
	assert_true(presence_has_ended(&player));
	assert_true(presence_is_doubtful(&player));
	player_close();
}

/* Then it is left to whoever takes the signal. */
TEST(test_a_signal_ends_the_wait)
{
	struct signals signals = SIGNALS_INIT;
	open_of(false);
	take_down(0);
	assert_int_equal(signals_open(&signals, &err), 0);
	options.signals = &signals;
	assert_int_equal(kill(getpid(), SIGTERM), 0);
	signals_wait_input(&signals, -1, -1);
	int64_t began = keeper.now_ns;
	assert_true(presence_wait(&player));
	assert_between(keeper.now_ns - began, 0, 30 * MS);
	assert_int_equal(signals_take(&signals), SIGTERM);
	signals_close(&signals);
	player_close();
}

/* Where there is no clock of a test. */
TEST(test_a_wait_takes_its_time)
{
	const struct probe_world world = { .clock = NULL };
	int64_t began = clock_monotonic_ns();
	assert_true(world_wait(&world, NULL, 2 * MS + 1));
	assert_true(clock_monotonic_ns() - began > 2 * MS);
}

/* A request of the check has ended so. */
static void note(struct probe_check *check, const char *name, enum deliver_outcome outcome,
                 enum deliver_failure failure, int status)
{
	struct exchange d = { .outcome = outcome, .failure = failure, .status = status };
	struct probe_sent sent = { .check = check, .exchange = &d };
	d.finished_ns = ++keeper.now_ns;
	if (name)
		assert_int_equal(catalog_find_kind(name, &sent.kind, NULL), CATALOG_FOUND);
	snprintf(d.message, sizeof d.message, "connection refused");
	player.requests++;
	presence_note(&player, &sent);
}

static void note_accepted(struct probe_check *check, const char *name)
{
	note(check, name, DELIVER_RESPONDED, DELIVER_NO_FAILURE, 200);
}

TEST(test_what_got_no_response_is_doubtful_until_it_is_looked_at)
{
	static const struct {
		enum deliver_outcome outcome;
		enum deliver_failure failure;
		int status;
		bool is_doubtful;
	} rows[] = {
		{ DELIVER_RESPONDED, DELIVER_NO_FAILURE, 200, false },
		{ DELIVER_RESPONDED, DELIVER_NO_FAILURE, 500, false },
		{ DELIVER_UNKNOWN, DELIVER_TIMED_OUT, 0, false },
		{ DELIVER_UNKNOWN, DELIVER_NO_FAILURE, 0, true },
		{ DELIVER_FAILED, DELIVER_REFUSED, 0, true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		open_of(false);
		note_accepted(&run.plan.checks[0], NULL);
		assert_false(presence_is_doubtful(&player));
		note(&run.plan.checks[1], NULL, rows[i].outcome, rows[i].failure, rows[i].status);
		assert_int_equal(presence_is_doubtful(&player), rows[i].is_doubtful);
		note_accepted(&run.plan.checks[2], NULL); /* that was in flight beside it */
		assert_int_equal(presence_is_doubtful(&player), rows[i].is_doubtful);
		player_close();
	}
}

/* Before a connection was accepted nothing has ended; three end the run. */
TEST(test_nobody_ever_there_ends_the_run)
{
	open_of(false);
	for (unsigned i = 1; i <= PROBE_SILENT_MAX; i++) {
		assert_int_equal(run.summary.stop, PROBE_THROUGH);
		note(&run.plan.checks[0], NULL, DELIVER_FAILED, DELIVER_REFUSED, 0);
		assert_false(presence_is_doubtful(&player));
	}
	assert_int_equal(run.summary.stop, PROBE_UNREACHABLE);
	assert_string_equal(run.summary.message, "connection refused");
	player_close();
	open_of(false);
	note_accepted(&run.plan.checks[0], NULL);
	for (unsigned i = 0; i < 9; i++)
		note(&run.plan.checks[0], NULL, DELIVER_FAILED, DELIVER_REFUSED, 0);
	assert_int_equal(run.summary.stop, PROBE_THROUGH);
	player_close();
}

/* The last ones, the last first; of a check and a kind one; none that did not reach it. */
TEST(test_the_last_requests_are_remembered)
{
	open_of(false);
	struct probe_check *c = run.plan.checks;
	const struct presence *pr = &player.presence;
	note_accepted(&c[0], NULL);
	note(&c[1], NULL, DELIVER_RESPONDED, DELIVER_NO_FAILURE, 500);
	note_accepted(&c[2], NULL);
	assert_int_equal(pr->recent_count, 3);
	assert_true(pr->recent[0].check == &c[2] && pr->recent[2].check == &c[0]);
	assert_true(pr->recent[0].is_accepted && !pr->recent[1].is_accepted);
	note_accepted(&c[0], NULL); /* comes first again */
	assert_int_equal(pr->recent_count, 3);
	assert_true(pr->recent[0].check == &c[0] && pr->recent[1].check == &c[2] && pr->recent[2].check == &c[1]);
	assert_int_equal(pr->recent[0].ended_ns, keeper.now_ns);
	assert_int_equal(pr->recent_ns, keeper.now_ns);
	note_accepted(&c[0], "bureau-alert"); /* of another kind */
	note_accepted(&c[0], "user-created");
	assert_int_equal(pr->recent_count, 5);
	assert_true(pr->recent[3].check == &c[2] && pr->recent[2].check == &c[0] && !pr->recent[2].kind.event);
	note(&c[5], NULL, DELIVER_FAILED, DELIVER_REFUSED, 0);
	assert_true(pr->recent[0].check == &c[0]);
	assert_string_equal(run.summary.last, c[0].id);
	note_accepted(NULL, "bureau-alert"); /* before the checks */
	assert_string_equal(run.summary.last, "deliver/bureau-alert");
	assert_null(pr->recent[0].check);
	player_close();
}

/* More than there is room for. */
TEST(test_the_first_ones_are_forgotten)
{
	static struct probe_check checks[PRESENCE_RECENT_MOST + 40];
	static char id[] = "deliver/x";
	const size_t count = sizeof checks / sizeof checks[0];
	open_of(false);
	const struct presence *pr = &player.presence;
	for (size_t i = 0; i < count; i++) {
		checks[i].id = id;
		note_accepted(&checks[i], NULL);
		assert_int_equal(pr->recent_count, i < PRESENCE_RECENT_MOST ? i + 1 : PRESENCE_RECENT_MOST);
	}
	for (size_t i = 0; i < PRESENCE_RECENT_MOST; i++)
		assert_ptr_equal(pr->recent[i].check, &checks[count - 1 - i]);
	player_close();
}

static const struct probe_result *blame(struct probe_check *check, enum probe_level level, struct probe_result result,
                                        const char *how)
{
	check->level = level;
	check->result = result;
	presence_blame(check, 7, how);
	assert_true(check->result.ended && check->result.ended_listener);
	assert_int_equal(check->level, PROBE_MUST);
	assert_int_equal(check->result.verdict, GRADE_FAIL);
	assert_int_equal(check->result.broke_ns, 7);
	assert_string_equal(check->result.fix, "no request may end it");
	return &check->result;
}

/* Whatever it got, and whatever its level is. What it has failed for already stays, where nothing more is known. */
TEST(test_who_is_blamed_has_failed)
{
	struct probe_check check = { .id = NULL };
	const struct probe_result ok = { .ended = true, .verdict = GRADE_OK };
	const struct probe_result failed = { .ended = true, .verdict = GRADE_FAIL, .reason = "got 500" };
	assert_string_equal(blame(&check, PROBE_MUST, ok, "")->reason, "the listener ended afterwards");
	assert_string_equal(blame(&check, PROBE_NOTE, ok, "exit code 1")->reason, "the listener ended: exit code 1");
	assert_string_equal(blame(&check, PROBE_MUST, (struct probe_result){ .ended = false }, "")->reason,
	                    "the listener ended afterwards");
	assert_string_equal(blame(&check, PROBE_MUST, failed, "")->reason, "got 500");
	assert_string_equal(blame(&check, PROBE_MUST, failed, "signal 11")->reason, "the listener ended: signal 11");
}

/* What was skipped as nobody listened counts as not run. */
TEST(test_the_end_of_the_run_opens_what_was_not_sent)
{
	open_of(false);
	struct probe_check *check = &run.plan.checks[0];
	check->result = (struct probe_result){ .ended = true, .verdict = GRADE_SKIP };
	player.presence.unsent = check;
	presence_end_gone(&player);
	assert_int_equal(run.summary.stop, PROBE_GONE);
	assert_false(check->result.ended);
	player_close();
}

TEST(test_a_listener_that_is_not_ours_has_no_log)
{
	RELEASED(buffer) log = BUFFER_INIT;
	open_of(false);
	assert_int_equal(presence_log_position(&player), 0);
	buffer_append_text(&log, "x");
	presence_read_log(&player, 0, &log);
	assert_string_equal(buffer_text(&log), "x");
	player_close();
}
