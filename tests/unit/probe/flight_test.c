/* What goes side by side where a listener is slow, on the run's clock: a run takes a part of the time, and says what it
 * says of one that is not slow. */
#include "keeper_run.h"
#include "probe/play/flight.h"
#include "test.h"

#define SLOW   (300 * MS)
#define CHECKS "deliver value bad effect crash"

static struct keeper keeper;
static struct keeper_run found;

/* What has failed, and why, of a run. */
struct verdicts {
	char text[16384];
};

static bool is_payload(const struct visit *v)
{
	return strstr(v->body, "\"details\":{") || strstr(v->body, "\"details\": {");
}

static int keep_valid(struct keeper *k, struct visit *v)
{
	return is_payload(v) ? keep(k, v) : 400;
}

/* Takes no value but those of the usual payloads. */
static int refuse_values(struct keeper *k, struct visit *v)
{
	static const char *const unknown[] = { "O'Sample", "\"-250\"", "Completion", "\"offCycle\":\"true\"" };
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
		if (strstr(v->body, unknown[i]))
			return i % 2 == 0 ? 500 : 422;
	return keep_valid(k, v);
}

/* Serves one at a time: what comes meanwhile gets 503. */
static unsigned inside;

static void enter(struct keeper *k, struct visit *v)
{
	(void)k;
	v->seen = inside++;
}

static int keep_alone(struct keeper *k, struct visit *v)
{
	inside--;
	return v->seen > 0 ? 503 : keep_valid(k, v);
}

/* Has enough of several at once, and fails for what is no notification. */
static int throttle(struct keeper *k, struct visit *v)
{
	inside--;
	return v->seen > 0 ? 429 : is_payload(v) ? keep(k, v) : 500;
}

/* Ends over two at once. */
static void collide(struct keeper *k, struct visit *v)
{
	enter(k, v);
	if (inside > 1) {
		inside = 0;
		keeper_die(k);
	}
}

static int keep_if_there(struct keeper *k, struct visit *v)
{
	inside -= inside > 0;
	return keep_valid(k, v);
}

/* Serves one at a time, too: what comes meanwhile is closed. */
static int close_all_but_one(struct keeper *k, struct visit *v)
{
	inside--;
	return v->seen > 0 ? 0 : keep_valid(k, v);
}

static const struct keeper_kind throttled = { "Throttled", enter, throttle, show_rows, NULL, 0 };
static const struct keeper_kind fragile = { "Fragile", collide, keep_if_there, show_rows, NULL, 0 };
static const struct keeper_kind store = { "Store", NULL, keep_valid, show_rows, NULL, 0 };
static const struct keeper_kind picky = { "Picky", NULL, refuse_values, show_rows, NULL, 0 };
static const struct keeper_kind alone = { "Alone", enter, keep_alone, show_rows, NULL, 0 };
static const struct keeper_kind closing = { "Closing", enter, close_all_but_one, show_rows, NULL, 0 };

/* Of those whose ids begin so. */
static void note_failed(const char *which, struct verdicts *v)
{
	*v = (struct verdicts){ "" };
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_check *check = &found.plan.checks[i];
		size_t length = strlen(v->text);
		if (has_failed(check) && strncmp(check->id, which, strlen(which)) == 0)
			snprintf(v->text + length, sizeof v->text - length, "%s: %d %s\n", check->id,
			         check->result.status, *which ? check->advice : check->result.reason);
	}
}

/* Plays them in front of one that takes so long for each; returns how long it took. */
static int64_t play(const struct keeper_kind *kind, const char *checks, int64_t takes_ns, const char *dies_of,
                    bool breaks, struct verdicts *verdicts)
{
	inside = 0;
	keeper_open(&keeper, kind);
	keeper.takes_ns = takes_ns;
	keeper.dies_of = dies_of;
	keeper.breaks = breaks;
	keeper_play(&keeper, checks, true, &found);
	assert_int_equal(found.code, 0);
	note_failed(breaks ? "still-up" : "", verdicts);
	keeper_run_release(&found);
	return keeper.now_ns;
}

TEST(test_as_many_go_as_the_time_of_one_response_allows)
{
	const int64_t max_ns = 10 * CLOCK_NS_PER_S;
	assert_int_equal(flight_width_of(0, max_ns), 1); /* not known */
	assert_int_equal(flight_width_of(50 * MS - 1, max_ns), 1);
	assert_int_equal(flight_width_of(50 * MS, max_ns), FLIGHT_MOST);
	assert_int_equal(flight_width_of(312 * MS, max_ns), FLIGHT_MOST);
	assert_int_equal(flight_width_of(313 * MS, max_ns), FLIGHT_MOST - 1);
	assert_int_equal(flight_width_of(1250 * MS, max_ns), 2);
	assert_int_equal(flight_width_of(1251 * MS, max_ns), 1);
	assert_int_equal(flight_width_of(CLOCK_NS_PER_S, 0), FLIGHT_MOST); /* a response may take any time */
}

