/* send and replay: deliveries, what is said of each, and what is said at the end. */
#ifndef CREDHOOK_CMD_SEND_SEND_H
#define CREDHOOK_CMD_SEND_SEND_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/random.h"
#include "capture/inputs.h"
#include "capture/record.h"
#include "catalog/catalog.h"
#include "cmd/args/make.h"
#include "cmd/args/report_files.h"
#include "cmd/args/route.h"
#include "cmd/args/selection.h"
#include "cmd/cmd.h"
#include "cmd/list/list_causes.h"
#include "deliver/counts.h"
#include "deliver/delivery_run.h"
#include "deliver/job.h"
#include "http/page_responses.h"
#include "http/status.h"
#include "payload/edit.h"
#include "report/page.h"
#include "ui/options.h"
#include "ui/progress.h"
#include "ui/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* send_options.c: what send and replay are both asked for, in curl's words where curl has one. */

enum dry_run {
	DRY_RUN_OFF,
	DRY_RUN_REQUEST, /* the request that would go out */
	DRY_RUN_CURL,    /* the curl command that sends the same */
};

/* What --expect-status is when it is not given. */
#define SEND_EXPECTED_DEFAULT "2xx"

struct send_options {
	struct route_options route;
	bool allow_unredacted; /* records of protected environments */
	uint64_t concurrency;
	double interval_ns; /* --rate: from one start to the next; 0: as fast as responses come */
	struct {
		const char *text; /* as given; NULL: not */
		struct status_set set;
	} expect_status;
	int64_t expect_within;
	int dry_run; /* enum dry_run */

	uint64_t retry;
	int64_t retry_delay; /* 0: 1 s, doubled each time */
	bool retry_unknown;

	const char *results; /* NULL: none; "-": stdout */
	struct report_requests reports;
	uint64_t max_failures; /* UINT64_MAX: unlimited */

	/* Only replay has the options: */
	const char *resume;
	const char *failed_only;
	struct send_compare {
		bool given;
		const char *results; /* of an earlier run; NULL: with what was recorded */
	} compare;
};

extern const struct option_group send_option_group; /* all into a struct send_options */
extern const struct option_group send_retry_option_group;
extern const struct option_group send_results_option_group;

/* A number with decimals at the text's start, and where it ends; NULL: none. */
const char *send_read_decimal(const char *text, double *number);
/* The value of --rate. Usage errors say what is taken. */
int send_parse_rate(void *field, const char *value, struct error *err);

/* replay_options.c: what replay is asked for: which records, at which pace, changed how, and what send is asked for,
 * too. */

/* --shard K/N: the K-th part of N, from 1; count 0: all. */
struct replay_shard {
	uint64_t number;
	uint64_t count;
};

/* --fresh-ids[=SEED] */
struct fresh_ids {
	bool given;
	struct seed seed;
};

struct replay_args {
	struct global_options global;
	bool as_recorded;
	struct fresh_ids fresh_ids;
	double speed; /* 1 keeps the recorded gaps, 2 halves them; 0 is max */
	int64_t max_wait;
	const char *keyed; /* as given */
	struct replay_shard shard;
	struct selection_options select;
	struct edits edits;
	struct send_options delivery;
};

#define REPLAY_OPTION_USES 9
extern const struct option_use replay_option_uses[REPLAY_OPTION_USES];

/* The values of --speed and --shard. */
int replay_parse_speed(void *field, const char *value, struct error *err);
int replay_parse_shard(void *field, const char *value, struct error *err);

/*
 * run.c: one run of send or replay: what is asked for, where it goes (cmd/args/route.h), what is kept of it, and
 * carrying it out. The run itself is deliver/'s.
 *
 * Below is what a person, a program or a CI system reads of it: why deliveries were not accepted, the destination and a
 * line per attempt, a case of --report per delivery, in the order in which they end, the end in words and numbers, also
 * on the page of --report, and what would be sent.
 */

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
int send_run_open(struct send_run *run, const char *selection, struct seed *seed, struct error *err);
/* Puts the place of the record before what is wrong with it. Returns JOB_FAILED. */
enum job_got send_run_refuse(const struct send_run *run, const struct capture_item *item, struct error *err);
/* EXIT_CODE_USAGE: the record is of a protected environment, goes elsewhere, and is not redacted. Sets has_people. */
int send_run_check_origin(struct send_run *run, const struct capture_record *record, struct error *err);

