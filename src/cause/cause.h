/*
 * One cause, said once: what requests that failed have in common, and no accepted one has.
 *
 * As one would say it at a whiteboard:
 *
 *                    path   offCycle true   method put
 *      ordered        x                                   accepted
 *      token          x                          x        accepted
 *      alert                                              500, KeyError: so it is "has no path"
 *      off-cycle      x           x                       422: so it is "has offCycle true"
 *
 *   1. A request is a row, what can be said of it are its facts (facts.h): what it has, what it has not, how large it
 *      is, and what came before it.
 *   2. Failures with one response (status and words, whatever the digits) are a class: it may have one cause.
 *   3. A class may have another cause than content. It is asked: does one like those that were accepted before fail
 *      now, too (it LASTS)? Does the same request get another response when it is sent again (it is FLAKY)? 429 is
 *      BUSY.
 *   4. Else a fact fits if all of the class have it and no accepted one has it. Where none does, facts are a cause
 *      together: round by round the one is named that a response has shown, and that the fewest accepted ones have; do
 *      accepted ones have all that is named, the next round compares with those. Where nothing was shown, places are
 *      named so, by which listeners choose what to do (service, event, method, path).
 *   5. What no facts explain is divided: the largest part that one fits, or one together with a place, then the rest,
 *      three parts at most. Where less than half is explained, only what a response has shown counts.
 *   6. What came before is among the facts for a short list of keys: each identifier, and none, with each set of the
 *      envelope's members. It is asked about first: the failure with new identifiers for all that came before; where
 *      that is accepted, with each of them alone. Those that are accepted so are what it is recognized by, and count
 *      together from then on.
 *   7. By chance much fits. So each other fact that fits is asked about: the same request without it (of the envelope:
 *      an accepted one that has all that is named, with it, and as a control with another value). Where that fails,
 *      too, the fact is disproved; where it is accepted, it is a row like the others. Where none fits, those are asked
 *      about that may be named next, eight a round. Again from 4, until there is nothing left to ask.
 *   8. What is left is named (cause_names.c): one fact is FOUND, several are said TOGETHER, of which one is why.
 *      None: UNKNOWN, with the two nearest rows. Nothing is guessed.
 *   9. Classes with one cause are joined.
 *
 * No I/O, and no clock: requests come with their times, and questions go to a function of the caller's, which waits
 * for the response. Without it, steps 3, 6 and 7 are left out: what cannot be told apart is said together.
 *
 * Memory is bounded: CAUSE_ROWS_MOST requests, CAUSE_FACTS_MOST facts; what is beyond them is not looked at.
 */
#ifndef CREDHOOK_CAUSE_CAUSE_H
#define CREDHOOK_CAUSE_CAUSE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/id_set.h"
#include "cause/facts.h"

#define CAUSE_ROWS_MOST      2048
#define CAUSE_FACTS_MOST     4096
#define CAUSE_CLASSES_MOST   16
#define CAUSE_PARTS_MOST     3  /* of a class */
#define CAUSE_QUESTIONS_MOST 90 /* of a run */
#define CAUSE_NO_CHECK       SIZE_MAX
#define CAUSE_NAMED_MOST     4 /* facts that cannot be told apart */

enum cause_side {
	CAUSE_ACCEPTED, /* 2xx */
	CAUSE_FAILED,   /* not what is right for a valid notification: to be explained */
	CAUSE_ASIDE,    /* the same of an invalid one, or tolerated: it tells facts apart */
};

/* One request of a run. All borrowed. */
struct cause_request {
	struct fact_request what;
	enum cause_side side;
	int status;        /* 0: no response */
	const char *words; /* what came, or why nothing did */
	struct text log;   /* what the listener said of it elsewhere; absent: not known */
	size_t check;      /* the caller's number of what it was sent for; CAUSE_NO_CHECK: of nothing that is shown */
	bool at_once;      /* on one of several connections */
	bool is_fixed;     /* it cannot be asked about: its bytes do not come from a body alone */
	int64_t sent_ns, finished_ns;
};

struct cause_finder;
struct cause_finder *cause_finder_new(struct error *err);
void cause_finder_free(struct cause_finder *finder); /* NULL is allowed */

/* -1: no memory. */
int cause_add(struct cause_finder *finder, const struct cause_request *request, struct error *err);
/* The listener has ended, or was started again: what came before is forgotten. */
void cause_forget(struct cause_finder *finder);
/* The listener knows only some values there (a JSON Pointer), of which all requests have one: what is asked keeps it.
 * For identifiers and codes; others are kept anyway. */
