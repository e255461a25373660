/*
 * test: the checks of probe/, played against a listener and put into words.
 *
 *   probe.c          the command: from its options to the exit code
 *   probe_report.c   the text for people
 *   probe_summary.c  its end
 *   output.c         --json and --list
 *   probe_page.c     the cases of --report, and what its page says of the whole
 *   observe.c        --observe
 */
#ifndef CREDHOOK_CMD_PROBE_PROBE_H
#define CREDHOOK_CMD_PROBE_PROBE_H

#include "cmd/cmd.h"
#include "cmd/make.h"
#include "cmd/report_files.h"
#include "cmd/route.h"
#include "probe/probe_run.h"
#include "probe/verdict.h"
#include "ui/progress.h"

struct probe_args {
	struct global_options global;
	struct route_options route;
	bool yes;
	struct text_list skip;
	struct text_list expect;
	int level;   /* enum probe_depth */
	int invalid; /* enum probe_invalid */
	bool strict;
	struct edits edits;
	bool list;
	const char *observe; /* NULL: none */
	struct report_requests reports;
};

#define TEST_FIXES_MOST 3 /* checks to fix first that are named */

/* The text report while it grows: groups where nothing failed share lines at its end. */
struct probe_report {
	struct buffer out;
	struct buffer cells; /* groups where nothing failed */
	bool noted;          /* in one of them something is for -v */
	int column;          /* of the last line of them */
	struct buffer fix;   /* "deliver/bureau-alert, repeat/again": of each must that fails for a reason of its own */
	size_t fix_count;    /* of them */
	const char *repeat;  /* the id of the first check that failed; NULL: none */
};

/* A run of the command. */
struct probe_command {
	struct context *context;
	const struct probe_args *args;
	struct route route;
	struct probe_plan checks;
	struct edits defaults; /* the configuration's */
	struct progress progress;
	struct probe_report text;
	struct report_files reports;
};

/* "credhook test ID --to URL", the URL without its secrets. */
void probe_append_retry(struct buffer *out, const struct probe_command *run, const char *id);
/* "expected 2xx, got 500: REASON", with this reason. */
void probe_append_outcome(struct buffer *out, const struct probe_check *check, const char *reason);

/* Whether a chosen check looks at the number of --observe. */
bool probe_reads_number(const struct probe_command *run);
/* What to do about it; empty: nothing. Where the listener failed, its log comes first. */
void probe_append_fix(struct buffer *out, const struct probe_check *check);

/* Its verdict for people: a must that fails is not a should that fails, which is a warning, and a warning is a note. */
enum grade probe_check_grade(const struct probe_check *check);
/* Columns of the text for people. */
int probe_report_width(const struct probe_command *run);
/* The checks of the group, which have ended. */
void probe_report_group(struct probe_command *run, const char *group);
void probe_report_end(struct probe_command *run, const struct probe_summary *summary);
/* The lines at its end: counts by level, invalid payloads, latency, the verdict; empty where there is nothing to say.
 */
void probe_append_summary(struct buffer *out, const struct probe_command *run, const struct probe_summary *summary);
/* Why nothing was graded, as an error with its exit code. */
int probe_refuse(const struct probe_command *run, const struct probe_summary *summary, struct error *err);

void probe_json_check(struct probe_command *run, const struct probe_check *check);
void probe_json_summary(struct probe_command *run, const struct probe_summary *summary);
int probe_list(const struct probe_command *run);
void probe_case_add(struct probe_command *run, const struct probe_check *check);
/* What a page says of the whole, where one is asked for. */
void probe_page_end(struct probe_command *run, const struct probe_summary *summary, const char *level, int64_t ns);

/* A struct probe_counter's: reads the number until it holds still, for 5 s at most. */
int probe_observe(void *context, double *number, struct error *err);

#endif
