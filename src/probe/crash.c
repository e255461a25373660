/*
 * Checks of what is left when the listener is ended: quietly, and while notifications come. Only of one that the run
 * has started itself (listener_process.h).
 *
 * Each round has 20 notifications of 20 customers, two in flight. What had its 2xx has to be there when the listener is
 * started again; what had none is sent again, and has to be there once. A loss is said when a second round has seen
 * one, too.
 */
#include "base/random.h"
#include "base/url.h"
#include "probe/cohort.h"
#include "probe/keep/experiment.h"
#include "probe/player.h"

#include <stdio.h>
#include <string.h>

#define IN_FLIGHT     2
#define LEAST_ANSWERS 5 /* before the listener is ended, and how many more at most */
#define MORE_ANSWERS  10
#define ROUNDS        3
#define ROUNDS_DEEP   10
#define COHORTS_MAX   (2 + 2 * (ROUNDS_DEEP + ROUNDS_MORE))
#define ROUNDS_MORE   2                    /* where one of them has seen a loss, and no other */
#define IDLE_NS       (5 * CLOCK_NS_PER_S) /* before a quiet restart, in which nothing is sent */
#define REFUSED_NS    (5 * CLOCK_NS_PER_S) /* for the port to refuse connections */
#define LOOK_NS       (50 * CLOCK_NS_PER_MS)

struct crash {
	struct player *p;
	struct trial_ground ground;
	struct trial kind;  /* what each leaves */
	bool drops_repeats; /* one that comes again leaves nothing more */
	/* All that are needed as it seems are introduced together, since that takes a second. */
	struct cohort *cohorts;
	size_t introduced, used;
	bool is_over; /* the checks have ended */
};

static bool is_blind(const struct crash *c)
{
	return c->is_over || lookout_is_blind(&c->ground.look);
}

/* The check of the part (PART_NONE: of any), if it is chosen and has not ended. */
static struct probe_check *find_check(const struct crash *c, enum probe_part part)
{
	const struct probe_plan *plan = c->p->options->plan;
	for (size_t i = 0; i < plan->count; i++) {
		struct probe_check *check = &plan->checks[i];
		bool is_its = check->row->play == play_crash && (part == PART_NONE || check->row->part == part);
		if (is_its && check->chosen && !check->result.ended)
			return check;
	}
	return NULL;
}

/* Ends the checks of the group that have not ended. */
static void end_rest(struct crash *c, enum probe_outcome outcome, const char *why)
{
	for (struct probe_check *check; (check = find_check(c, PART_NONE)) != NULL;)
		probe_end(check, outcome, NULL, "%s", why);
	c->is_over = true;
}

/* Chooses what is sent: of the kinds that come first in the story, one whose lines name it. */
static int choose_kind(struct crash *c, struct error *err)
{
	static const char *const names[] = { "bureau-alert",
		                             "user-created",
		                             "credit-report-ordered",
		                             "monitoring-service-enrolled",
		                             "monitored-element-added/email",
		                             "authentication-token-generated" };
	size_t count = sizeof names / sizeof names[0];
	struct trial *trials = calloc(catalog_kind_count(), sizeof *trials);
	int code = trials ? 0 : error_no_memory(err);
	for (size_t i = 0; code == 0 && i < count; i++)
		catalog_find_kind(names[i], &trials[i].kind, NULL), trials[i].needs_lines = true;
	if (code == 0)
		code = experiments_learn(&c->ground, trials, count, err);
	const struct trial *best = NULL;
	for (size_t i = 0; code == 0 && i < count; i++) {
		const struct trial *t = &trials[i];
		if (trial_leaves_lines(t) && (!best || (t->is_mentioned && !best->is_mentioned)))
			best = t;
	}
	if (best)
		c->kind = *best;
	for (size_t i = 0; trials && i < count; i++)
		delivery_release(&trials[i].first);
	c->kind.first = (struct delivery){ .status = 0 };
	free(trials);
	if (code == 0 && !best && !is_blind(c))
		end_rest(c, PROBE_SKIPPED,
		         c->ground.messenger.unmade[0] ? c->ground.messenger.unmade
		                                       : "no notification leaves lines that can be looked for");
	return code;
}

