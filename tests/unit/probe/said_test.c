/* What is said of a check by what the listener keeps: its reason, word for word, what is lost, and what to do where
 * that is not what its row says. */
#include "keeper_run.h"
#include "keeps_listeners.h"
#include "test.h"

static bool is_alert(const char *body)
{
	return strstr(body, "\"alertId\"");
}

/* A repeat is kept three times. */
static int keep_repeats_thrice(struct keeper *k, struct visit *v)
{
	bool is_known = find(k, v->body) != NULL;
	for (int i = 0; is_known && i < 2; i++)
		add(k, v->body, 0, true);
	return keep_all(k, v);
}

static int take_status_of_repeats(struct keeper *k, struct visit *v, int status)
{
	return find(k, v->body) ? status : keep(k, v);
}

static int be_busy_at_repeats(struct keeper *k, struct visit *v)
{
	return take_status_of_repeats(k, v, 503);
}

static int be_silent_at_repeats(struct keeper *k, struct visit *v)
{
	return take_status_of_repeats(k, v, 0);
}

static void show_counts(struct keeper *k, struct buffer *out)
{
	size_t times = 0;
	for (size_t i = 0; i < k->count; i++)
		times += k->kept[i].times;
	buffer_printf(out, "customers: %zu, deliveries: %zu\n", k->count, times);
}

/* A second alert of a customer takes the place of the first one. */
static int keep_last_alerts(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE];
	if (!is_alert(v->body))
		return keep_valid(k, v);
	keep_as(k, value_of(v->body, "clientKey", client), v->body);
	return 200;
}

static int refuse_second_alerts(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE];
	bool is_second = is_alert(v->body) && !find(k, v->body) && !mark(k, value_of(v->body, "clientKey", client));
	return is_second ? 422 : keep_valid(k, v);
}

static void mark_again(const char *body, char out[BODY_SIZE])
{
	snprintf(out, BODY_SIZE, "again %.*s", BODY_SIZE - 10, body);
}

static void mark_both(struct keeper *k, struct visit *v)
{
	char again[BODY_SIZE];
	mark_again(v->body, again);
	if (!mark(k, v->body))
		mark(k, again);
}

/* One that comes on several connections gets 409 on each. */
static int refuse_all_of_many(struct keeper *k, struct visit *v)
{
	char again[BODY_SIZE];
	mark_again(v->body, again);
	for (size_t i = 0; i < k->known_count; i++)
		if (strcmp(k->known[i], again) == 0)
			return 409;
	return keep_valid(k, v);
}

static void count_visit(struct keeper *k, struct visit *v)
{
	v->seen = k->requests;
}

static int refuse_non_ascii(struct keeper *k, struct visit *v)
{
	for (const char *at = v->body; *at; at++)
		if ((unsigned char)*at >= 0x80)
			return 422;
	return keep_valid(k, v);
}

static int drop_off_cycle(struct keeper *k, struct visit *v)
{
	char off_cycle[BODY_SIZE];
	return strcmp(value_of(v->body, "offCycle", off_cycle), "true") == 0 ? 200 : keep_valid(k, v);
}

static int keep_last_of_kinds(struct keeper *k, struct visit *v)
{
	char kind[128];
	kind_of_body(v->body, kind);
	keep_as(k, kind, v->body);
	return 200;
}

static int refuse_unknown(struct keeper *k, struct visit *v)
{
	size_t count = k->count;
	int status = keep_of_known(k, v);
	return is_alert(v->body) && k->count == count ? 404 : status;
}

/* What is removed of a customer is gone. */
static int keep_until_removed(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], path[BODY_SIZE], method[BODY_SIZE], name[160];
	if (strcmp(value_of(v->body, "method", method), "delete") != 0)
		return keep_valid(k, v);
	value_of(v->body, "clientKey", client);
	snprintf(name, sizeof name, "%.90s", value_of(v->body, "path", path));
	for (size_t i = 0; i < k->count; i++)
		if (strstr(k->kept[i].body, name) && strstr(k->kept[i].body, client))
			k->kept[i--] = k->kept[--k->count];
	return 200;
}

/* What had the same path is deleted. */
static int delete_path(struct keeper *k, struct visit *v)
{
	char path[BODY_SIZE], other[BODY_SIZE], method[BODY_SIZE];
	size_t left = 0;
	bool is_removal = strcmp(value_of(v->body, "method", method), "delete") == 0;
	value_of(v->body, "path", path);
	for (size_t i = 0; is_removal && i < k->count; i++)
		if (strcmp(value_of(k->kept[i].body, "path", other), path) != 0)
			k->kept[left++] = k->kept[i];
	k->count = is_removal ? left : k->count;
	return keep_valid(k, v);
}

/* What is cancelled of one customer is removed of all, with its elements. */
static int delete_all(struct keeper *k, struct visit *v)
{
	char method[BODY_SIZE];
	size_t left = 0;
	if (strcmp(value_of(v->body, "method", method), "delete") != 0)
		return keep_valid(k, v);
	for (size_t i = 0; i < k->count; i++)
		if (!strstr(k->kept[i].body, "/api/monitoring/v2"))
			k->kept[left++] = k->kept[i];
	k->count = left;
	return 200;
}

static void show_window(struct keeper *k, struct buffer *out)
{
	for (size_t i = k->count > 12 ? k->count - 12 : 0; i < k->count; i++)
		buffer_printf(out, "%s\n", k->kept[i].body);
}

static void show_fresh(struct keeper *k, struct buffer *out)
{
	for (size_t i = 0; i < k->count; i++)
		if (k->kept[i].due_ns + 5 * CLOCK_NS_PER_S > k->now_ns)
			buffer_printf(out, "%s\n", k->kept[i].body);
}

static int accept_all(struct keeper *k, struct visit *v)
{
	return keep_valid(k, v) == 200 ? 200 : 202;
}

static int keep_by_service_but_tokens(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "/authenticate/v2/authtoken\"") ? 200 : keep_by_service(k, v);
}

