/* Checks of a second notification of a customer, which is not a repeat of the first. */
#include "probe/effect.h"
#include "probe/player.h"

#include <stdio.h>
#include <string.h>

static struct catalog_kind second_kind(struct catalog_kind kind)
{
	if (kind.element)
		kind.element = &kind.event->elements[kind.element == kind.event->elements ? 1 : 0];
	return kind;
}

/* Makes a second one of the trial's customer. Whether the user's edits leave a difference. */
static int make_second(struct effects *e, struct trial *t, bool with_life, struct delivery *second, bool *differs,
                       struct error *err)
{
	struct catalog_kind before[CUSTOMER_BEFORE_MAX];
	size_t count = with_life ? customer_life_before(t->kind, before) : 0;
	customer_renew(&t->customer, &e->ground.messenger);
	for (size_t i = 1; i < count; i++) {
		LOCAL(delivery_release) struct delivery earlier = { .status = -1 };
		if (delivery_make(&earlier, &e->ground.messenger, &t->customer, before[i], true, err) < 0 ||
		    effect_send(e, &earlier, err) < 0)
			return -1;
	}
	buffer_clear(&second->body);
	if (delivery_make(second, &e->ground.messenger, &t->customer, second_kind(t->kind), true, err) < 0)
		return -1;
	*differs = strcmp(buffer_text(&second->body), buffer_text(&t->first.body)) != 0;
	return 0;
}

/* Where there are two readings, it is a should that has both. */
static void say_distinct(const struct trial *t, const struct observation_change *change, struct probe_check *check)
{
	const char *difference = delivery_difference(t->kind);
	bool counts = t->is_mentioned && change->numbers;
	if (t->shows_difference && !counts) {
		snprintf(check->advice, sizeof check->advice,
		         "the two differ in %s: what recognizes a repeat has to take it in", difference);
		probe_end(check, PROBE_FAILED, check->advice, "a second one of the same customer left nothing");
		return;
	}
	check->level = PROBE_SHOULD;
	snprintf(check->advice, sizeof check->advice,
	         "right if you keep only %s; if you keep notifications, the key of repeats has to take in %s",
	         counts         ? "their number"
	         : t->is_number ? "one state a customer"
	                        : "that",
	         difference);
	probe_end(check, PROBE_FAILED, check->advice, "%s",
	          counts         ? "a second one of the same customer only changed a number"
	          : t->is_number ? "the number did not grow by a second one of the same customer"
	                         : "your observation shows one state a customer");
}

static int look_for_seconds(struct effects *e, struct delivery *seconds, struct error *err)
{
	int64_t since = player_now(e->p);
	struct observation_change change = { .came = 0 };
	bool any = false;
	for (size_t i = 0; i < e->count; i++) {
		struct trial *t = &e->trials[i];
		struct probe_check *check = effect_check(e, PART_DISTINCT, &t->kind);
		if (!t->is_suspect || !check || effect_is_blind(e))
			continue;
		if (t->is_mentioned || !any) {
			if (lookout_wait(&e->ground.look, &e->ground.base, trial_mention(t), effect_needs_line(t),
			                 since, LOOKOUT_EXPECTED_NS, &change, err) < 0)
				return -1;
		}
		bool left = effect_has_trace(t, &change);
		if (!left && !effect_is_blind(e) && delivery_accepted(&seconds[i]))
			say_distinct(t, &change, check);
		any |= left && !t->is_mentioned;
	}
	/* Where lines name nobody, and some came: each by itself. */
	for (size_t i = 0; i < e->count && any; i++) {
		struct trial *t = &e->trials[i];
		struct probe_check *check = effect_check(e, PART_DISTINCT, &t->kind);
		bool differs;
		if (!t->is_suspect || t->is_mentioned || !check || effect_is_blind(e))
			continue;
		if (make_second(e, t, true, &seconds[i], &differs, err) < 0 || effect_quiet(e, err) < 0 ||
		    effect_send(e, &seconds[i], err) < 0 ||
		    lookout_wait(&e->ground.look, &e->ground.base, NULL, effect_needs_line(t), player_now(e->p),
		                 LOOKOUT_EXPECTED_NS, &change, err) < 0)
			return -1;
		if (!effect_has_trace(t, &change) && !effect_is_blind(e) && delivery_accepted(&seconds[i]))
			say_distinct(t, &change, check);
	}
	return 0;
}

int effect_distinct(struct effects *e, struct delivery *seconds, struct error *err)
{
	struct observation_change change;
	bool any = false, differs;
	for (size_t i = 0; i < e->count; i++) {
		struct trial *t = &e->trials[i];
		struct probe_check *check = t->has_trace ? effect_check(e, PART_DISTINCT, &t->kind) : NULL;
		t->is_suspect = false;
		if (!check || effect_is_blind(e))
			continue;
		if (make_second(e, t, false, &seconds[i], &differs, err) < 0)
			return -1;
		if (!differs)
			probe_end(check, PROBE_SKIPPED, NULL, "--set makes a second one like the first");
		if (!differs)
			continue;
		if (trial_take_base(&e->ground, err) < 0 || effect_send(e, &seconds[i], err) < 0)
			return -1;
		if (!delivery_accepted(&seconds[i])) {
			probe_end(check, PROBE_SKIPPED, NULL, "a second one of the same customer got %d",
			          seconds[i].status);
			continue;
		}
		if (lookout_wait(&e->ground.look, &e->ground.base, trial_mention(t), effect_needs_line(t),
		                 player_now(e->p), trial_patience(&e->ground), &change, err) < 0)
			return -1;
		if (!t->is_mentioned && lookout_settle(&e->ground.look, err) < 0)
			return -1;
		t->is_suspect = !effect_has_trace(t, &change);
		any |= t->is_suspect;
	}
	if (!any || effect_is_blind(e))
		return 0;
	if (trial_learn_suspects(&e->ground, e->trials, e->count, err) < 0)
		return -1;
	for (size_t i = 0; i < e->count; i++)
		if (e->trials[i].is_suspect && make_second(e, &e->trials[i], true, &seconds[i], &differs, err) < 0)
			return -1;
	if (effect_quiet(e, err) < 0)
		return -1;
	for (size_t i = 0; i < e->count; i++)
		if (e->trials[i].is_suspect && effect_send(e, &seconds[i], err) < 0)
			return -1;
	return look_for_seconds(e, seconds, err);
}
