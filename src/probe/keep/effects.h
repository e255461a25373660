/*
 * The group effect: what notifications change in what the listener keeps. Its rows (effect_rows.h) name the players.
 *
 * What a run has learnt at its beginning is kept until no other group looks at what the listener keeps: some checks
 * look at it again then.
 */
#ifndef CREDHOOK_PROBE_KEEP_EFFECTS_H
#define CREDHOOK_PROBE_KEEP_EFFECTS_H

#include "base/error.h"

struct effects;
struct player;

/* Plays the checks that are left for the end, if something was learnt. -1 ends the run. */
int effects_end(struct player *player, struct error *err);
void effects_free(struct effects *effects);

#endif