/* Introduces `count` cohorts more. */
static int introduce(struct crash *c, size_t count, struct error *err)
{
	for (size_t b = 0; b < count; b++) {
		c->cohorts[c->introduced + b].kind = &c->kind;
		c->cohorts[c->introduced + b].count = COHORT_MAX;
	}
	c->introduced += count;
	return cohorts_introduce(&c->ground, &c->cohorts[c->introduced - count], count, err);
}

/* The next cohort. */
static int take_cohort(struct crash *c, struct cohort **cohort, struct error *err)
{
	*cohort = &c->cohorts[c->used];
	if (c->used == c->introduced && introduce(c, 1, err) < 0)
		return -1;
	c->used++;
	return 0;
}

static int find_lost(struct crash *c, const struct cohort *cohort, size_t *lost, struct error *err)
{
	return is_blind(c) ? 0 : cohort_find_lost(&c->ground, cohort, player_now(c->p), lost, err);
}

/* Starts it again, after it was ended by listener_stop() or listener_kill(). */
static int start_again(struct crash *c, struct error *err)
{
	struct listener *listener = c->p->options->listener;
	int64_t end = player_now(c->p) + REFUSED_NS;
	LOCAL_BUFFER why = BUFFER_INIT;
	while (!lookout_is_blind(&c->ground.look) && player_look(c->p) == WORLD_ACCEPTS) {
		if (player_now(c->p) >= end) {
			end_rest(c, PROBE_SKIPPED,
			         "something still listens: it is not in COMMAND's process group (docker, setsid)");
			listener->is_detached = true;
			return 0;
		}
		lookout_pause(&c->ground.look, LOOK_NS);
	}
	enum listener_state state = listener_restart(listener, err);
	if (state == LISTENER_FAILED)
		return -1;
	if (state == LISTENER_READY)
		return 0;
	if (state == LISTENER_INTERRUPTED) {
		lookout_pause(&c->ground.look, LOOK_NS);
		return 0;
	}
	buffer_append_text(&why, "COMMAND did not come to listen again: ");
	listener_append_end(listener, &why);
	end_rest(c, PROBE_SKIPPED, buffer_text(&why));
	c->p->summary->stop = PROBE_GONE;
	return 0;
}

/* Ends it when nothing has been sent for a while, and starts it again. */
static int restart_quietly(struct crash *c, const struct cohort *cohort, struct error *err)
{
	struct observation_change change;
	int64_t end = player_now(c->p) + IDLE_NS;
	while (!is_blind(c) && player_now(c->p) < end)
		lookout_pause(&c->ground.look, LOOK_NS);
	if (is_blind(c))
		return 0;
	if (lookout_look(&c->ground.look, err) < 0)
		return -1;
	observation_compare(&cohort->base, &c->ground.look.now,
	                    c->kind.is_mentioned ? cohort->trials[0].customer.mention : NULL, &change);
	c->drops_repeats = change.growth <= (c->kind.is_mentioned ? 1 : COHORT_MAX) * c->kind.lines;
	listener_stop(c->p->options->listener);
	return start_again(c, err);
}

/* Appends what the first of the cohort without a 2xx got. */
static void append_refusal(const struct cohort *cohort, struct buffer *out)
{
	size_t i = 0;
	while (i + 1 < cohort->count && delivery_accepted(&cohort->trials[i].first))
		i++;
	int status = cohort->trials[i].first.status;
	buffer_printf(out, "of %zu that came %d at a time %zu got a 2xx, and one of the others ", cohort->count,
	              IN_FLIGHT, cohort->accepted);
	if (status > 0)
		buffer_printf(out, "got %d", status);
	else
		buffer_append_text(out, "no response");
}

/* Sends a cohort without an end, and one of it again: so it is known what is seen of it, and whether a repeat is
 * dropped. */