/* One for each digit at the place in an alertId, or for the digits from there on. */
static int keep_by_digits(struct keeper *k, struct visit *v, size_t from_end, int digits)
{
	char id[BODY_SIZE], name[16];
	value_of(v->body, "alertId", id);
	if (!id[0])
		return keep_valid(k, v);
	snprintf(name, sizeof name, "slot %.*s", digits, id + strlen(id) - from_end);
	keep_as(k, name, v->body);
	return 200;
}

static int keep_in_hundred_slots(struct keeper *k, struct visit *v)
{
	return keep_by_digits(k, v, 2, 2);
}

static int keep_in_ten_slots(struct keeper *k, struct visit *v)
{
	return keep_by_digits(k, v, 4, 1);
}

/* The last five are gone after a start. */
static void forget_five(struct keeper *k)
{
	k->count -= k->count > 5 ? 5 : k->count;
}

static int drop_seventh(struct keeper *k, struct visit *v)
{
	bool is_dropped = k->starts > 1 && k->requests % 7 == 0;
	return is_dropped ? 200 : keep_valid(k, v);
}

static int refuse_fifth(struct keeper *k, struct visit *v)
{
	return is_alert(v->body) && k->requests % 5 == 4 ? 422 : keep_valid(k, v);
}

/* As soon as two come at the same time. */
static int be_busy_in_crowd(struct keeper *k, struct visit *v)
{
	return v->seen != k->requests && is_alert(v->body) ? 503 : keep_valid(k, v);
}

/* A second line of each, a moment later. */
static int keep_and_mail_late(struct keeper *k, struct visit *v)
{
	char line[BODY_SIZE];
	if (find(k, v->body))
		return 200;
	keep_valid(k, v);
	snprintf(line, sizeof line, "mail %.*s", BODY_SIZE - 10, v->body);
	add(k, line, 60 * MS, true);
	return 200;
}

/* Alerts as they came, of others whom they are about and of what kind they are. */
static void show_alerts_whole(struct keeper *k, struct buffer *out)
{
	char client[BODY_SIZE], kind[128];
	for (size_t i = 0; i < k->count; i++) {
		kind_of_body(k->kept[i].body, kind);
		if (is_alert(k->kept[i].body))
			buffer_printf(out, "%s\n", k->kept[i].body);
		else
			buffer_printf(out, "%s %s\n", value_of(k->kept[i].body, "clientKey", client), kind);
	}
}

static int keep_users(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "\"service\":\"user\"") ? keep_valid(k, v) : 200;
}

/* One alert of a customer, with a second line a moment later. */
static int keep_first_alerts_and_mail_late(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE], line[BODY_SIZE];
	if (!is_alert(v->body))
		return keep_valid(k, v);
	snprintf(line, sizeof line, "mail %.*s", BODY_SIZE - 10, v->body);
	if (mark(k, value_of(v->body, "clientKey", client))) {
		add(k, v->body, 0, true);
		add(k, line, 5 * MS, true);
	}
	return 200;
}

/* Of alerts that of one customer, as often as it comes. */
static int keep_all_of_one(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE];
	if (!is_alert(v->body))
		return keep_valid(k, v);
	value_of(v->body, "clientKey", client);
	for (size_t i = 0; i < k->count; i++)
		if (is_alert(k->kept[i].body) && !strstr(k->kept[i].body, client))
			return 422;
	return keep_all(k, v);
}

/* Two are gone at the third of three rounds, and in another one behind that. */
static void forget_two_late(struct keeper *k)
{
	k->count -= k->starts == 5 || k->starts == 7 ? 2 : 0;
}

static void forget_two_once(struct keeper *k)
{
	k->count -= k->starts == 5 ? 2 : 0;
}

/* Does the last two again at a start. */
static void double_two(struct keeper *k)
{
	for (size_t i = k->count - 2, end = k->count; i < end; i++)
		add(k, k->kept[i].body, 0, true);
}

static void double_once(struct keeper *k)
{
	if (k->starts == 3)
		double_two(k);
}

static void double_at_two_kills(struct keeper *k)
{
	if (k->starts == 3 || k->starts == 4)
		double_two(k);
}

static void double_at_a_kill_and_a_stop(struct keeper *k)
{
	if (k->starts == 3 || k->starts == 6)
		double_two(k);
}

/* Repeats of the alerts of one customer in three are refused. */
static int clash_with_some(struct keeper *k, struct visit *v)
{
	char client[BODY_SIZE];
	size_t at = 0;
	if (!is_alert(v->body))
		return keep_valid(k, v);
	mark(k, value_of(v->body, "clientKey", client));
	while (strcmp(k->known[at], client) != 0)
		at++;
	return at % 3 == 1 ? clash(k, v) : keep_valid(k, v);
}

struct said {
	const char *check;
	enum grade verdict;
	enum probe_level level;
	const char *reason, *lost, *fix; /* NULL: nothing; its row's, where it is about something to do */
	bool is_double;
	const char *part_of; /* NULL: nothing */
};

struct row {
	struct keeper_kind kind;
	const char *checks;
	struct said said[7]; /* up to one without a check */
};

