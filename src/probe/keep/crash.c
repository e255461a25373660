/*
 * Checks of what is left when the listener is ended: quietly, and while notifications come. Only of one that the run
 * has started itself (probe/play/listener_process.h).
 *
 * These are experiments with an end between (probe/keep/experiment.h). Each round has 20 notifications of 20 customers,
 * two in flight; one, where what comes at the same time is lost or refused anyway, so that each end says what is its
 * own. What had its 2xx has to be there when the listener is started again; what had none is sent again, and has to be
 * there once. A loss is said when a second round has seen one, too. Whether an end has lost it is seen by as many that
 * come later, when nothing is ended.
 */
#include "probe/keep/crash_rows.h"
#include "probe/keep/crash_run.h"
#include "probe/keep/effect_rows.h"
#include "probe/keep/effects.h"
#include "probe/keep/group.h"
#include "probe/keep/restart.h"
#include "probe/play/player.h"
#include "probe/play/presence.h"
#include "probe/play/verdict.h"

#include <string.h>

#define LEAST_PART  4 /* of the customers have their 2xx before the listener is ended: a quarter, */
#define MORE_PART   2 /* and up to a half more */
#define ROUNDS      3
#define ROUNDS_DEEP 10
#define ROUNDS_MORE 2                    /* where one of them has seen a loss, and no other */
#define IDLE_NS     (5 * CLOCK_NS_PER_S) /* before a quiet restart, in which nothing is sent */
#define LOOK_NS     (50 * CLOCK_NS_PER_MS)
#define LATER_NS    (50 * CLOCK_NS_PER_MS) /* at most, from a response to the end */

/* Tries the kind out, unless the group before has. */
static int try_kind(struct crash *c, struct trial *t, struct error *err)
{
	int64_t lag_ns;
	if (!effects_recall(c->p, t->kind, t, &lag_ns)) {
		t->needs_lines = true;
		return experiments_learn(&c->ground, t, 1, err);
	}
	c->ground.names_customers |= t->is_mentioned;
	lookout_note_lag(&c->ground.look, lag_ns);
	return 0;
}

/* Chooses what is sent: of the kinds that are most likely kept, one whose lines name it. */
static int choose_kind(struct crash *c, struct error *err)
{
	struct trial *trials = calloc(CATALOG_KEPT_MOST, sizeof *trials);
	int code = trials ? 0 : error_no_memory(err);
	const struct trial *best = NULL;
	bool any = false, accepted = false; /* traces, and what could leave one */
	for (size_t i = 0; code == 0 && i < CATALOG_KEPT_MOST && !(best && best->is_mentioned) && !crash_is_blind(c);
	     i++) {
		struct trial *t = &trials[i];
		t->kind = catalog_kept_at(i);
		code = try_kind(c, t, err);
		any |= t->has_trace;
		accepted |= delivery_accepted(&t->first);
		if (code == 0 && trial_leaves_lines(t) && (!best || t->is_mentioned))
			best = t;
	}
	if (best)
		c->kind = *best;
	for (size_t i = 0; trials && i < CATALOG_KEPT_MOST; i++)
		delivery_release(&trials[i].first);
	c->kind.first = (struct delivery){ .status = 0 };
	free(trials);
	if (code == 0 && accepted && !any && !crash_is_blind(c)) {
		group_end_unseen(c->p, play_crash);
		c->is_over = true;
	}
	if (code == 0 && !best && !crash_is_blind(c))
		crash_end_rest(c, PROBE_SKIPPED,
		               c->ground.messenger.unmade[0] ? c->ground.messenger.unmade
		                                             : "no notification leaves lines that can be looked for");
	return code;
}

/* Starts it again, after it was ended by listener_stop() or listener_kill(). */
static int start_again(struct crash *c, struct error *err)
{
	LOCAL_BUFFER why = BUFFER_INIT;
	if (restart_listener(&c->ground, &why, err) < 0)
		return -1;
	if (why.length > 0)
		crash_end_rest(c, PROBE_SKIPPED, buffer_text(&why));
	return 0;
}

