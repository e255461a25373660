/*
 * Notifications of one kind, each of a customer of its own, which are sent together and then looked for in what the
 * listener keeps.
 */
#ifndef CREDHOOK_PROBE_COHORT_H
#define CREDHOOK_PROBE_COHORT_H

#include "probe/trial.h"

#define COHORT_MAX 20

/* Zero-initialise, set `kind` and `count`; release. */
struct cohort {
	const struct trial *kind; /* what each of them leaves; trial_leaves_lines(). Borrowed */
	size_t count;
	struct trial trials[COHORT_MAX];
	size_t accepted;         /* which got a 2xx */
	struct observation base; /* before the first of them was sent */
};

/* Introduces the customers of the cohorts, makes the notifications, and waits until what came before is quiet. */
int cohorts_introduce(struct trial_ground *ground, struct cohort *cohorts, size_t count, struct error *err);
void cohort_release(struct cohort *cohort);

/* In what follows -1 is an error, and nothing is done where the lookout is blind. */

/* Sends them in order; the rest is as for messenger_send(). */
int cohort_send(struct trial_ground *ground, struct cohort *cohort, unsigned connections,
                bool (*stop)(void *context, const struct delivery *delivery), void *context, struct error *err);
/* Looks until all that got a 2xx are there, or none has come for long enough, from `since_ns` on. Counts how many are
 * not. */
int cohort_find_lost(struct trial_ground *ground, const struct cohort *cohort, int64_t since_ns, size_t *lost,
                     struct error *err);

#endif
