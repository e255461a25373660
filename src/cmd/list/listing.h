/* The notifications of captures, or of a session, one after the other, each with its number: what show lists, and shows
 * of it. */
#ifndef CREDHOOK_CMD_LIST_LISTING_H
#define CREDHOOK_CMD_LIST_LISTING_H

#include "capture/inputs.h"
#include "cmd/args/selection.h"
#include "cmd/cmd.h"
#include "cmd/list/arrival.h"
#include "cmd/list/list_causes.h"
#include "cmd/list/session_list.h"
#include "payload/check.h"
#include "receive/notification.h"

#include <stdbool.h>
#include <stdint.h>

/* Checks the body, with the Content-Type that it came with. NULL: *err. */
const struct verdict *listing_check(struct checker *checker, const struct capture_record *record, struct error *err);
/* Whether the body came before, under another number; one that redaction withheld is nobody's repeat. */
struct repeat listing_repeat(struct repeats *repeats, const struct capture_record *record, uint64_t number);
/* Completes what no listener of ours has written: request line, event, verdict, and the number as `seq`. A record of
 * ours stays as it is. The name is where the event points to. */
int listing_complete(struct checker *checker, const struct capture_item *item, uint64_t seq,
                     char name[CATALOG_KIND_NAME_SIZE], struct capture_record *record, struct error *err);
/* Whether it is a line of a capture of ours, with the keys that only another version knows. */
bool listing_is_line(const struct capture_item *item);

struct listing {
	struct context *context;
	const struct session_list *list; /* whose notifications these are; NULL: those of the captures named, in turn */
	/* The next one of them, at hand as it came: 1; 0: no more, or a signal is waiting; -1: *err. */
	int (*next)(struct listing *listing, struct error *err);
	struct inputs_observer observer;
	struct inputs inputs;
	struct capture_item item; /* of the inputs, the one at hand */
	struct selection selection;
	struct checker *checker;
	struct repeats *repeats;
	struct arrival_style style;
	struct buffer out;          /* not printed yet, */
	struct buffer show;         /* style.show */
	bool is_raw;                /* and with bytes from outside, which a terminal does not get as they are */
	struct list_causes *causes; /* sees each, chosen or not; NULL: none are looked for */
	const struct selected_list *selected; /* what is left to be read; NULL: all */
	size_t selected_at;
	/* The notification at hand. */
	uint64_t number;  /* its place over all inputs: of the first, its line or entry */
	struct text line; /* its record without an LF, where there is one already */
	struct capture_record record;
	struct spool_facts facts;
	char name[CATALOG_KIND_NAME_SIZE];
	struct buffer kept; /* of what was read from a spool, what line, record and facts refer to */
	struct capture_scratch scratch;
	uint64_t count;               /* so far, chosen or not */
	struct arrival_counts counts; /* of those that listing_append() listed */
};

/* The captures named, or if there are none the context's list; everything is borrowed. Release it even if this fails.
 */
int listing_init(struct listing *listing, struct context *context, const struct text_list *captures,
                 const struct selection_options *options, struct error *err);
void listing_release(struct listing *listing);
/* The next that is chosen, at hand: SELECTION_YES; SELECTION_NO: no more, or a signal is waiting. Prints before
 * it waits for a pipe. */
enum selection_answer listing_next(struct listing *listing, struct error *err);
/* Appends its line, checked again, or with --json its record, to `out`. */
int listing_append(struct listing *listing, struct error *err);
void listing_flush(struct listing *listing);
/* Appends its record as a line. */
int listing_append_record(const struct listing *listing, struct buffer *out, struct error *err);
/* The same of an item that is completed. */
int listing_append_item(const struct capture_item *item, const struct capture_record *record, struct buffer *out,
                        struct error *err);
/* Takes at hand what is in the spool under `key`, by a number of the list; and a record that stands in a line. */
int listing_take_kept(struct listing *listing, struct spool *spool, uint64_t key, uint64_t number, struct error *err);
int listing_take_line(struct listing *listing, struct text line, struct error *err);

/* listing_select.c: notifications that were named. Zero-initialise. */
struct selected_list {
	struct selected_record {
		size_t order; /* of the word that named it */
		uint64_t number;
		struct buffer line; /* its record; of a session's list nothing, since that keeps it */
		struct repeat repeat;
	} * items;
	size_t count;
	size_t capacity;
	size_t bytes; /* of the records */
};
#define SELECTED_MOST       1000
#define SELECTED_BYTES_MOST ((size_t)64 << 20) /* of records that a list has no place for but memory */

/* Reads the notifications that these words name, and the last `tail` ones, in this order: these are what
 * listing_next() has from then on. Release *list even if this fails. EXIT_CODE_USAGE: there are none, or more than are
 * held in memory. Returns 0 or EXIT_CODE_INTERRUPTED. */
int listing_select(struct listing *listing, const struct text_list *words, size_t tail, struct selected_list *list,
                   struct error *err);
void listing_release_selected(struct selected_list *list);
/* A record of a session's list, as it is listed; borrows from all. */
struct arrival listing_arrival_of(const struct capture_record *record, uint64_t number, const struct spool_facts *facts,
                                  const struct verdict *verdict);
/* The notification at hand, as it is listed. */
struct arrival listing_arrival(const struct listing *listing, const struct verdict *verdict);

#endif
