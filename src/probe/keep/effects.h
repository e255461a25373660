/*
 * The group effect: what notifications change in what the listener keeps. Its rows (effect_rows.h) name the players.
 *
 * What a run has learnt at its beginning is kept until no other group looks at what the listener keeps: some checks
 * look at it again then.
 */
#ifndef CREDHOOK_PROBE_KEEP_EFFECTS_H
#define CREDHOOK_PROBE_KEEP_EFFECTS_H

#include "probe/keep/trial.h"

struct effects;

/* What is known of the kind, whose trace can be looked for: the trial without what it has sent, and how late it is
 * seen. False: it was not learnt, or the listener has ended by itself meanwhile. */
bool effects_recall(const struct player *player, struct catalog_kind kind, struct trial *trial, int64_t *lag_ns);
/* Plays the checks that are left for the end, if something was learnt. -1 ends the run. */
int effects_end(struct player *player, struct error *err);
void effects_free(struct effects *effects);

#endif
