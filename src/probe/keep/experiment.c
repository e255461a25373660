#include "probe/keep/experiment.h"

#include "probe/keep/round.h"
#include "probe/play/flight.h"
#include "probe/play/player.h"
#include "probe/play/presence.h"
#include "probe/play/verdict.h"

#include <stdlib.h>

#define LOOK_NS     (20 * CLOCK_NS_PER_MS)  /* between two looks for one that has to come */
#define LOOK_ALL_NS (50 * CLOCK_NS_PER_MS)  /* for several */
#define MORE_LAGS   3                       /* to the longest wait */
#define LATE_NS     (500 * CLOCK_NS_PER_MS) /* a lag that is not waited for once for each */

static const struct experiment_row learning = {
	.script = SCRIPT_FIRST,
	.expects = EXPECT_A_TRACE,
	.learns = true,
};

/* Looks until all are there, or none has come for too long. The lag grows to what it took, where it was seen. */
static int await(struct round *r, struct experiment *const *some, size_t count, bool is_shared, struct error *err)
{
	struct trial_ground *g = r->ground;
	bool is_one = some[0]->row->expects == EXPECT_A_TRACE;
	int64_t since = player_now(g->player), end, left, before = -1;
	bool is_short = is_one && !r->confirms && g->has_waited;
	int64_t patience = is_short ? trial_patience(g) : LOOKOUT_EXPECTED_NS + MORE_LAGS * g->look.lag_ns;
	g->has_waited = true;
	for (end = since + patience;; before = left) {
		int64_t at = player_now(g->player);
		if (lookout_look(&g->look, err) < 0)
			return -1;
		left = is_shared ? expectation_missing(r, some, count) : expectation_measure(r, some, count);
		if (left < before && is_one && count == 1)
			lookout_note_lag(&g->look, at - since);
		if (left < before) /* they come one after the other */
			end = at + patience;
		if (left <= 0 || at >= end || round_is_blind(r))
			return 0;
		lookout_pause(&g->look, is_one ? LOOK_NS : LOOK_ALL_NS);
	}
}

/* Whether what came is compared only when nothing more comes. */
static bool needs_rest(const struct experiment *ex)
{
	const struct trial *known = ex->known;
	return experiment_waits(ex) && (!known->is_mentioned || (ex->row->learns && known->needs_lines));
}

static void count_gone(struct experiment_tally *tally, size_t gone, size_t of)
{
	tally->rounds += gone > 0;
	if (gone > tally->gone)
		*tally = (struct experiment_tally){ tally->rounds, gone, of };
}

/* Ends the listener, and counts what is gone then; sends what was not accepted again, and counts what of that is
 * missing. */
static int play_end(struct round *r, struct experiment *const *some, struct error *err)
{
	struct experiment *ex = some[0];
	if (round_is_blind(r))
		return 0;
	if (ex->between(ex, err) < 0)
		return -1;
	if (ex->state == EXPERIMENT_BLIND || round_is_blind(r))
		return 0;
	if (await(r, some, 1, false, err) < 0)
		return -1;
	size_t lost = (size_t)ex->found.off, accepted = ex->found.accepted, again, missed = 0;
	if (script_send_rest(r, ex, &again, err) < 0)
		return -1;
	/* What was gone already is not waited for again. */
	if (lost == 0 && again > 0 && !round_is_blind(r)) {
		if (await(r, some, 1, false, err) < 0)
			return -1;
		missed = (size_t)ex->found.off;
	}
	count_gone(&ex->lost, lost, accepted);
	count_gone(&ex->missed, missed, again);
	return 0;
}

