/* Whether the listener takes valid notifications behind a group as it did before. */
#ifndef CREDHOOK_PROBE_STILL_UP_H
#define CREDHOOK_PROBE_STILL_UP_H

#include "base/error.h"
#include "probe/plan.h"

#include <stddef.h>
#include <stdint.h>

struct player;

#define STILL_UP_MAX 5

/* How long valid notifications took that were sent one after the other and got a 2xx, and how much the listener has
 * taken: what it keeps may be all that it writes each time. */
struct still_up {
	int64_t ns[STILL_UP_MAX]; /* the last ones, in a ring */
	size_t count;             /* of all of them */
	int64_t shortest_ns;      /* the same */
	int64_t first_ns;         /* median at the beginning of the group; 0: not known yet */
	uint64_t bytes, first_bytes, requests, first_requests; /* taken so far, and then */
};

/* A notification was taken; `ns` 0: its time does not count. */
void still_up_note(struct still_up *still_up, size_t length, int64_t ns);
/* A group begins. */
void still_up_begin(struct still_up *still_up);

/* The still-up check has ended. Says where it is slower than at the beginning of its group, by more than it has grown
 * meanwhile, or has failed, and over which check of its group that is: sends them again if that may show it. A listener
 * whose process is ours is started again then. */
int still_up_end(struct player *p, struct probe_check *check, struct error *err);

#endif
