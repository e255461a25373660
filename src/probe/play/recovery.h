/*
 * A listener that was started may respond 503 for a while: it reads a journal, or waits for its database. So the first
 * notification that it gets after a start is sent alone, and again while it gets a 503; only then the run goes on.
 * requests_send() does so; what fills a batch asks recovery_interrupts(), for a listener that was started meanwhile.
 */
#ifndef CREDHOOK_PROBE_PLAY_RECOVERY_H
#define CREDHOOK_PROBE_PLAY_RECOVERY_H

#include "deliver/delivery_run.h"

#include <stdbool.h>
#include <stdint.h>

struct player;

/* It was started, at that time. */
void recovery_begin(struct player *p, int64_t start_ns);
/* Whether a batch has to end here: what comes next is the first one after a start. */
bool recovery_interrupts(const struct player *p);

/* What the first one is repeated by. */
extern const struct retry_policy recovery_retry;
/* One attempt of the first one has ended. True: it is sent again, or the run has ended, and it is nobody's; `retry` is
 * the policy of its run. */
bool recovery_takes(struct player *p, const struct job *job, struct retry_policy *retry);

#endif