/* Keeps what the listener has printed since then of those that were not as expected. */
static void keep_log(const struct round *r, struct experiment *const *some, size_t count, uint64_t from)
{
	const struct player *p = r->ground->player;
	LOCAL_BUFFER log = BUFFER_INIT;
	bool is_read = false;
	for (size_t i = 0; i < count; i++) {
		const struct experiment_outcome *found = &some[i]->found;
		bool is_right = found->off == 0 && found->odd == 0 && !found->numbers && found->accepted > 0;
		if (some[i]->row->ends) /* what comes twice is known at the end of all rounds */
			is_right = found->off == 0 && some[i]->log.length > 0;
		if (is_right || some[i]->row->learns)
			continue;
		if (!is_read)
			presence_read_log(p, from, &log);
		is_read = true;
		buffer_clear(&some[i]->log);
		buffer_append(&some[i]->log, buffer_text(&log), log.length);
	}
}

void experiment_hand_log(const struct experiment *ex)
{
	struct probe_result *r = &ex->check->result;
	bool is_due = r->ended && (r->verdict == GRADE_FAIL || r->verdict == GRADE_WARN) && r->log.length == 0;
	if (is_due)
		buffer_append(&r->log, buffer_text(&ex->log), ex->log.length);
}

/* Sends them, and looks at what they leave. */
static int send_some(struct round *r, struct experiment *const *some, size_t count, bool is_shared, struct error *err)
{
	struct trial_ground *g = r->ground;
	if (count == 0 || round_is_blind(r))
		return 0;
	/* Where lines name nobody, all that was sent before is in the number. */
	if (experiment_ends(some[0]) && !experiment_is_named(some[0]) && lookout_settle(&g->look, err) < 0)
		return -1;
	if (round_is_blind(r))
		return 0;
	if (trial_take_base(g, err) < 0)
		return -1;
	if (script_send(r, some, count, err) < 0)
		return -1;
	if (experiment_ends(some[0]))
		return play_end(r, some, err);
	bool is_end = some[0]->row->expects == EXPECT_STILL_THERE; /* nothing was sent */
	if (experiment_waits(some[0]) ? await(r, some, count, is_shared, err)
	    : is_end                  ? lookout_settle(&g->look, err)
	                              : lookout_quiet(&g->look, g->messenger.last_ns, err))
		return -1;
	if (needs_rest(some[0]) && lookout_settle(&g->look, err) < 0)
		return -1;
	if (round_is_blind(r))
		return 0;
	if (is_shared)
		expectation_measure_shared(r, some, count);
	else
		expectation_measure(r, some, count);
	return 0;
}

static int play_some(struct round *r, struct experiment *const *some, size_t count, bool is_shared, struct error *err)
{
	uint64_t from = presence_log_position(r->ground->player);
	int code = send_some(r, some, count, is_shared, err);
	if (code == 0 && !round_is_blind(r))
		keep_log(r, some, count, from);
	return code;
}

/* Whether the rest is sent together: it is long until what comes is shown, with its customer, or until each has its
 * response. What only the last of them leaves is a suspicion, and tried again, one by one. */
static bool takes_long(const struct round *r, const struct experiment *ex)
{
	const struct trial_ground *g = r->ground;
	bool is_named = g->names_customers && (ex->row->learns || experiment_is_named(ex));
	return !r->confirms && is_named && (g->look.lag_ns >= LATE_NS || flight_width(g->player) > 1);
}

/* One by one. Of several of a check one is enough. */
static int play_each(struct round *r, struct experiment *const *some, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && takes_long(r, some[i])) {
			r->is_crowd = true;
			int code = play_some(r, some + i, count - i, false, err);
			r->is_crowd = false;
			return code;
		}
		bool is_said = i > 0 && r->one_by_one && some[i]->row->say && some[i]->check == some[i - 1]->check &&
		               (some[i - 1]->found.off > 0 || !some[i - 1]->is_played);
		if (is_said)
			some[i]->is_played = false;
		else if (play_some(r, &some[i], 1, false, err) < 0)
			return -1;
	}
	return 0;
}

static size_t collect(const struct round *r, bool named, struct experiment **some)
{
	size_t count = 0;
	for (size_t i = 0; i < r->count; i++)
		if (r->list[i].is_played && experiment_is_named(&r->list[i]) == named)
			some[count++] = &r->list[i];
	return count;
}

