/* The line of a notification: time, number, event, verdict, path, response. */
#ifndef CREDHOOK_CMD_ARRIVAL_H
#define CREDHOOK_CMD_ARRIVAL_H

#include "base/buffer.h"
#include "base/clock.h"
#include "receive/notification.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define ARRIVAL_INDENT 10 /* columns of what belongs to the line and is below it */

/* How lines are written. Zero-initialise the clock. */
struct arrival_style {
	bool color;
	bool utf8;
	bool dated;    /* the day before the time */
	bool forwards; /* some are forwarded: names leave room for what targets say */
	int width;     /* of the terminal, or COLUMNS_UNLIMITED */
	struct {
		time_t second; /* 0: none yet */
		char text[CLOCK_STAMP_SIZE];
	} clock; /* the time that was written last: one line out of thousands has another */
};

/* Appends the line and its LF. On a terminal, what a target says and a repeat go to lines of their own where they do
 * not fit. */
void arrival_append(const struct arrival *arrival, struct arrival_style *style, struct buffer *out);
/* The same, and the first finding beneath it: of a list, whose notifications `show N` shows in full. */
void arrival_append_short(const struct arrival *arrival, struct arrival_style *style, struct buffer *out);
/* Appends a line about a finding, to be read beneath that of its notification, wrapped to the style's width: where it
 * is (a JSON Pointer; "": unknown), what is wrong, and its id. */
void arrival_append_finding(const struct arrival_style *style, enum severity severity, const char *pointer,
                            const char *message, enum finding_id id, struct buffer *out);
/* Appends what it repeats, "repeat of #1 after 2.0 s"; nothing of one that is new. */
void arrival_append_repeat(const struct repeat *repeat, struct buffer *out);
/* The event as reports name it; "(unknown)". */
void arrival_name(struct catalog_kind kind, char out[CATALOG_KIND_NAME_SIZE]);

#endif
