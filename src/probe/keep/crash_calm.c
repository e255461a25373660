/* What is seen of those that came while nothing was ended: where not all are, why. */
#include "probe/keep/crash_run.h"
#include "probe/keep/effect_rows.h"
#include "probe/keep/group.h"
#include "probe/play/player.h"
#include "probe/play/presence.h"
#include "probe/play/verdict.h"

/* Appends what the first of them without a 2xx got. */
static void append_refusal(const struct experiment *ex, struct buffer *out)
{
	const struct subject *s = ex->subjects + ex->first;
	size_t accepted = 0, count = experiment_customers(ex);
	for (size_t i = 0; i < count; i++)
		accepted += delivery_accepted(&s[i].deliveries[0]);
	for (size_t i = 0; i + 1 < count && delivery_accepted(&s->deliveries[0]); i++)
		s++;
	int status = s->deliveries[0].status;
	buffer_printf(out, "of %zu that came %d at a time %zu got a 2xx, and one of the others ", count,
	              ex->in_order ? 1 : CRASH_IN_FLIGHT, accepted);
	if (status > 0)
		buffer_printf(out, "got %d", status);
	else
		buffer_append_text(out, "no response");
}

static const struct experiment_row as_many = {
	.script = SCRIPT_FIRST,
	.expects = EXPECT_ALL_TRACES,
	.customers = CRASH_CUSTOMERS,
	.connections = CRASH_IN_FLIGHT,
};

/* Sends as many others as the row says; *all_seen: each of them was accepted and has left its trace. */
static int send_control(struct crash *c, const struct experiment_row *row, bool in_order, struct probe_check *check,
                        bool *all_seen, struct error *err)
{
	struct experiment control = { .row = row, .in_order = in_order, .check = check, .known = &c->kind };
	int code = experiments_run(&c->ground, &control, 1, err);
	*all_seen = control.state == EXPERIMENT_CLEARED && control.found.accepted >= row->customers;
	experiment_release(&control);
	return code;
}

#define APART 10 /* customers who share nothing */

static void say_window(struct probe_check *check, long long all, long long unseen)
{
	check->level = PROBE_SHOULD;
	check->result.lost = "some of what got a 2xx is not seen";
	probe_end(
	        check, PROBE_FAILED, "print all that is kept, not the last ones, and try again",
	        "of %lld that got a 2xx %lld are not seen, without a restart: they are lost, or your --observe shows a "
	        "window",
	        all, unseen);
}

static void say_part_of_id(const struct crash *c, struct probe_check *check, long long all, long long unseen)
{
	const struct probe_check *together = group_find_failed(c->p, &effect_together, PROBE_SHOULD);
	check->result.lost = effect_alike_lost;
	/* What it has found may also be that they come at the same time. */
	check->result.part_of = together && together->result.lost == effect_alike_lost ? together : NULL;
	probe_end(
	        check, PROBE_FAILED,
	        "keep each under its whole identifier: a part of it, or a place by its last digits, is another one's, "
	        "too",
	        "of %lld that got a 2xx %lld are not seen, without a restart; of %d whose identifiers share no digits "
	        "all are",
	        all, unseen, APART);
}

static void say_crowd(struct probe_check *check, long long all, long long unseen)
{
	check->result.lost = "some of what comes at the same time is lost behind a 2xx";
	probe_end(check, PROBE_FAILED,
	          "reading, changing and writing back are three steps: take a lock around them, or let the database do "
	          "it in one",
	          "of %lld that got a 2xx, %d in flight, %lld are not seen, without a restart; one after the other all "
	          "are",
	          all, CRASH_IN_FLIGHT, unseen);
}

/* Some are not seen, though nothing was ended: they are lost, or what is observed is a window. Decides by as many
 * others, one after the other, and again at the same time: where all are seen but those, that is it. Else by as many as
 * fit, who share nothing: where all of these are, which are more than before, it is not a window. */
static int say_unseen(struct crash *c, const struct experiment *calm, struct error *err)
{
	static const struct experiment_row apart = {
		.script = SCRIPT_FIRST,
		.expects = EXPECT_ALL_TRACES,
		.customers = APART,
		.connections = CRASH_IN_FLIGHT,
		.is_apart = true,
	};
	long long all = (long long)experiment_customers(calm), unseen = calm->found.off;
	struct probe_check *check = crash_find_check(c, NULL);
	bool is_crowd = false, are_there = false;
	if (!calm->in_order && send_control(c, &as_many, true, check, &is_crowd, err) < 0)
		return -1;
	if (is_crowd && send_control(c, &as_many, false, check, &are_there, err) < 0)
		return -1;
	if (!is_crowd && all - unseen < APART && send_control(c, &apart, false, check, &are_there, err) < 0)
		return -1;
	if (crash_is_blind(c) || !check)
		return 0;
	c->in_order = is_crowd;
	if (is_crowd && are_there) /* it was not seen a second time */
		return 0;
	presence_keep_log(c->p, check);
	if (is_crowd) {
		say_crowd(check, all, unseen);
		return 0;
	}
	if (are_there)
		say_part_of_id(c, check, all, unseen);
	else
		say_window(check, all, unseen);
	crash_end_rest(c, PROBE_SKIPPED, "not all that is accepted is seen, without a restart");
	return 0;
}

int crash_count_calm(struct crash *c, struct error *err)
{
	struct experiment calm = {
		.row = &as_many, .in_order = c->in_order, .check = crash_find_check(c, NULL), .known = &c->kind
	};
	if (crash_is_blind(c) || !calm.check)
		return 0;
	int code = experiments_run(&c->ground, &calm, 1, err);
	if (calm.state == EXPERIMENT_CONFIRMED) {
		c->calm_gone = (size_t)calm.found.off;
		c->calm_of = calm.found.accepted;
	}
	experiment_release(&calm);
	return code;
}

int64_t crash_growth(const struct crash *c, const struct experiment *ex)
{
	const char *mention = ex->subjects[ex->first].customer.mention;
	struct observation_change change;
	observation_compare(&c->ground.base, &c->ground.look.now, c->kind.is_mentioned ? mention : NULL, &change);
	return change.growth;
}

int crash_stay_calm(struct crash *c, struct experiment *ex, struct error *err)
{
	struct subject *first = ex->subjects + ex->first;
	LOCAL_BUFFER why = BUFFER_INIT;
	if (experiment_await(&c->ground, ex, err) < 0)
		return -1;
	if (crash_is_blind(c))
		return 0;
	bool are_refused = ex->found.accepted < experiment_customers(ex);
	if (!are_refused && ex->found.off > 0)
		return say_unseen(c, ex, err);
	if (are_refused && !ex->in_order) {
		c->in_order = true;
		return 0;
	}
	if (are_refused)
		append_refusal(ex, &why);
	if (why.failed)
		return error_no_memory(err);
	if (why.length > 0) {
		crash_end_rest(c, PROBE_SKIPPED, buffer_text(&why));
		return 0;
	}
	/* How much each leaves may be another matter for another customer. */
	if (lookout_quiet(&c->ground.look, c->ground.messenger.last_ns, err) < 0)
		return -1;
	if (crash_is_blind(c))
		return 0;
	c->once = crash_growth(c, ex);
	struct delivery *again = &first->deliveries[0];
	int status = again->status;
	int code = messenger_send(&c->ground.messenger, &again, 1, 0, NULL, NULL, err);
	again->status = status;
	return code;
}
