/*
 * The group effect: what notifications change in what the listener keeps, seen from outside by what --observe prints.
 *
 * All checks of the group are played together, since each needs what the first of each kind leaves. That is learnt
 * first; then their experiments (probe/keep/effect_rows.c) are run, row by row, and the customers of several rows are
 * introduced together.
 */
#include "probe/keep/effects.h"

#include "probe/keep/effect_rows.h"
#include "probe/keep/group.h"
#include "probe/keep/restart.h"
#include "probe/play/player.h"
#include "probe/play/presence.h"
#include "probe/play/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which they are played; those of a line together, as they wait for the same. */
#define ROUND_ROWS 5
static const struct experiment_row *const order[][ROUND_ROWS] = {
	{ &effect_distinct },
	{ &effect_once },
	{ &effect_at_once, &effect_either, &effect_others, &effect_differs, &effect_differs_alone },
	{ &effect_together, &effect_value },
	{ &effect_alike },
	{ &effect_early },
	{ &effect_none },
};
#define ORDERED (sizeof order / sizeof order[0])
/* When no other group looks any more. */
static const struct experiment_row *const late[][ROUND_ROWS] = { { &effect_stays }, { &effect_again } };
#define LATE (sizeof late / sizeof late[0])
/* The first of `order` are of customers who are known; the obstacles of others ask what these have shown. */
#define OF_KNOWN   2
#define KINDS_MOST 5 /* of a check */

struct effects {
	struct player *p;
	struct trial_ground ground;
	struct trial *trials; /* the kinds */
	size_t count;
	unsigned restarts; /* of the listener, before */
	unsigned ends;     /* the player's, when it was learnt what repeats leave */
	bool is_learnt;    /* some leave a trace */
};

static bool is_blind(const struct effects *e)
{
	return lookout_is_blind(&e->ground.look);
}

static bool is_open(const struct probe_check *check)
{
	return group_is_open(check, play_effects) || group_is_open(check, play_late_effects);
}

/* The kinds that the check is about. */
static size_t kinds_of(const struct probe_check *check, struct catalog_kind kinds[KINDS_MOST])
{
	const char *at = check->row->kinds;
	size_t count = 0;
	if (!at && check->kind.event)
		kinds[count++] = check->kind;
	while (at && *at && count < KINDS_MOST) {
		char name[CATALOG_KIND_NAME_SIZE];
		size_t length = strcspn(at, ",");
		snprintf(name, sizeof name, "%.*s", (int)length, at);
		count += catalog_find_kind(name, &kinds[count], NULL) == CATALOG_FOUND;
		at += length + (at[length] == ',');
	}
	return count;
}

/* Whether a check that is open is about the kind. *counts: how many lines it leaves has to be known. */
static bool is_asked(const struct effects *e, struct catalog_kind kind, bool *counts)
{
	const struct probe_plan *plan = e->p->options->plan;
	struct catalog_kind kinds[KINDS_MOST];
	bool is_asked = false;
	*counts = false;
	for (const struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++) {
		is_asked |= is_open(check) && check->row->experiment->is_of_all;
		for (size_t i = 0, count = is_open(check) ? kinds_of(check, kinds) : 0; i < count; i++)
			if (catalog_is_same_kind(kinds[i], kind)) {
				is_asked = true;
				*counts |= check->row->experiment->copies > 0;
			}
	}
	return is_asked;
}

/* Takes the kinds that the chosen checks need. */
static int take_kinds(struct effects *e, struct error *err)
{
	e->trials = calloc(catalog_kind_count(), sizeof *e->trials);
	if (!e->trials)
		return error_no_memory(err);
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *event = catalog_story_at(i);
		for (size_t n = 0; n == 0 || n < event->element_count; n++) {
			struct trial t = { .kind = { event, event->elements ? &event->elements[n] : NULL } };
			if (is_asked(e, t.kind, &t.needs_lines))
				e->trials[e->count++] = t;
		}
	}
	return 0;
}

static struct trial *find_trial(const struct effects *e, struct catalog_kind kind)
{
	for (size_t i = 0; i < e->count; i++)
		if (catalog_is_same_kind(e->trials[i].kind, kind))
			return &e->trials[i];
	return NULL;
}

bool effects_recall(const struct player *p, struct catalog_kind kind, struct trial *trial, int64_t *lag_ns)
{
	const struct effects *e = p->effects;
	const struct trial *known = e && e->is_learnt ? find_trial(e, kind) : NULL;
	if (!known || !known->needs_lines || !trial_leaves_lines(known) || player_deaths(p) != e->restarts)
		return false;
	*trial = *known;
	trial->first = (struct delivery){ .status = known->first.status };
	*lag_ns = e->ground.look.lag_ns;
	return true;
}

