/*
 * --report FORMAT=FILE, of every command that has it.
 *
 * Each file grows in a temporary file, and is put in its place whole or not at all. "-" is stdout. A write that failed
 * is remembered, and is report_files_finish()'s error, unless the run has failed already.
 */
#ifndef CREDHOOK_CMD_ARGS_REPORT_FILES_H
#define CREDHOOK_CMD_ARGS_REPORT_FILES_H

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "report/report_format.h"
#include "ui/terminal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define REPORTS_MAX 8

struct report_request {
	const struct report_format *format;
	const char *path; /* borrowed from the command line; "-": stdout */
};

struct report_requests {
	struct report_request list[REPORTS_MAX];
	size_t count;
	bool is_private; /* none is for others to read, as a page never is */
};

/* Adds FORMAT=FILE to a struct report_requests: any format, or one of those that hold cases of any kind. The path is
 * borrowed. EXIT_CODE_USAGE: there are too many, too. */
int report_parse_payloads(void *requests, const char *text, struct error *err);
int report_parse_cases(void *requests, const char *text, struct error *err);

/* Whether a word is FORMAT=FILE, of a format that some command has. */
bool report_is_request(const char *word);

/* The one that goes to stdout; NULL: none. */
const struct report_format *report_requests_stdout(const struct report_requests *requests);
/* Before anything is read or sent. A usage error: one on stdout where `other` (an option; NULL: none) writes too, or a
 * file that a report must not replace (capture/replace.h). */
int report_requests_check(const struct report_requests *requests, const char *other, const struct source_files *in_use,
                          struct error *err);

struct report_file {
	const struct report_format *format;
	struct file_writer writer; /* not for stdout */
	FILE *text;                /* the writer's temporary file; else one without a name, copied at the end */
	FILE *cases; /* `text`; of a format with suites a file without a name: those of the one that is open */
	int failed;  /* errno of the first write that failed; 0: none */
	struct buffer notices;
	size_t lines;    /* of payloads' texts, and of cases, where these are limited */
	size_t left_out; /* lines beyond the format's limit */
};

struct report_files {
	struct report_file list[REPORTS_MAX];
	size_t count;
	char title[32];    /* "credhook send" */
	const char *suite; /* borrowed: what is being reported, an input or a command; NULL: none yet */
	char suite_stamp[CLOCK_STAMP_SIZE]; /* when it began */
	struct report_counts suite_counts;
	struct report_counts counts; /* of all */
	struct page *page;           /* for the command to fill; NULL: none is asked for */
};

/* Opens all, once they are checked, making the folders above them. On failure nothing is left behind. */
int report_files_open(struct report_files *files, const struct context *context, const struct report_requests *requests,
                      struct error *err);
/* What follows is about this input or command: ends the suite of another one. The name is compared as a pointer, and
 * written at its end. */
void report_files_suite(struct report_files *files, const char *name);
void report_files_count(struct report_files *files, const struct report_counts *counts);
/* Adds what payloads wrote. */
void report_files_append(struct report_files *files, size_t index, const char *text, size_t length);
/* Adds a case, or a payload, to each and counts it; the suite is the command's where no other was begun. */
void report_files_case(struct report_files *files, const struct report_case *c);
/* The same of a case that the page counts: by its grade and over time, and by its status where it is of an event.
 * `took_ns`: its response did; below 0: there is nothing to measure. */
void report_files_counted_case(struct report_files *files, const struct report_case *c, int64_t took_ns);
void report_files_payload(struct report_files *files, const struct report_payload *payload);
void report_files_problem(struct report_files *files, const char *file, const char *message);
void report_files_coverage(struct report_files *files, const char *event, bool covered);
/* Appends the inputs for a page: "a.ndjson, b.ndjson and 3 more"; without any, standard input. */
void report_append_inputs(const struct text_list *inputs, struct buffer *out);
/* Puts the files into their places. `code` and *err are what the command's run() would return without reports; returns
 * what it is to return with them. What is wrong with the run itself becomes a case: a report is green only where the
 * exit code is 0. */
int report_files_finish(struct report_files *files, int code, struct terminal *terminal, struct error *err);
/* Drops what is not finished. */
void report_files_release(struct report_files *files);

#endif
