/* What a run finds out about a listener by what that keeps: right ones and wrong ones, of which each is a function. */
#include "base/hash.h"
#include "keeper.h"
#include "test.h"

#include <stdlib.h>

/* Right ones. */

static void show_hashes(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++) {
		uint64_t hash = hash_fnv1a(HASH_FNV1A, k->kept[i].body, strlen(k->kept[i].body));
		for (int n = 0; n < 4; n++, hash = hash_fnv1a(hash, "x", 1))
			buffer_printf(out, "%016llx", (unsigned long long)hash);
		buffer_append_byte(out, '\n');
	}
}

static void show_document(struct keeper *k, struct buffer *out)
{
	buffer_append_byte(out, '[');
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "%s%s", i > 0 ? ", " : "", k->kept[i].body);
	buffer_append_text(out, "]\n");
}

static int keep_and_count(struct keeper *k, struct visit *v)
{
	struct entry *e = find(k, v->body);
	if (e)
		e->times++;
	else
		add(k, v->body, 0, true);
	return 200;
}

static void show_times(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "%zu|%s|%u\n", i + 1, k->kept[i].body, k->kept[i].times);
}

/* One entry for each `name`, whose text is replaced. */
static void keep_as(struct keeper *k, const char *name, const char *text)
{
	size_t length = strlen(name);
	char line[BODY_SIZE];
	snprintf(line, sizeof line, "%.100s|%.*s", name, BODY_SIZE - 110, text);
	for (size_t i = 0; i < k->count; i++)
		if (strncmp(k->kept[i].body, name, length) == 0 && k->kept[i].body[length] == '|') {
			snprintf(k->kept[i].body, BODY_SIZE, "%s", line);
			return;
		}
	add(k, line, 0, true);
}

static int keep_customers(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE];
	keep_as(k, value_of(v->body, "clientKey", client), v->body);
	return 200;
}

static int keep_enrolled(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], path[BODY_SIZE], method[BODY_SIZE];
	value_of(v->body, "method", method);
	if (strcmp(value_of(v->body, "path", path), "/api/monitoring/v2") == 0)
		keep_as(k, value_of(v->body, "clientKey", client),
		        strcmp(method, "post") == 0 ? "enrolled" : "cancelled");
	return 200;
}

static struct entry *find_named(struct keeper *k, const char *name)
{
	size_t length = strlen(name);
	for (size_t i = 0; i < k->count; i++)
		if (strncmp(k->kept[i].body, name, length) == 0 && k->kept[i].body[length] == '|')
			return &k->kept[i];
	return NULL;
}

/* The first one of each name, and how many different ones there were. */
static void keep_first(struct keeper *k, const char *name, const char *text, const char *body)
{
	char line[BODY_SIZE];
	struct entry *e = find_named(k, name);
	if (!mark(k, body))
		return;
	if (e) {
		e->times++;
		return;
	}
	snprintf(line, sizeof line, "%.150s|%.*s", name, BODY_SIZE - 160, text);
	add(k, line, 0, true);
}

static int keep_firsts(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], service[BODY_SIZE], name[160];
	snprintf(name, sizeof name, "%.60s %.60s", value_of(v->body, "service", service),
	         value_of(v->body, "clientKey", client));
	keep_first(k, name, v->body, v->body);
	return 200;
}

static void kind_of_body(const char *body, char out[128])
{
	char service[BODY_SIZE], method[BODY_SIZE], path[BODY_SIZE];
	snprintf(out, 128, "%.30s %.20s %.60s", value_of(body, "service", service), value_of(body, "method", method),
	         value_of(body, "path", path));
}

static int keep_tally(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], kind[128], name[200];
	kind_of_body(v->body, kind);
	snprintf(name, sizeof name, "%.40s %.100s", value_of(v->body, "clientKey", client), kind);
	keep_first(k, name, "", v->body);
	return 200;
}

static int keep_tally_of_kinds(struct keeper *k, struct visit *v)
{
	char kind[128];
	kind_of_body(v->body, kind);
	keep_first(k, kind, "", v->body);
	return 200;
}

static void show_tally(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "%s|%u\n", k->kept[i].body, k->kept[i].times);
}

static int keep_alerts(struct keeper *k, struct visit *v)
{
	char service[BODY_SIZE];
	return strcmp(value_of(v->body, "service", service), "alerts") == 0 ? keep(k, v) : 200;
}

