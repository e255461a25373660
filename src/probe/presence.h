/* Whether the listener is there, what it prints, and what it got last. */
#ifndef CREDHOOK_PROBE_PRESENCE_H
#define CREDHOOK_PROBE_PRESENCE_H

#include "probe/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct player;
struct probe_sent;

#define PRESENCE_RECENT_MOST 4   /* requests that may have ended the listener */
#define PRESENCE_TAKEN_MOST  256 /* checks whose requests were accepted last */

/* One that reached the listener. */
struct presence_request {
	struct probe_check *check; /* on whose behalf; NULL: it was sent before the checks, as they refer to it */
	struct catalog_kind kind;  /* event NULL: its payload is of none */
	bool is_accepted;
	int64_t ended_ns;
};

/* What is known of it. */
struct presence {
	bool reached;               /* a connection was accepted once */
	bool doubtful;              /* since it was looked at a request got no response: the listener may have ended */
	struct probe_check *unsent; /* skipped, as it accepted no connection; NULL: none */
	struct probe_check *unanswered; /* is to be played again, since the listener had ended before; NULL: none */
	struct presence_request recent[PRESENCE_RECENT_MOST]; /* the last ones, the last first; of a check and a kind
	                                                       * one */
	size_t recent_count;
	bool is_crowd;     /* these were in flight together when it ended */
	int64_t recent_ns; /* when the last of these requests ended */
	struct {
		struct probe_check *check;
		int64_t ns;
	} taken[PRESENCE_TAKEN_MOST]; /* in a ring, each once in a row */
	size_t taken_count;           /* of all of them */
	bool ends_alone;              /* started again, it ended without a request */
	unsigned restarts;            /* how often it has ended, and was started again */
	unsigned unblamed;            /* of these, over one of several in flight, which were played again */
	uint64_t log_from;            /* the position in its output where the check under way began */
};

/* A check begins: what the listener prints from here on is about it. */
void presence_note_log(struct player *p);
/* Keeps what the listener has printed since then, where its process is ours. */
void presence_keep_log(struct player *p, struct probe_check *check);
/* The position in what it prints, and what it has printed since then; 0 and nothing, where its process is not ours. */
uint64_t presence_log_position(const struct player *p);
void presence_read_log(const struct player *p, uint64_t from, struct buffer *log);

/* Notes whether the listener is there. Ends the run where nobody listens: nothing that is sent next would fare better.
 */
void presence_note(struct player *p, const struct probe_sent *sent);
/* Whether it may have ended: that is to be looked at before more is sent. */
bool presence_is_doubtful(const struct player *p);
/* Waits until it accepts a connection, for 5 s at most. False: it does not, or its process has ended. */
bool presence_wait(struct player *p);
/* Whether nothing listens any more. */
bool presence_has_ended(const struct player *p);
/* Ends the run, since nothing listens. */
void presence_end_gone(struct player *p);
/* Fails the check whose request ended the listener, even one that is only noted or got a response; `how` it ended may
 * be empty. What it ended by is not known yet. */
void presence_blame(struct probe_check *check, int64_t at_ns, const char *how);

#endif
