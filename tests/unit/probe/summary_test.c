/* What a run comes to: whether nothing was graded as all is refused alike, and what the user may set so that a listener
 * takes what it has refused. */
#include "player_unit.h"
#include "test.h"

/* Which payloads are refused: each with one of these in it. */
static struct {
	const char *parts[2];
	int status, other; /* of the second one */
	const char *words;
	unsigned count;
} refused;

static int refuse(struct keeper *k, struct visit *v)
{
	(void)k;
	for (size_t i = 0; i < 2; i++) {
		if (!refused.parts[i] || !strstr(v->body, refused.parts[i]))
			continue;
		v->words = refused.count++ == 0 || !refused.words ? refused.words : "again";
		return i == 0 || refused.other == 0 ? refused.status : refused.other;
	}
	return 200;
}

static int refuse_in_words(struct keeper *k, struct visit *v)
{
	int status = refuse(k, v);
	v->words = status == 200 ? NULL : refused.words;
	return status;
}

static const struct keeper_kind first_says = { "FirstSays", NULL, refuse, show_rows, NULL, 0 };
static const struct keeper_kind all_say = { "AllSay", NULL, refuse_in_words, show_rows, NULL, 0 };

/* All events, of which the user has named none, or each. */
static void play_all(const struct keeper_kind *kind, bool is_named)
{
	keeper_open(&keeper, kind);
	keeper_plan(&run, "deliver", false);
	options = keeper_options(&keeper, &run.plan, false);
	options.named = is_named;
	observer = keeper_observer;
	observer.context = &run;
	assert_int_equal(probe_run(&options, &observer, &run.summary, &run.err), 0);
}

/* It is not about the events: the first response says what it is about. */
TEST(test_what_refuses_all_alike_grades_nothing)
{
	static const struct {
		const char *parts[2];
		int status, other;
		bool is_named;
		enum probe_stop stop;
	} rows[] = {
		{ { "{" }, 401, 0, false, PROBE_LOCKED_OUT },
		{ { "{" }, 401, 0, true, PROBE_THROUGH },
		{ { "\"path\"" }, 401, 0, false, PROBE_THROUGH }, /* but for alerts */
		{ { "{" }, 500, 0, false, PROBE_LOCKED_OUT },
		{ { "\"alertId\"", "{" }, 403, 401, false, PROBE_THROUGH },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		refused.parts[0] = rows[i].parts[0];
		refused.parts[1] = rows[i].parts[1];
		refused.status = rows[i].status;
		refused.other = rows[i].other;
		refused.words = "no token";
		refused.count = 0;
		play_all(&first_says, rows[i].is_named);
		assert_int_equal(run.summary.stop, rows[i].stop);
		bool is_locked = rows[i].stop == PROBE_LOCKED_OUT;
		assert_int_equal(run.summary.status, is_locked ? rows[i].status : 0);
		assert_string_equal(run.summary.message, is_locked ? "no token" : "");
		assert_int_equal(run.summary.hint != NULL, is_locked);
		assert_false(run.summary.too_long || run.summary.unended);
		assert_int_equal(run.ended, is_locked ? 0 : run.plan.count);
		keeper_run_release(&run);
	}
}

#define OF_USERS                                                                                                       \
	"details.firstName, details.lastName, details.address.street, details.address.city, details.address.state, "   \
	"details.address.zip"

/* What the response names of the only event that is refused, or else what no accepted one has; of several what they
 * alone have. */
TEST(test_what_may_be_set_is_named)
{
	static const struct {
		const char *parts[2];
		int status;
		const char *words, *event, *settable;
	} rows[] = {
		{ { "\"productCode\"" }, 422, "", NULL, "details.productCode" },
		{ { "\"address\"" }, 422, "unknown ZIP code", "user-created", "details.address.zip" },
		{ { "\"address\"" },
		  422,
		  "zip is not of this state",
		  "user-created",
		  "details.address.state, details.address.zip" },
		{ { "\"address\"" }, 499, "unknown appKey", "user-created", "details.appKey" },
		{ { "\"address\"" }, 400, "gzip, states, clientKey?", "user-created", OF_USERS },
		{ { "\"address\"" }, 422, "", "user-created", OF_USERS },
		{ { "\"alertType\"" },
		  422,
		  "no such alert type",
		  "bureau-alert",
		  "details.alertDetails.disputeStatus, details.alertType" },
		{ { "\"address\"" }, 500, "zip", NULL, "" },
		{ { "\"address\"", "\"alertType\"" }, 422, "", NULL, "" },
		{ { "v2/idp/ssn" }, 422, "", NULL, "" },
		{ { "\"appKey\"" }, 422, "", NULL, "details.appKey" },
		{ { NULL }, 422, "", NULL, "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		refused.parts[0] = rows[i].parts[0];
		refused.parts[1] = rows[i].parts[1];
		refused.status = rows[i].status;
		refused.other = 0;
		refused.words = rows[i].words;
		play_all(&all_say, true);
		const struct catalog_event *event = run.summary.refused.event;
		if (strcmp(run.summary.settable, rows[i].settable) != 0 ||
		    strcmp(event ? event->name : "", rows[i].event ? rows[i].event : "") != 0)
			fail_msg("%zu: %s, %s", i, run.summary.settable, event ? event->name : "several");
		assert_true(run.summary.is_only_refused || rows[i].settable[0] == '\0');
		keeper_run_release(&run);
	}
}