void cause_keep(struct cause_finder *finder, const char *pointer);
/* The check has failed over what came before it, which is to be explained by nothing of it. */
void cause_absolve(struct cause_finder *finder, size_t check);

/* A request to send, and what came of it. */
struct cause_question {
	size_t check;     /* what it is like: its headers */
	const char *body; /* the finder's, during the call */
	size_t length;
};
struct cause_response {
	/* CAUSE_FAILED where the response is not 2xx and the payload is valid or the response is not 4xx; CAUSE_ASIDE
	 * where it says nothing. */
	enum cause_side side;
	int status;        /* 0: no response */
	const char *words; /* the sender's, until the next question */
	int64_t sent_ns, finished_ns;
};
enum cause_sent {
	CAUSE_SENT,
	CAUSE_NOT_SENT, /* it could not be: nothing is known */
	CAUSE_ENOUGH,   /* nothing was sent, and nothing is from now on */
};
struct cause_sender {
	/* Sends it, waits for what comes, and fills the response in. -1: *err says what is wrong, and the search ends.
	 * Where the listener has ended over it, cause_forget() is called meanwhile. */
	int (*send)(void *context, const struct cause_question *question, struct cause_response *response,
	            struct error *err);
	void *context;
};

/* A fact that is named: its row, and what its words are about. */
struct cause_fact {
	enum fact_kind kind;
	const char *subject, *value; /* the finder's */
	uint16_t keys;               /* of what came before: by which it is compared, a bit for each (facts.h) */
	double limit;                /* of a measure: it is beyond this */
};

enum cause_type {
	CAUSE_FOUND,    /* the facts are what its requests have, and no accepted one */
	CAUSE_TOGETHER, /* one of the facts is, and they cannot be told apart */
	CAUSE_MEMBERS,  /* each request has one of the facts, which say the same of several members */
	CAUSE_UNKNOWN,  /* no difference was found; `alike` and `unlike` are the nearest of both sides */
	CAUSE_FLAKY,    /* the same request got another response when it was sent again */
	CAUSE_BUSY,     /* 429 */
	CAUSE_LASTS, /* none was accepted any more, whatever it was, from `alike` on; `unlike` was the last accepted one
	              */
	CAUSE_TYPES,
};
extern const char *const cause_type_names[CAUSE_TYPES]; /* found, together, members, unknown, flaky, busy, lasts */

struct cause {
	enum cause_type type;
	int status; /* 0: no response */
	const char *words;
	struct cause_fact facts[CAUSE_NAMED_MOST];
	size_t fact_count;
	size_t *checks; /* each once, in order */
	size_t check_count;
	size_t failed, total; /* CAUSE_FLAKY, CAUSE_BUSY: requests, and of all that were sent */
	size_t alike, unlike; /* CAUSE_UNKNOWN, CAUSE_LASTS: checks; the second is an accepted request's */
};

/* Asks what there is to ask (`sender` NULL: nothing, and the requests alone say what they can), CAUSE_QUESTIONS_MOST at
 * most, and says the causes, those of most checks first: borrowed, until the next call. -1: what the sender said, or no
 * memory; the causes are those found until then. */
int cause_find(struct cause_finder *finder, const struct cause_sender *sender, const struct cause **causes,
               size_t *count, struct error *err);

/* Facts of requests that were never added: of as many as there are, one after the other in the order of time. The
 * history is of the requests that were accepted, and keeps what these facts need: 24 to 40 bytes a request, for facts
 * about what came before alone. Of what was in flight at the same time it knows nothing, so that these facts are true
 * of none. Zero-initialise, release. */
struct cause_history {
	struct id_set seen;
};
void cause_history_release(struct cause_history *history);
/* The request was accepted. -1: no memory. */
int cause_history_add(struct cause_history *history, const struct cause_fact *facts, size_t count,
                      const struct fact_request *request, struct error *err);
/* Sets a bit of *holds for each of the facts (CAUSE_NAMED_MOST at most) that is true of the request. -1: no memory. */
int cause_facts_hold(const struct cause_fact *facts, size_t count, const struct fact_request *request,
                     const struct cause_history *history, unsigned *holds, struct error *err);

/* Appends what is said of the cause ("each has no path"), and what to do about it, which of CAUSE_UNKNOWN is nothing.
 */
void cause_append_words(const struct cause *cause, bool several, struct buffer *out);
void cause_append_fix(const struct cause *cause, struct buffer *out);
/* What to do where a notification got a status that says itself what is wrong; NULL: it does not. */
const char *cause_fix_of_status(int status);

#endif