static int play_calm(struct crash *c, struct cohort **cohort, struct error *err)
{
	size_t lost = 0;
	LOCAL_BUFFER why = BUFFER_INIT;
	if (take_cohort(c, cohort, err) < 0 || cohort_send(&c->ground, *cohort, IN_FLIGHT, NULL, NULL, err) < 0 ||
	    find_lost(c, *cohort, &lost, err) < 0)
		return -1;
	if (is_blind(c))
		return 0;
	if ((*cohort)->accepted < COHORT_MAX) {
		append_refusal(*cohort, &why);
		end_rest(c, PROBE_SKIPPED, buffer_text(&why));
		return 0;
	}
	if (lost > 0) {
		buffer_printf(&why, "of %d that got a 2xx %zu are not seen, without a restart", COHORT_MAX, lost);
		end_rest(c, PROBE_SKIPPED, buffer_text(&why));
		return 0;
	}
	struct delivery *again = &(*cohort)->trials[0].first;
	int status = again->status;
	int code = messenger_send(&c->ground.messenger, &again, 1, 0, NULL, NULL, err);
	again->status = status;
	return code;
}

/* restart: nothing is under way. What is lost is looked at again, with new customers. */
static int play_restart(struct crash *c, struct error *err)
{
	struct cohort *cohort = c->cohorts;
	size_t lost = 0;
	for (int i = 0; i < 2 && !is_blind(c) && (i == 0 || lost > 0); i++)
		if (play_calm(c, &cohort, err) < 0 || restart_quietly(c, cohort, err) < 0 ||
		    find_lost(c, cohort, &lost, err) < 0)
			return -1;
	struct probe_check *check = find_check(c, PART_RESTART);
	check = check ? check : find_check(c, PART_NONE);
	if (is_blind(c) || lost == 0 || !check)
		return 0;
	play_keep_log(c->p, check);
	if (lost == cohort->accepted)
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "nothing survives a restart: it is kept in memory, or COMMAND empties it");
	else
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%zu of %zu were gone after a restart, though nothing was sent", lost, cohort->accepted);
	end_rest(c, PROBE_SKIPPED, "what is kept does not survive a quiet restart");
	return 0;
}

/* Ends the listener after this number of 2xx. */
struct ending {
	struct listener *listener;
	unsigned after, accepted;
	bool kills;
};

static bool end_after(void *context, const struct delivery *delivery)
{
	struct ending *ending = context;
	ending->accepted += delivery_accepted(delivery);
	if (ending->accepted < ending->after)
		return false;
	listener_signal(ending->listener, ending->kills ? SIGKILL : SIGTERM);
	return true;
}

/* What the rounds of a check have come to. */
struct rounds {
	size_t first, count;   /* the cohorts */
	unsigned losses;       /* rounds in which one that had its 2xx was gone */
	size_t lost, accepted; /* of the worst of them */
	unsigned misses;       /* rounds in which one got its 2xx when it came again, and left nothing */
	size_t missed, again;  /* of the worst of them */
};

/* Sends those that got a non-2xx status, or none, again. `again`: how many got one now. */
static int send_rest(struct crash *c, struct cohort *cohort, size_t *again, struct error *err)
{
	*again = 0;
	for (size_t i = 0; i < cohort->count && !is_blind(c); i++) {
		struct trial *t = &cohort->trials[i];
		struct delivery *rest = &t->first;
		t->came_again = !delivery_accepted(rest);
		if (!t->came_again)
			continue;
		if (messenger_send(&c->ground.messenger, &rest, 1, 0, NULL, NULL, err) < 0)
			return -1;
		*again += delivery_accepted(rest);
	}
	cohort->accepted += *again;
	return 0;
}

