/* What a run is given, and what it hands out: for probe_run(), and for all that is below it. */
#ifndef CREDHOOK_PROBE_PLAY_RUN_TYPES_H
#define CREDHOOK_PROBE_PLAY_RUN_TYPES_H

#include "base/signals.h"
#include "cause/cause.h"
#include "http/page_responses.h"
#include "probe/play/listener_process.h"
#include "probe/play/maker.h"
#include "probe/play/world.h"

#define PROBE_SILENT_MAX   3 /* deliveries without a connection at the beginning, after which the run stops */
#define PROBE_RESTARTS_MAX 5 /* of a listener whose process is ours */
#define PROBE_UNENDED_MAX  3 /* the same, where all there was are responses without an end */
#define PROBE_HANGS_MAX    5 /* in one group, after which its other checks are skipped */

/* Reads what the listener keeps, as text (probe/keep/observation.h). -1: it cannot be had. */
struct probe_store {
	int (*read)(void *context, struct buffer *text, struct error *err); /* NULL: there is none */
	void *context;
};

/* All borrowed. */
struct probe_options {
	struct probe_plan *plan;            /* the results are put there */
	const struct deliver_options *http; /* its concurrency is not used */
	uint64_t seed;
	const struct edits *edits[PROBE_EDITS_MAX];
	struct probe_store store;  /* --observe */
	struct listener *listener; /* whose process the run watches, and starts again; NULL: it is not ours */
	bool deep;                 /* of checks that make several rounds, all */
	bool own_content_type;     /* a header of the user's sets it */
	unsigned customers_most;   /* of a round of an experiment, for tests; 0: what its row says */
	bool keeps_messages;       /* in the results of the checks */
	bool named;                /* the checks are what the user named: they are graded whatever they get */
	struct signals *signals;   /* SIGINT and SIGTERM end the run; NULL: nothing does */
	struct probe_world world;  /* zero: the real one */
};

/* Why a run ended. */
enum probe_stop {
	PROBE_THROUGH,
	PROBE_UNREACHABLE, /* no connection was ever accepted: nothing is graded */
	PROBE_LOCKED_OUT,  /* all events of deliver got one status that is not 2xx, or none: nothing is graded */
	PROBE_GONE,        /* the listener ended, and was not (or too often) started again: what was played before is
	                    * graded */
	PROBE_NOT_READY,   /* started again, it responds 503 and nothing else: the same */
	PROBE_INTERRUPTED, /* by a signal: the checks that had ended are graded */
	PROBE_BROKEN,      /* by the error that probe_run() returned: the same */
};

struct probe_summary {
	enum probe_stop stop;
	char run_id[PROBE_RUN_ID_SIZE];
	int status;                      /* PROBE_LOCKED_OUT; 0: there was no response, or none that is complete */
	bool too_long;                   /* PROBE_LOCKED_OUT: each response was, so that none was read to its end */
	bool unended;                    /* PROBE_LOCKED_OUT: no response says where it ends */
	char message[PROBE_REASON_SIZE]; /* PROBE_UNREACHABLE, PROBE_NOT_READY, uncounted, untested: why; locked out:
	                                  * what the response says. For a person, safe to print */
	char last[192];   /* the id of the check whose request reached the listener last: PROBE_GONE: it ended it */
	size_t not_run;   /* checks, for PROBE_GONE and PROBE_NOT_READY */
	const char *hint; /* PROBE_UNREACHABLE, too_long: what to do; NULL: nothing to say */
	uint64_t counts[PROBE_LEVELS][GRADES]; /* by the level of the checks */
	uint64_t unanswered; /* of the musts that are GRADE_WARN: those of whose requests some got no response */
	struct page_responses pages;
	uint64_t invalid[3];         /* of the invalid payloads: accepted, refused, neither: as in watch.h */
	int64_t median_ns;           /* of the responses to valid payloads; 0: there were none */
	int64_t slowest_ns;          /* the slowest event's median */
	struct catalog_kind slowest; /* event NULL: there was none */
	char traceless[2048];        /* events that got 2xx and left no trace, separated by ", " */
	bool uncounted;              /* what the listener keeps could not be read */
	bool untested;               /* each check was skipped; still-up alone, behind them, was not */
	/* Paths of fields whose values were refused, as it seems, separated by ", "; empty: nothing to suggest. */
	char settable[256];
	struct catalog_kind refused; /* the event they are of; event NULL: several, which are all that have the field */
	bool is_only_refused;        /* others were accepted */
	/* What failures have in common, those of most checks first; the finder's. */
	const struct cause *causes;
	size_t cause_count;
	struct cause_finder *finder; /* owned */
};

/* Gets what happens, once, in the run's own thread. */
struct probe_observer {
	/* At the end of the run, before all else. */
	void (*causes_found)(void *context, const struct cause *causes, size_t count);
	/* At the end of the run, when the causes are known: group by group, the checks of it that have ended one by one
	 * before the group. */
	void (*check_ended)(void *context, const struct probe_check *check);
	void (*group_ended)(void *context, const char *group);
	/* By a first signal: what is in flight ends, and nothing else starts. */
	void (*interrupted)(void *context, size_t in_flight);
	/* The first response without an end came, to this check; it is not over yet. */
	void (*unended)(void *context, const struct probe_check *check);
	/* At the end of each turn of the loop: how many checks are over, and which one is being played (NULL: none).
	 * Returns when to be called again at the latest; 0: whenever. */
	int64_t (*progress)(void *context, size_t ended, size_t total, const struct probe_check *at, int64_t now_ns);
	void *context;
};

#endif