/* Between: ends it when nothing has been sent for a while, and starts it again. */
static int end_quietly(struct experiment *ex, struct error *err)
{
	struct crash *c = ex->context;
	if (crash_stay_calm(c, ex, err) < 0)
		return -1;
	if (c->in_order && !ex->in_order) {
		ex->state = EXPERIMENT_BLIND;
		return 0;
	}
	int64_t end = player_now(c->p) + IDLE_NS;
	while (!crash_is_blind(c) && player_now(c->p) < end)
		lookout_pause(&c->ground.look, LOOK_NS);
	if (!crash_is_blind(c) && lookout_look(&c->ground.look, err) < 0)
		return -1;
	if (!crash_is_blind(c)) {
		c->drops_repeats = crash_growth(c, ex) <= c->once;
		listener_stop(c->p->options->listener);
		if (start_again(c, err) < 0)
			return -1;
	}
	ex->state = c->is_over ? EXPERIMENT_BLIND : ex->state;
	return 0;
}

/* Chooses when the listener is ended in the next round. */
static void choose_end(struct crash *c, const struct experiment *ex)
{
	unsigned customers = experiment_round_size(&c->ground, ex->row);
	c->accepted = 0;
	c->is_later = !c->is_later;
	c->last_ns = 0;
	c->end_after = customers / LEAST_PART + (unsigned)random_below(&c->random, customers / MORE_PART + 1);
}

static bool kills(const struct experiment *ex)
{
	return ex->row == &crash_kill;
}

/* Ends it amid them. */
static bool end_after(void *context, const struct delivery *delivery)
{
	struct experiment *ex = context;
	struct crash *c = ex->context;
	int64_t now = player_now(c->p), gap = c->last_ns > 0 ? now - c->last_ns : 0;
	c->accepted += delivery_accepted(delivery);
	c->last_ns = now;
	if (c->accepted < c->end_after)
		return false;
	/* What writes a file in place loses it in some moments only: as far as the other one in flight has come. */
	if (c->is_later && gap > 0)
		player_wait(c->p, (int64_t)random_below(&c->random, (uint64_t)(gap < LATER_NS ? gap : LATER_NS)));
	listener_signal(c->p->options->listener, kills(ex) ? SIGKILL : SIGTERM);
	return true;
}

/* Between: waits until it has ended, and starts it again. */
static int end_amid(struct experiment *ex, struct error *err)
{
	struct crash *c = ex->context;
	choose_end(c, ex);
	if (kills(ex))
		listener_kill(c->p->options->listener);
	else
		listener_stop(c->p->options->listener);
	if (start_again(c, err) < 0)
		return -1;
	ex->state = c->is_over ? EXPERIMENT_BLIND : ex->state;
	return 0;
}

#define ALL_ARE_THERE                                                                                                  \
	.script = SCRIPT_FIRST, .expects = EXPECT_ALL_TRACES, .customers = CRASH_CUSTOMERS,                            \
	.connections = CRASH_IN_FLIGHT, .ends = true

const struct experiment_row crash_restart = { ALL_ARE_THERE };
const struct experiment_row crash_kill = { ALL_ARE_THERE, .stop = end_after };
const struct experiment_row crash_stop = { ALL_ARE_THERE, .stop = end_after };

static struct experiment make_end(struct crash *c, enum crash_end end)
{
	static const struct experiment_row *const rows[ENDS] = { &crash_restart, &crash_kill, &crash_stop };
	bool is_restart = end == END_RESTART;
	return (struct experiment){ .row = rows[end],
		                    .check = crash_find_check(c, rows[end]),
		                    .known = &c->kind,
		                    .between = is_restart ? end_quietly : end_amid,
		                    .rounds = is_restart            ? 1
		                              : c->p->options->deep ? ROUNDS_DEEP
		                                                    : ROUNDS,
		                    .rounds_more = is_restart ? 1 : ROUNDS_MORE,
		                    .in_order = c->in_order,
		                    .context = c };
}

/* Makes what is played of the checks; a quiet restart in any case. */
static void make_ends(struct crash *c)
{
	for (int i = 0; i < ENDS; i++) {
		experiment_release(&c->ends[i]);
		c->ends[i] = make_end(c, (enum crash_end)i);
	}
	if (!c->ends[END_RESTART].check)
		c->ends[END_RESTART].check = crash_find_check(c, NULL);
}

