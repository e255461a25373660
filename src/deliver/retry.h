/* Whether an attempt is repeated, and when. */
#ifndef CREDHOOK_DELIVER_RETRY_H
#define CREDHOOK_DELIVER_RETRY_H

#include "base/random.h"
#include "deliver/job.h"

/* Whether an attempt is followed by another one, and when, as curl's --retry means it. */
struct retry_policy {
	uint64_t attempts; /* further ones; 0: none */
	int64_t delay_ns;  /* before each; 0: 1 s, doubled each time */
	bool unknown;      /* repeat also what was sent and got no whole response */
	int only;          /* repeat this status alone; 0: those of retry_is_for(), and connections that failed */
	int64_t most_ns;   /* the longest pause, whatever the receiver says; 0: RETRY_PAUSE_MAX_S */
};

#define RETRY_PAUSE_MAX_S 600 /* nothing waits longer, whatever the receiver says */

/* Whether it is one of those that another attempt may better: 408, 429, 500, 502, 503, 504. */
bool retry_is_for(int status);

/* Whether the policy wants another attempt: those statuses, connections that could not be made, and with `unknown` what
 * got no whole response. Sets job->retry_ns: the policy's delay, or 1 s doubled each time and cut by up to a half; not
 * less than the response's Retry-After, up to RETRY_PAUSE_MAX_S. False: this was the last attempt. */
bool retry_wanted(const struct retry_policy *policy, struct job *job, struct random *random);

/* What a Retry-After asks for, in seconds from now on; -1: it is neither a number nor a date. */
int64_t retry_after_seconds(const char *text, int64_t now_us);

#endif
