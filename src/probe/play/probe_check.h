/*
 * A check of `credhook test`: its row, what of the run is made of it, and what came of it.
 */
#ifndef CREDHOOK_PROBE_PLAY_PROBE_CHECK_H
#define CREDHOOK_PROBE_PLAY_PROBE_CHECK_H

#include "base/buffer.h"
#include "base/fit.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "http/status.h"
#include "payload/break.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct contrast;
struct deliver_options;
struct experiment_row;
struct player;
struct probe_check;
struct probe_maker;
struct probe_watch;

enum probe_level {
	PROBE_MUST,   /* real deliveries get lost or break */
	PROBE_SHOULD, /* robustness, security */
	PROBE_NOTE,   /* reported, never counted */
	PROBE_LEVELS,
};

/* The first --level that a check belongs to. */
enum probe_depth {
	PROBE_QUICK,
	PROBE_NORMAL,
	PROBE_DEEP,
};

/* What the capitals of a row's name stand for: how many checks the row makes. */
enum probe_expansion {
	PROBE_ONE,
	PROBE_KINDS,  /* EVENT: each event and element */
	PROBE_VALUES, /* EVENT:FIELD=NAME: each other valid value that has the row's chance */
	PROBE_KEPT,   /* EVENT:FIELD=NAME: each of these that is not rare, texts or others, as the row's level is for */
	PROBE_BREAKS, /* FINDING:PATH: each error of a payload, at its places */
	PROBE_GROUPS, /* GROUP: each group that sends */
	PROBE_ONCE,   /* EVENT: each event and element, of those the row's level is for */
	PROBE_DISTINCT, /* EVENT: each event of which one customer may have two that differ */
};

/* Makes the request that the maker says. -1 with EXIT_CODE_USAGE: the user's edits leave nothing to make it of, so that
 * the check is skipped; any other code ends the run. */
typedef int probe_make(struct probe_maker *maker, struct error *err);

/* Plays a check of the plan in a way of its own: see probe/play/play.h. -1 ends the run. */
typedef int probe_play(struct player *player, size_t index, struct error *err);

/* Ends a check that sends nothing, by what all responses of the run show. Where a signal waits, it may leave it open.
 */
typedef void probe_look(const struct probe_watch *watch, struct probe_check *check, const struct deliver_options *http);

/* Which bytes of a request go out one by one. */
enum probe_drip {
	PROBE_DRIP_NONE,
	PROBE_DRIP_HEAD, /* from the second on */
	PROBE_DRIP_BODY,
};

/* How the requests of a check go out that are written as bytes: all zero is as everybody writes them. */
struct probe_framing {
	const char *lines;  /* further lines of the head, each ended by "\n"; NULL: none */
	unsigned excess;    /* Content-Length is this larger than the body */
	bool second_length; /* another Content-Length, which differs */
	bool chunked;       /* with Content-Length, too */
	bool http_1_0;
	bool bare_lf;     /* lines end with LF alone */
	unsigned pieces;  /* 0: 1 */
	bool pipelined;   /* all requests at once, on one connection */
	bool end_writing; /* shutdown for writing behind the last byte */
	enum probe_drip drip;
};

struct probe_row {
	const char *group;
	const char *name; /* behind "GROUP/" in ids; capitals as in `expansion` */
	enum probe_level level;
	enum probe_depth depth;
	enum probe_expansion expansion;
	probe_make *make;                        /* NULL: it sends nothing */
	probe_play *play;                        /* NULL: it is sent by libcurl, in a batch with others of its group */
	const struct experiment_row *experiment; /* of that play: see probe/keep/experiment.h */
	const struct contrast *contrast;         /* of the experiment: see probe/keep/contrast.h; NULL: none */
	probe_look *look;                        /* of one that sends nothing */
	const struct probe_framing *framing;     /* of play_script() */
	enum catalog_chance chance;              /* of PROBE_VALUES: its values have it */
	const char *kinds;     /* of the events that the experiment is about, each of them, separated by commas; NULL:
	                        * the check's own */
	const char *argument;  /* the maker's */
	const char *event;     /* of its payload; NULL: any that the listener takes */
	unsigned requests;     /* 0: 1 */
	unsigned connections;  /* at the same time; 0: one request after the other */
	bool independent;      /* of what was sent before, and the other way round: see probe/play/flight.h */
	const char *header;    /* a header of the connection, "Name: value", for its requests alone; NULL: none */
	bool sets_type;        /* it is about the Content-Type: skipped where the user's headers set that */
	bool invalid;          /* --on-invalid says what is right */
	bool observes;         /* it looks at what --observe reads */
	bool is_of_server;     /* it looks at the server itself: it needs no response */
	bool ends;             /* it ends the listener, whose process has to be ours */
	bool costs;            /* it waits, or sends much, and so is sent for itself alone */
	const char *sent;      /* what goes out, a phrase */
	const char *ok;        /* statuses as --expect-status takes them, and `closed`: the connection ended instead */
	const char *tolerated; /* the same; NULL: none. Anything else fails */
	const char *source;    /* who asks for it: a section of the specification, an RFC, a guideline */
	const char *why;       /* a phrase */
	const char *fix;       /* what to do about it: a sentence without a full stop */
	/* What comes of it for the listener's owner, a clause; "EVENT is" at its beginning stands for what the checks
	 * are about, one or several. NULL: nothing that `sent` does not say. */
	const char *lost;
	const char *fix_statuses; /* those that it knows better than what is said of a status in general; NULL: none */
	const char *other_fix;    /* instead of the fix, for statuses that are not of these; NULL: the fix, too */
};

