/* What a run finds out about a listener that loses or mixes up what it has accepted, beside keeps_test.c: planted bugs,
 * and right ones that look like them. Each is a function. */
#include "keeper_run.h"
#include "sanitizers.h"
#include "test.h"

#include <stdlib.h>

static bool is_of(const struct visit *v, const char *service, const char *method)
{
	char text[BODY_SIZE];
	return strcmp(value_of(v->body, "service", text), service) == 0 &&
	       strcmp(value_of(v->body, "method", text), method) == 0;
}

static bool is_service(const struct visit *v)
{
	char path[BODY_SIZE];
	return strcmp(value_of(v->body, "path", path), "/api/monitoring/v2") == 0;
}

static int refuse_others(const struct visit *v)
{
	return strstr(v->body, "\"details\":{") || strstr(v->body, "\"details\": {") ? 200 : 400;
}

static int keep_valid(struct keeper *k, struct visit *v)
{
	return refuse_others(v) == 200 ? keep(k, v) : 400;
}

/* Replaces the entry with this key, or adds one. */
static void put(struct keeper *k, const char *key, const char *text)
{
	size_t length = strlen(key);
	char line[BODY_SIZE];
	snprintf(line, sizeof line, "%.160s|%.*s", key, BODY_SIZE - 170, text);
	for (size_t i = 0; i < k->count; i++)
		if (strncmp(k->kept[i].body, key, length) == 0 && k->kept[i].body[length] == '|') {
			memcpy(k->kept[i].body, line, sizeof line);
			return;
		}
	add(k, line, 0, true);
}

static void kind_of_body(const char *body, char out[128])
{
	char service[BODY_SIZE], method[BODY_SIZE], path[BODY_SIZE];
	snprintf(out, 128, "%.30s %.20s %.60s", value_of(body, "service", service), value_of(body, "method", method),
	         value_of(body, "path", path));
}

/* others: right ones. */

/* Of each kind the last one alone. */
static int keep_last_of_kinds(struct keeper *k, struct visit *v)
{
	char kind[128];
	kind_of_body(v->body, kind);
	put(k, kind, v->body);
	return 200;
}

#define WINDOW 12
static size_t window = WINDOW;

/* Shows the last of them. */
static void show_window(struct keeper *k, struct buffer *out)
{
	for (size_t i = k->count > window ? k->count - window : 0; i < k->count; i++)
		buffer_printf(out, "%s\n", k->kept[i].body);
}

/* Says of each new customer who came before. */
static void show_neighbours(struct keeper *k, struct buffer *out)
{
	char client[BODY_SIZE], before[BODY_SIZE];
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "mail to %s, before %s\n", value_of(k->kept[i].body, "clientKey", client),
		              value_of(k->kept[i + 1 < k->count ? i + 1 : i].body, "clientKey", before));
}

/* A document of each enrollmentCode, with all who have it. */
static int keep_members(struct keeper *k, struct visit *v)
{
	char code[BODY_SIZE], client[BODY_SIZE];
	value_of(v->body, "enrollmentCode", code);
	value_of(v->body, "clientKey", client);
	for (size_t i = 0; code[0] && i < k->count; i++) {
		char *body = k->kept[i].body;
		size_t length = strlen(body);
		if (strncmp(body, code, strlen(code)) != 0 || strstr(body, client))
			continue;
		if (length + 40 < BODY_SIZE) {
			snprintf(body + length, BODY_SIZE - length, " %.36s", client);
			return 200;
		}
	}
	if (code[0])
		put(k, code, client);
	return 200;
}

/* The newest come first, with their place; each customer's line says who is the newest. */
static void show_ranks(struct keeper *k, struct buffer *out)
{
	char client[BODY_SIZE];
	for (size_t i = k->count; i-- > 0;)
		buffer_printf(out, "%zu. %s%s\n", k->count - i, value_of(k->kept[i].body, "clientKey", client),
		              i + 1 == k->count ? " (newest)" : "");
}

static int keep_states(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], key[160];
	snprintf(key, sizeof key, "%.60s %d", value_of(v->body, "clientKey", client), is_service(v));
	put(k, key, !is_service(v) ? v->body : is_of(v, "monitoring", "post") ? "enrolled" : "cancelled");
	return 200;
}