static size_t count_traced(const struct trial *trials, size_t count)
{
	size_t traced = 0;
	for (size_t i = 0; i < count; i++)
		traced += trials[i].has_trace;
	return traced;
}

/* Lists the kinds that leave no trace. */
static void list_traceless(const struct effects *e)
{
	LOCAL_BUFFER names = BUFFER_INIT;
	for (size_t i = 0; i < e->count; i++) {
		const struct trial *t = &e->trials[i];
		if (delivery_accepted(&t->first) && !t->has_trace)
			buffer_printf(&names, "%s%s", names.length > 0 ? ", " : "", KIND_NAME(t->kind));
	}
	e->p->no_memory |= names.failed;
	snprintf(e->p->summary->traceless, sizeof e->p->summary->traceless, "%s", buffer_text(&names));
}

/* Whether any notification leaves a trace: where none of the kinds that are asked about does, others are tried, so that
 * a check alone says what it says among others. *accepted: there was one that could have. */
static int look_for_any_trace(struct effects *e, bool *any, bool *accepted, struct error *err)
{
	struct trial others[CATALOG_KEPT_MOST] = { { .has_trace = false } };
	size_t count = 0;
	*any = count_traced(e->trials, e->count) > 0;
	*accepted = false;
	for (size_t i = 0; i < e->count; i++)
		*accepted |= delivery_accepted(&e->trials[i].first);
	for (size_t i = 0; i < CATALOG_KEPT_MOST && !*any; i++) {
		others[count].kind = catalog_kept_at(i);
		bool is_taken = !e->p->maker.failed[catalog_kind_index(others[count].kind)];
		count += is_taken && find_trial(e, others[count].kind) == NULL;
	}
	int code = is_blind(e) ? 0 : experiments_learn(&e->ground, others, count, err);
	*any |= count_traced(others, count) > 0;
	for (size_t i = 0; i < count; i++) {
		*accepted |= delivery_accepted(&others[i].first);
		delivery_release(&others[i].first);
	}
	return code;
}

/* A kind that leaves no trace, where others do: it is lost behind its 2xx, or it is not meant to be kept, or seen. */
static void say_dropped(struct probe_check *check)
{
	check->level = PROBE_SHOULD;
	check->result.lost = "EVENT is not kept, or not seen";
	snprintf(check->advice, sizeof check->advice,
	         "right if you do not keep it, or --observe does not show it; otherwise it is lost behind its 2xx");
	probe_end(check, PROBE_FAILED, check->advice, "it got a 2xx and left no trace, while other events leave one");
}

/* Ends the checks that need a trace of their kind, and it leaves none. */
static void end_traceless(const struct effects *e)
{
	const struct probe_plan *plan = e->p->options->plan;
	for (struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++) {
		bool needs_one = is_open(check) && !check->row->experiment->obstacle && check->kind.event;
		const struct trial *known = needs_one ? find_trial(e, check->kind) : NULL;
		if (!known || known->has_trace)
			continue;
		if (delivery_accepted(&known->first) && check->row->experiment == &effect_once)
			say_dropped(check);
		else
			probe_end(check, PROBE_SKIPPED, NULL, "%s",
			          delivery_accepted(&known->first) ? "it leaves no trace in what --observe prints"
			          : known->first.status < 0        ? e->ground.messenger.unmade
			                                           : "the event is not accepted");
	}
}

/* Says that the kind is lost behind what came before it, as what `coarse` is about is. */
static void say_coarse(const struct effects *e, struct catalog_kind kind, const struct probe_check *coarse)
{
	const struct probe_plan *plan = e->p->options->plan;
	for (struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++) {
		if (check->row->experiment != &effect_once || !probe_has_failed(check) ||
		    !catalog_is_same_kind(check->kind, kind))
			continue;
		probe_reopen(check, PROBE_SAID_AGAIN);
		check->level = PROBE_MUST;
		check->result.lost = coarse->row->lost;
		check->result.part_of = coarse;
		probe_end(check, PROBE_FAILED, coarse->row->fix,
		          "behind what came before it of the same customer it left nothing; alone it leaves a trace");
	}
}

/* Where a key of repeats is too coarse, a kind that left no trace may be lost to that, too: then it leaves one of a
 * customer of whom nothing came before. */
