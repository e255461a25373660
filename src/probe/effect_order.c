/* Checks of notifications in an order that is not the usual one. */
#include "probe/effect.h"
#include "probe/player.h"

#include <stdio.h>
#include <string.h>

/* Pairs of which the later one comes first, or alone. */
static const struct {
	enum probe_part part;
	const char *kind;
	bool created; /* its customer is known */
} early[] = {
	{ PART_EARLY_AUTHENTICATION, "authentication-succeeded", true },
	{ PART_EARLY_REPORT, "credit-report-retrieved", true },
	{ PART_EARLY_ALERT, "bureau-alert", false },
};
#define EARLY (sizeof early / sizeof early[0])

/* Pairs whose end is compared. */
static const struct {
	enum probe_part part;
	const char *first, *second;
} either[] = {
	{ PART_REMOVED_FIRST, "monitored-element-added/email", "monitored-element-removed" },
	{ PART_CANCELLED_FIRST, "monitoring-service-enrolled", "monitoring-service-cancelled" },
};
#define EITHER (sizeof either / sizeof either[0])

static struct catalog_kind kind_named(const char *name)
{
	struct catalog_kind kind = { NULL, NULL };
	catalog_find_kind(name, &kind, NULL);
	return kind;
}

/* Makes a customer of each trial, of whom the listener knows nothing but that they were created, if it is to know that.
 */
static int introduce_early(struct effects *e, struct trial *trials, size_t count, struct error *err)
{
	for (size_t i = 0; i < count && !effect_is_blind(e); i++) {
		LOCAL(delivery_release) struct delivery user = { .status = -1 };
		customer_init(&trials[i].customer, &e->ground.messenger);
		if (trials[i].is_suspect && (delivery_make(&user, &e->ground.messenger, &trials[i].customer,
		                                           kind_named("user-created"), false, err) < 0 ||
		                             effect_send(e, &user, err) < 0))
			return -1;
	}
	return 0;
}

/* What comes early has to leave its trace, too, where it does in the usual order. */
int effect_early(struct effects *e, struct error *err)
{
	struct trial trials[EARLY] = { { .is_weak = false } };
	bool left[EARLY] = { false }, any = true;
	for (size_t i = 0; i < EARLY; i++) {
		const struct trial *known = effect_trial(e, early[i].kind);
		struct probe_check *check = effect_check(e, early[i].part, NULL);
		trials[i].is_suspect = early[i].created;
		left[i] = !check || !known || !known->has_trace;
		if (check && left[i])
			probe_end(check, PROBE_SKIPPED, NULL, "%s leaves no trace in the usual order", early[i].kind);
	}
	for (int turn = 0; turn < 2 && any && !effect_is_blind(e); turn++) {
		any = false;
		for (size_t i = 0; i < EARLY; i++)
			any |= !left[i];
		if (any && (introduce_early(e, trials, EARLY, err) < 0 || effect_quiet(e, err) < 0))
			return -1;
		for (size_t i = 0; i < EARLY && !effect_is_blind(e); i++) {
			const struct trial *known = effect_trial(e, early[i].kind);
			struct delivery *first = &trials[i].first;
			struct observation_change change;
			if (left[i])
				continue;
			buffer_clear(&first->body);
			if (trial_take_base(&e->ground, err) < 0 ||
			    delivery_make(first, &e->ground.messenger, &trials[i].customer, known->kind, false, err) <
			            0 ||
			    effect_send(e, first, err) < 0 ||
			    lookout_wait(&e->ground.look, &e->ground.base,
			                 known->is_mentioned ? trials[i].customer.mention : NULL,
			                 effect_needs_line(known), player_now(e->p), LOOKOUT_EXPECTED_NS, &change,
			                 err) < 0)
				return -1;
			left[i] = effect_has_trace(known, &change);
			if (!known->is_mentioned && lookout_settle(&e->ground.look, err) < 0)
				return -1;
		}
	}
	for (size_t i = 0; i < EARLY; i++) {
		struct probe_check *check = effect_check(e, early[i].part, NULL);
		if (check && !left[i] && !effect_is_blind(e) && delivery_accepted(&trials[i].first))
			probe_end(check, PROBE_FAILED, check->row->fix,
			          "it got %d and left nothing; in the usual order it does", trials[i].first.status);
		else if (check && !left[i] && !effect_is_blind(e))
			probe_end(check, PROBE_SKIPPED, NULL, "it got %d", trials[i].first.status);
		delivery_release(&trials[i].first);
	}
	return 0;
}

/* Why it cannot be seen where the later one has left what; NULL: it can. */
static const char *obstacle(const struct trial *later)
{
	return !later || !later->has_trace ? "it leaves no trace"
	       : later->is_number          ? "what --observe prints is a number"
	       : later->is_weak            ? "it changes only a number"
	       : !later->is_mentioned      ? "the lines that it changes name no customer"
	                                   : NULL;
}

/* Sends both orders of each pair, of two customers, and compares how many lines name them in the end. */
int effect_either(struct effects *e, struct error *err)
{
	struct trial pairs[EITHER][2] = { { { .is_suspect = true } } };
	bool any = false;
	for (size_t i = 0; i < EITHER; i++) {
		const struct trial *known = effect_trial(e, either[i].second);
		struct probe_check *check = effect_check(e, either[i].part, NULL);
		const char *why = obstacle(known);
		if (check && why)
			probe_end(check, PROBE_SKIPPED, NULL, "of %s: %s", either[i].second, why);
		any |= check && !why;
		pairs[i][0].is_suspect = pairs[i][1].is_suspect = true;
	}
	if (!any || effect_is_blind(e))
		return 0;
	if (introduce_early(e, &pairs[0][0], 2 * EITHER, err) < 0)
		return -1;
	for (size_t turn = 0; turn < 4 * EITHER; turn++) {
		size_t pair = turn / 4, of = turn / 2 % 2, which = of ^ (turn % 2);
		LOCAL(delivery_release) struct delivery d = { .status = -1 };
		const char *name = which == 0 ? either[pair].first : either[pair].second;
		if (delivery_make(&d, &e->ground.messenger, &pairs[pair][of].customer, kind_named(name), false, err) <
		            0 ||
		    effect_send(e, &d, err) < 0)
			return -1;
	}
	if (lookout_quiet(&e->ground.look, e->ground.messenger.last_ns, err) < 0)
		return -1;
	for (size_t i = 0; i < EITHER && !effect_is_blind(e); i++) {
		struct probe_check *check = effect_check(e, either[i].part, NULL);
		if (check && observation_count(&e->ground.look.now, pairs[i][0].customer.mention) !=
		                     observation_count(&e->ground.look.now, pairs[i][1].customer.mention))
			probe_end(check, PROBE_FAILED, check->row->fix,
			          "the end depends on the order in which the two come");
	}
	return 0;
}
