/* Sends checks again, to see whether it is over them that the listener breaks: it ends, or takes nothing more. */
#ifndef CREDHOOK_PROBE_PLAY_CULPRIT_H
#define CREDHOOK_PROBE_PLAY_CULPRIT_H

#include "base/error.h"
#include "probe/play/probe_check.h"
#include "probe/play/requests.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How it is seen that it is broken. */
struct culprit_sign {
	/* Looks, behind the checks, whose requests have come to `sent`. -1: an error. */
	int (*look)(struct player *p, void *context, const struct request_outcome *sent, bool *is_broken,
	            struct error *err);
	/* Mends it, between two times; NULL: there is nothing to do. */
	int (*mend)(struct player *p, struct error *err);
	void *context;
	int64_t end_ns; /* when it is given up; 0: never */
};

/* Sends them, in order, until it has broken `most` times in a row, or once has not. *times: how often it has. */
int culprit_try(struct player *p, const struct culprit_sign *sign, struct probe_check *const *checks, size_t count,
                unsigned most, unsigned *times, struct error *err);

#endif
