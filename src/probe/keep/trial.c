#include "probe/keep/trial.h"

#include "probe/play/player.h"

#include <stdio.h>
#include <string.h>

#define PATIENCE_NS   (300 * CLOCK_NS_PER_MS)
#define PATIENCE_LAGS 4

void trial_ground_init(struct trial_ground *g, struct player *player, struct probe_check *check)
{
	*g = (struct trial_ground){ .player = player, .look.player = player };
	g->messenger = (struct messenger){ .player = player, .roles = &g->look.roles, .check = check };
	/* No two groups make the same customers. */
	g->messenger.salt = (uint64_t)check->row->group[0] << 32;
}

void trial_ground_release(struct trial_ground *g)
{
	lookout_release(&g->look);
	observation_release(&g->base);
}

int64_t trial_patience(const struct trial_ground *g)
{
	return PATIENCE_NS + PATIENCE_LAGS * g->look.lag_ns;
}

int trial_take_base(struct trial_ground *g, struct error *err)
{
	return lookout_is_blind(&g->look) ? 0 : observation_copy(&g->base, &g->look.now, err);
}

size_t trial_count_first(const struct trial *t, const struct observation *o)
{
	const char *difference = delivery_difference(t->kind);
	char role[ROLE_SIZE + 2];
	if (!difference)
		return 0;
	if (t->kind.element)
		return observation_count_both(o, t->customer.mention, strrchr(t->kind.element->path, '/') + 1);
	if (strcmp(difference, "enrollmentCode") == 0) /* a text that others have, too, which has no role */
		return observation_count_both(o, t->customer.mention, "sample enrollment");
	snprintf(role, sizeof role, "<%s of A%u>", difference, t->customer.number);
	return observation_count(o, role);
}

bool trial_take(struct trial_ground *g, struct trial *t, const struct customer *customer, bool is_crowd)
{
	struct observation_change all, own;
	t->customer = *customer;
	observation_compare(&g->base, &g->look.now, t->customer.mention, &own);
	observation_compare(&g->base, &g->look.now, is_crowd ? t->customer.mention : NULL, &all);
	t->is_mentioned = observation_has_changed(&own);
	g->names_customers |= t->is_mentioned;
	t->is_weak = !observation_has_changed(&all) && all.numbers;
	t->has_trace = observation_has_changed(&all) || t->is_weak;
	t->is_number = g->base.is_number && g->look.now.is_number;
	t->lines = t->is_mentioned ? own.growth : all.growth;
	t->came = t->is_mentioned ? own.came : all.came;
	t->came_twins = t->is_mentioned ? own.twins : all.twins;
	t->own = observation_count(&g->look.now, t->customer.mention);
	t->twins = observation_count_twins(&g->look.now, t->customer.mention);
	/* Newly: the name of a column is not a value. */
	t->shows_difference = t->has_trace && trial_count_first(t, &g->look.now) > trial_count_first(t, &g->base);
	return g->names_customers ? observation_has_changed(&own) || own.numbers : t->has_trace || all.numbers;
}