static int explain_dropped(struct effects *e, struct error *err)
{
	const struct probe_check *coarse = is_blind(e) ? NULL : group_find_failed(e->p, &effect_distinct, PROBE_MUST);
	struct trial *alone = coarse ? calloc(e->count + 1, sizeof *alone) : NULL;
	size_t count = 0;
	if (!coarse)
		return 0;
	if (!alone)
		return error_no_memory(err);
	for (const struct trial *t = e->trials; t < e->trials + e->count; t++)
		if (delivery_accepted(&t->first) && !t->has_trace)
			alone[count++] = (struct trial){ .kind = t->kind, .is_alone = true };
	int code = experiments_learn(&e->ground, alone, count, err);
	for (size_t i = 0; i < count; i++) {
		/* What shows nothing of its own may be a line of the customer, whatever is sent. */
		if (code == 0 && !is_blind(e) && alone[i].has_trace && alone[i].shows_difference)
			say_coarse(e, alone[i].kind, coarse);
		delivery_release(&alone[i].first);
	}
	free(alone);
	return code;
}

/* Between: ends the listener, and starts it again, where that was not done since the first ones came. */
static int restart(struct experiment *ex, struct error *err)
{
	struct effects *e = ex->context;
	struct player *p = e->p;
	LOCAL_BUFFER why = BUFFER_INIT;
	if (ex->state == EXPERIMENT_OPEN && p->ends != e->ends)
		return 0;
	listener_stop(p->options->listener);
	if (restart_listener(&e->ground, &why, err) < 0)
		return -1;
	if (why.length > 0) {
		ex->state = EXPERIMENT_BLIND;
		probe_end(ex->check, PROBE_SKIPPED, NULL, "%s", buffer_text(&why));
	}
	return 0;
}

/* Lists the experiments of the check: of each of its kinds where that can be asked. Where it can of none, it ends.
 * *count: of the list, grows. */
static int list_experiments(struct effects *e, struct probe_check *check, const struct experiment_row *row,
                            struct experiment *list, size_t *count, struct error *err)
{
	struct catalog_kind kinds[KINDS_MOST];
	size_t before = *count, kind_count = row->is_of_all ? e->count : kinds_of(check, kinds);
	LOCAL_BUFFER why = BUFFER_INIT;
	for (size_t i = 0; i < kind_count; i++) {
		struct trial *known = row->is_of_all ? &e->trials[i] : find_trial(e, kinds[i]);
		buffer_clear(&why);
		if (row->obstacle)
			row->obstacle(known, &why);
		if (why.failed)
			return error_no_memory(err);
		if (why.length == 0 && !(row->is_one && *count > before))
			list[(*count)++] = (struct experiment){
				.row = row, .check = check, .known = known, .between = restart, .context = e
			};
	}
	if (kind_count == 0)
		list[(*count)++] = (struct experiment){ .row = row, .check = check };
	else if (*count == before && !row->beside)
		probe_end(check, PROBE_SKIPPED, NULL, "%s", buffer_text(&why));
	return 0;
}

/* Lists those of the check that are of one of the rows. */
static int list_of(struct effects *e, struct probe_check *check, const struct experiment_row *const rows[ROUND_ROWS],
                   struct experiment *list, size_t *count, struct error *err)
{
	const struct experiment_row *own = check->row->experiment;
	int code = 0;
	for (size_t i = 0; code == 0 && i < ROUND_ROWS && rows[i]; i++)
		if (is_open(check) && (rows[i] == own || rows[i]->beside == own))
			code = list_experiments(e, check, rows[i], list, count, err);
	return code;
}

/* Runs the experiments of the rows, of all checks that are open. */
static int play_rows(struct effects *e, const struct experiment_row *const (*rows)[ROUND_ROWS], size_t row_count,
                     struct error *err)
{
	const struct probe_plan *plan = e->p->options->plan;
	struct experiment *list = calloc(plan->count * KINDS_MOST + e->count, sizeof *list);
	size_t count = 0, ends[ORDERED];
	int code = list ? 0 : error_no_memory(err);
	for (size_t r = 0; code == 0 && r < row_count; ends[r++] = count)
		for (struct probe_check *check = plan->checks; code == 0 && check < plan->checks + plan->count; check++)
			code = list_of(e, check, rows[r], list, &count, err);
	if (code == 0)
		code = experiments_introduce(&e->ground, list, count, err);
	for (size_t r = 0, from = 0; code == 0 && r < row_count && !is_blind(e); from = ends[r++])
		code = experiments_run(&e->ground, list + from, ends[r] - from, err);
	for (size_t i = 0; i < count; i++)
		experiment_release(&list[i]);
	free(list);
	return code;
}

