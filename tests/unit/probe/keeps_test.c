/* What a run finds out about a listener by what that keeps: all checks of each of keeps.h. */
#include "keeps.h"
#include "sanitizers.h"

#define SLOW   (300 * MS)
#define ONE_IN (IS_SANITIZED ? 9 : 1) /* rows */

/* What cannot be asked of some, by what they show or lose: beginnings of ids. */
static const struct {
	const char *name, *checks;
} skipped[] = {
	{ "Counted", "effect/differs effect/order effect/others effect/stays" },
	{ "Hashes", "effect/differs effect/order effect/others effect/stays" },
	{ "CustomersCounted", "effect/differs effect/distinct effect/order effect/others effect/stays effect/value" },
	{ "Enrolled", "effect/again effect/at-once effect/differs effect/distinct effect/order effect/value" },
	{ "Firsts", "effect/order effect/value" },
	{ "Tally", "effect/differs" },
	{ "TallyOfKinds", "effect/order" },
	{ "Alerts", "effect/differs effect/distinct effect/order effect/value" },
	{ "Samples", "effect/differs" },
	{ "Memory", "crash/kill crash/stop effect/again effect/stays" },
	{ "KeyOfPath", "effect/distinct" },
	{ "KeyOfPathCounted", "effect/distinct" },
	{ "KeyOfService", "effect/distinct" },
	{ "Last", "effect/together" },
	{ "Nothing", "crash effect" },
	{ "Slots", "crash/kill crash/stop" },
	{ "Window", "crash/kill crash/stop" },
	{ "Seven", "crash/kill crash/stop" },
};

/* Everything else is known. */
static void check_skipped(const struct row *row)
{
	const char *checks = "";
	size_t count = 0;
	for (size_t i = 0; i < sizeof skipped / sizeof skipped[0]; i++)
		checks = strcmp(skipped[i].name, row->kind.name) == 0 ? skipped[i].checks : checks;
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_check *check = &found.plan.checks[i];
		if (!check->chosen || check->result.verdict != GRADE_SKIP)
			continue;
		if (!is_one_of(check->id, checks))
			fail_msg("%s: %s: %s", row->kind.name, check->id, check->result.reason);
		count++;
	}
	if (*checks && count == 0)
		fail_msg("%s: of '%s' none is skipped", row->kind.name, checks);
}

/* Plays all of it, with that many customers a round at most. */
static void check_whole(const struct row *row, unsigned customers_most, int64_t takes_ns)
{
	keeper_open(&keeper, &row->kind);
	keeper.customers_most = customers_most;
	keeper.takes_ns = takes_ns;
	keeper_play(&keeper, row->checks, true, &found);
	if (found.code < 0)
		fail_msg("%s: %s", row->kind.name, found.err.message);
	check_counts(row);
	check_row(row);
	if (keeper_salt == 0)
		check_skipped(row);
	assert_int_equal(found.summary.not_run, 0);
	keeper_run_release(&found);
}

/* By two customers a round, too: so runs that are tried at each of their requests may be short. The sanitizers see
 * more of them below. */
TEST(test_each_is_found_by_the_right_check)
{
	for (size_t i = 0; i < ROWS; i++) {
		check_whole(&rows[i], FEW, 0);
		unsigned requests = keeper.requests;
		if (IS_SANITIZED)
			continue;
		check_whole(&rows[i], 0, 0);
		assert_true(keeper.requests >= requests);
	}
}

/* Where each response takes long, what can be sent side by side is. */
TEST(test_so_is_each_that_is_slow)
{
	for (size_t i = 0; i < ROWS; i += ONE_IN)
		check_whole(&rows[i], 0, SLOW);
}

/* Right ones, and wrong ones that are found, whoever these are. */
TEST(test_some_may_leave_more)
{
	static const struct row uneven[] = {
		{ { "Mails", NULL, keep_and_mail, show_rows, NULL, 0 }, "effect/at-once crash", "", "", "", NULL },
		{ { "MailsCounted", NULL, keep_and_mail, show_number, NULL, 0 }, "effect/at-once", "", "", "", NULL },
		{ { "Samples", NULL, keep_and_sample, show_rows, NULL, 0 }, "effect/at-once crash", "", "", "", NULL },
		{ { "MailsRacing", look_first, keep_twice_and_mail, show_rows, NULL, 0 },
		  "effect/at-once",
		  "effect/at-once",
		  "on 5 connections left",
		  "",
		  NULL },
		{ { "MailsThenMarks", NULL, keep_undone_and_mail, show_rows, redo, 0 },
		  "crash",
		  "crash/kill crash/stop",
		  "were there twice",
		  "",
		  NULL },
	};
	for (keeper_salt = 1; keeper_salt <= (IS_SANITIZED ? 3 : 32); keeper_salt++)
		for (size_t i = 0; i < sizeof uneven / sizeof uneven[0]; i++)
			check_whole(&uneven[i], 0, 0);
	keeper_salt = 0;
}

