/* Plays checks: sends their requests in order, and grades what comes back. */
#ifndef CREDHOOK_PROBE_PLAY_PLAY_H
#define CREDHOOK_PROBE_PLAY_PLAY_H

#include "base/error.h"
#include "probe/play/probe_check.h"

#include <stdbool.h>
#include <stddef.h>

struct player;

/* Plays those of the plan's checks from `first` to before `end` that are chosen, on connections as the first's row
 * says. Where the run ends within a check, that is left open, unless it has gone wrong already. */
int play_batch(struct player *p, size_t first, size_t end, struct error *err);
/* Sends what the checks refer to, unless all events are delivered anyway. */
int play_introduction(struct player *p, struct error *err);

/* Where something failed that may have a cause: sends what the causes compare with. A listener that is gone then is for
 * the caller to look at. */
int play_aside(struct player *p, struct error *err);
/* The run has been through: of what was sent for the causes nothing is said. */
void play_drop_aside(struct player *p);

/* A player, which rows name: writes the requests as bytes, in the row's framing. */
probe_play play_script;

#endif
