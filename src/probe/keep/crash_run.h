/* A run of the group crash, for the files that play it. */
#ifndef CREDHOOK_PROBE_KEEP_CRASH_RUN_H
#define CREDHOOK_PROBE_KEEP_CRASH_RUN_H

#include "base/random.h"
#include "probe/keep/experiment.h"
#include "probe/play/verdict.h"

#define CRASH_CUSTOMERS 20 /* of a round */
#define CRASH_IN_FLIGHT 2

enum crash_end { END_RESTART, END_KILL, END_STOP, ENDS };

struct crash {
	struct player *p;
	probe_play *play; /* of its checks */
	struct trial_ground ground;
	struct trial kind;  /* what each leaves */
	bool drops_repeats; /* one that comes again leaves nothing more */
	int64_t once;       /* by which it had grown when none had come again (crash_growth()) */
	struct experiment ends[ENDS];
	size_t calm_gone, calm_of; /* after all ends: see crash_count_calm() */
	bool in_order;             /* one is in flight */
	bool is_over;              /* the checks have ended */
	/* When the listener is ended in the round under way: after this number of 2xx. */
	struct random random;
	unsigned end_after, accepted;
	bool is_later;   /* a while after that, amid the work on another one */
	int64_t last_ns; /* when the last response came */
};

bool crash_is_blind(const struct crash *c);
/* The check of the row (NULL: of any), if it is chosen and has not ended. */
struct probe_check *crash_find_check(const struct crash *c, const struct experiment_row *row);
/* Ends the checks of the group that have not ended. */
void crash_end_rest(struct crash *c, enum probe_outcome outcome, const char *why);

/* In crash_calm.c. */

/* By how much what is kept has grown since the round began: the lines of its first customer, or what names nobody. */
int64_t crash_growth(const struct crash *c, const struct experiment *ex);

/* Looks whether all are there without an end, and sends one of them again: so it is known what is seen of it, and
 * whether a repeat is dropped. Where two in flight are too many, in_order is set, and that is all. */
int crash_stay_calm(struct crash *c, struct experiment *ex, struct error *err);
/* Sends as many as before an end, and ends nothing: what is missing of these, calm_gone, no end has lost. 0: nothing
 * is, or it was not looked at. */
int crash_count_calm(struct crash *c, struct error *err);

#endif
