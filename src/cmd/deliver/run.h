/*
 * A run of deliveries: jobs are asked for one by one, delivered so many at once, judged, told and counted.
 *
 * send and replay say where jobs come from; everything from there on is here.
 */
#ifndef CREDHOOK_CMD_DELIVER_RUN_H
#define CREDHOOK_CMD_DELIVER_RUN_H

#include "base/buffer.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/deliver/options.h"
#include "http/deliver.h"
#include "http/latency.h"

#include <stdint.h>

enum outcome {
	OUTCOME_ACCEPTED, /* an expected status */
	OUTCOME_REJECTED, /* another one */
	OUTCOME_FAILED,   /* nothing was sent */
	OUTCOME_UNKNOWN,  /* sent, and no answer came */
	OUTCOME_COUNT,
};
extern const char *const outcome_names[OUTCOME_COUNT];

/* One payload to deliver. The run owns it; whoever fills it in copies into its buffers. */
struct job {
	struct delivery delivery; /* the results, once it is done */
	struct buffer body;
	struct buffer content_type; /* empty: application/json */
	struct buffer url;          /* empty: the plan's */
	struct text_list headers;   /* further lines, pointing into header_text */
	struct buffer header_text;
	char name[CATALOG_KIND_NAME_SIZE]; /* of the event; empty: unknown */
	const char *input;                 /* the file it came from, or NULL; must outlive the run */
	uint64_t record;                   /* its line there; 0: none */
	int64_t due_ns;                    /* monotonic: not before; 0: at once */
	enum outcome outcome;
	bool late; /* accepted, but after --expect-within */
	struct delivery_run *run;
	struct job *next_free;
};

/* Where jobs come from. The job given is empty. 1: filled in; 0: there are no more; -1: failed, *err for main. */
struct job_source {
	int (*next)(void *context, struct job *job, struct error *err);
	void *context;
};

struct delivery_counts {
	uint64_t outcomes[OUTCOME_COUNT];
	uint64_t late;
	uint64_t statuses[600];
	uint64_t bytes;
	struct latency latency;
	int64_t started_ns;
	int64_t ended_ns;
};

/* Delivers everything the source has. Tells each delivery on stdout and the sum on stderr. Returns the exit code that
 * the outcomes make; EXIT_CODE_INTERRUPTED after a first Ctrl-C, when what was in flight has ended. -1: *err. */
int delivery_run(struct context *context, const struct delivery_plan *plan, const struct job_source *source,
                 struct error *err);

/* Empties a job for its next use; keeps its memory. */
void job_clear(struct job *job);
/* Adds a header line of its own. False: no memory. */
bool job_add_header(struct job *job, const char *name, size_t name_length, const char *value, size_t value_length);

/* tell.c */
void delivery_tell_job(struct context *context, const struct delivery_plan *plan, const struct job *job,
                       struct buffer *out);
void delivery_tell_summary(struct context *context, const struct delivery_counts *counts, bool interrupted);
/* Shows the job as a request or a curl command. */
void delivery_tell_dry_run(struct context *context, const struct delivery_plan *plan, const struct job *job);

#endif
