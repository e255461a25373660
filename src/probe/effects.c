#include "probe/effect.h"
#include "probe/player.h"

#include <stdio.h>
#include <string.h>

/* Ends the checks of the group that have not. */
static void end_rest(const struct effects *e, enum probe_outcome outcome, const char *why)
{
	const struct probe_plan *plan = e->p->options->plan;
	for (size_t i = 0; i < plan->count; i++) {
		struct probe_check *check = &plan->checks[i];
		if (check->row->play == play_effects && check->chosen && !check->result.ended)
			probe_end(check, outcome, NULL, "%s", why);
	}
}

/* What was refused has to leave nothing. What comes the second time has to be new: it would be taken for a repeat. */
static int play_refused(struct effects *e, struct error *err)
{
	struct probe_check *check = effect_check(e, PART_REFUSED, NULL);
	struct observation_change change = { .came = 0 };
	size_t index = check ? (size_t)(check - e->p->options->plan->checks) : 0;
	for (int i = 0; check && i < 2 && !effect_is_blind(e); i++) {
		struct probe_session kept = e->p->maker.session;
		check->result.ended = false;
		if (effect_quiet(e, err) < 0)
			return -1;
		probe_session_init(&e->p->maker, ++e->ground.messenger.salt);
		int code = play_batch(e->p, index, index + 1, err);
		e->p->maker.session = kept;
		if (code < 0 || lookout_quiet(&e->ground.look, player_now(e->p), err) < 0)
			return -1;
		observation_compare(&e->ground.base, &e->ground.look.now, NULL, &change);
		if (change.growth <= 0 || check->result.status < 400)
			break;
	}
	if (!check || effect_is_blind(e))
		return 0;
	if (check->result.status >= 200 && check->result.status < 300) {
		check->result.ended = false;
		probe_end(check, PROBE_SKIPPED, NULL, "the listener accepts invalid payloads");
	} else if (change.growth > 0) {
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%s grew by %lld for refused payloads: right only if these are kept on purpose",
		          e->ground.look.now.is_number ? "the number" : "what is kept", (long long)change.growth);
	}
	return 0;
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
			struct catalog_kind kind = { event, event->elements ? &event->elements[n] : NULL };
			bool wanted = effect_check(e, PART_ONCE, &kind) || effect_check(e, PART_DISTINCT, &kind);
			bool has_lines = false;
			for (enum probe_part part = PART_AT_ONCE; part <= PART_CANCELLED_FIRST; part++) {
				bool is_needed = effect_needs(part, &kind) && effect_check(e, part, NULL);
				wanted |= is_needed;
				has_lines |= is_needed && part == PART_AT_ONCE;
			}
			if (wanted)
				e->trials[e->count++] = (struct trial){ .kind = kind, .needs_lines = has_lines };
		}
	}
	return 0;
}

/* Ends the checks of kinds that leave no trace, and lists these. False: no kind leaves any. */
static bool take_traces(struct effects *e)
{
	LOCAL_BUFFER names = BUFFER_INIT;
	size_t accepted = 0, traced = 0;
	for (size_t i = 0; i < e->count; i++) {
		const struct trial *t = &e->trials[i];
		bool taken = delivery_accepted(&t->first);
		struct probe_check *checks[] = { effect_check(e, PART_ONCE, &t->kind),
			                         effect_check(e, PART_DISTINCT, &t->kind) };
		accepted += taken;
		traced += t->has_trace;
		for (int c = 0; c < 2; c++)
			if (checks[c] && !t->has_trace)
				probe_end(checks[c], PROBE_SKIPPED, NULL, "%s",
				          taken                 ? "it leaves no trace in what --observe prints"
				          : t->first.status < 0 ? e->ground.messenger.unmade
				                                : "the event is not accepted");
		if (taken && !t->has_trace)
			buffer_printf(&names, "%s%s", names.length > 0 ? ", " : "", KIND_NAME(t->kind));
	}
	if (traced > 0)
		snprintf(e->p->summary->traceless, sizeof e->p->summary->traceless, "%s", buffer_text(&names));
	return traced > 0 || accepted == 0;
}

/* No kind leaves a trace: said once, of the first check for which nothing else was found. */
static void blame_observation(struct effects *e)
{
	static const char why[] = "no notification changes what --observe prints";
	const struct probe_plan *plan = e->p->options->plan;
	for (struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++) {
		if (check->row->play != play_effects || !check->chosen ||
		    (check->result.ended && check->result.verdict == GRADE_FAIL))
			continue;
		check->result.ended = false;
		check->level = PROBE_MUST;
		probe_end(check, PROBE_FAILED, "give --observe a command that prints what the listener stores", "%s",
		          why);
		break;
	}
	end_rest(e, PROBE_SKIPPED, why);
}

static int play_all(struct effects *e, struct delivery *seconds, struct error *err)
{
	if (e->count > 0 && trial_learn_all(&e->ground, e->trials, e->count, err) < 0)
		return -1;
	if (effect_is_blind(e))
		return 0;
	if (!take_traces(e)) {
		blame_observation(e);
		return 0;
	}
	return effect_distinct(e, seconds, err) < 0 || effect_once(e, err) < 0 || effect_at_once(e, err) < 0 ||
	                       effect_together(e, err) < 0 || effect_early(e, err) < 0 || effect_either(e, err) < 0 ||
	                       play_refused(e, err) < 0
	               ? -1
	               : 0;
}

int play_effects(struct player *p, size_t index, struct error *err)
{
	struct probe_check *check = &p->options->plan->checks[index];
	struct effects e = { .p = p };
	unsigned restarts = p->restarts;
	if (check->result.ended)
		return 0;
	if (!p->options->store.read) {
		probe_end(check, PROBE_SKIPPED, NULL, "--observe is not given");
		return 0;
	}
	p->at = index;
	play_note_log(p);
	trial_ground_init(&e.ground, p, check);
	int code = take_kinds(&e, err);
	struct delivery *seconds = code == 0 ? calloc(e.count + 1, sizeof *seconds) : NULL;
	if (code == 0)
		code = seconds ? play_all(&e, seconds, err) : error_no_memory(err);
	if (code == 0 && e.ground.look.problem[0]) {
		p->summary->uncounted = true;
		snprintf(p->summary->message, sizeof p->summary->message, "%s", e.ground.look.problem);
		end_rest(&e, PROBE_SKIPPED, e.ground.look.problem);
	} else if (code == 0 && p->restarts != restarts) {
		end_rest(&e, PROBE_SKIPPED, "the listener ended meanwhile");
	} else if (code == 0 && !player_is_over(p)) {
		end_rest(&e, PROBE_RIGHT, "");
	}
	for (size_t i = 0; i < e.count; i++)
		delivery_release(&e.trials[i].first);
	for (size_t i = 0; seconds && i < e.count; i++)
		delivery_release(&seconds[i]);
	free(seconds);
	free(e.trials);
	trial_ground_release(&e.ground);
	return code;
}
