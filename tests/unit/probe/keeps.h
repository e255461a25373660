/* Listeners that keep what they get, and what has to be found out about each: for tests that play all of them. */
#ifndef CREDHOOK_TESTS_PROBE_KEEPS_H
#define CREDHOOK_TESTS_PROBE_KEEPS_H

#include "keeps_listeners.h"
#include "test.h"

#include <stdlib.h>

/* Its checks, those that have to fail (beginnings of ids), and what is said of these; those that may fail, too; and for
 * runs that are short, since each of their requests and allocations is tried, a few of its checks: NULL is those that
 * have to fail. Those of right ones are shared out among them, since what they cost grows with their square. */
struct row {
	struct keeper_kind kind;
	const char *checks, *fails, *words, *also, *few;
};

#define BOTH    "effect crash"
#define ONE_ROW "effect/distinct:"
#define DROPPED "dropped" /* kinds that leave no trace; both is possible */
static const struct row rows[] = {
	{ { "Store", NULL, keep_valid, show_rows, NULL, 0 },
	  BOTH,
	  "",
	  "",
	  "",
	  "effect/once:bureau-alert effect/distinct:bureau-alert effect/at-once effect/none" },
	{ { "Counted", NULL, keep_valid, show_number, NULL, 0 },
	  BOTH,
	  "",
	  "",
	  "",
	  "effect/once:bureau-alert effect/together effect/none" },
	{ { "Hashes", NULL, keep_valid, show_hashes, NULL, 0 }, BOTH, "", "", "", "crash/kill" },
	{ { "Normalised", NULL, keep_normalised, show_rows, NULL, 0 }, BOTH, "", "", "", "effect/at-once" },
	{ { "Document", NULL, keep_valid, show_document, NULL, 0 }, BOTH, "", "", "", "effect/order" },
	{ { "Counters", NULL, keep_and_count, show_times, NULL, 0 },
	  "effect/once effect/at-once crash",
	  "",
	  "",
	  "",
	  "effect/once:bureau-alert effect/at-once" },
	{ { "Customers", NULL, keep_customers, show_rows, NULL, 0 },
	  BOTH,
	  "",
	  "",
	  ONE_ROW " " DROPPED,
	  "effect/distinct:bureau-alert effect/together" },
	{ { "CustomersCounted", NULL, keep_customers, show_number, NULL, 0 },
	  BOTH,
	  "",
	  "",
	  ONE_ROW " " DROPPED,
	  "crash" },
	{ { "Enrolled", NULL, keep_enrolled, show_rows, NULL, 0 },
	  BOTH,
	  "",
	  "",
	  ONE_ROW " " DROPPED,
	  "effect/once:monitoring-service-enrolled effect/order" },
	{ { "Firsts", NULL, keep_firsts, show_tally, NULL, 0 }, BOTH, "", "", ONE_ROW, "crash/kill" },
	{ { "Tally", NULL, keep_tally, show_tally, NULL, 0 }, BOTH, "", "", "", "effect/at-once effect/together" },
	{ { "TallyOfKinds", NULL, keep_tally_of_kinds, show_tally, NULL, 0 },
	  "effect/order effect/distinct",
	  "",
	  "",
	  "",
	  "effect/order effect/distinct:bureau-alert" },
	{ { "Alerts", NULL, keep_alerts, show_rows, NULL, 0 },
	  BOTH,
	  "",
	  "",
	  DROPPED,
	  "effect/once:bureau-alert crash/stop" },
	{ { "Log", NULL, keep_all, show_distinct, NULL, 0 },
	  "effect/once effect/distinct effect/at-once effect/together crash",
	  "",
	  "",
	  "",
	  "effect/once:bureau-alert effect/together" },
	{ { "capture", NULL, keep_all, show_rows, NULL, 0 }, "crash", "", "", "", "crash" },
	{ { "Mails", NULL, keep_and_mail, show_rows, NULL, 0 }, BOTH, "", "", "", "effect/at-once" },
	{ { "Samples", NULL, keep_and_sample, show_rows, NULL, 0 }, BOTH, "", "", "", "effect/at-once" },
	{ { "Queue", NULL, keep_queued, show_rows, NULL, 0 },
	  "effect/once effect/distinct effect/at-once effect/together crash",
	  "",
	  "",
	  "",
	  "effect/once:bureau-alert crash/kill" },
	{ { "Late", NULL, keep_late, show_rows, NULL, 0 },
	  "crash",
	  "crash/kill crash/stop",
	  "that got a 2xx were gone after",
	  "",
	  NULL },
	{ { "Flushed", NULL, keep_flushed, show_rows, NULL, 0 },
	  "crash",
	  "crash/kill crash/stop",
	  "that got a 2xx were gone after",
	  "",
	  NULL },
	{ { "MarkFirst", mark_first, keep_unless_known, show_rows, NULL, 100 * MS },
	  BOTH,
	  "crash/kill crash/stop",
	  "left nothing, though they came again and got a 2xx",
	  "effect/none",
	  NULL },
	{ { "WorkThenMark", NULL, keep_undone, show_rows, redo, 0 },
	  "crash",
	  "crash/kill crash/stop",
	  "were there twice",
	  "",
	  NULL },
	{ { "Memory", NULL, keep_valid, show_rows, forget, 0 },
	  BOTH,
	  "crash/restart",
	  " survives a restart",
	  "",
	  NULL },
	{ { "LookThenInsert", look_first, keep_unless_known, show_rows, NULL, 0 },
	  "effect/once effect/at-once effect/together",
	  "effect/at-once",
	  "on 5 connections left",
	  "",
	  NULL },
	{ { "LookThenInsertKeyed", look_first, keep_unless_known, show_keyed, NULL, 0 },
	  "effect/at-once",
	  "effect/at-once",
	  "on 5 connections left",
	  "",
	  NULL },
	{ { "LookThenInsertCounted", look_first, keep_unless_known, show_number, NULL, 0 },
	  "effect/at-once",
	  "effect/at-once",
	  "each on 5 connections, made it grow by",
	  "",
	  NULL },
	{ { "Rewritten", read_all, write_all, show_rows, NULL, 0 },
	  "effect/once effect/at-once effect/together",
	  "effect/together",
	  "on 5 connections left nothing; one after the other each leaves its trace",
	  "",
	  NULL },
	{ { "RewrittenCounted", read_all, write_all, show_number, NULL, 0 },
	  "effect/together",
	  "effect/together",
	  "lost, or only not counted",
	  "",
	  NULL },
	{ { "KeyOfPath", NULL, keep_by_path, show_rows, NULL, 0 },
	  "effect/distinct",
	  "effect/distinct:credit-report-ordered effect/distinct:bureau-alert",
	  "left nothing",
	  ONE_ROW,
	  NULL },
	{ { "KeyOfPathCounted", NULL, keep_by_path, show_number, NULL, 0 },
	  "effect/distinct",
	  "effect/distinct:credit-report-ordered effect/distinct:bureau-alert",
	  "the number did not grow by a second one of the same customer",
	  ONE_ROW,
	  NULL },
	{ { "KeyOfService", NULL, keep_by_service, show_rows, NULL, 0 },
	  "effect/distinct",
	  "effect/distinct:credit-report-ordered effect/distinct:bureau-alert",
	  "left nothing",
	  ONE_ROW,
	  NULL },
	{ { "KeepsAll", NULL, keep_all, show_rows, NULL, 0 },
	  "effect/once",
	  "effect/once:user-created effect/once:bureau-alert",
	  "sent twice it left 1 line more than once",
	  "effect/once:",
	  NULL },
	{ { "KeepsAllCounted", NULL, keep_all, show_number, NULL, 0 },
	  "effect/once",
	  "effect/once:user-created effect/once:bureau-alert",
	  "the number grew by 1",
	  "effect/once:",
	  NULL },
	{ { "KnownOnly", NULL, keep_of_known, show_rows, NULL, 0 },
	  "effect/order",
	  "effect/order:alert-unknown",
	  "left nothing",
	  "",
	  NULL },
	{ { "KeepsRefused", NULL, keep, show_rows, NULL, 0 },
	  "effect",
	  "effect/none",
	  "grew by 3 for refused payloads",
	  "",
	  NULL },
	{ { "Clashes", NULL, clash, show_rows, NULL, 0 },
	  "effect/once",
	  "effect/once:user-created",
	  "the repeat got 500",
	  "effect/once:",
	  NULL },
	{ { "Clashes", NULL, clash, show_rows, NULL, 0 },
	  "effect/at-once",
	  "effect/at-once",
	  "of one bureau-alert on 5 connections some got 500",
	  "",
	  NULL },
	{ { "Conflicts", NULL, conflict, show_rows, NULL, 0 },
	  "effect/once effect/at-once",
	  "",
	  "",
	  "",
	  "effect/once:bureau-alert effect/at-once" },
	{ { "Last", NULL, keep_last, show_rows, NULL, 0 }, "effect/together", "", "", "", "effect/together" },
	{ { "Nothing", NULL, keep_nothing, show_rows, NULL, 0 }, BOTH, "", "", "", "effect/at-once" },
};
#define ROWS (sizeof rows / sizeof rows[0])