/* Delivers everything there is, or with --dry-run shows it. Reports each delivery on stdout and the sum on stderr.
 * Returns the exit code that the outcomes make; EXIT_CODE_INTERRUPTED after a first Ctrl-C, when what was in flight has
 * ended. -1: *err. */
int send_run_deliver(struct send_run *run, struct error *err);

/* send_causes.c: why deliveries of a run were not accepted: what these have in common, and no accepted one has
 * (cause/day.h). */

/* Zero-initialise. What there is no memory for has no causes. */
struct send_causes {
	struct list_causes *list; /* NULL: none yet, or no memory */
	uint64_t number;          /* of the delivery that has ended last, from 1 */
};

void send_causes_release(struct send_causes *causes);
/* A delivery has ended, `went_well` or not. */
void send_causes_add(struct send_causes *causes, struct context *context, const struct job *job, bool went_well);
/* After the last one. */
void send_causes_find(struct send_causes *causes);
/* Appends the causes of the reason whose first delivery has the number, and which `count` have: a line each. */
void send_causes_append(const struct send_causes *causes, uint64_t number, uint64_t count, struct buffer *out);
/* Appends all of them as lines of JSON. */
void send_causes_append_json(const struct send_causes *causes, struct buffer *out);

/* reasons.c: why deliveries were not accepted: of one in words, and of a run each distinct reason once. */

#define REASONS_MAX 1000 /* that are told apart, and stand in a page */

struct send_reason {
	uint64_t key; /* a hash of what it says, without numbers and identifiers */
	uint64_t count;
	uint64_t number;       /* of the first delivery, from 1 */
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
/* `number`: as for send_causes_append(). `has_line`: the delivery stands on the screen, or is not to. */
void send_reasons_add(struct send_reasons *reasons, const struct send_run *run, const struct job *job, uint64_t number,
                      bool has_line);
/* On stdout: what kept deliveries without a line from being sent. */
void send_reasons_print_unsent(const struct send_reasons *reasons, struct terminal *terminal);
/* On stderr: the reasons, unless the line of the only one said it all, with their causes; then the hints. */
void send_reasons_print(const struct send_reasons *reasons, const struct send_causes *causes,
                        struct terminal *terminal);

/* "200"; "---" where no whole response came. */
void send_append_status(struct buffer *out, const struct job *job);
/* "expected 422", "recorded 200"; nothing where no status in particular was expected. */
void send_append_expected(struct buffer *out, const struct send_run *run, const struct job *job);
/* Lines: the head and the tail of a response that was not accepted, or is an error's. */
void send_append_response(struct buffer *out, const struct job *job);
/* "connection refused: nothing listens at 127.0.0.1:3000"; nothing where a response came in time. */
void send_append_message(struct buffer *out, const struct send_run *run, const struct job *job);

/* send_report.c: the observer of a run: the destination, a line per delivery (what became of it, or with -v the whole
 * exchange), and how far it has come; and what its end needs to know of that. */

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
	struct send_causes causes;
	bool failed_from_files; /* one of those failed, and --failed-only sends it again */
	/* Events of what send made and was not accepted, each once. */
	char failed_made[MAKER_KINDS_MAX][CATALOG_KIND_NAME_SIZE];
	size_t failed_made_count;
	struct page_responses pages;
	uint64_t paged; /* accepted ones that the page lists */
};

/* Prints the destination, attempts and progress, and adds what has ended to the reports. */
struct delivery_observer send_report_observer(struct send_report *report);

/* send_cases.c: deliveries as cases of --report. */

/* A delivery that has ended, as a case of the reports, if any. `in_flight`: it was abandoned, and job->exchange is not
 * to be read. */
void send_report_case(struct send_report *report, const struct job *job, bool in_flight);

/* send_summary.c: the end of a run in words and numbers, and what sends the rest. */

/* The sum, the reasons, and how to repeat what was not accepted and to send the rest, on stderr; with --json the sum
 * also on stdout. `err`: what ended the run; NULL: nothing. */
void send_summary_end(const struct send_report *report, const struct delivery_result *result, const struct error *err);

/* For the page: the sum, latency, and pace and statuses, a line each; those that say nothing are empty. */
void send_summary_append_lines(struct buffer *out, const struct send_run *run, const struct delivery_counts *counts);

/* send_page.c: what the page of --report says of the whole run. */

void send_page_fill(struct page *page, const struct send_report *report, const struct delivery_counts *counts);

/* dry_run.c: --dry-run: what would go out, as requests or as curl commands with variables for secrets; and what a
 * replay would do, in numbers. Nothing is sent. */

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
