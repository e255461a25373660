/*
 * One run of send or replay: what is asked for (send_options.h), where it goes (cmd/args/route.h), what is kept of it,
 * and carrying it out (run.c). The run itself is deliver/'s.
 *
 * What a person, a program or a CI system reads of it: the destination, a line per attempt (send_report.c), and a case
 * of --report per delivery, in the order in which they end (send_cases.c); why deliveries were not accepted, each
 * distinct reason once (reasons.c); the end in words and numbers, and what sends the rest (send_summary.c), also on the
 * page of --report (send_page.c); what would be sent (dry_run.c).
 */
#ifndef CREDHOOK_CMD_SEND_RUN_H
#define CREDHOOK_CMD_SEND_RUN_H

#include "capture/inputs.h"
#include "cmd/args/make.h"
#include "cmd/cmd.h"
#include "cmd/send/send_options.h"
#include "deliver/delivery_run.h"
#include "ui/progress.h"

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

#define REASONS_MAX 1000 /* that are told apart, and stand in a page */

struct send_reason {
	uint64_t key; /* a hash of what it says, without numbers and identifiers */
	uint64_t count;
	uint64_t without_line; /* of them, those that are not on the screen */
	bool unsent;
	struct buffer status; /* "500", "200, expected 422", "---" */
	struct buffer first;  /* the first delivery: its event, and its place where it came from a file */
	struct buffer words;  /* lines: the message, the head and tail of the response */
	struct buffer hint;
};

/* Zero-initialise. Those beyond REASONS_MAX are only counted. */
struct send_reasons {
	struct send_reason items[REASONS_MAX];
	size_t count;
	size_t last; /* the place of the one that was added last, from 1; 0: it is not told apart */
	uint64_t others;
};

void send_reasons_release(struct send_reasons *reasons);
/* `has_line`: the delivery stands on the screen, or is not to. */
void send_reasons_add(struct send_reasons *reasons, const struct send_run *run, const struct job *job, bool has_line);
/* On stdout: what kept deliveries without a line from being sent. */
void send_reasons_print_unsent(const struct send_reasons *reasons, struct terminal *terminal);
/* On stderr: the reasons, unless the line of the only one said it all; then the hints. */
void send_reasons_print(const struct send_reasons *reasons, struct terminal *terminal);

/* "200"; "---" where no whole response came. */
void send_append_status(struct buffer *out, const struct job *job);
/* "expected 422", "recorded 200"; nothing where no status in particular was expected. */
void send_append_expected(struct buffer *out, const struct send_run *run, const struct job *job);
/* Lines: the head and the tail of a response that was not accepted, or is an error's. */
void send_append_response(struct buffer *out, const struct job *job);
/* "connection refused: nothing listens at 127.0.0.1:3000"; nothing where a response came in time. */
void send_append_message(struct buffer *out, const struct send_run *run, const struct job *job);

/* Zero-initialise. */
struct send_report {
	struct send_run *run;
	bool silent;       /* --results - takes stdout */
	struct buffer out; /* reused */
	struct progress progress;
	int64_t flushed_ns;
	bool begun;        /* the destination is printed */
	uint64_t lines[2]; /* shown on a terminal: of those that were not accepted, of those that were */
	struct send_reasons reasons;
	bool failed_from_files; /* one of those was not accepted */
	/* Events of what send made and was not accepted, each once. */
	char failed_made[MAKER_KINDS_MAX][CATALOG_KIND_NAME_SIZE];
	size_t failed_made_count;
	uint64_t paged; /* accepted ones that the page lists */
};

/* Prints the destination, attempts and progress, and adds what has ended to the reports. */
struct delivery_observer send_report_observer(struct send_report *report);
/* The sum, the reasons, and how to repeat what was not accepted and to send the rest, on stderr; with --json the sum
 * also on stdout. `err`: what ended the run; NULL: nothing. */
void send_report_end(const struct send_report *report, const struct delivery_result *result, const struct error *err);

/* For the page: the sum, latency, and pace and statuses, a line each; those that say nothing are empty. */
void send_summary_append_lines(struct buffer *out, const struct send_run *run, const struct delivery_counts *counts);
/* What the page says of the whole run. */
void send_page_fill(struct page *page, const struct send_report *report, const struct delivery_counts *counts);

/* A delivery that has ended, as a case of the reports, if any. `in_flight`: it was abandoned, and job->exchange is not
 * to be read. */
void send_report_case(struct send_report *report, const struct job *job, bool in_flight);

/* --dry-run: what would go out, as requests or as curl commands with variables for secrets; and what a replay would do,
 * in numbers. Nothing is sent. */

/* Takes everything there is, and shows it on stdout, unless numbers will say it. */
int send_dry_run(struct send_run *run, struct error *err);

/* Zero-initialise. */
struct dry_run_summary {
	uint64_t count;
	uint64_t bytes;
	int64_t first_us;
	int64_t last_us; /* the latest */
	int64_t pace_ns; /* --speed: when the last one would start */
	uint64_t unknown;
	uint64_t kinds[MAKER_KINDS_MAX]; /* in the catalogue's order */
};

/* A record that was chosen. */
void dry_run_summary_add(struct dry_run_summary *summary, const struct capture_record *record, struct catalog_kind kind,
                         const struct job *job);
/* On stdout, for a person or as one object with --json. `speed` is that of struct replay_args. */
void dry_run_summary_print(const struct send_run *run, const struct dry_run_summary *summary, double speed);

#endif
