/* Checks that are sent again until the listener breaks: how often, and when that is given up. */
#include "payload/edit.h"
#include "player_unit.h"
#include "probe/play/culprit.h"
#include "test.h"

static const struct keeper_kind right = { "Store", NULL, keep, show_rows, NULL, 0 };
static struct error err;
static unsigned looks, breaks_at_most; /* looks that see it broken */
static int64_t look_ns;

static int look(struct player *p, void *context, const struct request_outcome *sent, bool *is_broken, struct error *e)
{
	(void)p, (void)context, (void)e;
	assert_true(sent->is_accepted && !sent->is_refused);
	keeper.now_ns += look_ns;
	*is_broken = looks++ < breaks_at_most;
	return 0;
}

static unsigned try_of(unsigned breaks, unsigned most, int64_t takes_ns, int64_t within_ns)
{
	const struct culprit_sign sign = { .look = look, .end_ns = within_ns > 0 ? keeper.now_ns + within_ns : 0 };
	struct probe_check *checks[] = { check_of("deliver/user-created"), check_of("deliver/bureau-alert") };
	unsigned times = 99;
	looks = 0;
	breaks_at_most = breaks;
	look_ns = takes_ns;
	assert_int_equal(culprit_try(&player, &sign, checks, 2, most, &times, &err), 0);
	return times;
}

TEST(test_it_is_tried_until_it_does_not_break)
{
	player_open(&right, "deliver", true);
	assert_int_equal(try_of(9, 5, 0, 0), 5);
	assert_int_equal(looks, 5);
	assert_int_equal(keeper.requests, 10);
	assert_int_equal(try_of(3, 5, 0, 0), 3);
	assert_int_equal(looks, 4);
	assert_int_equal(try_of(0, 5, 0, 0), 0);
	assert_int_equal(looks, 1);
	player_close();
}

TEST(test_it_is_given_up_when_the_time_is_over)
{
	player_open(&right, "deliver", true);
	assert_int_equal(try_of(9, 5, CLOCK_NS_PER_S, 2500 * MS), 3);
	assert_int_equal(looks, 3);
	player_close();
}

/* What is known of a check that is sent again stays, and so does what the run has counted. */
TEST(test_sending_again_changes_nothing_that_is_known)
{
	struct request_outcome outcome;
	player_open(&right, "deliver", true);
	struct probe_check *check = check_of("deliver/bureau-alert");
	const struct probe_session session = player.maker.session;
	const struct page_responses pages = run.summary.pages;
	assert_int_equal(requests_send_again(&player, check, &outcome, &err), 0);
	assert_true(outcome.is_accepted);
	assert_false(check->result.ended);
	assert_memory_equal(&session, &player.maker.session, sizeof session);
	assert_memory_equal(&pages, &run.summary.pages, sizeof pages);
	assert_int_equal(player.requests, 0);
	player_close();
}

/* Nor does one that cannot be made: neither one that has ended, nor one that has not. */
TEST(test_what_cannot_be_made_again_stays_as_it_is)
{
	RELEASED(edits) edits = { .list = NULL };
	struct request_outcome outcome;
	player_open(&right, "deliver http/pipelined", true);
	assert_int_equal(edits_add_set(&edits, "details.appKey=x", &err), 0);
	player.maker.edits[0] = &edits;
	struct probe_check *check = check_of("http/pipelined");
	assert_int_equal(requests_send_again(&player, check, &outcome, &err), 0);
	assert_false(check->result.ended);
	check->result = (struct probe_result){ .ended = true, .verdict = GRADE_OK };
	assert_int_equal(requests_send_again(&player, check, &outcome, &err), 0);
	assert_true(check->result.ended);
	assert_int_equal(check->result.verdict, GRADE_OK);
	assert_int_equal(keeper.requests, 0);
	player_close();
}