TEST(test_a_slow_one_takes_a_part_of_the_time)
{
	struct verdicts verdicts;
	play(&store, CHECKS, MS, NULL, false, &verdicts);
	unsigned requests = keeper.requests;
	int64_t slow_ns = play(&store, CHECKS, SLOW, NULL, false, &verdicts);
	assert_string_equal(verdicts.text, "");
	assert_int_equal(keeper.requests, requests); /* none had to be sent again */
	assert_true(slow_ns < requests * SLOW / 3);
}

/* The value that is refused, the one that ends it, and the one behind which it accepts nothing. */
TEST(test_what_fails_is_the_same)
{
	static const struct {
		const struct keeper_kind *kind;
		const char *checks, *dies_of;
		bool breaks;
	} rows[] = {
		{ &picky, CHECKS, NULL, false },
		{ &store, CHECKS " still-up", "Completion", false },
		{ &store, CHECKS, "\"-250\"", false },
		{ &throttled, "deliver value bad", NULL, false },
		{ &store, "deliver value still-up", "Sample Name", true },
		{ &store, CHECKS, "\"details\":", true },
		{ &store, "deliver bad still-up", "\"abc\"", false },
	};
	static struct verdicts quick, slow;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		play(rows[i].kind, rows[i].checks, MS, rows[i].dies_of, rows[i].breaks, &quick);
		play(rows[i].kind, rows[i].checks, SLOW, rows[i].dies_of, rows[i].breaks, &slow);
		assert_string_equal(slow.text, quick.text);
	}
}

TEST(test_one_that_serves_one_at_a_time_is_right)
{
	static const struct keeper_kind *const kinds[] = { &alone, &closing };
	struct verdicts verdicts;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		play(kinds[i], "deliver value bad effect/once effect/distinct effect/value", SLOW, NULL, false,
		     &verdicts);
		assert_string_equal(verdicts.text, "");
	}
}

/* Nobody can start it again: one of those in flight is named, and that they were several. */
TEST(test_of_several_in_flight_none_is_blamed_alone)
{
	for (int i = 0; i < 3; i++) {
		bool is_ours = i > 0;
		struct verdicts verdicts;
		inside = 0;
		keeper_open(&keeper, &store);
		keeper.takes_ns = SLOW;
		keeper.dies_of = i == 0 ? "Completion" : NULL;
		keeper.poison = i == 1 ? "Completion" : NULL; /* it dies at each start, too */
		keeper.poison_ns = SLOW + 50 * MS;
		keeper.kind = i == 2 ? &fragile : &store;
		keeper_play(&keeper, "deliver value", is_ours, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(found.summary.stop, i == 2 ? PROBE_THROUGH : PROBE_GONE);
		note_failed("", &verdicts);
		assert_non_null(strstr(verdicts.text, "the listener ended: several requests were in flight"));
		assert_null(strchr(strchr(verdicts.text, '\n') + 1, '\n')); /* one check */
		keeper_run_release(&found);
	}
}

/* The run ends before what failed in flight has come again: it counts. */
TEST(test_what_failed_in_flight_is_said_where_the_run_ends)
{
	struct verdicts verdicts;
	keeper_open(&keeper, &picky);
	keeper.takes_ns = SLOW;
	keeper.dies_of = "sampleText";
	keeper_play(&keeper, "deliver value", false, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(found.summary.stop, PROBE_GONE);
	note_failed("", &verdicts);
	assert_non_null(strstr(verdicts.text, "value/user-created:firstName=apostrophe: 500"));
	assert_non_null(strstr(verdicts.text, "several requests were in flight"));
	keeper_run_release(&found);
}

/* Where it is started again, what is kept is learnt, and asked, in turn. */
TEST(test_an_end_in_flight_disturbs_no_experiment)
{
	struct verdicts verdicts;
	play(&fragile, "deliver effect/once effect/distinct", SLOW, NULL, false, &verdicts);
	assert_non_null(strstr(verdicts.text, "several requests were in flight; over none of them alone"));
	assert_null(strchr(strchr(verdicts.text, '\n') + 1, '\n'));
}