/* others: wrong ones. */

/* What cancels a service forgets the customer in its WHERE. */
static int cancel_all(struct keeper *k, struct visit *v)
{
	char code[BODY_SIZE], client[BODY_SIZE], line[BODY_SIZE];
	value_of(v->body, "enrollmentCode", code);
	value_of(v->body, "clientKey", client);
	if (!is_service(v))
		return keep_valid(k, v);
	bool is_cancelled = is_of(v, "monitoring", "delete");
	for (size_t i = 0; is_cancelled && i < k->count; i++)
		if (strncmp(k->kept[i].body, code, strlen(code)) == 0)
			snprintf(strrchr(k->kept[i].body, '|'), 12, "|cancelled");
	snprintf(line, sizeof line, "%.60s|%.60s|%s", code, client, is_cancelled ? "cancelled" : "active");
	if (!find(k, line))
		add(k, line, 0, true);
	return 200;
}

/* The same, and they are deleted. */
static int delete_all(struct keeper *k, struct visit *v)
{
	char code[BODY_SIZE];
	size_t left = 0;
	value_of(v->body, "enrollmentCode", code);
	if (!is_service(v) || !is_of(v, "monitoring", "delete"))
		return keep_valid(k, v);
	for (size_t i = 0; i < k->count; i++)
		if (!strstr(k->kept[i].body, "/api/monitoring/v2\"") || !strstr(k->kept[i].body, code))
			k->kept[left++] = k->kept[i];
	k->count = left;
	return 200;
}

/* What takes something away forgets the customer in its WHERE: what had the same path is deleted. */
static int delete_path(struct keeper *k, struct visit *v)
{
	char path[BODY_SIZE], other[BODY_SIZE];
	size_t left = 0;
	if (refuse_others(v) != 200)
		return 400;
	value_of(v->body, "path", path);
	for (size_t i = 0; is_of(v, "monitoring", "delete") && i < k->count; i++)
		if (strcmp(value_of(k->kept[i].body, "path", other), path) != 0)
			k->kept[left++] = k->kept[i];
	k->count = is_of(v, "monitoring", "delete") ? left : k->count;
	return keep(k, v);
}

/* A row is known by what the customer's key begins with. */
static int keep_by_beginning(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], kind[128], key[160];
	if (refuse_others(v) != 200)
		return 400;
	kind_of_body(v->body, kind);
	snprintf(key, sizeof key, "%.8s %.100s", value_of(v->body, "clientKey", client), kind);
	put(k, key, v->body);
	return 200;
}

/* So is the row of a user alone. */
static int keep_users_by_beginning(struct keeper *k, struct visit *v)
{
	return is_of(v, "user", "post") ? keep_by_beginning(k, v) : keep_valid(k, v);
}

/* stays: wrong ones, and a right one, which removes what it is told to. */

/* Keeps it for ten seconds. */
static void show_fresh(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		if (k->kept[i].due_ns + 10 * CLOCK_NS_PER_S > k->now_ns)
			buffer_printf(out, "%s\n", k->kept[i].body);
}

/* The last hundred. */
static int keep_hundred(struct keeper *k, struct visit *v)
{
	int status = keep_valid(k, v);
	if (k->count > 100) {
		k->count--;
		memmove(k->kept, k->kept + 1, k->count * sizeof *k->kept);
	}
	return status;
}

static int keep_elements(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], path[BODY_SIZE], key[160];
	if (!is_of(v, "monitoring", "post") && !is_of(v, "monitoring", "delete"))
		return keep_valid(k, v);
	snprintf(key, sizeof key, "%.60s %.80s", value_of(v->body, "clientKey", client),
	         value_of(v->body, "path", path));
	if (is_of(v, "monitoring", "post")) {
		put(k, key, "active");
		return 200;
	}
	for (size_t i = 0; i < k->count; i++)
		if (strncmp(k->kept[i].body, key, strlen(key)) == 0)
			k->kept[i] = k->kept[--k->count];
	return 200;
}