static int play_round(struct crash *c, bool kills, struct random *random, struct rounds *rounds, struct error *err)
{
	struct listener *listener = c->p->options->listener;
	struct ending ending = { listener, LEAST_ANSWERS + (unsigned)random_below(random, MORE_ANSWERS + 1), 0, kills };
	struct cohort *cohort;
	size_t lost = 0, again, missed = 0;
	if (take_cohort(c, &cohort, err) < 0 || cohort_send(&c->ground, cohort, IN_FLIGHT, end_after, &ending, err) < 0)
		return -1;
	if (is_blind(c))
		return 0;
	if (kills)
		listener_kill(listener);
	else
		listener_stop(listener);
	if (start_again(c, err) < 0 || find_lost(c, cohort, &lost, err) < 0)
		return -1;
	rounds->losses += lost > 0;
	if (lost > rounds->lost) {
		rounds->lost = lost;
		rounds->accepted = cohort->accepted;
	}
	if (send_rest(c, cohort, &again, err) < 0)
		return -1;
	/* What was gone already is not waited for again. */
	if (lost == 0 && again > 0 && find_lost(c, cohort, &missed, err) < 0)
		return -1;
	rounds->misses += missed > 0;
	if (missed > rounds->missed) {
		rounds->missed = missed;
		rounds->again = again;
	}
	return 0;
}

static int play_rounds(struct crash *c, enum probe_part part, struct rounds *rounds, struct error *err)
{
	struct random random;
	unsigned most = c->p->options->deep ? ROUNDS_DEEP : ROUNDS;
	*rounds = (struct rounds){ .first = c->used };
	if (!find_check(c, part) || is_blind(c))
		return 0;
	play_note_log(c->p);
	random_seed(&random, c->p->maker.seed ^ (uint64_t)part);
	for (unsigned i = 0; i < most + (rounds->losses == 1 || rounds->misses == 1 ? ROUNDS_MORE : 0) &&
	                     !is_blind(c) && rounds->losses < 2 && rounds->misses < 2;
	     i++)
		if (play_round(c, part == PART_KILL, &random, rounds, err) < 0)
			return -1;
	rounds->count = c->used - rounds->first;
	if (rounds->losses >= 2 || rounds->misses >= 2)
		play_keep_log(c->p, find_check(c, part));
	return 0;
}

/* Notifications that are there twice. */
struct doubles {
	size_t sent, twice; /* of those that were looked at */
	unsigned rounds;    /* in which one was twice */
};

/* How many alike lines a customer has whose notification came once, and at whose time nothing was ended. */
static size_t calm_twins(const struct crash *c)
{
	size_t most = c->kind.twins;
	for (size_t i = 1; i < c->cohorts[0].count; i++) { /* the first one came twice */
		size_t twins = observation_count_twins(&c->ground.look.now, c->cohorts[0].trials[i].customer.mention);
		most = twins > most ? twins : most;
	}
	return most;
}

/* Looks for those that came again, or for those that had their 2xx at once. Another line of theirs is not a repeat: a
 * file that was being written when the listener ended. */
static struct doubles count_doubles(const struct crash *c, const struct rounds *rounds, bool came_again)
{
	struct doubles d = { 0, 0, 0 };
	size_t calm = calm_twins(c);
	for (size_t b = rounds->first; b < rounds->first + rounds->count; b++) {
		const struct cohort *cohort = &c->cohorts[b];
		size_t before = d.twice;
		for (size_t i = 0; i < cohort->count; i++) {
			const struct trial *t = &cohort->trials[i];
			bool is_looked_at = t->came_again == came_again && c->kind.is_mentioned && c->drops_repeats;
			d.sent += t->came_again == came_again;
			d.twice += is_looked_at &&
			           observation_count_twins(&c->ground.look.now, t->customer.mention) > calm;
		}
		d.rounds += d.twice > before;
	}
	return d;
}

/* Says what the rounds have come to; it has been quiet since the last of them. That one is twice after a restart is
 * known by two rounds, of which one may be of the other check. */