static const struct row rows[] = {
	{ { "KeepsAllCounted", NULL, keep_all, show_number, NULL, 0 },
	  "effect/once:user-created effect/once:monitoring-service-enrolled",
	  { { "effect/once:user-created", GRADE_FAIL, PROBE_MUST,
	      "the number grew by 1 for one, and by 1 when the same came again", NULL, NULL, true, NULL },
	    { "effect/once:monitoring-service-enrolled", GRADE_WARN, PROBE_SHOULD,
	      "the number grew by 1 for one, and by 1 when the same came again; two alike may be two, as payloads have "
	      "no id",
	      NULL, NULL, true, NULL } } },
	{ { "KeepsThrice", NULL, keep_repeats_thrice, show_rows, NULL, 0 },
	  "effect/once:user-created effect/once:monitoring-service-enrolled",
	  { { "effect/once:user-created", GRADE_FAIL, PROBE_MUST, "sent twice it left 3 lines more than once", NULL,
	      NULL, true, NULL },
	    { "effect/once:monitoring-service-enrolled", GRADE_WARN, PROBE_SHOULD,
	      "sent twice it left 3 lines more than once; two alike may be two, as payloads have no id", NULL, NULL,
	      true, NULL } } },
	{ { "KeepsAll", NULL, keep_all, show_rows, NULL, 0 },
	  "effect/once effect/again-after-restart",
	  { { "effect/again-after-restart", GRADE_SKIP, PROBE_MUST,
	      "no event to try leaves a line when it comes, and none when it comes again", NULL, NULL, false,
	      NULL } } },
	{ { "Clashes", NULL, clash, show_rows, NULL, 0 },
	  "effect/once:user-created",
	  { { "effect/once:user-created", GRADE_FAIL, PROBE_MUST, "the repeat got 500",
	      "EVENT is refused when it comes twice", NULL, false, NULL } } },
	{ { "Conflicts", NULL, conflict, show_rows, NULL, 0 },
	  "effect/once:user-created",
	  { { "effect/once:user-created", GRADE_WARN, PROBE_MUST, "the repeat got 409",
	      "EVENT is refused when it comes twice", NULL, false, NULL } } },
	{ { "BusyAtRepeats", NULL, be_busy_at_repeats, show_rows, NULL, 0 },
	  "effect/once:user-created",
	  { { "effect/once:user-created", GRADE_SKIP, PROBE_MUST, "the repeat got 503",
	      "EVENT is refused when it comes twice", NULL, false, NULL } } },
	{ { "SilentAtRepeats", NULL, be_silent_at_repeats, show_rows, NULL, 0 },
	  "effect/once:user-created",
	  { { "effect/once:user-created", GRADE_SKIP, PROBE_MUST, "the repeat got no response",
	      "EVENT is refused when it comes twice", NULL, false, NULL } } },
	{ { "Counters", NULL, keep_and_count, show_times, NULL, 0 },
	  "effect/once:user-created",
	  { { "effect/once:user-created", GRADE_WARN, PROBE_MUST,
	      "a number in the customer's lines changed, as a counter of deliveries may; a balance or a sum must not",
	      "EVENT is counted again when it comes twice", NULL, true, NULL } } },
	{ { "Counts", NULL, keep_and_count, show_counts, NULL, 0 },
	  "effect/once:user-created",
	  { { "effect/once:user-created", GRADE_WARN, PROBE_MUST,
	      "a number in what is kept changed, as a counter of deliveries may; a balance or a sum must not",
	      "EVENT is counted again when it comes twice", NULL, true, NULL } } },
	{ { "LastAlerts", NULL, keep_last_alerts, show_rows, NULL, 0 },
	  "effect/distinct:bureau-alert",
	  { { "effect/distinct:bureau-alert", GRADE_WARN, PROBE_SHOULD,
	      "a second one of the same customer came, and the first one was gone", NULL,
	      "right if you keep only the last one; if you keep all, the key of what is kept has to take in "
	      "alertId",
	      false, NULL } } },
	{ { "KeyOfPath", NULL, keep_by_path, show_rows, NULL, 0 },
	  "effect/distinct:monitoring-service-enrolled effect/distinct:authentication-failed",
	  { { "effect/distinct:authentication-failed", GRADE_SKIP, PROBE_MUST,
	      "it leaves no trace in what --observe prints", NULL, NULL, false, NULL },
	    { "effect/distinct:monitoring-service-enrolled", GRADE_FAIL, PROBE_MUST,
	      "a second one of the same customer left nothing", NULL,
	      "the two differ in enrollmentCode: what recognizes a repeat has to take it in", false, NULL } } },
	{ { "KeyOfPathCounted", NULL, keep_by_path, show_number, NULL, 0 },
	  "effect/distinct:bureau-alert",
	  { { "effect/distinct:bureau-alert", GRADE_WARN, PROBE_SHOULD,
	      "the number did not grow by a second one of the same customer", NULL,
	      "right if you keep only one state a customer; if you keep notifications, the key of repeats has to take "
	      "in alertId",
	      false, NULL } } },
	{ { "Firsts", NULL, keep_firsts, show_tally, NULL, 0 },
	  "effect/distinct:monitored-element-added/bankaccount",
	  { { "effect/distinct:monitored-element-added/bankaccount", GRADE_WARN, PROBE_SHOULD,
	      "a second one of the same customer only changed a number", NULL,
	      "right if you keep only their number; if you keep notifications, the key of repeats has to take in the "
	      "element",
	      false, NULL } } },
	{ { "Enrolled", NULL, keep_enrolled, show_rows, NULL, 0 },
	  "effect/distinct:monitoring-service-enrolled",
	  { { "effect/distinct:monitoring-service-enrolled", GRADE_WARN, PROBE_SHOULD,
	      "your observation shows one state a customer", NULL,
	      "right if you keep only that; if you keep notifications, the key of repeats has to take in "
	      "enrollmentCode",
	      false, NULL } } },
	{ { "RefusesSecondAlerts", NULL, refuse_second_alerts, show_rows, NULL, 0 },
	  "effect/distinct:bureau-alert",
	  { { "effect/distinct:bureau-alert", GRADE_SKIP, PROBE_MUST, "a second one of the same customer got 422", NULL,
	      NULL, false, NULL } } },
	{ { "LookThenInsert", look_first, keep_unless_known, show_rows, NULL, 0 },
	  "effect/at-once",
	  { { "effect/at-once", GRADE_FAIL, PROBE_MUST, "one bureau-alert on 5 connections left 5 lines; alone 1",
	      "what comes twice at the same time is kept twice", NULL, true, NULL } } },
	{ { "LookThenInsertCounted", look_first, keep_unless_known, show_number, NULL, 0 },
	  "effect/at-once",
	  { { "effect/at-once", GRADE_FAIL, PROBE_MUST,
	      "3 bureau-alert, each on 5 connections, made it grow by 15, not by 3",
	      "what comes twice at the same time is kept twice", NULL, true, NULL } } },
	{ { "Clashes", NULL, clash, show_rows, NULL, 0 },
	  "effect/at-once",
	  { { "effect/at-once", GRADE_FAIL, PROBE_MUST, "of one bureau-alert on 5 connections some got 500",
	      "what comes twice at the same time is refused", NULL, false, NULL } } },
	{ { "RefusesCrowd", mark_both, refuse_all_of_many, show_rows, NULL, 0 },
	  "effect/at-once",
	  { { "effect/at-once", GRADE_FAIL, PROBE_MUST, "of one bureau-alert on 5 connections none got a 2xx, but 409",
	      "what comes twice at the same time is refused", NULL, false, NULL } } },
	{ { "Rewritten", read_all, write_all, show_rows, NULL, 0 },
	  "effect/together",
	  { { "effect/together", GRADE_FAIL, PROBE_MUST,
	      "8 of 10 user-created that got a 2xx on 5 connections left nothing; one after the other each leaves its "
	      "trace, where their identifiers share nothing",
	      NULL, NULL, false, NULL } } },
	{ { "RewrittenCounted", read_all, write_all, show_number, NULL, 0 },
	  "effect/together",
	  { { "effect/together", GRADE_WARN, PROBE_SHOULD,
	      "of 10 user-created that got a 2xx on 5 connections it shows 2, one after the other all: the others are "
	      "lost, or only not counted",
	      "some of what comes at the same time is lost, or only not counted", NULL, false, NULL } } },
	{ { "Last", NULL, keep_last, show_rows, NULL, 0 },
	  "effect/together",
	  { { "effect/together", GRADE_SKIP, PROBE_MUST,
	      "one after the other, too, not every user-created that got a 2xx is seen", NULL, NULL, false, NULL } } },
	{ { "HundredSlots", NULL, keep_in_hundred_slots, show_rows, NULL, 0 },
	  "effect/together",
	  { { "effect/together", GRADE_FAIL, PROBE_MUST,
	      "4 of 10 bureau-alert whose identifiers share digits left nothing; of as many that share none each "
	      "leaves its trace",
	      "some of what has an identifier like another one's is lost",
	      "the place of what is kept has to come from the whole identifier, not from some of its digits", false,
	      NULL } } },
	{ { "Counts", NULL, keep_and_count, show_counts, NULL, 0 },
	  "effect/together effect/at-once effect/order effect/others effect/stays effect/differs:zip "
	  "effect/value:user-created:zip=02134",
	  { { "effect/at-once", GRADE_SKIP, PROBE_MUST,
	      "no event to try leaves a line when it comes, and none when it comes again", NULL, NULL, false, NULL },
	    { "effect/together", GRADE_SKIP, PROBE_MUST, "no event to try leaves lines that can be looked for", NULL,
	      NULL, false, NULL },
	    { "effect/differs:zip", GRADE_SKIP, PROBE_SHOULD, "user-created leaves no line that names its customer",
	      NULL, NULL, false, NULL },
	    { "effect/order:removed-before-added", GRADE_SKIP, PROBE_NOTE,
	      "of monitored-element-removed: it changes only a number", NULL, NULL, false, NULL },
	    { "effect/others", GRADE_SKIP, PROBE_MUST, "no line of what --observe prints names a customer", NULL, NULL,
	      false, NULL },
	    { "effect/stays", GRADE_SKIP, PROBE_SHOULD, "no notification leaves a line that names its customer", NULL,
	      NULL, false, NULL } } },
	{ { "RefusesAccents", NULL, refuse_non_ascii, show_rows, NULL, 0 },
	  "effect/value:user-created:firstName=accents effect/differs:firstName",
	  { { "effect/value:user-created:firstName=accents", GRADE_SKIP, PROBE_MUST, "it got 422", NULL, NULL, false,
	      NULL },
	    { "effect/differs:firstName", GRADE_SKIP, PROBE_NOTE, "it got 422", NULL, NULL, false, NULL } } },
	{ { "Last", NULL, keep_last_of_kinds, show_rows, NULL, 0 },
	  "effect/value:user-created:firstName=accents",
	  { { "effect/value:user-created:firstName=accents", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL } } },
	{ { "DropsOffCycle", NULL, drop_off_cycle, show_rows, NULL, 0 },
	  "effect/value:credit-report-ordered effect/differs:offCycle",
	  { { "effect/value:credit-report-ordered:offCycle=true", GRADE_WARN, PROBE_SHOULD,
	      "credit-report-ordered with offCycle=true got a 2xx and left nothing; with another value it does", NULL,
	      NULL, false, NULL },
	    { "effect/differs:offCycle", GRADE_SKIP, PROBE_NOTE, "no line names one customer alone", NULL, NULL, false,
	      NULL } } },
	{ { "DropsOffCycleCounted", NULL, drop_off_cycle, show_number, NULL, 0 },
	  "effect/value:credit-report-ordered",
	  { { "effect/value:credit-report-ordered:offCycle=true", GRADE_WARN, PROBE_SHOULD,
	      "credit-report-ordered with offCycle=true got a 2xx and left nothing; with another value it does", NULL,
	      NULL, false, NULL } } },
	{ { "KnownOnly", NULL, keep_of_known, show_rows, NULL, 0 },
	  "effect/order:alert-unknown",
	  { { "effect/order:alert-unknown", GRADE_WARN, PROBE_SHOULD,
	      "it got 200 and left nothing; in the usual order it does", NULL, NULL, false, NULL } } },
	{ { "RefusesUnknown", NULL, refuse_unknown, show_rows, NULL, 0 },
	  "effect/order:alert-unknown",
	  { { "effect/order:alert-unknown", GRADE_SKIP, PROBE_SHOULD, "it got 404", NULL, NULL, false, NULL } } },
	{ { "UntilRemoved", NULL, keep_until_removed, show_rows, NULL, 0 },
	  "effect/order",
	  { { "effect/order:removed-before-added", GRADE_SKIP, PROBE_NOTE,
	      "of monitored-element-removed: it leaves no trace", NULL, NULL, false, NULL },
	    { "effect/order:cancelled-before-enrolled", GRADE_NOTE, PROBE_NOTE,
	      "the end depends on the order in which the two come", NULL, NULL, false, NULL } } },
	{ { "Hashes", NULL, keep_valid, show_hashes, NULL, 0 },
	  "effect/order:removed-before-added",
	  { { "effect/order:removed-before-added", GRADE_SKIP, PROBE_NOTE,
	      "of monitored-element-removed: the lines that it changes name no customer", NULL, NULL, false, NULL } } },
	{ { "Counted", NULL, keep_valid, show_number, NULL, 0 },
	  "effect/order:removed-before-added",
	  { { "effect/order:removed-before-added", GRADE_SKIP, PROBE_NOTE,
	      "of monitored-element-removed: what --observe prints is a number", NULL, NULL, false, NULL } } },
	{ { "Alerts", NULL, keep_alerts, show_rows, NULL, 0 },
	  "effect/order:report-unknown effect/value:user-created:zip=02134",
	  { { "effect/value:user-created:zip=02134", GRADE_SKIP, PROBE_SHOULD,
	      "user-created leaves no lines that can be looked for", NULL, NULL, false, NULL },
	    { "effect/order:report-unknown", GRADE_SKIP, PROBE_SHOULD,
	      "credit-report-retrieved leaves no trace in the usual order", NULL, NULL, false, NULL } } },
	{ { "DeletesAll", NULL, delete_all, show_rows, NULL, 0 },
	  "effect/others",
	  { { "effect/others", GRADE_FAIL, PROBE_MUST,
	      "2 lines of one customer changed or went when notifications of another one came", NULL, NULL, false,
	      NULL } } },
	{ { "DeletesPath", NULL, delete_path, show_rows, NULL, 0 },
	  "effect/others",
	  { { "effect/others", GRADE_FAIL, PROBE_MUST,
	      "1 line of one customer changed or went when notifications of another one came", NULL, NULL, false,
	      NULL } } },
	{ { "LastOfKinds", NULL, keep_last_of_kinds, show_rows, NULL, 0 },
	  "effect/others",
	  { { "effect/others", GRADE_SKIP, PROBE_MUST,
	      "the same happens to customers who share nothing: only what came last may be kept, or shown", NULL, NULL,
	      false, NULL } } },
	{ { "Window", NULL, keep_valid, show_window, NULL, 0 },
	  "effect/others",
	  { { "effect/others", GRADE_SKIP, PROBE_MUST,
	      "the same happens to customers who share nothing: only what came last may be kept, or shown", NULL, NULL,
	      false, NULL } } },
	{ { "Fresh", NULL, keep_valid, show_fresh, NULL, 0 },
	  "effect/stays effect/order effect/none effect/once",
	  { { "effect/stays", GRADE_WARN, PROBE_SHOULD, "what user-created had left was gone before the end of the run",
	      NULL, NULL, false, NULL } } },
	{ { "KeepsRefused", NULL, keep, show_rows, NULL, 0 },
	  "effect/none",
	  { { "effect/none", GRADE_WARN, PROBE_SHOULD,
	      "what is kept grew by 3 for refused payloads: right only if these are kept on purpose", NULL, NULL, false,
	      NULL } } },
	{ { "KeepsRefusedCounted", NULL, keep, show_number, NULL, 0 },
	  "effect/none",
	  { { "effect/none", GRADE_WARN, PROBE_SHOULD,
	      "the number grew by 3 for refused payloads: right only if these are kept on purpose", NULL, NULL, false,
	      NULL } } },
	{ { "AcceptsAll", NULL, accept_all, show_rows, NULL, 0 },
	  "effect/none",
	  { { "effect/none", GRADE_SKIP, PROBE_SHOULD, "the listener accepts invalid payloads", NULL, NULL, false,
	      NULL } } },
	{ { "Coarse", NULL, keep_by_service_but_tokens, show_rows, NULL, 0 },
	  "effect/once effect/distinct",
	  { { "effect/once:authentication-token-generated", GRADE_WARN, PROBE_SHOULD,
	      "it got a 2xx and left no trace, while other events leave one", "EVENT is not kept, or not seen",
	      "right if you do not keep it, or --observe does not show it; otherwise it is lost behind its 2xx", false,
	      NULL },
	    { "effect/once:credit-report-ordered", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL },
	    { "effect/once:authentication-failed", GRADE_FAIL, PROBE_MUST,
	      "behind what came before it of the same customer it left nothing; alone it leaves a trace",
	      "what a customer gets second is lost behind a 2xx",
	      "what recognizes a repeat has to take in all that tells two apart", false,
	      "effect/distinct:authentication-question-retrieval-failed" } } },
	{ { "CoarseUnshown", NULL, keep_by_service, show_alerts_whole, NULL, 0 },
	  "effect/once effect/distinct",
	  { { "effect/distinct:bureau-alert", GRADE_FAIL, PROBE_MUST, "a second one of the same customer left nothing",
	      NULL, "the two differ in alertId: what recognizes a repeat has to take it in", false, NULL },
	    { "effect/once:authentication-failed", GRADE_WARN, PROBE_SHOULD,
	      "it got a 2xx and left no trace, while other events leave one", "EVENT is not kept, or not seen",
	      "right if you do not keep it, or --observe does not show it; otherwise it is lost behind its 2xx", false,
	      NULL } } },
	{ { "FirstAlertsMailLate", NULL, keep_first_alerts_and_mail_late, show_rows, NULL, 0 },
	  "effect/distinct",
	  { { "effect/distinct:bureau-alert", GRADE_FAIL, PROBE_MUST, "a second one of the same customer left nothing",
	      NULL, "the two differ in alertId: what recognizes a repeat has to take it in", false, NULL } } },
	{ { "AlertsOfOne", NULL, keep_all_of_one, show_rows, NULL, 0 },
	  "effect/once:bureau-alert",
	  { { "effect/once:bureau-alert", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL } } },
	{ { "MailsLate", NULL, keep_and_mail_late, show_rows, NULL, 0 },
	  "effect/at-once effect/order",
	  { { "effect/at-once", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL } } },
	{ { "Users", NULL, keep_users, show_rows, NULL, 0 },
	  "effect/together",
	  { { "effect/together", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL } } },
	{ { "Memory", NULL, keep_valid, show_rows, forget, 0 },
	  "crash",
	  { { "crash/restart", GRADE_FAIL, PROBE_MUST,
	      "no bureau-alert survives a restart: it is kept in memory, or COMMAND empties it", NULL, NULL, false,
	      NULL },
	    { "crash/kill", GRADE_SKIP, PROBE_MUST, "what is kept does not survive a quiet restart", NULL, NULL, false,
	      NULL },
	    { "crash/stop", GRADE_SKIP, PROBE_MUST, "what is kept does not survive a quiet restart", NULL, NULL, false,
	      NULL } } },
	{ { "HalfMemory", NULL, keep_valid, show_rows, forget_five, 0 },
	  "crash",
	  { { "crash/restart", GRADE_FAIL, PROBE_MUST, "5 of 20 were gone after a restart, though nothing was sent",
	      NULL, NULL, false, NULL },
	    { "crash/kill", GRADE_SKIP, PROBE_MUST, "what is kept does not survive a quiet restart", NULL, NULL, false,
	      NULL },
	    { "crash/stop", GRADE_SKIP, PROBE_MUST, "what is kept does not survive a quiet restart", NULL, NULL, false,
	      NULL } } },
	{ { "Late", NULL, keep_late, show_rows, NULL, 0 },
	  "crash",
	  { { "crash/restart", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL },
	    { "crash/kill", GRADE_FAIL, PROBE_MUST, "15 of the 15 that got a 2xx were gone after kill -9 and a restart",
	      NULL, NULL, false, NULL },
	    { "crash/stop", GRADE_FAIL, PROBE_MUST, "10 of the 10 that got a 2xx were gone after SIGTERM and a restart",
	      NULL, NULL, false, "crash/kill" } } },
	{ { "MarkFirst", mark_first, keep_unless_known, show_rows, NULL, 100 * MS },
	  "crash",
	  { { "crash/restart", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL },
	    { "crash/kill", GRADE_FAIL, PROBE_MUST,
	      "1 of the 5 that got no response before kill -9 left nothing, though they came again and got a 2xx",
	      "what comes again after an end is lost behind a 2xx",
	      "store a notification and what recognizes its repeat in one transaction", false, NULL },
	    { "crash/stop", GRADE_FAIL, PROBE_MUST,
	      "1 of the 11 that got no response before SIGTERM left nothing, though they came again and got a 2xx",
	      "what comes again after an end is lost behind a 2xx",
	      "store a notification and what recognizes its repeat in one transaction", false, "crash/kill" } } },
	{ { "LosesLate", NULL, keep_valid, show_rows, forget_two_late, 0 },
	  "crash/kill",
	  { { "crash/kill", GRADE_FAIL, PROBE_MUST, "2 of the 6 that got a 2xx were gone after kill -9 and a restart",
	      NULL, NULL, false, NULL } } },
	{ { "LosesOnce", NULL, keep_valid, show_rows, forget_two_once, 0 },
	  "crash/kill",
	  { { "crash/kill", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL } } },
	{ { "WorkThenMark", NULL, keep_undone, show_rows, redo, 0 },
	  "crash",
	  { { "crash/restart", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL },
	    { "crash/kill", GRADE_FAIL, PROBE_MUST,
	      "25 of the 25 that got no response before kill -9 were there twice when they had come again",
	      "what comes again after an end is kept twice",
	      "store a notification and what recognizes its repeat in one transaction", true, NULL },
	    { "crash/stop", GRADE_FAIL, PROBE_MUST,
	      "21 of the 29 that got no response before SIGTERM were there twice when they had come again",
	      "what comes again after an end is kept twice",
	      "store a notification and what recognizes its repeat in one transaction", true, "crash/kill" } } },
	{ { "DoublesOnce", NULL, keep_valid, show_rows, double_once, 0 },
	  "crash",
	  { { "crash/kill", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL },
	    { "crash/stop", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL } } },
	{ { "DoublesAtTwoKills", NULL, keep_valid, show_rows, double_at_two_kills, 0 },
	  "crash",
	  { { "crash/kill", GRADE_FAIL, PROBE_MUST,
	      "4 of the 35 that got a 2xx were there twice after kill -9 and a restart",
	      "what had its 2xx before an end is kept twice", "do the work and mark it done in one transaction", true,
	      NULL },
	    { "crash/stop", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL } } },
	{ { "DoublesAtBoth", NULL, keep_valid, show_rows, double_at_a_kill_and_a_stop, 0 },
	  "crash",
	  { { "crash/kill", GRADE_FAIL, PROBE_MUST,
	      "2 of the 35 that got a 2xx were there twice after kill -9 and a restart",
	      "what had its 2xx before an end is kept twice", "do the work and mark it done in one transaction", true,
	      NULL },
	    { "crash/stop", GRADE_FAIL, PROBE_MUST,
	      "2 of the 31 that got a 2xx were there twice after SIGTERM and a restart",
	      "what had its 2xx before an end is kept twice", "do the work and mark it done in one transaction", true,
	      "crash/kill" } } },
	{ { "DropsSeventh", NULL, drop_seventh, show_rows, NULL, 0 },
	  "crash/kill",
	  { { "crash/kill", GRADE_FAIL, PROBE_MUST,
	      "3 of the 15 that got a 2xx are not there after kill -9 and a restart, nor are 3 of the 20 that came "
	      "later, when nothing was ended",
	      "some of what comes after a restart is lost behind a 2xx",
	      "see what the listener does after a start: it responds with 2xx, and does not store it", false,
	      NULL } } },
	{ { "ClashesWithSome", NULL, clash_with_some, show_rows, NULL, 0 },
	  "effect/at-once",
	  { { "effect/at-once", GRADE_FAIL, PROBE_MUST, "of one bureau-alert on 5 connections some got 500",
	      "what comes twice at the same time is refused", NULL, false, NULL } } },
	{ { "Conflicts", NULL, conflict, show_rows, NULL, 0 },
	  "effect/once effect/again-after-restart",
	  { { "effect/again-after-restart", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL } } },
	{ { "DropsSeventh", NULL, drop_seventh, show_rows, NULL, 0 },
	  "crash",
	  { { "crash/restart", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL },
	    { "crash/kill", GRADE_FAIL, PROBE_MUST,
	      "2 of the 15 that got a 2xx are not there after kill -9 and a restart, nor are 2 of the 20 that came "
	      "later, when nothing was ended",
	      "some of what comes after a restart is lost behind a 2xx",
	      "see what the listener does after a start: it responds with 2xx, and does not store it", false, NULL },
	    { "crash/stop", GRADE_FAIL, PROBE_MUST,
	      "2 of the 10 that got a 2xx are not there after SIGTERM and a restart, nor are 2 of the 20 that came "
	      "later, when nothing was ended",
	      "some of what comes after a restart is lost behind a 2xx",
	      "see what the listener does after a start: it responds with 2xx, and does not store it", false,
	      "crash/kill" } } },
	{ { "TenSlots", NULL, keep_in_ten_slots, show_rows, NULL, 0 },
	  "crash",
	  { { "crash/restart", GRADE_FAIL, PROBE_MUST,
	      "of 20 that got a 2xx 12 are not seen, without a restart; of 10 whose identifiers share no digits all "
	      "are",
	      "some of what has an identifier like another one's is lost",
	      "keep each under its whole identifier: a part of it, or a place by its last digits, is another one's, "
	      "too",
	      false, NULL },
	    { "crash/kill", GRADE_SKIP, PROBE_MUST, "not all that is accepted is seen, without a restart", NULL, NULL,
	      false, NULL },
	    { "crash/stop", GRADE_SKIP, PROBE_MUST, "not all that is accepted is seen, without a restart", NULL, NULL,
	      false, NULL } } },
	{ { "Window", NULL, keep_valid, show_window, NULL, 0 },
	  "crash",
	  { { "crash/restart", GRADE_WARN, PROBE_SHOULD,
	      "of 20 that got a 2xx 8 are not seen, without a restart: they are lost, or your --observe shows a window",
	      "some of what got a 2xx is not seen", "print all that is kept, not the last ones, and try again", false,
	      NULL },
	    { "crash/kill", GRADE_SKIP, PROBE_MUST, "not all that is accepted is seen, without a restart", NULL, NULL,
	      false, NULL },
	    { "crash/stop", GRADE_SKIP, PROBE_MUST, "not all that is accepted is seen, without a restart", NULL, NULL,
	      false, NULL } } },
	{ { "Rewritten", read_all, write_all, show_rows, NULL, 0 },
	  "crash",
	  { { "crash/restart", GRADE_FAIL, PROBE_MUST,
	      "of 20 that got a 2xx, 2 in flight, 10 are not seen, without a restart; one after the other all are",
	      "some of what comes at the same time is lost behind a 2xx",
	      "reading, changing and writing back are three steps: take a lock around them, or let the database do it "
	      "in one",
	      false, NULL },
	    { "crash/kill", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL },
	    { "crash/stop", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL } } },
	{ { "RefusesFifth", NULL, refuse_fifth, show_rows, NULL, 0 },
	  "crash",
	  { { "crash/restart", GRADE_SKIP, PROBE_MUST,
	      "of 20 that came 1 at a time 16 got a 2xx, and one of the others got 422", NULL, NULL, false, NULL },
	    { "crash/kill", GRADE_SKIP, PROBE_MUST,
	      "of 20 that came 1 at a time 16 got a 2xx, and one of the others got 422", NULL, NULL, false, NULL },
	    { "crash/stop", GRADE_SKIP, PROBE_MUST,
	      "of 20 that came 1 at a time 16 got a 2xx, and one of the others got 422", NULL, NULL, false, NULL } } },
	{ { "BusyInCrowd", count_visit, be_busy_in_crowd, show_rows, NULL, 0 },
	  "crash",
	  { { "crash/restart", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL },
	    { "crash/kill", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL },
	    { "crash/stop", GRADE_OK, PROBE_MUST, "", NULL, NULL, false, NULL } } },
	{ { "Counts", NULL, keep_and_count, show_counts, NULL, 0 },
	  "crash",
	  { { "crash/restart", GRADE_SKIP, PROBE_MUST, "no notification leaves lines that can be looked for", NULL,
	      NULL, false, NULL },
	    { "crash/kill", GRADE_SKIP, PROBE_MUST, "no notification leaves lines that can be looked for", NULL, NULL,
	      false, NULL },
	    { "crash/stop", GRADE_SKIP, PROBE_MUST, "no notification leaves lines that can be looked for", NULL, NULL,
	      false, NULL } } },
};