/* restart: nothing is under way. What is lost is looked at again, with new customers. */
static int play_restart(struct crash *c, struct error *err)
{
	struct experiment *ex = &c->ends[END_RESTART];
	if (experiments_run(&c->ground, ex, 1, err) < 0)
		return -1;
	bool is_due = c->in_order && !ex->in_order && !crash_is_blind(c) && crash_find_check(c, NULL);
	if (is_due)
		make_ends(c);
	if (is_due && experiments_run(&c->ground, ex, 1, err) < 0)
		return -1;
	struct probe_check *check = crash_find_check(c, &crash_restart);
	check = check ? check : crash_find_check(c, NULL);
	if (crash_is_blind(c) || ex->state != EXPERIMENT_CONFIRMED || !check)
		return 0;
	c->p->has_lost = true;
	presence_keep_log(c->p, check);
	if (ex->lost.gone == ex->lost.of)
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "no %s survives a restart: it is kept in memory, or COMMAND empties it",
		          KIND_NAME(c->kind.kind));
	else
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%zu of %zu were gone after a restart, though nothing was sent", ex->lost.gone, ex->lost.of);
	crash_end_rest(c, PROBE_SKIPPED, "what is kept does not survive a quiet restart");
	return 0;
}

static int play_end(struct crash *c, enum crash_end end, struct error *err)
{
	struct experiment *ex = &c->ends[end];
	if (!ex->check || ex->check->result.ended || crash_is_blind(c))
		return 0;
	presence_note_log(c->p);
	random_seed(&c->random, c->p->maker.seed ^ (uint64_t)end);
	c->is_later = true; /* not the first round */
	choose_end(c, ex);
	return experiments_run(&c->ground, ex, 1, err);
}

/* Notifications that are there twice. */
struct doubles {
	size_t sent, twice; /* of those that were looked at */
	unsigned rounds;    /* in which one was twice */
};

/* How many alike lines a customer has whose notification came once, and at whose time nothing was ended. */
static size_t calm_twins(const struct crash *c)
{
	const struct experiment *calm = &c->ends[END_RESTART];
	size_t most = c->kind.twins;
	for (size_t i = 1; i < experiment_customers(calm); i++) { /* the first one came twice */
		size_t twins = observation_count_twins(&c->ground.look.now, calm->subjects[i].customer.mention);
		most = twins > most ? twins : most;
	}
	return most;
}

/* Looks for those that came again, or for those that had their 2xx at once. Another line of theirs is not a repeat: a
 * file that was being written when the listener ended. */
static struct doubles count_doubles(const struct crash *c, const struct experiment *ex, bool came_again)
{
	struct doubles d = { 0, 0, 0 };
	size_t calm = calm_twins(c), before = 0, customers = experiment_customers(ex);
	for (size_t i = 0; i < ex->end; i++) {
		const struct subject *s = &ex->subjects[i];
		bool is_looked_at = s->came_again == came_again && c->kind.is_mentioned && c->drops_repeats;
		before = i % customers == 0 ? d.twice : before;
		d.sent += s->came_again == came_again;
		d.twice += is_looked_at && observation_count_twins(&c->ground.look.now, s->customer.mention) > calm;
		d.rounds += i % customers == customers - 1 && d.twice > before;
	}
	return d;
}

/* What to do where SIGTERM loses what had a 2xx: what kill -9 leaves is on disk. */
static const char *fix_of_stop(const struct experiment *kill, const struct probe_check *check)
{
	if (kill->row != &crash_kill)
		return check->row->fix;
	if (!kill->check)
		return "see what the listener does at SIGTERM: it may drop what waits, or write a file again; where "
		       "crash/kill loses it, too, respond only when it is stored on disk";
	return kill->lost.rounds > 0 ? check->row->fix
	                             : "kill -9 loses nothing, so it is stored: see what the listener does at SIGTERM, "
	                               "which may drop what waits, or write a file again";
}

/* Whether kill -9 has shown the same: what is not on disk is lost by any end. */
static bool is_explained(const struct probe_check *stop, const struct probe_check *kill)
{
	const char *one = stop->result.lost, *other = kill ? kill->result.lost : NULL;
	return kill && probe_has_failed(kill) && !kill->result.ended_listener && !one == !other &&
	       (!one || strcmp(one, other) == 0);
}

/* Says what the rounds have come to; it has been quiet since the last of them. That one is twice after a restart is
 * known by two rounds, of which one may be of the other check. */