static struct keeper keeper;
static struct keeper_run found;
/* Whether the row says that it may fail, too. */
static inline bool may_fail(const struct row *row, const struct probe_check *check)
{
	bool is_dropped = check->level == PROBE_SHOULD && strstr(check->result.reason, "and left no trace, while");
	return is_dropped ? strstr(row->also, DROPPED) != NULL : is_one_of(check->id, row->also);
}

static inline void check_row(const struct row *row)
{
	size_t wanted = 0, failed = 0;
	for (const char *at = row->fails; *at; at += strcspn(at, " "), at += strspn(at, " "))
		wanted++;
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_check *check = &found.plan.checks[i];
		const char *reason = check->result.reason;
		if (!has_failed(check))
			continue;
		bool is_wanted = is_one_of(check->id, row->fails);
		if ((!is_wanted && !may_fail(row, check)) || (is_wanted && !strstr(reason, row->words)))
			fail_msg("%s: %s: %s", row->kind.name, check->id, reason);
		failed += is_wanted;
	}
	if (failed < wanted)
		fail_msg("%s: of '%s' %zu have failed", row->kind.name, row->fails, failed);
}

/* Every check has ended, and was counted once. */
static inline void check_counts(const struct row *row)
{
	uint64_t counted = found.summary.not_run, chosen = 0;
	for (int level = 0; level < PROBE_LEVELS; level++)
		for (int grade = 0; grade < GRADES; grade++)
			counted += found.summary.counts[level][grade];
	for (size_t i = 0; i < found.plan.count; i++)
		chosen += found.plan.checks[i].chosen;
	if (counted != chosen)
		fail_msg("%s: of %llu checks %llu are counted", row->kind.name, (unsigned long long)chosen,
		         (unsigned long long)counted);
}

/* Nothing is found that is not there, whatever came of the run. */
static inline void check_nothing_else(const struct row *row)
{
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_check *check = &found.plan.checks[i];
		bool is_known =
		        is_one_of(check->id, row->fails) || may_fail(row, check) ||
		        (row->words[0] && strstr(check->result.reason, row->words)) ||
		        strstr(check->result.reason, "the listener ended") ||
		        strstr(check->result.reason, "--observe shows a window"); /* a warning, of both readings */
		if (has_failed(check) && !is_known)
			fail_msg("%s: %s: %s", row->kind.name, check->id, check->result.reason);
	}
	check_counts(row);
}

#define FEW 2 /* customers of a short run */

/* Opens the keeper of a short run, and says which checks are its. */
static inline const char *open_short(const struct row *row)
{
	keeper_open(&keeper, &row->kind);
	keeper.customers_most = FEW;
	return row->few ? row->few : row->fails;
}

#endif
