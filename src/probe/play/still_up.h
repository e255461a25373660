/* Whether the listener takes valid notifications behind a group as it did before. */
#ifndef CREDHOOK_PROBE_PLAY_STILL_UP_H
#define CREDHOOK_PROBE_PLAY_STILL_UP_H

#include "base/error.h"
#include "probe/play/probe_check.h"

#include <stddef.h>
#include <stdint.h>

struct player;
struct still_up;

/* A notification was taken; `ns` 0: its time does not count. */
void still_up_note(struct still_up *still_up, size_t length, int64_t ns);
/* The median of the last ones; 0: too few came. */
int64_t still_up_median(const struct still_up *still_up);
/* A group begins. */
void still_up_begin(struct still_up *still_up);

/* The still-up check has ended. Says where it is slower than at the beginning of its group, by more than it has grown
 * meanwhile, or has failed, and over which check of its group that is: sends them again if that may show it. A listener
 * whose process is ours is started again then. */
int still_up_end(struct player *p, struct probe_check *check, struct error *err);

#endif
