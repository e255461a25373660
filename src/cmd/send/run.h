/*
 * One run of send or replay: what is asked for (options.h), where it goes (cmd/route.h), what is kept of it, and
 * carrying it out. The run itself is deliver/'s; its words are report.h's.
 */
#ifndef CREDHOOK_CMD_SEND_RUN_H
#define CREDHOOK_CMD_SEND_RUN_H

#include "capture/inputs.h"
#include "cmd/cmd.h"
#include "cmd/send/options.h"
#include "deliver/run.h"

struct maker;

/* Zero-initialise; `maker` and `fresh_ids` are the command's to set, and `reports`, zero. */
struct send_run {
	struct context *context;            /* borrowed, like the options */
	const struct send_options *options; /* that go together */
	struct route route;
	struct journal *journal;      /* NULL: none is kept */
	struct report_files *reports; /* of --report; none where it is empty */
	const struct maker *maker;    /* of what send makes; NULL: replay */
	const uint64_t *fresh_ids;    /* the seed of replay's --fresh-ids; NULL: not asked for */
	bool has_people;              /* it sent what was neither made nor redacted */
};

/* Where a command's jobs come from, and how far that has come. */
struct send_source {
	struct job_source jobs;
	uint64_t total;                 /* how many there will be; 0: not known */
	const struct text_list *inputs; /* files that they come from */
	bool any_bytes;                 /* these may hold what replay does not read */
	double (*fraction)(
	        void *context); /* of them that were handed out, or PROGRESS_UNKNOWN; context: that of `jobs` */
};

/* Checks that the options go together, and finds the route. Usage errors: see route_init(). */
int send_run_init(struct send_run *run, struct context *context, const struct send_options *options, struct error *err);
void send_run_release(struct send_run *run);
/* Opens the journal, whose notices go to stderr, and what --report asks for, of which problems of the inputs are cases,
 * too. EXIT_CODE_USAGE also: the reports, --json and --results want stdout at once; a report would replace an input,
 * the results, or another report. `selection` and `seed` are the journal's (deliver/journal.h), borrowed. */
int send_run_open(struct send_run *run, const struct inputs *inputs, const char *selection, uint64_t *seed,
                  struct error *err);
/* Puts the place of the record before what is wrong with it. Returns -1. */
int send_run_refuse(const struct inputs *inputs, const struct capture_item *item, struct error *err);
/* EXIT_CODE_USAGE: the record is of a protected environment, goes elsewhere, and is not redacted. Sets has_people. */
int send_run_check_origin(struct send_run *run, const struct capture_record *record, struct error *err);

/* Delivers everything the source has, or with --dry-run shows it. Reports each delivery on stdout and the sum on
 * stderr. Returns the exit code that the outcomes make; EXIT_CODE_INTERRUPTED after a first Ctrl-C, when what was in
 * flight has ended. -1: *err. */
int send_run_deliver(const struct send_run *run, const struct send_source *source, struct error *err);
/* At the end: how many records were skipped since an earlier run has them, and why; with `needs_all` also how many of
 * its records did not come by. Returns the exit code, which may be worse for it. */
int send_run_report_past(const struct send_run *run, uint64_t skipped, bool needs_all, int code);

#endif