static struct keeper keeper;
static struct keeper_run found;

static bool is_same(const char *a, const char *b)
{
	return !a || !b ? a == b : strcmp(a, b) == 0;
}

static void check_said(const struct row *row, const struct said *said)
{
	const struct probe_check *check = check_named(&found.plan, said->check);
	const struct probe_result *r = &check->result;
	bool is_to_do = said->verdict != GRADE_OK && said->verdict != GRADE_SKIP;
	const char *whole = r->part_of ? r->part_of->id : NULL;
	const char *fix = said->fix ? said->fix : is_to_do ? check->row->fix : NULL;
	if (r->verdict != said->verdict || check->level != said->level || strcmp(r->reason, said->reason) != 0 ||
	    !is_same(r->lost, said->lost) || !is_same(r->fix, fix) || r->is_double != said->is_double ||
	    !is_same(whole, said->part_of))
		fail_msg("%s: %s: %d, %d: %s; lost: %s; fix: %s; %d, %s", row->kind.name, said->check, (int)r->verdict,
		         (int)check->level, r->reason, r->lost ? r->lost : "", r->fix ? r->fix : "", r->is_double,
		         whole ? whole : "");
}

TEST(test_what_is_said_of_each)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		keeper_open(&keeper, &rows[i].kind);
		keeper_play(&keeper, rows[i].checks, true, &found);
		assert_int_equal(found.code, 0);
		for (const struct said *said = rows[i].said; said->check; said++)
			check_said(&rows[i], said);
		keeper_run_release(&found);
	}
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

