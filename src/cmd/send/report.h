/* Deliveries as a person or a program reads them: a line each, and a summary at the end. */
#ifndef CREDHOOK_CMD_SEND_REPORT_H
#define CREDHOOK_CMD_SEND_REPORT_H

#include "cmd/cmd.h"
#include "cmd/delivery_plan.h"
#include "cmd/make.h"
#include "cmd/send/reasons.h"
#include "deliver/counts.h"

/* Events of made payloads, each once. Zero-initialise. */
struct made_kinds {
	char names[MAKER_KINDS_MAX][CATALOG_KIND_NAME_SIZE];
	size_t count;
};

/* Zero-initialise. */
struct delivery_report {
	struct context *context;
	const struct delivery_plan *plan;
	uint64_t total;    /* deliveries there will be; 0: not known */
	bool silent;       /* --results - takes stdout */
	struct buffer out; /* reused */
	bool begun;        /* the destination is printed */
	uint64_t lines[2]; /* shown on a terminal: of those that were not accepted, of those that were */
	struct delivery_reasons reasons;
	const struct text_list *inputs; /* files that the payloads come from; NULL: none */
	bool any_bytes;                 /* they may hold what replay does not read */
	bool failed_from_files;         /* one of those was not accepted */
	struct made_kinds failed_made;  /* of what send made and was not accepted */
};

void delivery_report_release(struct delivery_report *report);

/* Where everything goes, once; what was begun is not yet reported. */
void report_begin(struct delivery_report *report);
/* One attempt on stdout: a line, with -v request and response; on a terminal those that were accepted only while they
 * are few. What keeps all from being sent is one line. */
void report_attempt(struct delivery_report *report, const struct job *job);
/* A delivery that was reported before as not final has ended with that. `in_flight`: of its attempt nothing is known.
 */
void report_given_up(struct delivery_report *report, const struct job *job, bool in_flight);
/* The sum, the reasons and how to repeat what was not accepted, on stderr; with --json the sum also on stdout. */
void report_summary(const struct delivery_report *report, const struct delivery_counts *counts);
/* That not all was sent which --results, --resume or --failed-only were about, and how to go on. */
void report_rest(const struct delivery_report *report);
/* The same of a run that cannot be continued. */
void report_unsent(const struct delivery_report *report, const struct delivery_counts *counts);

#endif