static int play_round(struct round *r, struct experiment **some, struct error *err);

/* What was learnt is for whoever asks next. */
static void hand_over(struct experiment *ex)
{
	struct subject *s = ex->end > ex->first ? &ex->subjects[ex->first] : NULL;
	if (!ex->row->learns || !s || s->count == 0)
		return;
	delivery_release(&ex->known->first);
	ex->known->first = s->deliveries[0];
	ex->known->customer = s->customer;
	s->count = 0;
}

/* Takes the list of experiments that have learnt apart. */
static void end_learning(struct experiment *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		hand_over(&list[i]);
		experiment_release(&list[i]);
	}
	free(list);
}

/* Whether what is known is learnt again before it is sent. */
static bool relearns(const struct experiment *ex)
{
	return experiment_is_of_known(ex) && ex->row->script != SCRIPT_NOTHING;
}

/* Gives the known ones another customer, and looks again at what they leave. One that leaves nothing now cannot be
 * blamed for anything. */
static int learn_again(struct round *r, struct experiment **some, struct error *err)
{
	struct experiment *list = calloc(r->count + 1, sizeof *list);
	struct round again = { .ground = r->ground, .list = list, .confirms = true, .one_by_one = true };
	if (!list)
		return error_no_memory(err);
	for (size_t i = 0; i < r->count; i++)
		if (r->list[i].is_played && relearns(&r->list[i]))
			list[again.count++] = (struct experiment){ .row = &learning,
				                                   .check = r->list[i].check,
				                                   .known = r->list[i].known,
				                                   .is_played = true };
	int code = again.count > 0 ? play_round(&again, some, err) : 0;
	end_learning(list, again.count);
	for (size_t i = 0; i < r->count; i++) {
		struct experiment *ex = &r->list[i];
		if (!ex->is_played || !relearns(ex) || ex->known->has_trace)
			continue;
		ex->is_played = false;
		ex->state = EXPERIMENT_CLEARED;
		ex->found = (struct experiment_outcome){ .accepted = 1 };
	}
	return code;
}

/* Ends the listener before something comes, and starts it again. Where that fails, the round is over. */
static int end_before(struct round *r, struct error *err)
{
	struct experiment *first = NULL;
	for (size_t i = r->count; i-- > 0;)
		if (r->list[i].is_played && r->list[i].row->ends && !experiment_ends(&r->list[i]))
			first = &r->list[i];
	if (!first || round_is_blind(r))
		return 0;
	if (first->between(first, err) < 0)
		return -1;
	for (size_t i = 0; first->state == EXPERIMENT_BLIND && i < r->count; i++) {
		r->list[i].state = EXPERIMENT_BLIND;
		r->list[i].is_played = false;
	}
	return round_is_blind(r) ? 0 : lookout_settle(&r->ground->look, err);
}

/* What has to leave one trace is sent one by one at first, since a listener may keep the last one only. */
static int play_round(struct round *r, struct experiment **some, struct error *err)
{
	if ((r->confirms && learn_again(r, some, err) < 0) || script_prepare(r, err) < 0 || end_before(r, err) < 0)
		return -1;
	size_t named = collect(r, true, some);
	bool each = named > 0 && some[0]->row->expects == EXPECT_A_TRACE && !r->confirms;
	if (each ? play_each(r, some, named, err) < 0 : play_some(r, some, named, false, err) < 0)
		return -1;
	size_t unnamed = collect(r, false, some);
	if (unnamed == 0)
		return 0;
	if (experiment_waits(some[0]) && named > 0 && !round_is_blind(r) && lookout_settle(&r->ground->look, err) < 0)
		return -1;
	each = unnamed == 1 || r->one_by_one || (some[0]->row->expects == EXPECT_A_TRACE && !r->confirms);
	return each ? play_each(r, some, unnamed, err) : play_some(r, some, unnamed, true, err);
}

