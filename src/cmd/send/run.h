/*
 * One run of send or replay: what is asked for (send_options.h), where it goes (cmd/args/route.h), what is kept of it,
 * and carrying it out. The run itself is deliver/'s.
 *
 * What a person, a program or a CI system reads of it: the destination, a line per attempt (send_report.h), and a case
 * of --report per delivery, in the order in which they end (send_cases.h); why deliveries were not accepted, each
 * distinct reason once (reasons.h); the end in words and numbers, and what sends the rest (send_summary.h), also on the
 * page of --report (send_page.h); what would be sent (dry_run.h).
 */
#ifndef CREDHOOK_CMD_SEND_RUN_H
#define CREDHOOK_CMD_SEND_RUN_H

#include "capture/inputs.h"
#include "cmd/args/make.h"
#include "cmd/cmd.h"
#include "cmd/send/send_options.h"
#include "deliver/delivery_run.h"

/* Zero-initialise. The first member of what a command knows of its run. */
struct send_run {
	/* The command's to set, the first three before all else; borrowed. */
	struct context *context;
	const struct send_options *options;
	const struct text_list *files; /* that payloads come from */
	struct inputs inputs;          /* these, by inputs_init() behind send_run_init(); released with the run */
	/* The next payload: see struct job_source. The context is the run. */
	enum job_got (*next)(void *run, struct job *job, struct error *err);
	const struct maker *maker;  /* of what send makes; NULL: replay */
	uint64_t total;             /* how many there will be; 0: not known */
	uint64_t taken, most_taken; /* of the records, and with --limit how many will be; 0: all */
	bool any_bytes;             /* the files may hold what replay does not read */
	bool recorded_paths;        /* records go to their own paths, where they have one */
	/* The run's own. */
	struct route route;
	struct journal *journal; /* NULL: none is kept */
	struct report_files reports;
	bool has_people; /* it sent what was neither made nor redacted */
};

/* Checks that the options go together, and finds the route. Usage errors: see route_init(). */
int send_run_init(struct send_run *run, struct error *err);
void send_run_release(struct send_run *run);
/* Opens the journal, whose notices go to stderr, and what --report asks for, of which problems of the inputs are cases,
 * too. EXIT_CODE_USAGE also: the reports, --json and --results want stdout at once; a report would replace an input,
 * the results, or another report. `selection` and `seed` are the journal's (deliver/journal.h), borrowed. */
int send_run_open(struct send_run *run, const char *selection, uint64_t *seed, struct error *err);
/* Puts the place of the record before what is wrong with it. Returns JOB_FAILED. */
enum job_got send_run_refuse(const struct send_run *run, const struct capture_item *item, struct error *err);
/* EXIT_CODE_USAGE: the record is of a protected environment, goes elsewhere, and is not redacted. Sets has_people. */
int send_run_check_origin(struct send_run *run, const struct capture_record *record, struct error *err);

/* Delivers everything there is, or with --dry-run shows it. Reports each delivery on stdout and the sum on stderr.
 * Returns the exit code that the outcomes make; EXIT_CODE_INTERRUPTED after a first Ctrl-C, when what was in flight has
 * ended. -1: *err. */
int send_run_deliver(struct send_run *run, struct error *err);

#endif
