#include "probe/keep/group.h"

#include "probe/player.h"

#include <stdio.h>

bool group_is_open(const struct probe_check *check, probe_play *play)
{
	return check->row->play == play && check->chosen && !check->result.ended;
}

void group_end_rest(const struct player *p, probe_play *play, enum probe_outcome outcome, const char *why)
{
	const struct probe_plan *plan = p->options->plan;
	for (struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++)
		if (group_is_open(check, play))
			probe_end(check, outcome, NULL, "%s", why);
}

void group_finish(const struct trial_ground *ground, probe_play *play, unsigned restarts, const char *ended)
{
	const struct player *p = ground->player;
	const char *problem = ground->look.problem;
	if (problem[0]) {
		p->summary->uncounted = true;
		snprintf(p->summary->message, sizeof p->summary->message, "%s", problem);
		group_end_rest(p, play, PROBE_SKIPPED, problem);
	} else if (p->presence.restarts != restarts) {
		group_end_rest(p, play, PROBE_SKIPPED, ended);
	} else if (!player_is_over(p)) {
		group_end_rest(p, play, PROBE_RIGHT, "");
	}
}