/* What the round has made of it. */
static enum experiment_state conclude(const struct round *r, struct experiment *ex)
{
	struct experiment_outcome *found = &ex->found;
	if ((experiment_waits(ex) && found->accepted == 0) || found->is_unseen)
		return EXPERIMENT_BLIND;
	if (ex->row->learns && !found->is_shared)
		found->off = !ex->known->has_trace;
	if (!r->confirms) {
		ex->suspected = *found;
		return found->off > 0 || found->odd > 0 ? EXPERIMENT_SUSPECT : EXPERIMENT_CLEARED;
	}
	/* Only what both have seen is so. */
	found->off = ex->suspected.off > 0 ? found->off : 0;
	found->odd = ex->suspected.odd > 0 ? found->odd : 0;
	if (found->off > 0 && found->is_shared)
		return EXPERIMENT_SUSPECT;
	return found->off > 0 || found->odd > 0 ? EXPERIMENT_CONFIRMED : EXPERIMENT_CLEARED;
}

/* Takes those that are in the state; for the calm one all that were in the round which it is compared with, so that as
 * much is sent. Whether any is in the state. */
static bool choose(struct round *r, enum experiment_state state, bool is_calm)
{
	bool any = false;
	for (size_t i = 0; i < r->count; i++) {
		struct experiment *ex = &r->list[i];
		bool is_compared = ex->row->is_compared && !ex->found.is_shared;
		ex->is_played = is_calm ? ex->was_played && is_compared : ex->state == state;
		any |= ex->is_played && ex->state == state;
	}
	r->is_calm = is_calm;
	return any && !round_is_blind(r);
}

/* Sends the same one after the other, one copy of each, where that is compared. */
static int compare(struct round *r, enum experiment_state state, struct experiment **some, struct error *err)
{
	struct experiment_outcome *busy = calloc(r->count + 1, sizeof *busy);
	int code = busy ? 0 : error_no_memory(err);
	bool any = code == 0 && choose(r, state, true);
	r->one_by_one = false;
	for (size_t i = 0; any && i < r->count; i++)
		busy[i] = r->list[i].found;
	if (any)
		code = play_round(r, some, err);
	for (size_t i = 0; any && code == 0 && i < r->count && !round_is_blind(r); i++) {
		struct experiment *ex = &r->list[i];
		bool is_meant = ex->is_played && ex->state == state;
		bool is_same = busy[i].off > 0 && (ex->found.is_twice || !busy[i].is_twice);
		if (is_meant && is_same && ex->found.off > 0)
			ex->state = EXPERIMENT_BLIND;
		else if (is_meant && ex->found.accepted < experiment_customers(ex))
			ex->state = EXPERIMENT_CLEARED;
		ex->found = busy[i];
	}
	free(busy);
	return code;
}

static int play_rounds(struct round *r, struct experiment **some, struct error *err)
{
	enum { FIRST_LOOK, ONCE_MORE, ONE_BY_ONE, TURNS };
	const unsigned *restarts = &r->ground->player->presence.restarts;
	bool was_disturbed = false;
	for (int turn = FIRST_LOOK; turn < TURNS; turn++) {
		unsigned before = *restarts;
		if (!choose(r, turn == FIRST_LOOK ? EXPERIMENT_OPEN : EXPERIMENT_SUSPECT, false))
			break;
		r->confirms = turn > FIRST_LOOK;
		r->one_by_one = turn == ONE_BY_ONE;
		if (play_round(r, some, err) < 0)
			return -1;
		/* It has ended by itself: what was sent again to find out why has changed what is looked at. */
		if (*restarts != before && !was_disturbed && !round_is_blind(r)) {
			was_disturbed = true;
			turn--;
			continue;
		}
		for (size_t i = 0; i < r->count && !round_is_blind(r); i++)
			if (r->list[i].is_played)
				r->list[i].state = conclude(r, &r->list[i]);
		for (size_t i = 0; i < r->count && turn < ONE_BY_ONE; i++)
			r->list[i].was_played = r->list[i].is_played;
		if (turn == FIRST_LOOK && compare(r, EXPERIMENT_SUSPECT, some, err) < 0)
			return -1;
	}
	return compare(r, EXPERIMENT_CONFIRMED, some, err);
}

