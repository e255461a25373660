/* The checks of a group that one player plays together (effects.c, crash.c): those that nothing was said of yet. */
#ifndef CREDHOOK_PROBE_KEEP_GROUP_H
#define CREDHOOK_PROBE_KEEP_GROUP_H

#include "probe/keep/trial.h"
#include "probe/play/verdict.h"

/* Whether the check is one of the player's, is chosen, and has not ended. */
bool group_is_open(const struct probe_check *check, probe_play *play);
/* The first check of the experiment that has failed, as a must or at most on this level, and not by ending the
 * listener; NULL: none has. */
const struct probe_check *group_find_failed(const struct player *player, const struct experiment_row *row,
                                            enum probe_level most);
/* Ends those that are open. */
void group_end_rest(const struct player *player, probe_play *play, enum probe_outcome outcome, const char *why);
/* No notification that was accepted has left a trace, of these kinds or any: skips those that are open, and says in the
 * summary that it is not known why. */
void group_end_unseen(const struct player *player, probe_play *play);
/* Ends those that are open when all has been played: skipped where the lookout failed or the listener has ended more
 * often than `restarts` times (`ended` says so), or else right. Leaves them open where the run is over. */
void group_finish(const struct trial_ground *ground, probe_play *play, unsigned restarts, const char *ended);

#endif