static int keep_all(struct keeper *k, struct visit *v)
{
	add(k, v->body, 0, true);
	return 200;
}

/* A log, whose repeats are dropped when it is read. */
static void show_distinct(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		if (find(k, k->kept[i].body) == &k->kept[i])
			buffer_printf(out, "%s\n", k->kept[i].body);
}

/* On disk, and worked off a second later. */
static int keep_queued(struct keeper *k, struct visit *v)
{
	if (!find(k, v->body))
		add(k, v->body, CLOCK_NS_PER_S, true);
	return 200;
}

/* Wrong ones. */

static int keep_late(struct keeper *k, struct visit *v)
{
	if (!find(k, v->body))
		add(k, v->body, 250 * MS, false);
	return 200;
}

static int keep_flushed(struct keeper *k, struct visit *v)
{
	if (!find(k, v->body))
		add(k, v->body, 700 * MS - k->now_ns % (700 * MS), false);
	return 200;
}

static void mark_first(struct keeper *k, struct visit *v)
{
	v->is_known = !mark(k, v->body);
}

static void look_first(struct keeper *k, struct visit *v)
{
	v->is_known = find(k, v->body) != NULL;
}

static int keep_unless_known(struct keeper *k, struct visit *v)
{
	if (!v->is_known)
		add(k, v->body, 0, true);
	return 200;
}

/* Its work is done in one step, and marked as done in another one, a second later. */
static int keep_undone(struct keeper *k, struct visit *v)
{
	if (!find(k, v->body))
		add(k, v->body, 10 * MS, true)->done_ns = k->now_ns + CLOCK_NS_PER_S;
	return 200;
}

static void redo(struct keeper *k)
{
	for (size_t i = 0, count = k->count; i < count; i++)
		if (k->kept[i].done_ns > k->now_ns) {
			k->kept[i].done_ns = 0;
			add(k, k->kept[i].body, 0, true);
		}
}

static void forget(struct keeper *k)
{
	k->count = 0;
}

/* Reads all, and writes it anew: what others have written meanwhile is lost. */
static void read_all(struct keeper *k, struct visit *v)
{
	v->seen = k->count;
	v->is_known = find(k, v->body) != NULL;
}

static int write_all(struct keeper *k, struct visit *v)
{
	k->count = v->seen < k->count ? v->seen : k->count;
	return keep_unless_known(k, v);
}

static int keep_by_path(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], path[BODY_SIZE], key[BODY_SIZE];
	snprintf(key, sizeof key, "%.100s%.100s", value_of(v->body, "path", path),
	         value_of(v->body, "clientKey", client));
	if (mark(k, key))
		add(k, v->body, 0, true);
	return 200;
}

static int keep_by_service(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], service[BODY_SIZE], key[BODY_SIZE];
	snprintf(key, sizeof key, "%.100s%.100s", value_of(v->body, "service", service),
	         value_of(v->body, "clientKey", client));
	if (mark(k, key))
		add(k, v->body, 0, true);
	return 200;
}

static int keep_of_known(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], service[BODY_SIZE];
	bool is_known = strcmp(value_of(v->body, "service", service), "user") == 0;
	value_of(v->body, "clientKey", client);
	for (size_t i = 0; i < k->count; i++)
		is_known |= strstr(k->kept[i].body, client) != NULL;
	return is_known ? keep(k, v) : 200;
}

static int keep_valid(struct keeper *k, struct visit *v)
{
	bool is_payload = strstr(v->body, "\"details\":{") || strstr(v->body, "\"details\": {");
	return is_payload ? keep(k, v) : 400;
}

static int clash(struct keeper *k, struct visit *v)
{
	if (find(k, v->body))
		return 500;
	return keep(k, v);
}

static int conflict(struct keeper *k, struct visit *v)
{
	return clash(k, v) == 500 ? 409 : 200;
}

static int keep_last(struct keeper *k, struct visit *v)
{
	k->count = 0;
	return keep(k, v);
}