static void say_rounds(struct crash *c, enum probe_part part, const char *how, const struct rounds *rounds,
                       const struct rounds *others)
{
	static const char *const one_step = "store a notification and what recognizes its repeat in one transaction";
	struct probe_check *check = find_check(c, part);
	if (!check || is_blind(c))
		return;
	struct doubles of_again = count_doubles(c, rounds, true), of_accepted = count_doubles(c, rounds, false);
	unsigned confirming = count_doubles(c, others, false).rounds;
	if (rounds->losses >= 2)
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%zu of the %zu that got a 2xx were gone after %s and a restart", rounds->lost,
		          rounds->accepted, how);
	else if (rounds->misses >= 2)
		probe_end(check, PROBE_FAILED, one_step,
		          "%zu of the %zu that got no response before %s left nothing, though they came again and got "
		          "a 2xx",
		          rounds->missed, rounds->again, how);
	else if (of_again.rounds >= 2)
		probe_end(check, PROBE_FAILED, one_step,
		          "%zu of the %zu that got no response before %s were there twice when they had come again",
		          of_again.twice, of_again.sent, how);
	else if (of_accepted.rounds > 0 && of_accepted.rounds + confirming >= 2)
		probe_end(check, PROBE_FAILED, "do the work and mark it done in one transaction",
		          "%zu of the %zu that got a 2xx were there twice after %s and a restart", of_accepted.twice,
		          of_accepted.sent, how);
	else
		probe_end(check, PROBE_RIGHT, NULL, "%s", "");
}

static int play_all(struct crash *c, struct error *err)
{
	struct rounds kill, stop;
	size_t rounds = c->p->options->deep ? ROUNDS_DEEP : ROUNDS;
	if (choose_kind(c, err) < 0)
		return -1;
	if (is_blind(c))
		return 0;
	size_t likely = 1 + (find_check(c, PART_KILL) ? rounds : 0) + (find_check(c, PART_STOP) ? rounds : 0);
	if (introduce(c, likely, err) < 0 || play_restart(c, err) < 0 || play_rounds(c, PART_KILL, &kill, err) < 0 ||
	    play_rounds(c, PART_STOP, &stop, err) < 0)
		return -1;
	if (!is_blind(c) && lookout_quiet(&c->ground.look, c->ground.messenger.last_ns, err) < 0)
		return -1;
	say_rounds(c, PART_KILL, "kill -9", &kill, &stop);
	say_rounds(c, PART_STOP, "SIGTERM", &stop, &kill);
	return 0;
}

/* Why the group cannot be played; NULL: it can. */
static const char *obstacle(const struct player *p)
{
	struct url url;
	if (!p->options->store.read)
		return "--observe is not given";
	if (!p->options->listener)
		return "-- COMMAND is not given, and only what test has started is ended";
	if (url_parse(p->options->http->url, &url) != NULL || !host_is_loopback(&url.host))
		return "the listener is not at a loopback address of this machine";
	return p->options->listener->is_detached ? "COMMAND has ended, and something else listens" : NULL;
}

int play_crash(struct player *p, size_t index, struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	struct crash c = { .p = p };
	const char *why = obstacle(p);
	unsigned restarts = p->restarts;
	if (check->result.ended)
		return 0;
	if (why) {
		probe_end(check, PROBE_SKIPPED, NULL, "%s", why);
		return 0;
	}
	p->at = index;
	play_note_log(p);
	trial_ground_init(&c.ground, p, check);
	c.cohorts = calloc(COHORTS_MAX, sizeof *c.cohorts);
	int code = c.cohorts ? play_all(&c, err) : error_no_memory(err);
	if (code == 0 && c.ground.look.problem[0]) {
		p->summary->uncounted = true;
		snprintf(p->summary->message, sizeof p->summary->message, "%s", c.ground.look.problem);
		end_rest(&c, PROBE_SKIPPED, c.ground.look.problem);
	} else if (code == 0 && p->restarts != restarts) {
		end_rest(&c, PROBE_SKIPPED, "the listener ended by itself meanwhile");
	} else if (code == 0 && !player_is_over(p)) {
		end_rest(&c, PROBE_RIGHT, "");
	}
	for (size_t b = 0; c.cohorts && b < COHORTS_MAX; b++)
		cohort_release(&c.cohorts[b]);
	free(c.cohorts);
	trial_ground_release(&c.ground);
	return code;
}