/* The first alert leaves a line, each later one another one, too. */
static int keep_and_mail_later(struct keeper *k, struct visit *v)
{
	bool is_first = true;
	for (size_t i = 0; i < k->count; i++)
		is_first &= !strstr(k->kept[i].body, "alertId");
	return keep_with(k, v, "mail of", strstr(v->body, "alertId") && !is_first ? v->body : NULL);
}

/* What recognizes a repeat is in memory, and no more is shown than how many there were. */
static int keep_unless_marked(struct keeper *k, struct visit *v)
{
	if (mark(k, v->body))
		add(k, v->body, 0, true);
	return 200;
}

static void forget_marks(struct keeper *k)
{
	k->known_count = 0;
}

static void show_total(struct keeper *k, struct buffer *out)
{
	buffer_printf(out, "notifications: %zu\n", k->count);
}

/* Lines that name nobody, and how many requests there were. */
static void show_hashes_and_requests(struct keeper *k, struct buffer *out)
{
	show_hashes(k, out);
	buffer_printf(out, "requests: %u\n", k->requests);
}

static int close_over_alerts(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "alertId") ? 0 : keep_valid(k, v);
}

/* Of what is no failure, or only perhaps one. */
TEST(test_what_is_said_where_nothing_is_known_to_be_lost)
{
	static const struct {
		const char *checks, *check;
		enum grade verdict;
		enum probe_level level;
		const char *words;
		const struct keeper_kind kind;
	} plays[] = {
		{ "effect/together",
		  "effect/together",
		  GRADE_SKIP,
		  PROBE_MUST,
		  "one after the other, too",
		  { "Last", NULL, keep_last, show_rows, NULL, 0 } },
		{ "effect/at-once",
		  "effect/at-once",
		  GRADE_SKIP,
		  PROBE_MUST,
		  "alone, too, one bureau-alert leaves more than another one",
		  { "MailsLater", NULL, keep_and_mail_later, show_rows, NULL, 0 } },
		{ "effect/together",
		  "effect/together",
		  GRADE_WARN,
		  PROBE_SHOULD,
		  "lost, or only not counted",
		  { "RewrittenCounted", read_all, write_all, show_number, NULL, 0 } },
		{ "crash effect/stays",
		  "effect/stays",
		  GRADE_SKIP,
		  PROBE_SHOULD,
		  "has not outlived an end",
		  { "Flushed", NULL, keep_flushed, show_rows, NULL, 0 } },
		{ "effect/once:bureau-alert",
		  "effect/once:bureau-alert",
		  GRADE_OK,
		  PROBE_MUST,
		  "",
		  { "HashesCounted", NULL, keep_valid, show_hashes_and_requests, NULL, 0 } },
		{ "effect/once effect/at-once",
		  "effect/once:user-created",
		  GRADE_WARN,
		  PROBE_MUST,
		  "the repeat got 409",
		  { "Conflicts", NULL, conflict, show_rows, NULL, 0 } },
		{ "effect/again-after-restart",
		  "effect/again-after-restart",
		  GRADE_SKIP,
		  PROBE_MUST,
		  "no event to try leaves a line when it comes, and none when it comes again",
		  { "TotalKeptInMemory", NULL, keep_unless_marked, show_total, forget_marks, 0 } },
		{ "effect/again-after-restart",
		  "effect/again-after-restart",
		  GRADE_SKIP,
		  PROBE_MUST,
		  "what had come before the restart is not there any more",
		  { "Memory", NULL, keep_valid, show_rows, forget, 0 } },
		{ "effect/once",
		  "effect/once:bureau-alert",
		  GRADE_SKIP,
		  PROBE_MUST,
		  "the event is not accepted",
		  { "ClosesOverAlerts", NULL, close_over_alerts, show_rows, NULL, 0 } },
		{ "effect/order effect/distinct",
		  "effect/order:alert-unknown",
		  GRADE_OK,
		  PROBE_SHOULD,
		  "",
		  { "TallyOfKinds", NULL, keep_tally_of_kinds, show_tally, NULL, 0 } },
	};
	for (size_t i = 0; i < sizeof plays / sizeof plays[0]; i++) {
		keeper_open(&keeper, &plays[i].kind);
		keeper_play(&keeper, plays[i].checks, true, &found);
		const struct probe_check *check = check_named(&found.plan, plays[i].check);
		if (check->result.verdict != plays[i].verdict || check->level != plays[i].level ||
		    !strstr(check->result.reason, plays[i].words))
			fail_msg("%s: %s: %d, %d: %s", plays[i].kind.name, check->id, (int)check->result.verdict,
			         (int)check->level, check->result.reason);
		keeper_run_release(&found);
	}
}

