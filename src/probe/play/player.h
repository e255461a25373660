/*
 * A run from the inside, for these files only: what each of its machines knows. What they do is in their headers.
 *
 *   play.c       the checks: their requests, graded
 *   requests.c   makes requests, and sends them
 *   flight.c     which of them go side by side
 *   presence.c   whether the listener is there, and what it prints
 *   recovery.c   waits until it is ready after a start
 *   death.c      which check has ended it
 *   still_up.c   which check has broken it
 *   culprit.c    sends checks again, until it breaks: for these two
 *   cause_feed.c its requests as rows of facts
 *   one_bug.c    which of them another one explains
 *
 * Above these: probe/keep/, what they change in what the listener keeps, and what is left there when it is ended;
 * probe/inquiry.c, what failures have in common; probe/probe_run.c, the groups in their order, what ends a run, what it
 * comes to.
 */
#ifndef CREDHOOK_PROBE_PLAY_PLAYER_H
#define CREDHOOK_PROBE_PLAY_PLAYER_H

#include "probe/play/run_types.h"
#include "probe/play/watch.h"

#define PRESENCE_RECENT_MOST 512 /* requests that may have ended the listener */

/* One that reached the listener. */
struct presence_request {
	struct probe_check *check; /* on whose behalf; NULL: it was sent before the checks, as they refer to it */
	struct catalog_kind kind;  /* event NULL: its payload is of none */
	bool is_accepted;
	int64_t ended_ns;
};

/* What is known of the listener: see presence.h. */
struct presence {
	bool reached;               /* a connection was accepted once */
	bool doubtful;              /* since it was looked at a request got no response: the listener may have ended */
	struct probe_check *unsent; /* skipped, as it accepted no connection; NULL: none */
	struct probe_check *unanswered; /* is to be played again, since the listener had ended before; NULL: none */
	struct presence_request recent[PRESENCE_RECENT_MOST]; /* the last ones, the last first; of a check and a kind
	                                                       * one */
	size_t recent_count;
	int64_t recent_ns;         /* when the last of these requests ended */
	bool ends_alone;           /* started again, it ended without a request */
	unsigned restarts;         /* how often it has ended, and was started again */
	unsigned crowd_ends;       /* of these, with several in flight, which were sent again by themselves */
	struct probe_check *crowd; /* of those, the first that got no response; NULL: it never has */
	int64_t crowd_ns;
	uint64_t crowd_log_from;
	uint64_t log_from; /* the position in its output where the check under way began */
};

/* Whether it is ready after a start: see recovery.h. Zero: it was not started. */
struct recovery {
	bool is_due;        /* it was started, and has responded to nothing yet */
	bool is_under_way;  /* the first one is being sent */
	bool was_ready;     /* after an earlier start */
	int64_t start_ns;   /* when it was started */
	int64_t first_took; /* from its first start until it was ready; 0: not known */
	int64_t end_ns;     /* of the wait for it; 0: it has responded to nothing yet */
};

#define STILL_UP_MAX 5

/* How long valid notifications took that were sent one after the other and got a 2xx, and how much the listener has
 * taken: what it keeps may be all that it writes each time. */
struct still_up {
	int64_t ns[STILL_UP_MAX]; /* the last ones, in a ring */
	size_t count;             /* of all of them */
	int64_t first_ns;         /* median at the beginning of the group; 0: not known yet */
	uint64_t bytes, first_bytes, requests, first_requests; /* taken so far, and then */
};

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
	bool in_turn;       /* nothing goes side by side: see probe/play/flight.h */
	bool no_memory;     /* for one of the requests */
	bool has_played;    /* all that is graded: what is sent now is for the causes */
};

/* A request that has ended: all that is known of what was sent, how and why, and of what came back. Borrowed; what is
 * needed later is to be copied, since the message is gone when the next request is made. */
struct probe_sent {
	struct probe_check
	        *check; /* whose row says how it went out; NULL: sent before the checks, as they refer to it */
	struct catalog_kind kind; /* its payload was made as one of it; event NULL: it has none */
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
/* How often the listener has ended over what was sent by itself. */
static inline unsigned player_deaths(const struct player *p)
{
	return p->presence.restarts - p->presence.crowd_ends;
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
