/* Makes and sends the requests of a run. */
#ifndef CREDHOOK_PROBE_PLAY_REQUESTS_H
#define CREDHOOK_PROBE_PLAY_REQUESTS_H

#include "deliver/delivery_run.h"
#include "probe/play/probe_check.h"

#include <stdbool.h>
#include <stdint.h>

struct player;

/* How many the check has. */
unsigned requests_of(const struct probe_check *check);
/* Makes request `number` (from 0) of the check; what it returns is probe_make's. */
int request_make(struct player *p, const struct probe_check *check, unsigned number, struct job *job,
                 struct error *err);

/* Reports to the observer how far the run has come; returns when that is due next. */
int64_t requests_show_progress(const struct player *p, int64_t now_ns);

/* These get the context. Fills the job with what comes next; takes what became of it (see deliver/delivery_run.h). */
typedef enum job_got request_next(void *context, struct job *job, struct error *err);
typedef bool request_ended(void *context, const struct job *job);
/* Sends what next() gives, each request with the header ("Name: value"; NULL: none), on connections of their own,
 * `connections` at the same time (0: one after the other), until there is none, or the listener may have ended: then
 * what is in flight ends first, and what is left is for another call. A signal ends the run. */
int requests_send(struct player *p, request_next *next, request_ended *ended, void *context, unsigned connections,
                  const char *header, struct error *err);
/* Sends the requests of the check as bytes, in its row's framing: they end as one. What it returns is probe_make's. */
int requests_send_script(struct player *p, struct probe_check *check, request_ended *ended, void *context,
                         struct error *err);

struct request_outcome {
	bool is_refused;  /* one of them, since nobody listens */
	bool is_accepted; /* all of them: 2xx */
};
/* Whether a player of its own does not have to send it. */
bool request_can_be_sent_again(const struct probe_check *check);
/* Sends the requests of such a check again, and changes nothing of what is known of it; of a still-up one. */
int requests_send_again(struct player *p, struct probe_check *check, struct request_outcome *outcome,
                        struct error *err);

#endif