/* Alerts for ten seconds, all else for good. */
static void show_fresh_alerts(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		if (!strstr(k->kept[i].body, "alertId") || k->kept[i].due_ns + 10 * CLOCK_NS_PER_S > k->now_ns)
			buffer_printf(out, "%s\n", k->kept[i].body);
}

/* distinct: a second alert of a customer takes the place of the first one. */
static int keep_last_alerts(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE];
	if (!strstr(v->body, "alertId") || refuse_others(v) != 200)
		return keep_valid(k, v);
	put(k, value_of(v->body, "clientKey", client), v->body);
	return 200;
}

/* again-after-restart: repeats are known in memory only; what is kept is a log, whose repeats are dropped when it is
 * read. */

static int keep_unless_remembered(struct keeper *k, struct visit *v)
{
	if (refuse_others(v) != 200)
		return 400;
	if (mark(k, v->body))
		add(k, v->body, 0, true);
	return 200;
}

static void forget_repeats(struct keeper *k)
{
	k->known_count = 0;
}

static int keep_all(struct keeper *k, struct visit *v)
{
	if (refuse_others(v) != 200)
		return 400;
	add(k, v->body, 0, true);
	return 200;
}

static void show_distinct(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		if (find(k, k->kept[i].body) == &k->kept[i])
			buffer_printf(out, "%s\n", k->kept[i].body);
}

static void forget_all(struct keeper *k)
{
	k->count = 0;
}

static int keep_and_count(struct keeper *k, struct visit *v)
{
	struct entry *e = find(k, v->body);
	if (!e)
		return keep_valid(k, v);
	e->times++;
	return 200;
}

static void show_times(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		buffer_printf(out, "%zu|%s|%u\n", i + 1, k->kept[i].body, k->kept[i].times);
}

/* value: what is dropped. */

static int drop_off_cycle(struct keeper *k, struct visit *v)
{
	char off_cycle[BODY_SIZE];
	return strcmp(value_of(v->body, "offCycle", off_cycle), "true") == 0 ? 200 : keep_valid(k, v);
}

static int drop_non_ascii(struct keeper *k, struct visit *v)
{
	for (const char *at = v->body; *at; at++)
		if ((unsigned char)*at >= 0x80)
			return 200;
	return keep_valid(k, v);
}

/* Reads the zip as a number, and swallows that it is none. */
static int drop_zip_4(struct keeper *k, struct visit *v)
{
	char zip[BODY_SIZE];
	return strchr(value_of(v->body, "zip", zip), '-') ? 200 : keep_valid(k, v);
}

static int refuse_non_ascii(struct keeper *k, struct visit *v)
{
	for (const char *at = v->body; *at; at++)
		if ((unsigned char)*at >= 0x80)
			return 422;
	return keep_valid(k, v);
}

/* One row a customer, with their name alone. */
static int keep_names(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], name[BODY_SIZE];
	if (is_of(v, "user", "post"))
		put(k, value_of(v->body, "clientKey", client), value_of(v->body, "firstName", name));
	return refuse_others(v);
}

/* together: what is kept has its place by a part of an identifier. */

static int keep_in_slots(struct keeper *k, struct visit *v)
{
	char id[BODY_SIZE], slot[40];
	if (!strstr(v->body, "alertId") || refuse_others(v) != 200)
		return keep_valid(k, v);
	value_of(v->body, "alertId", id);
	snprintf(slot, sizeof slot, "slot %.20s", strlen(id) > 2 ? id + strlen(id) - 2 : id);
	put(k, slot, v->body);
	return 200;
}

/* Of an alertId the last sixteen bits. */
static int keep_in_shorts(struct keeper *k, struct visit *v)
{
	char id[BODY_SIZE], slot[40];
	if (!strstr(v->body, "alertId") || refuse_others(v) != 200)
		return keep_valid(k, v);
	snprintf(slot, sizeof slot, "slot %llu", strtoull(value_of(v->body, "alertId", id), NULL, 10) & 0xffff);
	put(k, slot, v->body);
	return 200;
}

