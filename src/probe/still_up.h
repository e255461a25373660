/* Whether the listener takes valid notifications behind a group as it did before. */
#ifndef CREDHOOK_PROBE_STILL_UP_H
#define CREDHOOK_PROBE_STILL_UP_H

#include "base/error.h"
#include "probe/plan.h"

#include <stddef.h>
#include <stdint.h>

struct player;

#define STILL_UP_MAX 5

/* How long these notifications took. */
struct still_up {
	int64_t first_ns; /* median after the first group; 0: not known yet */
	int64_t ns[STILL_UP_MAX];
	size_t count;
};

/* The still-up check has ended. Says where it is slower than before, or has failed, and over which check of its group
 * that is: sends them again if that may show it. A listener whose process is ours is started again then. */
int still_up_end(struct player *p, struct probe_check *check, struct error *err);

#endif
