/* The line of a notification: time, number, event, verdict, response. */
#ifndef CREDHOOK_CMD_LIST_ARRIVAL_H
#define CREDHOOK_CMD_LIST_ARRIVAL_H

#include "base/buffer.h"
#include "base/clock.h"
#include "receive/notification.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Notifications by verdict. Zero-initialise. */
struct verdict_counts {
	uint64_t valid;
	uint64_t invalid;
	uint64_t unchecked;
};
uint64_t verdict_counts_sum(const struct verdict_counts *counts);

#define ARRIVAL_INDENT   13 /* columns of what belongs to the line and is below it */
#define ARRIVAL_REQUESTS 10

/* How lines are written. Zero-initialise what is below. */
struct arrival_style {
	bool color;
	bool utf8;
	bool forwards; /* some are forwarded: names leave room for an arrow and a latency */
	int width;     /* of the terminal, or COLUMNS_UNLIMITED */
	/* How many are like the one that comes next, in a column as wide; 0: no such column. And in what they are. */
	int alike_columns;
	uint64_t alike;
	const char *alike_in; /* NULL: nothing that is named */
	const char *show;     /* what shows one in full, before its number; NULL: nothing does */
	/* What was written last: one line out of thousands has another time. */
	time_t second; /* 0: none yet */
	char clock[CLOCK_STAMP_SIZE];
	uint64_t requests[ARRIVAL_REQUESTS]; /* hashes of the last request lines that have a line of their own, */
	size_t newest;                       /* the place of the last of them, */
	size_t request;                      /* and of that of the notification before */
};

/* Takes its time; of the first, where its day need not be written, before any line. Returns whether the day is another.
 */
bool arrival_note_time(struct arrival_style *style, int64_t received_us);
/* Appends the line and its LF, and before it one with the day and the request line where they are others; a request
 * line that is among the last ones ends the line instead. On a terminal, what only some have goes below where it does
 * not fit, and where that is narrow, verdict and response, too. */
void arrival_append(const struct arrival *arrival, struct arrival_style *style, struct buffer *out);
/* Appends head and body, with -v: the body indented where it is JSON, and as it came where it is not, or is long. */
void arrival_append_request(const struct message *request, struct buffer *out);
/* Appends what is wrong with the body, errors first, each finding a line below that of its notification: its place,
 * what is wrong, its id, and an excerpt; at most 20. Of a list, only the first, how many more there are, and what
 * shows the one of that number. */
void arrival_append_findings(const struct arrival_style *style, const struct text *body, const struct verdict *verdict,
                             uint64_t listed, struct buffer *out);
/* Appends what it repeats, "repeat of #1 after 2.0 s"; nothing of one that is new. */
void arrival_append_repeat(const struct repeat *repeat, struct buffer *out);
/* Appends "3 valid, 1 invalid", as the prompt of the shell and the last line of a list have it. */
void arrival_append_verdicts(const struct verdict_counts *counts, struct buffer *out);
/* Appends "19,371 x 200, 629 x 503" to an empty buffer: of more than four statuses their classes. [0] counts what has
 * no response, [1] what has a fault instead. */
#define ARRIVAL_STATUSES 1000
void arrival_append_statuses(const uint64_t counts[ARRIVAL_STATUSES], bool utf8, struct buffer *out);
/* What a list of them came to. Zero-initialise. */
struct arrival_counts {
	struct verdict_counts verdicts;
	uint64_t statuses[ARRIVAL_STATUSES];
};
void arrival_count(struct arrival_counts *counts, const struct verdict *verdict, int status, bool has_fault);
/* Appends both, "3 valid, 1 invalid; 3 x 200, 1 x 503"; no statuses where nothing has one. */
void arrival_append_counts(const struct arrival_counts *counts, bool utf8, struct buffer *out);
/* The event as reports name it; "(unknown)". */
void arrival_name(struct catalog_kind kind, char out[CATALOG_KIND_NAME_SIZE]);

#endif