static int keep_in_places(struct keeper *k, struct visit *v)
{
	char id[BODY_SIZE], place[40];
	value_of(v->body, "reportKey", id);
	if (!id[0] || !strstr(v->body, "offCycle"))
		return keep_valid(k, v);
	snprintf(place, sizeof place, "report %.8s", id);
	put(k, place, v->body);
	return 200;
}

/* Its checks, those that have to fail (beginnings of ids), what is said of these, and those that may fail, too. */
struct row {
	struct keeper_kind kind;
	const char *checks, *fails, *words, *also;
};

#define ALL   "effect crash"
#define AGAIN "effect/again-after-restart"
#define VALUE "effect/value"
static const struct row rows[] = {
	{ { "Store", NULL, keep_valid, show_rows, NULL, 0 }, ALL, "", "", "" },
	{ { "States", NULL, keep_states, show_rows, NULL, 0 }, "effect/others", "", "", "" },
	{ { "LastOfKinds", NULL, keep_last_of_kinds, show_rows, NULL, 0 }, "effect/others", "", "", "" },
	{ { "Window", NULL, keep_valid, show_window, NULL, 0 }, "effect/others", "", "", "" },
	{ { "Neighbours", NULL, keep_valid, show_neighbours, NULL, 0 }, "effect/others", "", "", "" },
	{ { "Members", NULL, keep_members, show_rows, NULL, 0 }, "effect/others", "", "", "" },
	{ { "Ranks", NULL, keep_valid, show_ranks, NULL, 0 }, "effect/others", "", "", "" },
	{ { "CancelsAll", NULL, cancel_all, show_rows, NULL, 0 },
	  ALL,
	  "effect/others",
	  "of one customer changed or went when notifications of another one came",
	  "" },
	{ { "DeletesAll", NULL, delete_all, show_rows, NULL, 0 },
	  "effect/others",
	  "effect/others",
	  "of one customer changed or went when notifications of another one came",
	  "" },
	{ { "DeletesPath", NULL, delete_path, show_rows, NULL, 0 },
	  "effect/others",
	  "effect/others",
	  "of one customer changed or went when notifications of another one came",
	  "" },
	{ { "KeyOfEight", NULL, keep_by_beginning, show_rows, NULL, 0 },
	  "effect/others",
	  "effect/others",
	  "of one customer changed or went when notifications of another one came",
	  "" },
	{ { "KeyOfEight", NULL, keep_by_beginning, show_rows, NULL, 0 },
	  ALL,
	  "effect/others",
	  "of one customer changed or went when notifications of another one came",
	  "effect/ crash" },
	{ { "UsersOfEight", NULL, keep_users_by_beginning, show_rows, NULL, 0 },
	  "effect/others effect/at-once",
	  "effect/others",
	  "of one customer changed or went when notifications of another one came",
	  "effect/at-once" },
	{ { "Elements", NULL, keep_elements, show_rows, NULL, 0 }, "effect/stays effect/others crash", "", "", "" },
	{ { "States", NULL, keep_states, show_rows, NULL, 0 },
	  "effect/stays effect/distinct",
	  "",
	  "",
	  "effect/distinct" },
	{ { "TimeToLive", NULL, keep_valid, show_fresh, NULL, 0 },
	  "effect/stays effect/order effect/none crash",
	  "effect/stays",
	  "gone before the end of the run",
	  "crash" },
	{ { "AlertsExpire", NULL, keep_valid, show_fresh_alerts, NULL, 0 },
	  "effect/stays effect/order effect/none crash",
	  "effect/stays",
	  "of the 2 lines of a customer of bureau-alert 1 was gone before the end of the run",
	  "crash" },
	{ { "LastAlerts", NULL, keep_last_alerts, show_rows, NULL, 0 },
	  "effect/distinct effect/stays",
	  "effect/distinct:bureau-alert",
	  "a second one of the same customer came, and the first one was gone",
	  "" },
	{ { "Log", NULL, keep_all, show_distinct, NULL, 0 }, AGAIN " crash", "", "", "" },
	{ { "Counters", NULL, keep_and_count, show_times, NULL, 0 }, AGAIN " effect/once", "", "", "" },
	{ { "Counted", NULL, keep_valid, show_number, NULL, 0 }, AGAIN, "", "", "" },
	{ { "KeepsAll", NULL, keep_all, show_rows, NULL, 0 }, AGAIN, "", "", "" },
	{ { "Memory", NULL, keep_valid, show_rows, forget_all, 0 }, AGAIN, "", "", "" },
	{ { "MemoryKeys", NULL, keep_unless_remembered, show_rows, forget_repeats, 0 },
	  AGAIN,
	  AGAIN,
	  "1 line more",
	  "" },
	{ { "MemoryKeys", NULL, keep_unless_remembered, show_rows, forget_repeats, 0 },
	  ALL,
	  AGAIN,
	  "that came again after a restart left 1 line more; without a restart it leaves none",
	  "" },
	{ { "MemoryKeysCounted", NULL, keep_unless_remembered, show_number, forget_repeats, 0 },
	  AGAIN " crash/restart",
	  AGAIN,
	  "1 line more",
	  "" },
	{ { "Counted", NULL, keep_valid, show_number, NULL, 0 }, VALUE, "", "", "" },
	{ { "Names", NULL, keep_names, show_rows, NULL, 0 }, ALL, "", "", "effect/once: effect/distinct:" },
	{ { "KeyOfEight", NULL, keep_by_beginning, show_rows, NULL, 0 }, VALUE, "", "", "" },
	{ { "Last", NULL, keep_last_of_kinds, show_rows, NULL, 0 }, VALUE, "", "", "" },
	{ { "Window", NULL, keep_valid, show_window, NULL, 0 }, VALUE, "", "", "" },
	{ { "RefusesAccents", NULL, refuse_non_ascii, show_rows, NULL, 0 }, VALUE, "", "", "" },
	{ { "DropsOffCycle", NULL, drop_off_cycle, show_rows, NULL, 0 },
	  ALL,
	  VALUE ":credit-report-ordered:offCycle=true",
	  "credit-report-ordered with offCycle=true got a 2xx and left nothing; with another value it does",
	  "" },
	{ { "DropsOffCycleCounted", NULL, drop_off_cycle, show_number, NULL, 0 },
	  VALUE,
	  VALUE ":credit-report-ordered:offCycle=true",
	  "got a 2xx and left nothing",
	  "" },
	{ { "DropsZip4", NULL, drop_zip_4, show_rows, NULL, 0 },
	  VALUE,
	  VALUE ":user-created:zip=ZIP+4",
	  "user-created with zip=ZIP+4 got a 2xx and left nothing; with another value it does",
	  "" },
	{ { "DropsAccents", NULL, drop_non_ascii, show_rows, NULL, 0 },
	  VALUE,
	  VALUE ":user-created:firstName=accents " VALUE ":user-created:firstName=Chinese",
	  "got a 2xx and left nothing",
	  VALUE ":user-created:" },
	{ { "Window", NULL, keep_valid, show_window, NULL, 0 }, "effect/together", "", "", "" },
	{ { "Last", NULL, keep_last_of_kinds, show_rows, NULL, 0 }, "effect/together", "", "", "" },
	{ { "Slots", NULL, keep_in_slots, show_rows, NULL, 0 },
	  "effect/together " VALUE,
	  "effect/together",
	  "bureau-alert whose identifiers share digits left nothing; of as many that share none each leaves its trace",
	  "" },
	{ { "Shorts", NULL, keep_in_shorts, show_rows, NULL, 0 },
	  "effect/together " VALUE,
	  "effect/together",
	  "bureau-alert whose identifiers share digits left nothing; of as many that share none each leaves its trace",
	  "" },
	{ { "Places", NULL, keep_in_places, show_rows, NULL, 0 },
	  "effect/together",
	  "effect/together",
	  "of 10 credit-report-ordered",
	  "" },
	{ { "Hundred", NULL, keep_hundred, show_rows, NULL, 0 },
	  "effect crash",
	  "effect/stays",
	  "gone before the end of the run",
	  "" },
};
#define ROWS (sizeof rows / sizeof rows[0])

