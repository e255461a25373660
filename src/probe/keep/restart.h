/* Ends and starts of the listener, whose process is ours, amid checks of what it keeps. */
#ifndef CREDHOOK_PROBE_KEEP_RESTART_H
#define CREDHOOK_PROBE_KEEP_RESTART_H

#include "probe/keep/trial.h"

/* Why it cannot be ended, or what it keeps not be looked at; NULL: both can be. */
const char *restart_obstacle(const struct player *player);
/* Starts it after it was ended by listener_stop() or listener_kill(). Appends why that has failed; nothing: it has not,
 * or the lookout is blind. -1 is an error. */
int restart_listener(struct trial_ground *ground, struct buffer *why, struct error *err);

#endif
