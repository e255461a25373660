/*
 * Reports that CI systems read: a text per payload, or per case of another kind (a delivery, a check of a listener),
 * one after another, between a beginning and an end.
 *
 * What a format writes for one of them depends on that one alone, so that any thread may write it. Bytes from
 * outside cannot break a report: they are made valid UTF-8, safe to print, and escaped as the format asks.
 *
 * To add a report: write src/report/report_NAME.c with its struct report_format, list the file in CMakeLists.txt, and
 * add it to REPORT_FORMATS and to the lists of those that offer it, below.
 */
#ifndef CREDHOOK_REPORT_REPORT_FORMAT_H
#define CREDHOOK_REPORT_REPORT_FORMAT_H

#include "report/finding_report.h"
#include "report/page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What --report offers, for help: of a command that checks payloads, and of one that has cases of another kind. */
#define REPORTS_OF_PAYLOADS "junit, sarif, github, html"
#define REPORTS_OF_CASES    "junit, html"
/* The same as values of the option. */
#define REPORT_VALUES_OF_PAYLOADS "junit=FILE sarif=FILE github=FILE html=FILE"
#define REPORT_VALUES_OF_CASES    "junit=FILE html=FILE"

/* The type of what struct report_payload calls unexpected, and what is said of it. */
#define REPORT_UNEXPECTED         "unexpected-valid"
#define REPORT_UNEXPECTED_MESSAGE "valid, where an invalid payload is expected"

/* One payload and what came of it. */
struct report_payload {
	const struct verdict *verdict;
	const struct payload_origin *origin;
	bool failed;     /* the run counts it against the inputs */
	bool unexpected; /* it failed for being valid where that was not wanted */
	int64_t ns;      /* spent on checking it */
};

/* Bytes of a body that a page shows; its commands need not keep more. */
#define REPORT_BODY_MAX ((size_t)16 << 10)
/* Bytes of the first line of a head that a page shows, and of all further ones. */
#define REPORT_HEAD_MAX ((size_t)1 << 10)

/* What is said of a part of a body. */
struct report_span {
	size_t start, stop;
	const char *text;
};

/* One of the two messages of a case; its texts are safe to print, the body is any bytes. */
struct report_side {
	const char *head; /* lines; NULL: none */
	const char *body;
	size_t length;
	const struct report_span *spans; /* by their start */
	size_t span_count;
	uint64_t whole; /* bytes of the body of which these are a part; 0: they are all */
};

/* A case of any kind. All borrowed. */
struct report_case {
	const char *group; /* JUnit's class name; its dots part packages */
	const char *name;
	const char *file;    /* that it is about; NULL: none */
	enum grade grade;    /* for people; GRADE_SKIP: it is one that was left out */
	bool failed;         /* the run counts it against what it is about, */
	bool is_problem;     /* or it is none: an input cannot be read, or the run is wrong */
	const char *type;    /* of a failure or a problem: a word */
	const char *message; /* one line; NULL or empty: none */
	const char *fix;     /* how to mend it, one line; NULL or empty: not known */
	const char *details; /* further lines, between newlines; NULL or empty: none */
	const char *log;     /* what a program printed meanwhile, lines; NULL or empty: nothing */
	int64_t ns;
	/* For a page; NULL and 0: none. */
	bool unlisted;       /* it leaves this one out */
	const char *of;      /* by which cases can be chosen, an event say; NULL: the group */
	const char *about;   /* lines before the details */
	uint64_t number;     /* by which its command knows it */
	const char *payload; /* one of page_payload_names */
	const char *command; /* to copy */
	size_t reason;       /* from 1: its place among those that the page has as "reasons" */
	size_t cause;        /* those with the same number, from 1, have a cause in common */
	int64_t at_us;       /* since 1970 */
	const char *status;
	const struct report_side *request, *response;
	bool without_sides; /* those before have filled the page: neither heads nor bodies */
};

/* Counts of one input's payloads, or of all. */
struct report_counts {
	size_t cases; /* without the problems */
	size_t failed;
	size_t skipped;
	size_t problems; /* inputs that could not be read */
	int64_t ns;      /* spent on checking them */
};

struct report_totals {
	struct report_counts counts;
	size_t exit;
	size_t left_out;       /* lines beyond the format's lines_max */
	struct buffer notices; /* what a format's add_case() put aside */
	const char *title;     /* "credhook send" */
	const char *wrong;     /* what ended the run before its time, or is wrong with all of it; empty: nothing */
	struct page *page;     /* NULL: no format is_page */
};

struct report_format {
	const char *name; /* junit */
	bool holds_cases; /* of any kind */
	bool is_page;     /* it has struct report_totals's `page`, limits cases too, and its file is of mode 0600 */
	const char *separator; /* with which each text of a payload ends; the last one's is taken off */
	size_t lines_max;      /* of payloads' texts, and cases; further ones are left out and counted; 0: unlimited */
	void (*begin)(const char *title, struct buffer *out); /* NULL: nothing */
	/* What stands before all else and has the totals, so that it is written last. NULL: nothing. */
	void (*head)(const struct report_totals *totals, struct buffer *out);
	/* Around the cases of one input or command, which began at `stamp`; NULL: nothing. */
	void (*suite_begin)(const char *name, const char *stamp, const struct report_counts *counts,
	                    struct buffer *out);
	void (*suite_end)(struct buffer *out);
	void (*payload)(const struct report_payload *p, struct buffer *out);
	/* Also of an input that cannot be read, or an event that no payload covers. May put text into *notices for the
	 * end instead. */
	void (*add_case)(const struct report_case *c, struct buffer *out, struct buffer *notices);
	void (*end)(const struct report_totals *totals, struct buffer *out); /* NULL: nothing */
	bool (*is_ours)(const char *begin); /* whether a file with this first KiB is one of these, of any version */
};

extern const struct report_format report_junit, report_sarif, report_github, report_html;
#define REPORT_FORMATS &report_junit, &report_sarif, &report_github, &report_html

#endif