#define ONE_IN (IS_SANITIZED ? 9 : 1) /* rows, or tries of each */

static struct keeper keeper;
static struct keeper_run found;
/* What a whole run of each takes; known from the first test on. */
static struct {
	unsigned long allocations;
	unsigned requests;
} wholes[ROWS];

/* Nothing has failed but what may; with `all`, all that has to. */
static void check_row(const struct row *row, bool all)
{
	size_t wanted = 0, failed = 0;
	for (const char *at = row->fails; *at; at += strcspn(at, " "), at += strspn(at, " "))
		wanted++;
	for (size_t i = 0; i < found.plan.count; i++) {
		const struct probe_check *check = &found.plan.checks[i];
		const char *reason = check->result.reason;
		if (!has_failed(check) || (!all && strstr(reason, "the listener ended")))
			continue;
		bool is_wanted = is_one_of(check->id, row->fails);
		if ((!is_wanted && !is_one_of(check->id, row->also)) || (is_wanted && !strstr(reason, row->words)))
			fail_msg("%s: %s: %s", row->kind.name, check->id, reason);
		failed += is_wanted;
	}
	if (all && failed < wanted)
		fail_msg("%s: of '%s' %zu have failed", row->kind.name, row->fails, failed);
}

TEST(test_each_is_found_by_the_right_check)
{
	for (size_t i = 0; i < ROWS; i++) {
		keeper_open(&keeper, &rows[i].kind);
		keeper_play(&keeper, rows[i].checks, true, &found);
		if (found.code < 0)
			fail_msg("%s: %s", rows[i].kind.name, found.err.message);
		check_row(&rows[i], true);
		assert_int_equal(found.summary.not_run, 0);
		wholes[i].allocations = allocations;
		wholes[i].requests = keeper.requests;
		keeper_run_release(&found);
	}
}

