/* Which response a notification gets. */
#include "receive/response.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const struct catalog_kind unknown = { NULL, NULL };

static struct responder responder_of(const struct response_policy *policy)
{
	struct responder responder;
	struct error err;
	assert_int_equal(responder_init(&responder, policy, &err), 0);
	return responder;
}

static int status_of(struct responder *responder, struct catalog_kind kind, bool valid, bool rejected)
{
	return responder_choose(responder, kind, valid, rejected).status;
}

TEST(the_first_rule_that_matches_and_is_not_used_up_decides)
{
	struct catalog_kind alert;
	const char *nearest;
	catalog_find_kind("bureau-alert", &alert, &nearest);
	struct response_rule rules[] = {
		{ .kind = alert, .status = 409, .times = 1 },
		{ .kind = alert, .needs_verdict = true, .valid = false, .status = 400 },
		{ .kind = alert, .status = 429 },
		{ .any_event = true, .needs_verdict = true, .valid = false, .delay = { true, 5, 5 } },
	};
	const struct response_policy policy = { .rules = { rules, 4, 4 } };
	struct responder responder = responder_of(&policy);
	assert_non_null(alert.event);
	assert_int_equal(status_of(&responder, alert, false, false), 409);
	assert_int_equal(status_of(&responder, alert, false, false), 400);
	struct response response = responder_choose(&responder, alert, true, false);
	assert_int_equal(response.status, 429);
	assert_true(response.is_own);
	assert_int_equal(status_of(&responder, unknown, true, false), 200);
	response = responder_choose(&responder, unknown, false, true);
	assert_int_equal(response.status, 422); /* a rule without a status does not accept what is rejected */
	assert_int_equal(response.delay_ns, 5);
	assert_false(response.is_own);
	responder_release(&responder);
}

TEST(what_a_rule_leaves_out_is_as_without_it)
{
	struct response_rule rules[] = {
		{ .any_event = true, .fault = { .status = 503, .probability = 0 }, .times = 2 },
		{ .any_event = true, .fault = { .status = 503, .probability = RESPONSE_CERTAIN }, .times = 1 },
		{ .any_event = true, .status = 201, .times = 1 },
		{ .any_event = true, .delay = { true, 5, 5 } },
	};
	struct response_fault faults[] = { { .status = 500, .probability = RESPONSE_CERTAIN } };
	const struct response_policy policy = { .rules = { rules, 4, 4 }, .faults = { faults, 1, 1 } };
	struct responder responder = responder_of(&policy);
	assert_int_equal(status_of(&responder, unknown, false, true), 422);
	assert_int_equal(status_of(&responder, unknown, true, false), 200);
	assert_int_equal(status_of(&responder, unknown, false, true), 503);
	assert_int_equal(status_of(&responder, unknown, false, true), 201);
	assert_int_equal(status_of(&responder, unknown, false, true), 422);
	assert_int_equal(status_of(&responder, unknown, true, false), 500);
	responder_release(&responder);
}

TEST(faults_have_their_shares_and_delays_their_range)
{
	struct response_fault faults[] = { { .status = 500, .probability = RESPONSE_CERTAIN / 2 },
		                           { HTTP_FAULT_RESET, .probability = RESPONSE_CERTAIN / 3 } };
	const struct response_policy policy = { .faults = { faults, 2, 2 }, .delay = { true, 10, 1000 } };
	struct responder responder = responder_of(&policy);
	int failed = 0, faulty = 0;
	random_seed(&responder.random, 7);
	for (int i = 0; i < 200; i++) {
		struct response response = responder_choose(&responder, unknown, true, false);
		assert_in_range(response.delay_ns, 10, 1000);
		failed += response.status == 500;
		assert_true(response.is_own == (response.status == 500));
		assert_true(response.is_faulty == (response.status == 500 || response.fault != HTTP_FAULT_NONE));
		faulty += response.fault == HTTP_FAULT_RESET;
	}
	assert_in_range(failed, 50, 150);
	assert_in_range(faulty, 30, 110);
	responder_release(&responder);
}