/* What kill -9 leaves is on disk. */
TEST(test_what_sigterm_alone_loses_is_not_the_disk_s)
{
	static const struct {
		const char *checks;
		bool drops;
		const struct keeper_kind kind;
		const char *words; /* of what to do about crash/stop */
	} plays[] = {
		{ "crash", true, { "Store", NULL, keep_valid, show_rows, NULL, 0 }, "kill -9 loses nothing" },
		{ "crash/stop", true, { "Store", NULL, keep_valid, show_rows, NULL, 0 }, "does at SIGTERM" },
		{ "crash",
		  false,
		  { "Flushed", NULL, keep_flushed, show_rows, NULL, 0 },
		  "respond only when it is stored" },
	};
	for (size_t i = 0; i < sizeof plays / sizeof plays[0]; i++) {
		const char *fix = NULL;
		keeper_open(&keeper, &plays[i].kind);
		keeper.drops_at_sigterm = plays[i].drops;
		keeper_play(&keeper, plays[i].checks, true, &found);
		for (size_t n = 0; n < found.plan.count; n++)
			if (strcmp(found.plan.checks[n].id, "crash/stop") == 0 && has_failed(&found.plan.checks[n]))
				fix = found.plan.checks[n].result.fix;
		assert_non_null(fix);
		assert_non_null(strstr(fix, plays[i].words));
		keeper_run_release(&found);
	}
}

/* Two that come at the same time get through, and no third. */
static void look_for_two(struct keeper *k, struct visit *v)
{
	char second[BODY_SIZE];
	snprintf(second, sizeof second, "2%.*s", BODY_SIZE - 2, v->body);
	v->is_known = find(k, v->body) || (!mark(k, v->body) && !mark(k, second));
}

/* Elements alone race. */
static int keep_elements_unless_known(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "/idp/") ? keep_unless_known(k, v) : keep_valid(k, v);
}

/* Repeats of alerts alone are known in memory. */
static int keep_alerts_unless_marked(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "alertId") ? keep_unless_marked(k, v) : keep_valid(k, v);
}

/* The first two of each. */
static int keep_two(struct keeper *k, struct visit *v)
{
	struct entry *e = find(k, v->body);
	if (!e || ++e->times == 2)
		return keep_all(k, v);
	return 200;
}

/* Alerts without whom they are about, all else as it came. */
static void show_alerts_unnamed(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "%s\n", strstr(k->kept[i].body, "alertId") ? "alert" : k->kept[i].body);
}

/* Of any of its kinds, and however few come twice. */
TEST(test_each_kind_of_a_check_is_tried)
{
	static const struct row kinds[] = {
		{ { "ElementsRace", look_first, keep_elements_unless_known, show_rows, NULL, 0 },
		  "effect/at-once",
		  "effect/at-once",
		  "on 5 connections left",
		  "",
		  NULL },
		{ { "AlertsInMemory", NULL, keep_alerts_unless_marked, show_rows, forget_marks, 0 },
		  "effect/again-after-restart",
		  "effect/again-after-restart",
		  "1 line more",
		  "",
		  NULL },
		{ { "KeepsTwo", NULL, keep_two, show_rows, NULL, 0 },
		  "effect/once",
		  "effect/once:user-created effect/once:bureau-alert",
		  "sent twice it left 1 line more than once",
		  "effect/once:",
		  NULL },
		{ { "AlertsUnnamed", NULL, keep_undone, show_alerts_unnamed, redo, 0 },
		  "crash",
		  "crash/kill crash/stop",
		  "were there twice",
		  "",
		  NULL },
		{ { "TwoRaceKeyed", look_for_two, keep_unless_known, show_keyed, NULL, 0 },
		  "effect/at-once",
		  "effect/at-once",
		  "on 5 connections left",
		  "",
		  NULL },
	};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		check_whole(&kinds[i], 0, 0);
}

