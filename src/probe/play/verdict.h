/* What a response, or its absence, means for a check. */
#ifndef CREDHOOK_PROBE_PLAY_VERDICT_H
#define CREDHOOK_PROBE_PLAY_VERDICT_H

#include "http/deliver.h"
#include "probe/play/maker.h"

#include <stdint.h>

/* Puts the end of one request of the check into its result, unless an earlier one ended worse. The
 * maker knows what no response is to repeat. */
void probe_grade(struct probe_check *check, const struct exchange *exchange, const struct probe_maker *maker);

/* The requests of the check, on several connections, have ended: says how many of them got no response within the time,
 * unless others ended worse. */
void probe_end_crowd(struct probe_check *check, int64_t max_time_ns);

/* How a request, or a check, ended: a verdict before the level of the check is looked at. */
enum probe_outcome {
	PROBE_RIGHT,
	PROBE_TOLERATED,
	PROBE_FAILED,
	PROBE_SKIPPED,
};

/* What to do about a status where the user expects others than the usual ones. */
extern const char probe_contrary_fix[];

/* Ends the check so, unless it has ended worse. */
void probe_end(struct probe_check *check, enum probe_outcome outcome, const char *fix, const char *format, ...)
        __attribute__((format(printf, 4, 5)));

/* Why a result that has ended is opened again. */
enum probe_reopening {
	PROBE_NOT_PLAYED,   /* the run has ended before it was: it counts as not run */
	PROBE_PLAYED_AGAIN, /* the listener had ended before: what it printed was of another check */
	PROBE_CONFIRMED,    /* its requests are sent again, as what they have left was not as expected */
	PROBE_SAID_AGAIN,   /* something else is known by now, even where that is better than what was said */
};
/* Opens it. Nothing else does: a result that has ended stays so, and only a worse end takes its place. That the check
 * has ended the listener stays whatever is found later. */
void probe_reopen(struct probe_check *check, enum probe_reopening why);

/* Writes the line of a response's body that says most, without markup, safe to print; empty where there is
 * none. */
void probe_excerpt(const char *body, size_t length, char out[PROBE_REASON_SIZE]);

/* Whether the whole response came, with a 2xx. */
static inline bool probe_was_accepted(const struct exchange *x)
{
	return x->outcome == DELIVER_RESPONDED && x->status >= 200 && x->status < 300;
}

#endif
