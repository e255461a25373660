/* What a trial takes from what one notification has left: whom its lines name, how many they are, and what they show.
 */
#include "player_unit.h"
#include "probe/keep/effect_rows.h"
#include "probe/keep/effects.h"
#include "probe/keep/trial.h"
#include "test.h"

#define OWN    "a1b2c3d4-0000-4000-8000-000000000001" /* of the customer A1 */
#define OTHERS "a1b2c3d4-0000-4000-8000-000000000002" /* of A2 */
#define ALERT  "1234567890"

static const struct keeper_kind kind = { "none", NULL, keep, show_rows, NULL, 0 };
static struct trial_ground ground;
static struct error err;

static void begin(void)
{
	player_open(&kind, "effect", false);
	trial_ground_init(&ground, &player, &run.plan.checks[0]);
	assert_int_equal(roles_add(&ground.look.roles, OWN, "clientKey of A1", &err), 0);
	assert_int_equal(roles_add(&ground.look.roles, OTHERS, "clientKey of A2", &err), 0);
	assert_int_equal(roles_add(&ground.look.roles, ALERT, "alertId of A1", &err), 0);
}

static void finish(void)
{
	trial_ground_release(&ground);
	player_close();
}

static void show(struct observation *o, const char *text)
{
	assert_int_equal(observation_read(o, text, strlen(text), &ground.look.roles, KEEPER_BEGAN_S, &err), 0);
}

/* A trial of the kind, of A1; *is_there: what was expected has come. */
static struct trial take(const char *name, const char *before, const char *after, bool *is_there)
{
	struct trial t = { .has_trace = false };
	struct customer customer = { .number = 1, .mention = " of A1>" };
	assert_int_equal(catalog_find_kind(name, &t.kind, NULL), CATALOG_FOUND);
	show(&ground.base, before);
	show(&ground.look.now, after);
	*is_there = trial_take(&ground, &t, &customer, false);
	assert_string_equal(t.customer.mention, customer.mention);
	return t;
}

