/*
 * Reports that CI systems read: a text per payload, one after another, between a beginning and an end.
 *
 * What a format writes for one payload depends on that payload alone, so that any thread may write it. Bytes from
 * outside cannot break a report: they are made valid UTF-8, safe to print, and escaped as the format asks.
 *
 * To add a report: write src/ui/report_NAME.c with its struct report_format, declare it below, add it to the list in
 * report_format.c and the file to CMakeLists.txt.
 */
#ifndef CREDHOOK_UI_REPORT_FORMAT_H
#define CREDHOOK_UI_REPORT_FORMAT_H

#include "ui/finding_report.h"

#include <stdbool.h>
#include <stddef.h>

#define REPORT_NAME_SIZE 128

/* One payload and what came of it. */
struct report_case {
	const struct verdict *verdict;
	const struct payload_origin *origin;
	bool failed;     /* the run counts it against the inputs */
	bool unexpected; /* it failed for being valid where that was not wanted */
};

struct report_totals {
	size_t cases;
	size_t failed;
	size_t problems; /* inputs that could not be read */
	size_t exit;
	struct buffer notices; /* what a format's problem() put aside */
};

struct report_format {
	const char *name;      /* junit */
	const char *separator; /* between the texts of payloads */
	/* Returns where blank room was left, in bytes from the beginning, for what patch() writes; 0: none. */
	size_t (*begin)(struct buffer *out);
	void (*payload)(const struct report_case *c, struct buffer *out);
	/* An input that cannot be read. May put text into *notices for the end instead. */
	void (*problem)(const char *message, struct buffer *out, struct buffer *notices);
	/* --require: whether a valid payload covers the event. */
	void (*coverage)(const char *event, bool covered, struct buffer *out);
	void (*end)(const struct report_totals *totals, struct buffer *out);
	void (*patch)(const struct report_totals *totals, struct buffer *out); /* NULL: nothing */
};

extern const struct report_format report_junit, report_sarif, report_tap;

/* The format of that name, or NULL with a usage error. */
const struct report_format *report_format_named(const char *name, size_t length, struct error *err);

/* "line 3: user-created", or the event alone where the payload begins on the first line: for whoever lists cases. */
void report_case_name(const struct report_case *c, struct buffer *out);
/* "user-created" or "unknown event". */
void report_event_name(const struct verdict *verdict, char out[REPORT_NAME_SIZE]);
/* file:line:column: error: message [finding], and the hint, without the source; for one finding. */
void report_finding_line(const struct finding_walk *walk, struct buffer *out);

/* GitHub's workflow commands: ::error file=...,line=...::message, one line per finding, and a notice of those that are
 * not listed, where some are not. */
void report_github_finding(const struct finding_walk *walk, struct buffer *out);
void report_github_unlisted(const struct finding_walk *walk, struct buffer *out);
void report_github_message(const char *file, size_t line, const char *title, const char *message, struct buffer *out);

#endif
