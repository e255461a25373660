#include "probe/cohort.h"

#include "probe/player.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_NS (50 * CLOCK_NS_PER_MS)

/* Takes the customers that the trials got, and makes their notifications. */
static int fill(struct trial_ground *g, struct cohort *cohort, const struct trial *trials, struct error *err)
{
	memcpy(cohort->trials, trials, cohort->count * sizeof *trials);
	for (size_t i = 0; i < cohort->count; i++) {
		struct trial *t = &cohort->trials[i];
		if (delivery_make(&t->first, &g->messenger, &t->customer, t->kind, false, err) < 0)
			return -1;
	}
	return observation_copy(&cohort->base, &g->look.now, err);
}

int cohorts_introduce(struct trial_ground *g, struct cohort *cohorts, size_t count, struct error *err)
{
	struct trial *trials = calloc(count * COHORT_MAX, sizeof *trials);
	size_t used = 0;
	int code = trials ? 0 : error_no_memory(err);
	for (size_t b = 0; trials && b < count; b++)
		for (size_t i = 0; i < cohorts[b].count; i++)
			trials[used++] = (struct trial){ .kind = cohorts[b].kind->kind,
				                         .is_mentioned = cohorts[b].kind->is_mentioned };
	if (code == 0)
		code = trial_introduce(g, trials, used, err);
	used = 0;
	for (size_t b = 0; code == 0 && b < count; b++) {
		code = fill(g, &cohorts[b], trials + used, err);
		used += cohorts[b].count;
	}
	free(trials);
	return code;
}

void cohort_release(struct cohort *cohort)
{
	for (size_t i = 0; i < cohort->count; i++)
		delivery_release(&cohort->trials[i].first);
	observation_release(&cohort->base);
}

int cohort_send(struct trial_ground *g, struct cohort *cohort, unsigned connections,
                bool (*stop)(void *context, const struct delivery *delivery), void *context, struct error *err)
{
	struct delivery *each[COHORT_MAX];
	/* Where lines name nobody, all that was sent before is in the number. */
	if (!cohort->kind->is_mentioned && !lookout_is_blind(&g->look) &&
	    (lookout_settle(&g->look, err) < 0 || observation_copy(&cohort->base, &g->look.now, err) < 0))
		return -1;
	if (lookout_is_blind(&g->look))
		return 0;
	for (size_t i = 0; i < cohort->count; i++)
		each[i] = &cohort->trials[i].first;
	if (messenger_send(&g->messenger, each, cohort->count, connections, stop, context, err) < 0)
		return -1;
	for (size_t i = 0; i < cohort->count; i++)
		cohort->accepted += delivery_accepted(each[i]);
	return 0;
}

/* How many of those that got a 2xx are there. Where lines name nobody, those without a 2xx may count, too. */
static size_t count_there(const struct trial_ground *g, const struct cohort *cohort)
{
	struct observation_change change;
	size_t there = 0;
	if (!cohort->kind->is_mentioned) {
		observation_compare(&cohort->base, &g->look.now, NULL, &change);
		int64_t grown = change.growth > 0 ? change.growth / cohort->kind->lines : 0;
		return grown > (int64_t)cohort->accepted ? cohort->accepted : (size_t)grown;
	}
	for (size_t i = 0; i < cohort->count; i++) {
		const struct trial *t = &cohort->trials[i];
		observation_compare(&cohort->base, &g->look.now, t->customer.mention, &change);
		there += delivery_accepted(&t->first) && change.came > 0;
	}
	return there;
}

int cohort_find_lost(struct trial_ground *g, const struct cohort *cohort, int64_t since_ns, size_t *lost,
                     struct error *err)
{
	int64_t patience = LOOKOUT_EXPECTED_NS + 3 * g->look.lag_ns, end = since_ns + patience;
	size_t before = 0;
	*lost = 0;
	while (!lookout_is_blind(&g->look)) {
		if (lookout_look(&g->look, err) < 0)
			return -1;
		int64_t now = player_now(g->player);
		*lost = cohort->accepted - count_there(g, cohort);
		if (*lost < before) /* they come one after the other */
			end = now + patience;
		if (*lost == 0 || now >= end)
			return 0;
		before = *lost;
		lookout_pause(&g->look, LOOK_NS);
	}
	return 0;
}