/* Learns what the kinds leave; the effects are the player's then. The check is blamed where the listener ends. */
static int learn(struct player *p, size_t index, struct error *err)
{
	struct effects *e = p->effects = calloc(1, sizeof *e);
	bool any, accepted;
	if (!e)
		return error_no_memory(err);
	e->p = p;
	e->restarts = player_deaths(p);
	e->ends = p->ends;
	player_go_on(p, index);
	presence_note_log(p);
	trial_ground_init(&e->ground, p, &p->options->plan->checks[index]);
	if (take_kinds(e, err) < 0 || experiments_learn(&e->ground, e->trials, e->count, err) < 0 ||
	    look_for_any_trace(e, &any, &accepted, err) < 0)
		return -1;
	if (is_blind(e))
		return 0;
	e->is_learnt = any || !accepted;
	if (!e->is_learnt) {
		group_end_unseen(p, play_effects);
		group_end_unseen(p, play_late_effects);
		return 0;
	}
	list_traceless(e);
	end_traceless(e);
	return 0;
}

/* Plays the rounds, of checks that this player has. */
static int play_rounds(struct effects *e, probe_play *play, const struct experiment_row *const (*rounds)[ROUND_ROWS],
                       size_t count, struct error *err)
{
	if (e->is_learnt && !is_blind(e) && play_rows(e, rounds, count, err) < 0)
		return -1;
	group_finish(&e->ground, play, e->restarts, "the listener ended meanwhile");
	return 0;
}

int play_effects(struct player *p, size_t index, struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	if (check->result.ended)
		return 0;
	if (!p->options->store.read) {
		probe_end(check, PROBE_SKIPPED, NULL, "--observe is not given");
		return 0;
	}
	if (!p->effects && learn(p, index, err) < 0)
		return -1;
	struct effects *e = p->effects;
	if (e->is_learnt && !is_blind(e) && (play_rows(e, order, OF_KNOWN, err) < 0 || explain_dropped(e, err) < 0))
		return -1;
	return play_rounds(e, play_effects, order + OF_KNOWN, ORDERED - OF_KNOWN, err);
}

int play_late_effects(struct player *p, size_t index, struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	if (check->result.ended)
		return 0;
	const char *why = check->row->ends          ? restart_obstacle(p)
	                  : !p->options->store.read ? "--observe is not given"
	                                            : NULL;
	if (why) {
		probe_end(check, PROBE_SKIPPED, NULL, "%s", why);
		return 0;
	}
	return p->effects ? 0 : learn(p, index, err);
}

/* Learns what a repeat leaves, of what was not sent again yet and will be. */
static int try_repeats(struct effects *e, struct error *err)
{
	const struct probe_plan *plan = e->p->options->plan;
	struct experiment list[KINDS_MOST];
	struct catalog_kind kinds[KINDS_MOST];
	size_t count = 0;
	for (struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++)
		for (size_t i = 0, of = is_open(check) && check->row->ends ? kinds_of(check, kinds) : 0; i < of; i++) {
			struct trial *known = find_trial(e, kinds[i]);
			if (count < KINDS_MOST && known->has_trace && !known->drops_repeats && !known->keeps_repeats)
				list[count++] =
				        (struct experiment){ .row = &effect_repeats, .check = check, .known = known };
		}
	if (count == 0)
		return 0;
	e->ends = e->p->ends;
	int code = experiments_introduce(&e->ground, list, count, err);
	if (code == 0)
		code = experiments_run(&e->ground, list, count, err);
	for (size_t i = 0; i < count; i++)
		experiment_release(&list[i]);
	return code;
}

int effects_end(struct player *p, struct error *err)
{
	struct effects *e = p->effects;
	if (!e)
		return 0;
	if (p->has_lost || player_deaths(p) != e->restarts)
		group_end_rest(p, play_late_effects, PROBE_SKIPPED,
		               "what is kept has not outlived an end of the listener");
	if (e->is_learnt && !is_blind(e) && try_repeats(e, err) < 0)
		return -1;
	return play_rounds(e, play_late_effects, late, LATE, err);
}

void effects_free(struct effects *e)
{
	for (size_t i = 0; e && i < e->count; i++)
		delivery_release(&e->trials[i].first);
	if (e) {
		free(e->trials);
		trial_ground_release(&e->ground);
	}
	free(e);
}