/* Where each response takes long, what can be sent side by side is. */
TEST(test_so_is_each_that_is_slow)
{
	for (size_t i = 0; i < ROWS; i += ONE_IN) {
		keeper_open(&keeper, &rows[i].kind);
		keeper.takes_ns = 300 * MS;
		keeper_play(&keeper, rows[i].checks, true, &found);
		assert_int_equal(found.code, 0);
		check_row(&rows[i], true);
		keeper_run_release(&found);
	}
}

TEST(test_a_window_of_any_size_is_right)
{
	static const struct row right = {
		{ "Window", NULL, keep_valid, show_window, NULL, 0 }, "effect/others", "", "", ""
	};
	for (window = WINDOW; window < 4 * WINDOW; window += ONE_IN) {
		keeper_open(&keeper, &right.kind);
		keeper_play(&keeper, right.checks, true, &found);
		assert_int_equal(found.code, 0);
		check_row(&right, true);
		keeper_run_release(&found);
	}
	window = WINDOW;
}

#define TRIES 2

TEST(test_memory_may_run_out_in_each)
{
	for (size_t i = 0; i < ROWS * TRIES; i += ONE_IN) {
		const struct row *row = &rows[i / TRIES];
		keeper_open(&keeper, &row->kind);
		fail_at = 1 + i + i % TRIES * (wholes[i / TRIES].allocations / TRIES);
		keeper_play(&keeper, row->checks, true, &found);
		if (found.code < 0)
			assert_string_equal(found.err.message, "out of memory");
		if (found.code == 0 || found.summary.stop == PROBE_BROKEN)
			check_row(row, found.code == 0);
		keeper_run_release(&found);
	}
}

/* Once, over no request in particular; it is started again. */
TEST(test_it_may_end_at_each_request)
{
	for (size_t i = 0; i < ROWS * TRIES; i += ONE_IN) {
		const struct row *row = &rows[i / TRIES];
		unsigned step = wholes[i / TRIES].requests / TRIES;
		keeper_open(&keeper, &row->kind);
		keeper.dies_at = 1 + (unsigned)i % step + (unsigned)(i % TRIES) * step;
		keeper_play(&keeper, row->checks, true, &found);
		assert_int_equal(found.code, 0);
		check_row(row, false);
		keeper_run_release(&found);
	}
}
