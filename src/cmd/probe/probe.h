/*
 * test: the checks of probe/, played against a listener and put into words.
 *
 *   probe.c     the command: from its options to the exit code
 *   options.c   the option rows
 *   report.c    the text for people
 *   summary.c   its end, and why nothing was graded
 *   json.c      one object per check, and the summary
 *   words.c     what is said of a check in all of them
 *   list.c      --list
 *   observe.c   --observe
 *   files.c     what goes into the files of --record and --report
 */
#ifndef CREDHOOK_CMD_PROBE_PROBE_H
#define CREDHOOK_CMD_PROBE_PROBE_H

#include "capture/writer.h"
#include "cmd/cmd.h"
#include "cmd/route.h"
#include "cmd/make.h"
#include "cmd/report.h"
#include "cmd/shell_text.h"
#include "probe/run.h"
#include "ui/progress.h"

struct test_args {
	struct global_options global;
	struct route_options route;
	bool yes;
	struct text_list skip;
	struct text_list expect;
	int level;   /* enum probe_depth */
	int invalid; /* enum probe_invalid */
	bool strict;
	struct make_seed seed;
	struct edits edits;
	bool list;
	const char *observe; /* NULL: none */
	const char *record;  /* NULL: none */
	struct report_wishes reports;
};

#define TEST_OPTION_USES 4
extern const struct option_use test_option_uses[TEST_OPTION_USES];
extern const char *const test_level_names[];

/* The text report while it grows: groups that went well share lines. */
struct test_report_text {
	struct buffer out;
	int column;          /* of the line that such groups share; 0: none was begun */
	const char *group;   /* whose checks are gathered */
	size_t first, count; /* those of the group, in `ended` */
};

/* A run of the command. */
struct test_run {
	struct context *context;
	const struct test_args *args;
	struct route route;
	struct probe_plan checks;
	struct edits defaults; /* the configuration's */
	struct progress progress;
	const struct probe_check **ended; /* in the order in which they ended */
	size_t ended_count;
	struct test_report_text text;
	struct capture_writer *writer; /* NULL: --record is not given */
	struct report_files reports;
	struct error failed; /* the record cannot be written; code 0: it can */
};

/* The command that repeats a check. */
void test_append_retry(struct buffer *out, struct test_run *run, const struct probe_check *check);
/* "expected 2xx, got 500: REASON". */
void test_append_outcome(struct buffer *out, const struct probe_check *check);

/* The columns of its lines: the terminal's, up to a width that reads well. */
int test_report_width(void);
void test_report_group(struct test_run *run, const char *group);
/* Ends a line that groups share, and writes what is left. */
void test_report_flush(struct test_run *run);
void test_report_end(struct test_run *run, const struct probe_summary *summary);
/* Why nothing was graded, as an error with its exit code. */
int test_refuse(const struct test_run *run, const struct probe_summary *summary, struct error *err);

void test_json_check(struct test_run *run, const struct probe_check *check);
void test_json_summary(struct test_run *run, const struct probe_summary *summary);

int test_list(const struct test_run *run);

/* A struct probe_counter's: reads the number until it holds still, for 5 s at most. */
int test_observe(void *context, double *number, struct error *err);

/* Opens the files of --record and --report. */
int test_files_open(struct test_run *run, struct error *err);
void test_files_add(struct test_run *run, const struct job *job);
void test_files_check(struct test_run *run, const struct probe_check *check);
int test_files_finish(struct test_run *run, int code, struct error *err); /* as report_files_finish() */
void test_files_release(struct test_run *run);

#endif
