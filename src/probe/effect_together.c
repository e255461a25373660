/*
 * The check of different notifications that come at the same time: some are lost where the listener reads, changes and
 * writes back what it keeps.
 *
 * A listener may mean to keep the last one only. So a loss is said when two rounds at the same time have seen one, and
 * two rounds one after the other none, each with new customers.
 */
#include "probe/cohort.h"
#include "probe/effect.h"
#include "probe/player.h"

#include <stdlib.h>

#define CONNECTIONS 5
#define EACH        10 /* notifications of a kind */
#define KINDS_MAX   4
#define ROUNDS      4

/* What the rounds have shown of a kind. */
struct kind_outcome {
	const struct trial *kind;
	bool is_suspect;
	bool is_kept;          /* each leaves its trace when they come one after the other */
	size_t accepted, lost; /* in the last round at the same time */
};

/* Sends new ones of each kind that is suspect, and counts those that left nothing, by kind. Where lines name nobody,
 * kind by kind, until one has lost some. */
static int play_round(struct effects *e, const struct kind_outcome *outcomes, size_t count, unsigned connections,
                      struct cohort *cohorts, size_t lost[KINDS_MAX], struct error *err)
{
	for (size_t k = 0; k < count; k++) {
		cohort_release(&cohorts[k]);
		cohorts[k] = (struct cohort){ .kind = outcomes[k].kind, .count = outcomes[k].is_suspect ? EACH : 0 };
	}
	if (cohorts_introduce(&e->ground, cohorts, count, err) < 0)
		return -1;
	for (size_t k = 0; k < count; k++)
		if (cohorts[k].count > 0 && outcomes[k].kind->is_mentioned &&
		    cohort_send(&e->ground, &cohorts[k], connections, NULL, NULL, err) < 0)
			return -1;
	for (size_t k = 0, unnamed = 0; k < count; k++) {
		bool is_mentioned = outcomes[k].kind->is_mentioned;
		lost[k] = 0;
		if (cohorts[k].count == 0 || (!is_mentioned && unnamed > 0))
			continue;
		if ((!is_mentioned && cohort_send(&e->ground, &cohorts[k], connections, NULL, NULL, err) < 0) ||
		    cohort_find_lost(&e->ground, &cohorts[k], e->ground.messenger.last_ns, &lost[k], err) < 0)
			return -1;
		unnamed += is_mentioned ? 0 : lost[k];
	}
	return 0;
}

/* Plays as many of the rounds as it takes. */
static int play_rounds(struct effects *e, struct kind_outcome *outcomes, size_t count, struct cohort *cohorts,
                       struct error *err)
{
	size_t lost[KINDS_MAX], suspects = count;
	for (int round = 0; round < ROUNDS && suspects > 0 && !effect_is_blind(e); round++) {
		bool together = round % 2 == 0;
		if (play_round(e, outcomes, count, together ? CONNECTIONS : 1, cohorts, lost, err) < 0)
			return -1;
		suspects = 0;
		for (size_t k = 0; k < count; k++) {
			struct kind_outcome *o = &outcomes[k];
			if (!o->is_suspect)
				continue;
			o->is_suspect = together ? lost[k] > 0 : lost[k] == 0 && cohorts[k].accepted == EACH;
			o->is_kept &= together || lost[k] == 0;
			o->accepted = together ? cohorts[k].accepted : o->accepted;
			o->lost = together ? lost[k] : o->lost;
			suspects += o->is_suspect;
		}
	}
	return 0;
}

static void say_lost(const struct kind_outcome *o, struct probe_check *check)
{
	const char *name = KIND_NAME(o->kind->kind);
	if (o->kind->is_mentioned) {
		probe_end(check, PROBE_FAILED, check->row->fix,
		          "%zu of %zu %s that got a 2xx on %d connections left nothing; one after the other each "
		          "leaves its trace",
		          o->lost, o->accepted, name, CONNECTIONS);
		return;
	}
	check->level = PROBE_SHOULD;
	probe_end(check, PROBE_FAILED, check->row->fix,
	          "of %zu %s that got a 2xx on %d connections it shows %zu, one after the other all: the others are "
	          "lost, or only not counted",
	          o->accepted, name, CONNECTIONS, o->accepted - o->lost);
}

int effect_together(struct effects *e, struct error *err)
{
	struct probe_check *check = effect_check(e, PART_TOGETHER, NULL);
	struct cohort *cohorts = check ? calloc(KINDS_MAX, sizeof *cohorts) : NULL;
	struct kind_outcome outcomes[KINDS_MAX];
	size_t count = 0;
	if (!check)
		return 0;
	for (size_t i = 0; i < e->count && count < KINDS_MAX; i++)
		if (effect_needs(PART_TOGETHER, &e->trials[i].kind) && cohort_takes(&e->trials[i]))
			outcomes[count++] = (struct kind_outcome){ &e->trials[i], true, true, 0, 0 };
	int code = cohorts ? play_rounds(e, outcomes, count, cohorts, err) : error_no_memory(err);
	for (size_t k = 0; k < count && code == 0 && !effect_is_blind(e) && !check->result.ended; k++)
		if (outcomes[k].is_suspect)
			say_lost(&outcomes[k], check);
	for (size_t k = 0; k < count && code == 0 && !effect_is_blind(e) && !check->result.ended; k++)
		if (!outcomes[k].is_kept)
			probe_end(check, PROBE_SKIPPED, NULL,
			          "one after the other, too, not every %s that got a 2xx is seen",
			          KIND_NAME(outcomes[k].kind->kind));
	if (code == 0 && count == 0 && !effect_is_blind(e))
		probe_end(check, PROBE_SKIPPED, NULL, "no event to try leaves lines that can be looked for");
	for (size_t k = 0; cohorts && k < count; k++)
		cohort_release(&cohorts[k]);
	free(cohorts);
	return code;
}
