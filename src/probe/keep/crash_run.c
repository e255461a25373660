#include "probe/keep/crash_run.h"

#include "probe/keep/group.h"
#include "probe/play/player.h"

bool crash_is_blind(const struct crash *c)
{
	return c->is_over || lookout_is_blind(&c->ground.look);
}

struct probe_check *crash_find_check(const struct crash *c, const struct experiment_row *row)
{
	const struct probe_plan *plan = c->p->options->plan;
	for (struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++)
		if (group_is_open(check, c->play) && (!row || check->row->experiment == row))
			return check;
	return NULL;
}

void crash_end_rest(struct crash *c, enum probe_outcome outcome, const char *why)
{
	group_end_rest(c->p, c->play, outcome, why);
	c->is_over = true;
}