/* Whether the row's requests share no batch with others. */
static inline bool probe_row_is_alone(const struct probe_row *row)
{
	return row->connections > 0 || row->header || row->play;
}
/* Whether its one request may go side by side with those of others: see probe/play/flight.h. */
static inline bool probe_row_goes_abreast(const struct probe_row *row)
{
	return row->independent && row->requests <= 1 && !probe_row_is_alone(row);
}

/* What the listener means to do with invalid payloads. */
enum probe_invalid {
	PROBE_INVALID_AUTO, /* either: it is only reported */
	PROBE_INVALID_REJECT,
	PROBE_INVALID_ACCEPT,
};

/* What is right for a check, and what is tolerated. */
struct probe_expected {
	struct status_set ok;
	struct status_set tolerated;
	bool closed_ok; /* the connection may end without a response */
	bool closed_tolerated;
	struct buffer text; /* "4xx or 2xx" */
	/* The user expects no status that is usual: what the row says of others, what is lost and what to do, does not
	 * hold. */
	bool is_contrary;
};

#define PROBE_REASON_SIZE 256

/* One of the messages of a check. */
struct probe_message {
	struct buffer head;
	struct buffer body; /* PROBE_BODY_KEPT bytes */
	uint64_t length;    /* of all of it */
};
#define PROBE_BODY_KEPT ((size_t)16 << 10)
#define PROBE_LOG_KEPT  ((size_t)16 << 10)

/* What came of a check: of several responses the worst. The verdict is GRADE_FAIL for a must that has failed;
 * GRADE_WARN for a should that has, and for a must whose response its row tolerates; GRADE_NOTE for the rest of what is
 * not right. */
struct probe_result {
	enum grade verdict;
	bool ended;                     /* the others hold only then */
	int status;                     /* 0: no response, or none that is complete */
	bool too_long;                  /* the response, so that it was not read to its end */
	unsigned graded;                /* of its requests */
	unsigned unanswered;            /* of requests on several connections: those that got no response in time */
	bool unended;                   /* the head of the response came, and nothing says where it ends */
	int64_t ns;                     /* from the request to the response */
	int64_t broke_ns;               /* monotonic: when the listener failed over it, which its log says; 0: no */
	bool ended_listener;            /* which ended over it */
	bool ended_by_itself;           /* or over nothing that is known: the check came last, and is not to blame */
	struct catalog_kind ended_by;   /* over a notification of this kind, as it usually is; event NULL: over another
	                                 * request, or it is not known over which */
	const char *fix;                /* a sentence without a full stop; NULL: nothing to do */
	const char *lost;               /* as the row's, where something else has come of it; NULL: the row's */
	bool is_double;                 /* nothing is lost over it: it is kept twice */
	bool is_contrary;               /* nor is it known that anything is: only the user expects another status */
	char reason[PROBE_REASON_SIZE]; /* for a person, safe to print; empty where the status says it all */
	struct buffer log; /* what the listener printed meanwhile, where its process is ours: any bytes, PROBE_LOG_KEPT
	                    * of them at most; empty where the check is ok */
	unsigned
	        cause; /* that of the summary's which it has, from 1; 0: it stands alone. Known at the end of the run */
	const struct probe_check *part_of; /* the check whose failure explains this one; NULL: it stands alone */
	/* Where the options ask for them; sent_ns 0: nothing was sent. */
	int64_t sent_ns; /* monotonic */
	struct probe_message request, response;
};

struct probe_check {
	const struct probe_row *row;
	char *id;                 /* owned: bad/missing-key:details.appKey */
	struct catalog_kind kind; /* event NULL: any that the listener takes */
	enum probe_level level;   /* the row's, unless what came of it makes it another */
	enum probe_depth depth;
	enum finding_id finding; /* PROBE_BREAKS: the defect, and its place */
	struct break_place place;
	size_t variant;    /* PROBE_VALUES, PROBE_KEPT: its index */
	char advice[256];  /* what to do, where it says more than the row's; empty: the row's */
	const char *after; /* PROBE_GROUPS: the group before */
	struct probe_expected expected;
	struct probe_result result;
	bool chosen;
	bool aside; /* sent for what the causes compare with: neither graded nor reported */
};

/* Whether it is a failed must, or a failed should. */
static inline bool probe_has_failed(const struct probe_check *check)
{
	enum grade failed = check->level == PROBE_MUST ? GRADE_FAIL : GRADE_WARN;
	return check->result.ended && check->result.verdict == failed;
}

/* That it is played with. */
static inline const char *probe_group_of(const struct probe_check *check)
{
	return check->after ? check->after : check->row->group;
}

struct probe_plan {
	struct probe_check *checks; /* group by group, each still-up behind its group */
	size_t count;
	size_t capacity;
};

#endif