static int refuse_users(struct keeper *k, struct visit *v)
{
	return strstr(v->body, "\"service\":\"user\"") ? 422 : keep_alerts(k, v);
}

/* Those that were accepted. */
TEST(test_kinds_without_a_trace_are_listed)
{
	static const struct {
		struct keeper_kind kind;
		const char *traceless;
	} lists[] = {
		{ { "Store", NULL, keep_valid, show_rows, NULL, 0 }, "" },
		{ { "Alerts", NULL, keep_alerts, show_rows, NULL, 0 }, "user-created, credit-report-ordered" },
		{ { "RefusesUsers", NULL, refuse_users, show_rows, NULL, 0 }, "credit-report-ordered" },
	};
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		keeper_open(&keeper, &lists[i].kind);
		keeper_play(&keeper,
		            "effect/once:user-created effect/once:credit-report-ordered effect/once:bureau-alert", true,
		            &found);
		assert_int_equal(found.code, 0);
		assert_string_equal(found.summary.traceless, lists[i].traceless);
		keeper_run_release(&found);
	}
}

/* Where the user's values leave nothing to make the first of a customer's notifications of. */
TEST(test_what_cannot_be_made_says_why)
{
	static const struct keeper_kind store = { "Store", NULL, keep_valid, show_rows, NULL, 0 };
	static const char *const checks[] = { "effect/once:user-created", "effect/others" };
	RELEASED(edits) edits = { .list = NULL };
	struct error err;
	assert_int_equal(edits_add_set(&edits, "details.firstName.x:=1", &err), 0);
	keeper_open(&keeper, &store);
	keeper.edits = &edits;
	keeper_play(&keeper, "effect/others effect/once:user-created effect/once:bureau-alert", true, &found);
	assert_int_equal(found.code, 0);
	assert_int_equal(check_named(&found.plan, "effect/once:bureau-alert")->result.verdict, GRADE_OK);
	for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
		const struct probe_result *r = &check_named(&found.plan, checks[i])->result;
		assert_int_equal(r->verdict, GRADE_SKIP);
		assert_string_equal(r->reason,
		                    "cannot set '/details/firstName/x': '/details/firstName' is a string and has no "
		                    "members");
	}
	keeper_run_release(&found);
}

