#include "probe/keep/group.h"

#include "probe/play/player.h"
#include "probe/play/presence.h"

#include <stdio.h>

bool group_is_open(const struct probe_check *check, probe_play *play)
{
	return check->row->play == play && check->chosen && !check->result.ended;
}

const struct probe_check *group_find_failed(const struct player *p, const struct experiment_row *row,
                                            enum probe_level most)
{
	const struct probe_plan *plan = p->options->plan;
	for (const struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++)
		if (check->row->experiment == row && check->chosen && probe_has_failed(check) && check->level <= most &&
		    !check->result.ended_listener)
			return check;
	return NULL;
}

void group_end_rest(const struct player *p, probe_play *play, enum probe_outcome outcome, const char *why)
{
	const struct probe_plan *plan = p->options->plan;
	for (struct probe_check *check = plan->checks; check < plan->checks + plan->count; check++)
		if (group_is_open(check, play))
			probe_end(check, outcome, NULL, "%s", why);
}

/* What cannot be seen, or was not: it is said at the end, too. */
static void end_uncounted(const struct player *p, probe_play *play, const char *why)
{
	p->summary->uncounted = true;
	snprintf(p->summary->message, sizeof p->summary->message, "%s", why);
	group_end_rest(p, play, PROBE_SKIPPED, why);
}

void group_end_unseen(const struct player *p, probe_play *play)
{
	const struct probe_plan *plan = p->options->plan;
	struct probe_check *first = plan->checks;
	while (first < plan->checks + plan->count && !group_is_open(first, play))
		first++;
	if (first < plan->checks + plan->count) /* it may have said why nothing is kept */
		presence_read_log(p, p->presence.log_from, &first->result.log);
	end_uncounted(p, play,
	              "no notification changes what --observe prints: either that does not show it, or nothing is "
	              "kept");
}

void group_finish(const struct trial_ground *ground, probe_play *play, unsigned restarts, const char *ended)
{
	const struct player *p = ground->player;
	const char *problem = ground->look.problem;
	if (problem[0])
		end_uncounted(p, play, problem);
	else if (player_deaths(p) != restarts)
		group_end_rest(p, play, PROBE_SKIPPED, ended);
	else if (!player_is_over(p))
		group_end_rest(p, play, PROBE_RIGHT, "");
}
