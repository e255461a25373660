/*
 * A run from the inside; for these files only.
 *
 *   probe_run.c  the groups in their order, what ends a run, what it comes to
 *   play.c       the checks: their requests, graded
 *   requests.c   makes requests, and sends them
 *   presence.c   whether the listener is there, and what it prints
 *   death.c      which check has ended it
 *   still_up.c   which check has broken it
 *   keep/        what they change in what the listener keeps, and what is left there when it is ended
 *   cause_feed.c its requests as rows of facts
 *   inquiry.c    what failures have in common
 */
#ifndef CREDHOOK_PROBE_PLAYER_H
#define CREDHOOK_PROBE_PLAYER_H

#include "deliver/delivery_run.h"
#include "probe/probe_run.h"
#include "probe/verdict.h"
#include "probe/watch.h"

#define STILL_UP_MAX       5
#define PLAYER_RECENT_MOST 4 /* checks that may have ended the listener */

/* A run, and the batch of checks under way. */
struct player {
	const struct probe_options *options;
	const struct probe_observer *observer;
	struct probe_summary *summary;
	struct probe_maker maker;
	struct probe_watch watch;
	size_t total;
	size_t graded; /* of the plan's checks: their groups have ended */
	uint64_t requests;
	uint64_t responses;     /* whole ones */
	unsigned unended;       /* responses without an end */
	int64_t first_still_ns; /* median after the first group; 0: not known yet */
	int64_t still_ns[STILL_UP_MAX];
	size_t still_count;
	/* The batch. */
	size_t at, end; /* of the plan's checks */
	unsigned number;
	unsigned hangs; /* of the group */
	size_t event;   /* to introduce next */
	/* Whether the listener is there. */
	bool reached;               /* a connection was accepted once */
	bool doubtful;              /* the last request got no response: the listener may have ended */
	struct probe_check *unsent; /* skipped, as it accepted no connection; NULL: none */
	struct probe_check *recent[PLAYER_RECENT_MOST]; /* of the last requests that reached it, the last first, each
	                                                 * once */
	size_t recent_count;
	int64_t recent_ns; /* when the last of these requests ended */
	/* Where its process is ours. */
	unsigned restarts;
	uint64_t log_from;           /* the position in its output where the check under way began */
	struct cause_finder *finder; /* what failures have in common: the summary's */
	bool no_memory;              /* for one of the requests */
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

static inline bool player_is_over(const struct player *p)
{
	return p->summary->stop != PROBE_THROUGH;
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
	return world_look(&p->options->world, p->options->http, p->options->signals);
}
/* Whether the row's requests share no batch with others. */
bool player_is_alone(const struct probe_row *row);
/* Plays those of the plan's checks from `first` to before `end` that are chosen, on connections as the first's row
 * says. */
int play_batch(struct player *p, size_t first, size_t end, struct error *err);

/* A request of the run has ended. -1: no memory. */
int feed_request(struct player *p, const struct probe_sent *sent, struct error *err);
#define FEED_WORDS_SIZE (PROBE_REASON_SIZE + 64)
/* One that was a question has: fills the response in, whose words are put there. -1: no memory. */
int feed_response(const struct exchange *exchange, char words[FEED_WORDS_SIZE], struct cause_response *response,
                  struct error *err);
/* Asks what is to be asked, and puts the causes into the summary and into the results of the checks. */
int play_inquiry(struct player *p, struct error *err);

/* Players, which rows name. */

/* Writes the requests as bytes, in the row's framing. */
probe_play play_script;
/* Plays all checks of the group, with the first of them: what notifications change in what the listener keeps, and what
 * is left of it when the listener is ended. In keep/effects.c and keep/crash.c. */
probe_play play_effects, play_crash;

/* In requests.c. */

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
 * `connections` at the same time (0: one after the other). A signal ends the run. */
int requests_send(struct player *p, request_next *next, request_ended *ended, void *context, unsigned connections,
                  const char *header, struct error *err);
/* Sends the requests of the check as bytes, in its row's framing: they end as one. Where they cannot be made, it is
 * skipped. */
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

/* In presence.c. */

/* A check begins: what the listener prints from here on is about it. */
void play_note_log(struct player *p);
/* Keeps what the listener has printed since then, where its process is ours. */
void play_keep_log(struct player *p, struct probe_check *check);
/* Notes whether the listener is there. Ends the run where nobody listens: nothing that is sent next would fare better.
 */
void play_note_presence(struct player *p, const struct probe_sent *sent);
/* Waits until it accepts a connection, for 5 s at most. False: it does not, or its process has ended. */
bool play_wait_for_listener(struct player *p);
/* Whether nothing listens any more. */
bool play_has_ended(const struct player *p);
/* Ends the run, since nothing listens. */
void play_end_gone(struct player *p);
/* Fails the check whose request ended the listener, even one that is only noted or got a response; `how` it ended may
 * be empty. */
void play_blame(struct probe_check *check, int64_t at_ns, const char *how);

/* In death.c: where the last request got no response, or the process that is ours has ended. Waits for a listener that
 * somebody else starts again, and ends the run if nobody does; starts ours again. Fails the check that ended it; what
 * got no response for that is played again: `at` and `number` say from where on. */
int play_wait(struct player *p, struct error *err);
/* Starts it again, or waits until somebody does; what came before is forgotten. Ends the run where nothing listens
 * then. */
int play_revive(struct player *p, struct error *err);

/* In still_up.c: the still-up check has ended. Says where it is slower than before, or has failed, and over which check
 * of its group that is: sends them again if that may show it. A listener whose process is ours is started again then.
 */
int play_end_still_up(struct player *p, struct probe_check *check, struct error *err);

/* Sends what the checks refer to, unless all events are delivered anyway. */
int play_introduction(struct player *p, struct error *err);

#endif
