/* The experiments of the group effect: see effect_rows.c. */
#ifndef CREDHOOK_PROBE_KEEP_EFFECT_ROWS_H
#define CREDHOOK_PROBE_KEEP_EFFECT_ROWS_H

#include "probe/keep/experiment.h"

extern const struct experiment_row effect_once, effect_distinct, effect_at_once, effect_together, effect_early,
        effect_either, effect_others, effect_none, effect_stays, effect_repeats, effect_again, effect_value,
        effect_alike, effect_differs, effect_differs_alone;

/* What together has lost, in probe_result, where that is by effect_alike. */
extern const char effect_alike_lost[];

/* Players, which their rows name: one plays all checks of the group, with the first of them; the checks of the other
 * one are learnt for, and left open until effects_end(). In effects.c. */
probe_play play_effects, play_late_effects;

#endif