TEST(test_what_one_has_left)
{
	static const struct {
		const char *before, *after;
		bool has_trace, is_mentioned, is_weak, is_number, is_there;
		int64_t lines;
		size_t came, twins;
	} rows[] = {
		/* Lines that name it. */
		{ "", OWN, true, true, false, false, true, 1, 1, 0 },
		{ "a", "a\n" OWN "|x\n" OWN "|y", true, true, false, false, true, 2, 2, 0 },
		{ OWN "|x", OWN "|x\n" OWN "|x", true, true, false, false, true, 1, 1, 1 },
		{ "", OWN "\n" OTHERS, true, true, false, false, true, 1, 1, 0 }, /* another one's are not counted */
		{ OWN "|new", OWN "|old", true, true, false, false, true, 0, 1, 0 },
		{ OWN, "", true, true, false, false, true, -1, 0, 0 },
		/* Lines that name nobody, or somebody else. */
		{ "a", "a\nb", true, false, false, false, true, 1, 1, 0 },
		{ "a", "a\nb\nc", true, false, false, false, true, 2, 2, 0 },
		{ "", OTHERS, true, false, false, false, true, 1, 1, 0 },
		/* Numbers. */
		{ "3", "4", true, false, false, true, true, 1, 0, 0 },
		{ "3", "5", true, false, false, true, true, 2, 0, 0 },
		{ "3", "3", false, false, false, true, false, 0, 0, 0 },
		{ "", "4", true, false, false, false, true, 1, 1, 0 }, /* a list of one, which is a number */
		{ "alerts: 3", "alerts: 4", true, false, true, false, true, 0, 0, 0 },
		{ OWN "|3", OWN "|4", true, false, true, false, true, 0, 0, 0 },
		/* Nothing. */
		{ "a\n" OWN, "a\n" OWN, false, false, false, false, false, 0, 0, 0 },
		{ "", "", false, false, false, false, false, 0, 0, 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		bool is_there;
		begin();
		struct trial t = take("user-created", rows[i].before, rows[i].after, &is_there);
		if (t.has_trace != rows[i].has_trace || t.is_mentioned != rows[i].is_mentioned ||
		    t.is_weak != rows[i].is_weak || t.is_number != rows[i].is_number || is_there != rows[i].is_there ||
		    t.lines != rows[i].lines || t.came != rows[i].came || t.twins != rows[i].twins)
			fail_msg("%zu: trace %d, mentioned %d, weak %d, number %d, there %d, %lld lines, %zu came, "
			         "%zu twins",
			         i, t.has_trace, t.is_mentioned, t.is_weak, t.is_number, is_there, (long long)t.lines,
			         t.came, t.twins);
		assert_false(t.shows_difference); /* nothing differs in a second one of it */
		assert_int_equal(ground.names_customers, t.is_mentioned);
		finish();
	}
}

/* Where lines name customers, what else comes is late from somebody else; a number in its own line is not. */
TEST(test_what_others_leave_is_not_waited_for)
{
	bool is_there;
	begin();
	take("user-created", "", OWN, &is_there);
	assert_true(is_there && ground.names_customers);
	struct trial t = take("user-created", "", OTHERS, &is_there);
	assert_false(is_there);
	assert_true(t.has_trace && !t.is_mentioned);
	take("user-created", "a: 1", "a: 2", &is_there);
	assert_false(is_there);
	take("user-created", OWN "|1", OWN "|2", &is_there);
	assert_true(is_there && ground.names_customers);
	finish();
}

TEST(test_what_a_second_one_would_differ_in_is_shown)
{
	static const struct {
		const char *kind, *before, *after;
		bool is_shown;
	} rows[] = {
		{ "bureau-alert", "", OWN "|" ALERT, true },
		{ "bureau-alert", "", "alert " ALERT, true }, /* in any line */
		{ "bureau-alert", "", OWN, false },
		{ "monitored-element-added/email", "", OWN "|email", true },
		{ "monitored-element-added/email", "", OWN "|phone", false },
		{ "monitored-element-added/email", "", OTHERS "|email", false },
		/* The name of a column, or what stood there before. */
		{ "monitored-element-added/email", OWN "|email: -", OWN "|email: -\n" OWN "|added", false },
		{ "monitored-element-added/email", OWN "|email: -", OWN "|email: -\n" OWN "|email: x", true },
		{ "monitoring-service-enrolled", "", OWN "|sample-enrollment-code", true },
		{ "monitoring-service-enrolled", "", OWN, false },
		{ "monitoring-service-enrolled", "", "sample-enrollment-code\n" OWN, false },
		{ "bureau-alert", ALERT, ALERT, false }, /* without a trace nothing is */
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		bool is_there;
		begin();
		struct trial t = take(rows[i].kind, rows[i].before, rows[i].after, &is_there);
		if (t.shows_difference != rows[i].is_shown)
			fail_msg("%zu: %s is%s shown", i, delivery_difference(t.kind),
			         t.shows_difference ? "" : " not");
		finish();
	}
}

/* A number that changed is a trace where nothing says more. */
TEST(test_what_is_a_trace_of_the_same_kind)
{
	static const struct observation_change none = { .came = 0 }, number = { .numbers = true }, came = { .came = 1 };
	struct trial lines = { .has_trace = true, .shows_difference = true }, number_only = { .has_trace = true },
	             weak = { .has_trace = true, .is_weak = true, .shows_difference = true };
	assert_true(trial_needs_line(&lines) && !trial_needs_line(&number_only) && !trial_needs_line(&weak));
	assert_true(!trial_leaves(&lines, &none) && !trial_leaves(&lines, &number) && trial_leaves(&lines, &came));
	assert_true(!trial_leaves(&number_only, &none) && trial_leaves(&number_only, &number) &&
	            trial_leaves(&number_only, &came));
	assert_true(trial_leaves(&weak, &number));
}

TEST(test_lines_that_can_be_looked_for)
{
	static const struct {
		struct trial trial;
		bool can_be;
	} rows[] = {
		{ { .has_trace = true, .is_mentioned = true, .came = 1, .lines = 0 }, true },
		{ { .has_trace = true, .is_mentioned = true, .came = 0, .lines = 1 }, false },
		{ { .has_trace = true, .came = 1, .lines = 0 }, false },
		{ { .has_trace = true, .came = 0, .lines = 1 }, true },
		{ { .has_trace = true, .is_weak = true, .came = 1, .lines = 1 }, false },
		{ { .has_trace = false, .came = 1, .lines = 1 }, false },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(trial_leaves_lines(&rows[i].trial), rows[i].can_be);
}

TEST(test_the_first_time_is_short_and_grows_with_the_lag)
{
	begin();
	assert_int_equal(trial_patience(&ground), 300 * MS);
	lookout_note_lag(&ground.look, 200 * MS);
	assert_int_equal(trial_patience(&ground), 1100 * MS);
	finish();
}

/* What is seen now is kept; nothing where it cannot be seen; and each allocation may fail. */
TEST(test_the_base_is_what_was_seen)
{
	begin();
	show(&ground.look.now, "a\nb");
	assert_int_equal(trial_take_base(&ground, &err), 0);
	assert_int_equal(ground.base.count, 2);
	show(&ground.look.now, "a\nb\nc");
	snprintf(ground.look.problem, sizeof ground.look.problem, "the command failed");
	assert_int_equal(trial_take_base(&ground, &err), 0);
	assert_int_equal(ground.base.count, 2);
	finish();
	size_t failed = 0;
	for (unsigned long n = 1, all = n; n <= all; n++) {
		begin();
		show(&ground.look.now, "a\nb");
		allocations = 0;
		fail_at = n;
		int code = trial_take_base(&ground, &err);
		fail_at = 0;
		all = code < 0 ? all + 1 : all;
		failed += code < 0;
		assert_int_equal(code < 0 ? 2 : ground.base.count, 2);
		finish();
	}
	assert_true(failed > 0);
}

#define LAG (600 * MS)

static int keep_late(struct keeper *k, struct visit *v)
{
	if (!find(k, v->body))
		add(k, v->body, LAG, true);
	return 200;
}

/* Whether it is known what the kind leaves, and how late. */
static bool recalls(const char *name, struct trial *t, int64_t *lag_ns)
{
	struct catalog_kind asked;
	assert_int_equal(catalog_find_kind(name, &asked, NULL), CATALOG_FOUND);
	return effects_recall(&player, asked, t, lag_ns);
}

/* Of the kinds whose lines were counted, until the listener has ended by itself. */
TEST(test_what_a_kind_leaves_is_recalled_with_its_lag)
{
	static const struct keeper_kind late = { "Late", NULL, keep_late, show_rows, NULL, 0 };
	struct trial t;
	int64_t lag_ns = 0;
	player_open(&late, "effect/at-once", true);
	assert_false(recalls("bureau-alert", &t, &lag_ns));
	assert_int_equal(play_effects(&player, (size_t)(check_of("effect/at-once") - run.plan.checks), &err), 0);
	assert_true(recalls("bureau-alert", &t, &lag_ns));
	assert_between(lag_ns, LAG, LAG + 300 * MS);
	assert_true(t.has_trace && t.is_mentioned && t.needs_lines);
	assert_int_equal(t.first.status, 200);
	assert_int_equal(t.first.body.length, 0); /* it is not shared */
	assert_false(recalls("user-token-generated", &t, &lag_ns));
	player.presence.restarts++;
	assert_false(recalls("bureau-alert", &t, &lag_ns));
	player.presence.crowd_ends++; /* that was over several at the same time */
	assert_true(recalls("bureau-alert", &t, &lag_ns));
	player_close();
}