static void say_end(struct crash *c, const struct experiment *ex, const char *how, const struct experiment *other)
{
	static const char *const one_step = "store a notification and what recognizes its repeat in one transaction";
	struct probe_check *check = ex->check;
	if (!check || check->result.ended || crash_is_blind(c))
		return;
	struct doubles of_again = count_doubles(c, ex, true), of_accepted = count_doubles(c, ex, false);
	unsigned confirming = count_doubles(c, other, false).rounds;
	bool is_lost = ex->lost.rounds >= 2, is_missed = !is_lost && ex->missed.rounds >= 2;
	bool came_twice = of_again.rounds >= 2,
	     is_double = !is_lost && !is_missed &&
	                 (came_twice || (of_accepted.rounds > 0 && of_accepted.rounds + confirming >= 2));
	if (!is_lost && !is_missed && !is_double) {
		probe_end(check, PROBE_RIGHT, NULL, "%s", "");
		return;
	}
	c->p->has_lost |= is_lost;
	check->result.is_double = is_double;
	bool is_any_time = is_lost && c->calm_gone > 0; /* no end has lost it, or not alone */
	check->result.lost = is_any_time  ? "some of what comes after a restart is lost behind a 2xx"
	                     : is_lost    ? NULL
	                     : is_missed  ? "what comes again after an end is lost behind a 2xx"
	                     : came_twice ? "what comes again after an end is kept twice"
	                                  : "what had its 2xx before an end is kept twice";
	if (is_any_time)
		probe_end(check, PROBE_FAILED,
		          "see what the listener does after a start: it responds with 2xx, and does not store it",
		          "%zu of the %zu that got a 2xx are not there after %s and a restart, nor are %zu of the %zu "
		          "that came later, when nothing was ended",
		          ex->lost.gone, ex->lost.of, how, c->calm_gone, c->calm_of);
	else if (is_lost)
		probe_end(check, PROBE_FAILED, fix_of_stop(other, check),
		          "%zu of the %zu that got a 2xx were gone after %s and a restart", ex->lost.gone, ex->lost.of,
		          how);
	else if (is_missed)
		probe_end(check, PROBE_FAILED, one_step,
		          "%zu of the %zu that got no response before %s left nothing, though they came again and got "
		          "a 2xx",
		          ex->missed.gone, ex->missed.of, how);
	else if (came_twice)
		probe_end(check, PROBE_FAILED, one_step,
		          "%zu of the %zu that got no response before %s were there twice when they had come again",
		          of_again.twice, of_again.sent, how);
	else
		probe_end(check, PROBE_FAILED, "do the work and mark it done in one transaction",
		          "%zu of the %zu that got a 2xx were there twice after %s and a restart", of_accepted.twice,
		          of_accepted.sent, how);
	if (is_explained(check, kills(ex) ? NULL : other->check))
		check->result.part_of = other->check;
	experiment_hand_log(ex);
}

static int play_all(struct crash *c, struct error *err)
{
	if (choose_kind(c, err) < 0)
		return -1;
	if (crash_is_blind(c) || !crash_find_check(c, NULL)) /* it has ended the listener meanwhile */
		return 0;
	c->in_order = group_find_failed(c->p, &effect_together, PROBE_SHOULD) != NULL;
	make_ends(c);
	if (experiments_introduce(&c->ground, c->ends, ENDS, err) < 0 || play_restart(c, err) < 0 ||
	    play_end(c, END_KILL, err) < 0 || play_end(c, END_STOP, err) < 0)
		return -1;
	bool is_lost = c->ends[END_KILL].lost.rounds >= 2 || c->ends[END_STOP].lost.rounds >= 2;
	if (is_lost && crash_count_calm(c, err) < 0)
		return -1;
	if (!crash_is_blind(c) && lookout_quiet(&c->ground.look, c->ground.messenger.last_ns, err) < 0)
		return -1;
	say_end(c, &c->ends[END_KILL], "kill -9", &c->ends[END_STOP]);
	say_end(c, &c->ends[END_STOP], "SIGTERM", &c->ends[END_KILL]);
	return 0;
}

int play_crash(struct player *p, size_t index, struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	struct crash c = { .p = p, .play = play_crash };
	const char *why = restart_obstacle(p);
	unsigned restarts = player_deaths(p);
	if (check->result.ended)
		return 0;
	if (why) {
		probe_end(check, PROBE_SKIPPED, NULL, "%s", why);
		return 0;
	}
	player_go_on(p, index);
	presence_note_log(p);
	trial_ground_init(&c.ground, p, check);
	int code = play_all(&c, err);
	if (code == 0)
		group_finish(&c.ground, play_crash, restarts, "the listener ended by itself meanwhile");
	for (size_t i = 0; i < ENDS; i++)
		experiment_release(&c.ends[i]);
	trial_ground_release(&c.ground);
	return code;
}