static int keep_nothing(struct keeper *k, struct visit *v)
{
	(void)k, (void)v;
	return 200;
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

/* All, of which it shows the last ones. */
static void show_window(struct keeper *k, struct buffer *out)
{
	for (size_t i = k->count > 12 ? k->count - 12 : 0; i < k->count; i++)
		buffer_printf(out, "%s\n", k->kept[i].body);
}

static int keep_seven(struct keeper *k, struct visit *v)
{
	keep(k, v);
	if (k->count > 7)
		memmove(k->kept, k->kept + 1, --k->count * sizeof *k->kept);
	return 200;
}

/* Its checks, those that have to fail (beginnings of ids), and what is said of these; those that may fail, too. */
struct row {
	struct keeper_kind kind;
	const char *checks, *fails, *words, *also;
};

#define BOTH    "effect crash"
#define ONE_ROW "effect/distinct:"
#define DROPPED "dropped" /* kinds that leave no trace; both is possible */
static const struct row rows[] = {
	{ { "Store", NULL, keep_valid, show_rows, NULL, 0 }, BOTH, "", "", "" },
	{ { "Counted", NULL, keep_valid, show_number, NULL, 0 }, BOTH, "", "", "" },
	{ { "Hashes", NULL, keep_valid, show_hashes, NULL, 0 }, BOTH, "", "", "" },
	{ { "Document", NULL, keep_valid, show_document, NULL, 0 }, BOTH, "", "", "" },
	{ { "Counters", NULL, keep_and_count, show_times, NULL, 0 }, "effect/once effect/at-once crash", "", "", "" },
	{ { "Customers", NULL, keep_customers, show_rows, NULL, 0 }, BOTH, "", "", ONE_ROW " " DROPPED },
	{ { "CustomersCounted", NULL, keep_customers, show_number, NULL, 0 }, BOTH, "", "", ONE_ROW " " DROPPED },
	{ { "Enrolled", NULL, keep_enrolled, show_rows, NULL, 0 }, BOTH, "", "", ONE_ROW " " DROPPED },
	{ { "Firsts", NULL, keep_firsts, show_tally, NULL, 0 }, BOTH, "", "", ONE_ROW },
	{ { "Tally", NULL, keep_tally, show_tally, NULL, 0 }, BOTH, "", "", "" },
	{ { "TallyOfKinds", NULL, keep_tally_of_kinds, show_tally, NULL, 0 },
	  "effect/order effect/distinct",
	  "",
	  "",
	  "" },
	{ { "Alerts", NULL, keep_alerts, show_rows, NULL, 0 }, BOTH, "", "", DROPPED },
	{ { "Log", NULL, keep_all, show_distinct, NULL, 0 },
	  "effect/once effect/distinct effect/at-once effect/together crash",
	  "",
	  "",
	  "" },
	{ { "capture", NULL, keep_all, show_rows, NULL, 0 }, "crash", "", "", "" },
	{ { "Queue", NULL, keep_queued, show_rows, NULL, 0 },
	  "effect/once effect/distinct effect/at-once effect/together crash",
	  "",
	  "",
	  "" },
	{ { "Late", NULL, keep_late, show_rows, NULL, 0 },
	  "crash",
	  "crash/kill crash/stop",
	  "that got a 2xx were gone after",
	  "" },
	{ { "Flushed", NULL, keep_flushed, show_rows, NULL, 0 },
	  "crash",
	  "crash/kill crash/stop",
	  "that got a 2xx were gone after",
	  "" },
	{ { "MarkFirst", mark_first, keep_unless_known, show_rows, NULL, 100 * MS },
	  BOTH,
	  "crash/kill crash/stop",
	  "left nothing, though they came again and got a 2xx",
	  "effect/none" },
	{ { "WorkThenMark", NULL, keep_undone, show_rows, redo, 0 },
	  "crash",
	  "crash/kill crash/stop",
	  "were there twice",
	  "" },
	{ { "Memory", NULL, keep_valid, show_rows, forget, 0 },
	  BOTH,
	  "crash/restart",
	  "nothing survives a restart",
	  "" },
	{ { "LookThenInsert", look_first, keep_unless_known, show_rows, NULL, 0 },
	  "effect/once effect/at-once effect/together",
	  "effect/at-once",
	  "on 5 connections left",
	  "" },
	{ { "LookThenInsertCounted", look_first, keep_unless_known, show_number, NULL, 0 },
	  "effect/at-once",
	  "effect/at-once",
	  "each on 5 connections, made it grow by",
	  "" },
	{ { "Rewritten", read_all, write_all, show_rows, NULL, 0 },
	  "effect/once effect/at-once effect/together",
	  "effect/together",
	  "on 5 connections left nothing; one after the other each leaves its trace",
	  "" },
	{ { "RewrittenCounted", read_all, write_all, show_number, NULL, 0 },
	  "effect/together",
	  "effect/together",
	  "lost, or only not counted",
	  "" },
	{ { "KeyOfPath", NULL, keep_by_path, show_rows, NULL, 0 },
	  "effect/distinct",
	  "effect/distinct:credit-report-ordered effect/distinct:bureau-alert",
	  "left nothing",
	  ONE_ROW },
	{ { "KeyOfPathCounted", NULL, keep_by_path, show_number, NULL, 0 },
	  "effect/distinct",
	  "effect/distinct:credit-report-ordered effect/distinct:bureau-alert",
	  "the number did not grow by a second one of the same customer",
	  ONE_ROW },
	{ { "KeyOfService", NULL, keep_by_service, show_rows, NULL, 0 },
	  "effect/distinct",
	  "effect/distinct:credit-report-ordered effect/distinct:bureau-alert",
	  "left nothing",
	  ONE_ROW },
	{ { "KeepsAll", NULL, keep_all, show_rows, NULL, 0 },
	  "effect/once",
	  "effect/once:user-created effect/once:bureau-alert",
	  "sent twice it left 1 line more than once",
	  "effect/once:" },
	{ { "KeepsAllCounted", NULL, keep_all, show_number, NULL, 0 },
	  "effect/once",
	  "effect/once:user-created effect/once:bureau-alert",
	  "the number grew by 1",
	  "effect/once:" },
	{ { "KnownOnly", NULL, keep_of_known, show_rows, NULL, 0 },
	  "effect/order",
	  "effect/order:alert-unknown",
	  "left nothing",
	  "" },
	{ { "KeepsRefused", NULL, keep, show_rows, NULL, 0 },
	  "effect",
	  "effect/none",
	  "grew by 3 for refused payloads",
	  "" },
	{ { "Clashes", NULL, clash, show_rows, NULL, 0 },
	  "effect/once",
	  "effect/once:user-created",
	  "the repeat got 500",
	  "effect/once:" },
	{ { "Clashes", NULL, clash, show_rows, NULL, 0 },
	  "effect/at-once",
	  "effect/at-once",
	  "of one bureau-alert on 5 connections some got 500",
	  "" },
	{ { "Conflicts", NULL, conflict, show_rows, NULL, 0 }, "effect/once effect/at-once", "", "", "" },
	{ { "Last", NULL, keep_last, show_rows, NULL, 0 }, "effect/together", "", "", "" },
	{ { "Nothing", NULL, keep_nothing, show_rows, NULL, 0 }, BOTH, "", "", "" },
};
#define ROWS (sizeof rows / sizeof rows[0])

static struct keeper keeper;
static struct keeper_run found;
/* What a whole run of each takes; known from the first test on. */
static struct {
	unsigned long allocations;
	unsigned requests;
} wholes[ROWS];

/* Whether the row says that it may fail, too. */
static bool may_fail(const struct row *row, const struct probe_check *check)
{
	bool is_dropped = check->level == PROBE_SHOULD && strstr(check->result.reason, "and left no trace, while");
	return is_dropped ? strstr(row->also, DROPPED) != NULL : is_one_of(check->id, row->also);
}

static void check_row(const struct row *row)
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
static void check_counts(const struct row *row)
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

/* Plays all of it, with that many customers a round at most. */
static void check_whole(const struct row *row, unsigned customers_most)
{
	keeper_open(&keeper, &row->kind);
	keeper.customers_most = customers_most;
	keeper_play(&keeper, row->checks, true, &found);
	if (found.code < 0)
		fail_msg("%s: %s", row->kind.name, found.err.message);
	check_counts(row);
	check_row(row);
	assert_int_equal(found.summary.not_run, 0);
	keeper_run_release(&found);
}

TEST(test_each_is_found_by_the_right_check)
{
	for (size_t i = 0; i < ROWS; i++) {
		check_whole(&rows[i], 0);
		wholes[i].allocations = allocations;
		wholes[i].requests = keeper.requests;
	}
}

TEST(test_each_is_found_by_two_customers)
{
	for (size_t i = 0; i < ROWS; i++) {
		check_whole(&rows[i], 2);
		assert_true(keeper.requests <= wholes[i].requests);
	}
}

/* Of two customers, these lose none. */
TEST(test_what_is_lost_or_only_not_shown_takes_more_of_them)
{
	static const struct row wide[] = {
		{ { "Slots", NULL, keep_in_slots, show_rows, NULL, 0 },
		  "crash",
		  "crash/restart",
		  "are not seen, without a restart",
		  "" },
		{ { "SlotsTogether", NULL, keep_in_slots, show_rows, NULL, 0 },
		  "effect/together",
		  "effect/together",
		  "one after the other each leaves its trace, where their identifiers share nothing",
		  "" },
		{ { "Window", NULL, keep_valid, show_window, NULL, 0 },
		  "crash",
		  "crash/restart",
		  "they are lost, or your --observe shows a window",
		  "" },
		{ { "Seven", NULL, keep_seven, show_rows, NULL, 0 },
		  "crash",
		  "crash/restart",
		  "they are lost, or your --observe shows a window",
		  "" },
	};
	for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
		check_whole(&wide[i], 0);
}

/* Nothing is found that is not there, whatever came of the run. */
static void check_nothing_else(const struct row *row)
{
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_check *check = &found.plan.checks[i];
		bool is_known = is_one_of(check->id, row->fails) || may_fail(row, check) ||
		                (row->words[0] && strstr(check->result.reason, row->words)) ||
		                strstr(check->result.reason, "the listener ended");
		if (has_failed(check) && !is_known)
			fail_msg("%s: %s: %s", row->kind.name, check->id, check->result.reason);
	}
	check_counts(row);
}