/* Keeps a zip as a number. */
static int keep_number_unless_known(struct keeper *k, struct visit *v)
{
	char *zip = strstr(v->body, "\"02134\"");
	if (zip)
		memmove(zip + 1, zip + 2, strlen(zip + 1));
	return keep_unless_known(k, v);
}

/* Both are looked at together, and one of them again in calm: that says nothing of the other one. */
TEST(test_two_bugs_are_found_together)
{
	static const struct row both = { { "RaceAndZip", look_first, keep_number_unless_known, show_rows, NULL, 0 },
		                         "effect/at-once effect/differs:zip",
		                         "effect/at-once effect/differs:zip",
		                         "",
		                         "",
		                         NULL };
	check_whole(&both, 0, 0);
}

/* One for each last digit of an alertId. */
static int keep_in_slots(struct keeper *k, struct visit *v)
{
	char id[BODY_SIZE], name[16];
	value_of(v->body, "alertId", id);
	if (!id[0])
		return keep(k, v);
	snprintf(name, sizeof name, "slot %c", id[strlen(id) - 1]);
	keep_as(k, name, v->body);
	return 200;
}

static int keep_seven(struct keeper *k, struct visit *v)
{
	keep(k, v);
	if (k->count > 7)
		memmove(k->kept, k->kept + 1, --k->count * sizeof *k->kept);
	return 200;
}

/* Of two customers, these lose none. */
TEST(test_what_is_lost_or_only_not_shown_takes_more_of_them)
{
	static const struct row wide[] = {
		{ { "Slots", NULL, keep_in_slots, show_rows, NULL, 0 },
		  "crash",
		  "crash/restart",
		  "are not seen, without a restart",
		  "",
		  NULL },
		{ { "SlotsTogether", NULL, keep_in_slots, show_rows, NULL, 0 },
		  "effect/together",
		  "effect/together",
		  "whose identifiers share digits left nothing; of as many that share none each leaves its trace",
		  "",
		  NULL },
		{ { "Window", NULL, keep_valid, show_window, NULL, 0 },
		  "crash",
		  "crash/restart",
		  "they are lost, or your --observe shows a window",
		  "",
		  NULL },
		{ { "Seven", NULL, keep_seven, show_rows, NULL, 0 },
		  "crash",
		  "crash/restart",
		  "they are lost, or your --observe shows a window",
		  "",
		  NULL },
	};
	/* Once it has been started again. */
	static const struct row dropping = { { "DropsSeventh", NULL, drop_seventh, show_rows, NULL, 0 },
		                             "crash",
		                             "crash/kill crash/stop",
		                             "that came later, when nothing was ended",
		                             "",
		                             NULL };
	check_whole(&dropping, 0, 0);
	for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
		check_whole(&wide[i], 0, 0);
}

/* What came last of all is all that it keeps, or shows: each is looked at before the next one comes. */
TEST(test_who_keeps_the_last_one_alone_is_right)
{
	static const struct keeper_kind last[] = { { "Last", NULL, keep_last, show_rows, NULL, 0 },
		                                   { "LastHashed", NULL, keep_last, show_hashes, NULL, 0 } };
	for (size_t i = 0; i < 2; i++) {
		keeper_open(&keeper, &last[i]);
		keeper_play(&keeper, "effect/once effect/distinct effect/order:alert-unknown", true, &found);
		assert_int_equal(found.code, 0);
		for (size_t n = 0; n < found.plan.count; n++) {
			const struct probe_check *check = &found.plan.checks[n];
			if (check->chosen && check->result.verdict != GRADE_OK)
				fail_msg("%s: %s: %s", last[i].name, check->id, check->result.reason);
		}
		keeper_run_release(&found);
	}
}

/* Ten rounds of an end, where three are usual. */
TEST(test_a_deep_run_ends_it_more_often)
{
	static const struct keeper_kind store = { "Store", NULL, keep_valid, show_rows, NULL, 0 };
	for (unsigned deep = 0; deep <= 1; deep++) {
		keeper_open(&keeper, &store);
		keeper.is_deep = deep;
		keeper_play(&keeper, "crash", true, &found);
		assert_int_equal(found.code, 0);
		assert_int_equal(check_named(&found.plan, "crash/stop")->result.verdict, GRADE_OK);
		assert_int_equal(keeper.starts, deep ? 2 + 2 * 10 : 2 + 2 * 3);
		keeper_run_release(&found);
	}
}
