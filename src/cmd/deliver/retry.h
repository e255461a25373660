/* Whether an attempt is followed by another one, and when: with curl's meaning of --retry. */
#ifndef CREDHOOK_CMD_DELIVER_RETRY_H
#define CREDHOOK_CMD_DELIVER_RETRY_H

#include "base/random.h"
#include "cmd/delivery_options.h"
#include "deliver/job.h"

#define RETRY_PAUSE_MAX_S 600 /* nothing waits longer, whatever the receiver says */

/* Whether it is one of those that another attempt may better: 408, 429, 500, 502, 503, 504. */
bool retry_is_for(int status);

/* Those statuses and connections that could not be made; with --retry-unknown also what was sent
 * and not answered. Sets job->retry_ns: --retry-delay, or 1 s doubled each time and cut by up to a half; not less than
 * the answer's Retry-After, up to RETRY_PAUSE_MAX_S. False: this was the last attempt. */
bool retry_wanted(const struct delivery_options *options, struct job *job, struct random *random);

/* What a Retry-After asks for, in seconds from now on; -1: it is neither a number nor a date. */
int64_t retry_after_seconds(const char *text, int64_t now_us);

#endif