/* Ends of COMMAND. */

static void ignore_signals(void *context, int number)
{
	(void)context, (void)number;
}

static bool always_runs(void *context)
{
	(void)context;
	return true;
}

static int start_deaf(void *context)
{
	((struct keeper *)context)->starts++;
	return 0;
}

/* What is started again does not come to listen, or what was ended still does. */
TEST(test_what_is_said_of_an_end_that_fails)
{
	static const struct {
		struct listener_control control; /* its functions; NULL: the keeper's */
		bool is_detached;
		const char *url;
		const char *reason;
		enum probe_stop stop;
	} ends[] = {
		{ { .signal = ignore_signals },
		  false,
		  NULL,
		  "something still listens: it is not in COMMAND's process group (docker, setsid)",
		  PROBE_THROUGH },
		{ { .start = start_deaf, .runs = always_runs },
		  false,
		  NULL,
		  "COMMAND did not come to listen again: it runs, and accepted no connection within 5.0 s (--wait)",
		  PROBE_GONE },
		{ { .start = start_deaf },
		  false,
		  NULL,
		  "COMMAND did not come to listen again: exit code 0",
		  PROBE_GONE },
		{ { .start = NULL }, true, NULL, "COMMAND has ended, and something else listens", PROBE_THROUGH },
		{ { .start = NULL },
		  false,
		  "http://192.0.2.1/hook",
		  "the listener is not at a loopback address of this machine",
		  PROBE_THROUGH },
	};
	static const char *const checks[] = { "crash/restart", "crash/kill", "effect/again-after-restart" };
	static const struct keeper_kind store = { "Store", NULL, keep_valid, show_rows, NULL, 0 };
	for (size_t i = 0; i < sizeof ends / sizeof ends[0] * 3; i++) {
		const struct listener_control *its = &ends[i / 3].control;
		keeper_open(&keeper, &store);
		keeper.control.signal = its->signal ? its->signal : keeper.control.signal;
		keeper.control.start = its->start ? its->start : keeper.control.start;
		keeper.control.runs = its->runs ? its->runs : keeper.control.runs;
		keeper.listener.is_detached = ends[i / 3].is_detached;
		keeper.http.url = ends[i / 3].url ? ends[i / 3].url : keeper.http.url;
		keeper_play(&keeper, checks[i % 3], true, &found);
		assert_int_equal(found.code, 0);
		const struct probe_result *r = &check_named(&found.plan, checks[i % 3])->result;
		if (r->verdict != GRADE_SKIP || strcmp(r->reason, ends[i / 3].reason) != 0 ||
		    found.summary.stop != ends[i / 3].stop)
			fail_msg("%zu: %s: %d: %s; %d", i / 3, checks[i % 3], (int)r->verdict, r->reason,
			         (int)found.summary.stop);
		keeper_run_release(&found);
	}
}
