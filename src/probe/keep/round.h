/*
 * A round of experiments, for the files that play it: script.c makes and sends, expectation.c compares, and
 * experiment.c has the order of all that.
 */
#ifndef CREDHOOK_PROBE_KEEP_ROUND_H
#define CREDHOOK_PROBE_KEEP_ROUND_H

#include "probe/keep/experiment.h"

/* One turn of those that are played. */
struct round {
	struct trial_ground *ground;
	struct experiment *list;
	size_t count;
	bool confirms;   /* what an earlier one has seen */
	bool one_by_one; /* those that lines do not name */
	bool is_calm;    /* on one connection, of customers who share nothing */
	bool is_crowd;   /* since the base several have been sent, of which each should leave a trace of its own */
};

static inline bool round_is_blind(const struct round *round)
{
	return lookout_is_blind(&round->ground->look);
}
/* Whether lines name the customers. */
static inline bool experiment_is_named(const struct experiment *ex)
{
	return ex->known && !ex->row->learns && ex->known->is_mentioned;
}
static inline bool experiment_is_of_known(const struct experiment *ex)
{
	return ex->row->script == SCRIPT_AGAIN || ex->row->script == SCRIPT_SECOND || ex->row->script == SCRIPT_NOTHING;
}
/* Whether something has to come. */
static inline bool experiment_waits(const struct experiment *ex)
{
	return ex->row->expects == EXPECT_A_TRACE || ex->row->expects == EXPECT_ALL_TRACES;
}
/* Whether the listener is ended behind the sending. */
static inline bool experiment_ends(const struct experiment *ex)
{
	return ex->row->ends && experiment_waits(ex);
}
/* The subjects of the round. */
static inline struct subject *experiment_subjects(const struct experiment *ex, size_t *count)
{
	*count = ex->end - ex->first;
	return ex->subjects ? ex->subjects + ex->first : NULL;
}

/* In script.c. -1 is an error. */

/* Introduces the customers of the next round, or of all rounds, of those that are played and have none ahead. *any:
 * something was sent for that. */
int script_introduce(struct round *round, bool all_rounds, bool *any, struct error *err);
/* Makes all that is sent, and waits until what comes before is quiet. */
int script_prepare(struct round *round, struct error *err);
/* Sends them, one after the other; side by side where probe/play/flight.h says so, nothing is confirmed, and their rows
 * do not say how. */
int script_send(struct round *round, struct experiment *const *some, size_t count, struct error *err);
/* Sends those that were not accepted again. *again: how many of these got a 2xx. */
int script_send_rest(struct round *round, struct experiment *experiment, size_t *again, struct error *err);

/* In expectation.c: these compare what is seen with the base. */

/* Puts what the experiments have come to into each; returns how much is not as expected. */
int64_t expectation_measure(const struct round *round, struct experiment *const *some, size_t count);
/* The same by the sum of those that lines do not name. */
void expectation_measure_shared(const struct round *round, struct experiment *const *some, size_t count);
/* How much of that sum is missing, as far as it is known; 0 or less: nothing is, or it cannot be known. */
int64_t expectation_missing(const struct round *round, struct experiment *const *some, size_t count);

#endif
