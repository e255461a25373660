/*
 * A run from the inside; for these files only. Each of its machines has a header with what it knows.
 *
 *   probe_run.c  the groups in their order, what ends a run, what it comes to
 *   play.c       the checks: their requests, graded
 *   requests.c   makes requests, and sends them
 *   flight.c     which of them go side by side
 *   presence.c   whether the listener is there, and what it prints
 *   recovery.c   waits until it is ready after a start
 *   death.c      which check has ended it
 *   still_up.c   which check has broken it
 *   culprit.c    sends checks again, until it breaks: for these two
 *   keep/        what they change in what the listener keeps, and what is left there when it is ended
 *   cause_feed.c its requests as rows of facts
 *   inquiry.c    what failures have in common
 *   one_bug.c    which of them another one explains
 */
#ifndef CREDHOOK_PROBE_PLAYER_H
#define CREDHOOK_PROBE_PLAYER_H

#include "probe/presence.h"
#include "probe/probe_run.h"
#include "probe/recovery.h"
#include "probe/still_up.h"
#include "probe/watch.h"

struct player {
	const struct probe_options *options;
	const struct probe_observer *observer;
	struct probe_summary *summary;
	struct probe_maker maker;
	struct probe_watch watch;
	struct cause_finder *finder; /* what failures have in common: the summary's */
	struct presence presence;
	struct recovery recovery;
	struct still_up still_up;
	unsigned ends;           /* of the listener, by checks that start it again */
	bool has_lost;           /* what had its 2xx was gone after such an end */
	struct effects *effects; /* owned; NULL: nothing was learnt */
	size_t at;               /* the check under way, of the plan's: it only goes forward */
	size_t total;            /* of the plan's checks that are chosen */
	size_t graded;           /* of the plan's checks: their groups have ended */
	uint64_t requests;
	uint64_t responses; /* whole ones */
	unsigned unended;   /* responses without an end */
	unsigned hangs;     /* of the group: requests without a response in time */
	bool in_turn;       /* nothing goes side by side: see probe/flight.h */
	bool no_memory;     /* for one of the requests */
	bool has_played;    /* all that is graded: what is sent now is for the causes */
};

/* A request that has ended: all that is known of what was sent, how and why, and of what came back. Borrowed; what is
 * needed later is to be copied, since the message is gone when the next request is made. */
struct probe_sent {
	struct probe_check
	        *check; /* whose row says how it went out; NULL: sent before the checks, as they refer to it */
	struct catalog_kind kind; /* its payload was made as one of it; event NULL: it has none */
	unsigned number;          /* among those of the check, from 1 */
	const struct exchange *exchange;
};

/* Begins a run: *summary is its own, too. Release the player even after an error; of the summary the finder is the
 * caller's then. */
int player_init(struct player *p, const struct probe_options *options, const struct probe_observer *observer,
                struct probe_summary *summary, struct error *err);
void player_release(struct player *p);

static inline bool player_is_over(const struct player *p)
{
	return p->summary->stop != PROBE_THROUGH;
}
/* The check comes next. What is played again, or within another one, does not lead back. */
static inline void player_go_on(struct player *p, size_t index)
{
	p->at = index > p->at ? index : p->at;
}
static inline int64_t player_now(const struct player *p)
{
	return world_now(&p->options->world);
}
/* Waits. False: a signal waits, which is not taken. */
static inline bool player_wait(const struct player *p, int64_t ns)
{
	return world_wait(&p->options->world, p->options->signals, ns);
}
static inline enum world_look player_look(const struct player *p)
{
	return world_look(&p->options->world, p->options->http, p->options->signals, NULL, 0);
}

#endif
