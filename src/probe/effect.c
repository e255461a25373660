#include "probe/effect.h"

#include "probe/player.h"

#include <string.h>

struct probe_check *effect_check(const struct effects *e, enum probe_part part, const struct catalog_kind *kind)
{
	const struct probe_plan *plan = e->p->options->plan;
	for (size_t i = 0; i < plan->count; i++) {
		struct probe_check *check = &plan->checks[i];
		if (check->row->part == part && check->chosen && !check->result.ended &&
		    (!kind || (check->kind.event == kind->event && check->kind.element == kind->element)))
			return check;
	}
	return NULL;
}

bool effect_needs(enum probe_part part, const struct catalog_kind *kind)
{
	static const struct {
		enum probe_part part;
		const char *kind;
	} needs[] = {
		{ PART_AT_ONCE, "bureau-alert" },
		{ PART_AT_ONCE, "user-created" },
		{ PART_AT_ONCE, "credit-report-ordered" },
		{ PART_AT_ONCE, "monitored-element-added/email" },
		{ PART_TOGETHER, "bureau-alert" },
		{ PART_TOGETHER, "user-created" },
		{ PART_TOGETHER, "credit-report-ordered" },
		{ PART_TOGETHER, "monitoring-service-enrolled" },
		{ PART_EARLY_AUTHENTICATION, "authentication-succeeded" },
		{ PART_EARLY_REPORT, "credit-report-retrieved" },
		{ PART_EARLY_ALERT, "bureau-alert" },
		{ PART_REMOVED_FIRST, "monitored-element-removed" },
		{ PART_CANCELLED_FIRST, "monitoring-service-cancelled" },
	};
	for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
		if (needs[i].part == part && strcmp(needs[i].kind, KIND_NAME(*kind)) == 0)
			return true;
	return false;
}

struct trial *effect_trial(const struct effects *e, const char *kind)
{
	for (size_t i = 0; i < e->count; i++)
		if (strcmp(KIND_NAME(e->trials[i].kind), kind) == 0)
			return &e->trials[i];
	return NULL;
}

int effect_send(struct effects *e, struct delivery *delivery, struct error *err)
{
	return effect_is_blind(e) ? 0 : messenger_send(&e->ground.messenger, &delivery, 1, 0, NULL, NULL, err);
}

int64_t effect_growth(const struct effects *e, const struct trial *t, struct observation_change *change)
{
	observation_compare(&e->ground.base, &e->ground.look.now, trial_mention(t), change);
	return change->growth;
}

bool effect_needs_line(const struct trial *t)
{
	return !t->is_weak && t->shows_difference;
}

bool effect_has_trace(const struct trial *t, const struct observation_change *change)
{
	return observation_has_changed(change) || (!effect_needs_line(t) && change->numbers);
}

int effect_quiet(struct effects *e, struct error *err)
{
	return lookout_quiet(&e->ground.look, e->ground.messenger.last_ns, err) < 0 ? -1
	                                                                            : trial_take_base(&e->ground, err);
}
