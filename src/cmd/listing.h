/* The notifications of captures, one after the other, each with its number: what show lists, and shows of it. */
#ifndef CREDHOOK_CMD_LISTING_H
#define CREDHOOK_CMD_LISTING_H

#include "capture/inputs.h"
#include "cmd/arrival.h"
#include "cmd/cmd.h"
#include "cmd/selection.h"
#include "payload/check.h"
#include "receive/repeats.h"

#include <stdbool.h>
#include <stdint.h>

/* Completes what no listener of ours has written: request line, event, verdict, and the number as `seq`. A record of
 * ours stays as it is. The name is where the event points to. */
int listing_complete(struct checker *checker, const struct capture_item *item, uint64_t seq,
                     char name[CATALOG_KIND_NAME_SIZE], struct capture_record *record, struct error *err);
/* Whether it is a line of a capture of ours, with the keys that only another version knows. */
bool listing_is_line(const struct capture_item *item);

struct listing {
	struct context *context;
	struct inputs_observer observer;
	struct inputs inputs;
	struct selection selection;
	struct checker *checker;
	struct repeats *repeats;
	struct arrival_style style;
	struct capture_item item;
	struct buffer key;     /* of the selection; not used */
	struct buffer pointer; /* of the first finding */
	struct buffer out;     /* not printed yet, */
	bool is_raw;           /* and with bytes from outside, which a terminal does not get as they are */
	size_t file;           /* under way, and the number of the last record before it */
	uint64_t before;
	/* The notification at hand. */
	uint64_t number; /* its place over all inputs: of the first, its line or entry */
	struct capture_record record;
	struct repeat repeat;
	char name[CATALOG_KIND_NAME_SIZE];
	uint64_t count; /* so far, chosen or not */
};

/* The captures named; everything is borrowed. Release it even if this fails. */
int listing_init(struct listing *listing, struct context *context, const struct text_list *captures,
                 const struct selection_options *options, struct error *err);
void listing_release(struct listing *listing);
/* The next that is chosen, prepared above: SELECTION_YES; SELECTION_NO: no more, or a signal is waiting. Prints before
 * it waits for a pipe. */
enum selection_answer listing_next(struct listing *listing, struct error *err);
/* Appends its line, checked anew, or with --json its record, to `out`. */
int listing_append(struct listing *listing, struct error *err);
/* Appends its record as a line. */
int listing_append_record(struct listing *listing, struct buffer *out, struct error *err);
void listing_flush(struct listing *listing);

/* A notification that was named by its number, or as the last one. */
struct picked {
	uint64_t number; /* 0: the last one's is not known yet */
	bool is_last;
	struct buffer line; /* its record; empty: not found yet */
	struct repeat repeat;
};
/* Whether the word is a number or "last", and not a file. */
bool listing_is_number(const char *word);
/* Reads the notifications of these words. *picked has one for each, to be freed with listing_drop() even if this fails.
 * EXIT_CODE_USAGE: there is none of that number. */
int listing_pick(struct listing *listing, const struct text_list *words, struct picked **picked, struct error *err);
void listing_drop(struct picked *picked, size_t count);

#endif
