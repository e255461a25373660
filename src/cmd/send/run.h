/*
 * One run of send or replay: what is asked for (send_options.h), where it goes (cmd/route.h), what is kept of it, and
 * carrying it out (run.c). The run itself is deliver/'s.
 *
 * What a person, a program or a CI system reads of it: the destination, a line per attempt (send_report.c), and a case
 * of
 * --report per delivery, in the order in which they end (send_page.c); why deliveries were not accepted, each distinct
 * reason once (reasons.c); the end in words and numbers, and what sends the rest (send_summary.c); what would be sent
 * (dry_run.c).
 */
#ifndef CREDHOOK_CMD_SEND_RUN_H
#define CREDHOOK_CMD_SEND_RUN_H

#include "capture/inputs.h"
#include "cmd/cmd.h"
#include "cmd/make.h"
#include "cmd/send/send_options.h"
#include "deliver/delivery_run.h"
#include "ui/progress.h"

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
/* At the end: how many records were skipped since an earlier run has them, and why, and how many of its records are
 * missing in the inputs. Returns the exit code, which may be worse for it; for missing ones with `needs_all`. */
int send_run_report_past(const struct send_run *run, uint64_t missing, bool needs_all, int code);

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

/* Where the job goes, or went, its secrets masked: a recorded target may be in it, and so anything. */
void send_append_url(struct buffer *out, const struct send_run *run, const struct job *job);
/* "200"; "---" where no whole response came. */
void send_append_status(struct buffer *out, const struct job *job);
/* "expected 422", "recorded 200"; nothing where no status in particular was expected. */
void send_append_expected(struct buffer *out, const struct send_run *run, const struct job *job);
/* Lines: the head and the tail of a response that was not accepted, or is an error's. */
void send_append_response(struct buffer *out, const struct job *job);
/* "connection refused: nothing listens at 127.0.0.1:3000"; nothing where a response came in time. */
void send_append_message(struct buffer *out, const struct send_run *run, const struct job *job);

/* Events of made payloads, each once. Zero-initialise. */
struct made_kinds {
	char names[MAKER_KINDS_MAX][CATALOG_KIND_NAME_SIZE];
	size_t count;
};

/* Zero-initialise. */
struct send_report {
	const struct send_run *run;
	const struct send_source *source;
	bool silent;       /* --results - takes stdout */
	struct buffer out; /* reused */
	struct progress progress;
	int64_t flushed_ns;
	bool begun;        /* the destination is printed */
	uint64_t lines[2]; /* shown on a terminal: of those that were not accepted, of those that were */
	struct send_reasons reasons;
	bool failed_from_files;        /* one of those was not accepted */
	struct made_kinds failed_made; /* of what send made and was not accepted */
	uint64_t paged;                /* accepted ones that the page lists */
};

void send_report_release(struct send_report *report);

/* Where everything goes, once; what was begun is not yet reported. */
void send_report_begin(struct send_report *report);
/* One attempt on stdout: a line, with -v request and response; on a terminal those that were accepted only while they
 * are few. What keeps all from being sent is one line. */
void send_report_attempt(struct send_report *report, const struct job *job);
/* A delivery that was reported before as not final has ended with that. `in_flight`: of its attempt nothing is known.
 */
void send_report_given_up(struct send_report *report, const struct job *job, bool in_flight);
/* The sum, the reasons and how to repeat what was not accepted, on stderr; with --json the sum also on stdout. */
void send_report_summary(const struct send_report *report, const struct delivery_counts *counts);
/* That not all was sent which --results, --resume or --failed-only were about, and how to go on. */
void send_report_rest(const struct send_report *report);
/* The same of a run that cannot be continued. */
void send_report_unsent(const struct send_report *report, const struct delivery_counts *counts);

/* A delivery that has ended, as a case of the reports, if any. `in_flight`: it was abandoned, and job->exchange is not
 * to be read. */
void send_report_case(struct send_report *report, const struct job *job, bool in_flight);

/* What a page says of the whole, where one is asked for. */
void send_page_end(const struct send_report *report, const struct delivery_counts *counts);
/* The sum, the latency and the pace as the text has them; empty where there is nothing to say. */
#define SEND_SUMMARY_LINES 3
void send_append_summary(struct buffer *out, const struct send_run *run, const struct delivery_counts *counts,
                         unsigned line);

/* --dry-run: what would go out, as requests or as curl commands with variables for secrets; and what a replay would do,
 * in numbers. Nothing is sent. */

/* Takes everything that the source has, and shows it on stdout. */
int send_dry_run(const struct send_run *run, const struct job_source *source, bool shows, struct error *err);

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
/* On stdout, for a person or as one object with --json. `bad` records were skipped. */
void dry_run_summary_print(struct context *context, const struct dry_run_summary *summary,
                           const struct replay_args *args, const char *masked_url, uint64_t bad);

#endif