/* Plays one with an end between, until two rounds have seen a loss, or enough have seen none. */
static int play_ends(struct round *r, struct experiment **some, struct error *err)
{
	struct experiment *ex = &r->list[0];
	for (unsigned i = 0; i < ex->rounds + (ex->state == EXPERIMENT_SUSPECT ? ex->rounds_more : 0); i++) {
		if (round_is_blind(r) || ex->state == EXPERIMENT_BLIND || ex->state == EXPERIMENT_CONFIRMED)
			break;
		ex->is_played = true;
		if (play_round(r, some, err) < 0)
			return -1;
		if (ex->state == EXPERIMENT_BLIND)
			break;
		unsigned most = ex->lost.rounds > ex->missed.rounds ? ex->lost.rounds : ex->missed.rounds;
		ex->state = most >= 2 ? EXPERIMENT_CONFIRMED : most == 1 ? EXPERIMENT_SUSPECT : EXPERIMENT_OPEN;
	}
	return 0;
}

int experiments_introduce(struct trial_ground *g, struct experiment *list, size_t count, struct error *err)
{
	struct round r = { .ground = g, .list = list, .count = count };
	bool any;
	for (size_t i = 0; i < count; i++)
		list[i].is_played = true;
	if (script_introduce(&r, true, &any, err) < 0)
		return -1;
	return any ? lookout_quiet(&g->look, g->messenger.last_ns, err) : 0;
}

int experiment_await(struct trial_ground *g, struct experiment *ex, struct error *err)
{
	struct round r = { .ground = g, .list = ex, .count = 1 };
	return await(&r, &ex, 1, false, err);
}

int experiments_run(struct trial_ground *g, struct experiment *list, size_t count, struct error *err)
{
	struct round r = { .ground = g, .list = list, .count = count };
	struct probe_check *kept = g->messenger.check;
	struct experiment **some = calloc(count + 1, sizeof(struct experiment *));
	bool ends = count > 0 && experiment_ends(&list[0]);
	int code = !some ? error_no_memory(err) : ends ? play_ends(&r, some, err) : play_rounds(&r, some, err);
	bool is_said = code == 0 && !round_is_blind(&r);
	for (size_t i = 0; i < count; i++) {
		struct experiment *ex = &list[i];
		if (is_said && ex->row->say) {
			ex->row->say(ex);
			experiment_hand_log(ex);
		} else if (!is_said && ex->row->script == SCRIPT_REFUSED && ex->check->result.verdict == GRADE_OK) {
			probe_reopen(ex->check, PROBE_NOT_PLAYED); /* what it got is not what it has left */
		}
	}
	g->messenger.check = kept;
	free(some);
	return code;
}

int experiments_learn(struct trial_ground *g, struct trial *kinds, size_t count, struct error *err)
{
	struct experiment *list = calloc(count + 1, sizeof *list);
	if (!list)
		return error_no_memory(err);
	for (size_t i = 0; i < count; i++)
		list[i] = (struct experiment){ .row = &learning, .check = g->messenger.check, .known = &kinds[i] };
	int code = count > 0 ? experiments_run(g, list, count, err) : 0;
	end_learning(list, count);
	return code;
}

void experiment_release(struct experiment *ex)
{
	for (size_t i = 0; i < ex->count; i++)
		for (size_t d = 0; d < ex->subjects[i].count; d++)
			delivery_release(&ex->subjects[i].deliveries[d]);
	free(ex->subjects);
	buffer_release(&ex->log);
}
