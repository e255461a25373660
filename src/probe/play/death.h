/* Whether the listener has ended, and over which check. */
#ifndef CREDHOOK_PROBE_PLAY_DEATH_H
#define CREDHOOK_PROBE_PLAY_DEATH_H

#include "base/error.h"

#include <stdbool.h>

struct player;

/* Where the last request got no response, or the process that is ours has ended: waits for a listener that somebody
 * else starts again, and ends the run if nobody does; starts ours again. Fails the check that ended it; what got no
 * response for that is to be played again (presence.unanswered). */
int death_settle(struct player *p, struct error *err);
/* The last check has been played: waits whether the process that is ours ends yet over what it got in the last second,
 * which is settled then. */
int death_look_last(struct player *p, struct error *err);
/* Whether the listener ends now, or soon: within 300 ms, which it waits. */
bool death_comes(const struct player *p);
/* The listener has ended, and the run with it: fails the check over which, as far as that is known, unless that was
 * done.
 */
void death_blame_gone(struct player *p);
/* Starts it again, or waits until somebody does; what came before is forgotten. Nothing is sent for a second then. Ends
 * the run where nothing listens, or it ends again. */
int death_revive(struct player *p, struct error *err);

#endif