/* One allocation fails: the run ends with that, or as it does else. What was found is handed over. */
static void check_without_memory(const struct row *row, unsigned long number)
{
	keeper_open(&keeper, &row->kind);
	fail_at = number; /* of the run */
	keeper_play(&keeper, row->checks, true, &found);
	if (found.code == 0) {
		check_row(row);
		check_counts(row);
	} else {
		assert_int_equal(found.err.code, EXIT_CODE_INTERNAL);
		assert_string_equal(found.err.message, "out of memory");
	}
	if (found.summary.stop == PROBE_BROKEN)
		check_nothing_else(row);
	keeper_run_release(&found);
}

#define TRIES 2

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

/* Every n-th allocation would take minutes: some of each, and all of short ones below. */
TEST(test_memory_may_run_out_in_each)
{
	for (size_t i = 0; i < ROWS; i++) {
		for (unsigned long n = 0; n < TRIES; n++)
			check_without_memory(&rows[i], 1 + i + n * (wholes[i].allocations - ROWS) / TRIES);
	}
}

TEST(test_memory_may_run_out_anywhere)
{
	static const struct row short_ones[] = {
		{ { "Store", NULL, keep_valid, show_rows, NULL, 0 }, "effect/once:bureau-alert", "", "", "" },
		{ { "Counted", NULL, keep_valid, show_number, NULL, 0 }, "effect/distinct:bureau-alert", "", "", "" },
		{ { "Nothing", NULL, keep_nothing, show_rows, NULL, 0 }, "effect/at-once", "", "", "" },
	};
	for (size_t i = 0; i < sizeof short_ones / sizeof short_ones[0]; i++) {
		unsigned long all = 1;
		for (unsigned long n = 0; n <= all; n++) {
			keeper_open(&keeper, &short_ones[i].kind);
			check_without_memory(&short_ones[i], n);
			all = n == 0 ? allocations : all;
		}
	}
}

/* Once, over no request in particular; it is started again. */
TEST(test_it_may_end_at_each_request)
{
	for (size_t i = 0; i < ROWS; i++) {
		unsigned step = wholes[i].requests / TRIES;
		for (unsigned n = 0; n < TRIES; n++) {
			keeper_open(&keeper, &rows[i].kind);
			keeper.dies_at = 1 + (unsigned)i % step + n * step;
			keeper_play(&keeper, rows[i].checks, true, &found);
			if (found.code < 0)
				fail_msg("%s: %s", rows[i].kind.name, found.err.message);
			check_nothing_else(&rows[i]);
			keeper_run_release(&found);
		}
	}
}
