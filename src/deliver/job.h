/* One payload to deliver, from where it is read to where its end is reported. */
#ifndef CREDHOOK_DELIVER_JOB_H
#define CREDHOOK_DELIVER_JOB_H

#include "base/buffer.h"
#include "base/loop.h"
#include "capture/record.h"
#include "http/deliver.h"
#include "http/status.h"

#include <stdbool.h>
#include <stdint.h>

enum outcome {
	OUTCOME_ACCEPTED, /* an expected status */
	OUTCOME_REJECTED, /* another one */
	OUTCOME_FAILED,   /* nothing was sent */
	OUTCOME_UNKNOWN,  /* sent, and no whole response came */
	OUTCOME_COUNT,
};
extern const char *const outcome_names[OUTCOME_COUNT];

#define JOB_NAME_SIZE 160

struct job;
struct journal_cell;

/* First in, first out. */
struct job_list {
	struct job *first;
	struct job *last;
	size_t count;
};

/* The run owns it. Whoever fills it in sets the request of the exchange, whose body is `body`; what its other texts
 * are, the job owns, unless they outlive it. */
struct job {
	struct exchange exchange; /* has the results, once it is done */
	struct buffer body;
	struct buffer bytes;    /* of the texts of the request: see text_copy() */
	struct header *headers; /* of the request: see job_add_header() */
	size_t header_capacity;
	struct buffer key; /* with `keyed`: jobs of the same key go one after the other */

	/* All from here to `run` is zeroed for the next use. */
	bool keyed;
	char name[JOB_NAME_SIZE];   /* of the event, and behind a space what else names it; empty: unknown */
	const char *input;          /* the file it came from, or NULL; must outlive the run */
	uint64_t record;            /* its line there, or its number among those made; 0: none */
	struct capture_id id;       /* of the record, with `has_id` */
	bool has_id;                /* false: send made it, or no journal is kept */
	uint64_t made;              /* its number among those made of its kind; 0: it came from a file */
	struct status_set expected; /* the statuses that mean accepted */
	bool has_expected;          /* else those of the run's policy do */
	bool has_recorded;          /* --compare: a response was recorded, or an earlier run has tried it; */
	int recorded_status;        /* its status; 0: it got no response */
	int64_t due_ns;             /* monotonic: not before; 0: at once */

	/* What became of its last attempt; the run's. */
	unsigned attempt; /* from 1 */
	uint64_t number;  /* among all attempts that the journal knows */
	enum outcome outcome;
	bool late;        /* accepted, but not in time */
	bool refused;     /* no request can be made of it: its own headers or URL, or its source says why */
	bool final;       /* no further attempt follows */
	int64_t retry_ns; /* not final: the pause before the next attempt */
	int64_t first_ns; /* monotonic: the first attempt began */

	/* For the pool and the run. */
	struct job_list behind; /* of the same key, waiting for this one */
	struct job *next;
	struct delivery_run *run;
	struct worker *worker;
	struct journal_cell *mark;     /* where it is marked while in flight; NULL: it is not */
	struct loop_timer retry_timer; /* set: it waits for its next attempt */
	struct job *key_chain;
	struct job *next_of_all; /* the run's, which frees them */
};

/* Empties a job for its next use; keeps its memory, unless it is much. */
void job_clear(struct job *job);
void job_free(struct job *job); /* NULL is allowed */
/* Adds a header to the request; its texts are not copied. False: no memory. */
bool job_add_header(struct job *job, struct text name, struct text value);
/* The request, with the body as it is now. */
const struct message *job_request(struct job *job);

void job_list_add(struct job_list *list, struct job *job);
struct job *job_list_take(struct job_list *list);               /* NULL: empty */
void job_list_move(struct job_list *to, struct job_list *from); /* all of `from` behind what `to` has */

#endif
