/* The notifications of captures, or of a session, one after the other, each with its number: what show lists, and shows
 * of it. */
#ifndef CREDHOOK_CMD_LISTING_H
#define CREDHOOK_CMD_LISTING_H

#include "capture/inputs.h"
#include "cmd/arrival.h"
#include "cmd/cmd.h"
#include "cmd/selection.h"
#include "payload/check.h"
#include "receive/history.h"
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

/* A capture that a session has opened: where its notifications are. They are read again each time. */
struct opened_file {
	char *path;      /* owned */
	uint64_t before; /* the number of its first line or entry, less one */
	struct opened_place {
		uint64_t line;
		uint64_t hash; /* of its text */
	} * places;            /* owned; ascending */
	size_t count;
	size_t capacity;
};

/* The list of a session: what it has opened, and what arrived, by number. Zero-initialise, but for `arrived`. */
struct session_list {
	struct opened_file *files;
	size_t count;
	size_t capacity;
	const struct history *arrived; /* borrowed */
	uint64_t last;                 /* the highest number; 0: none yet */
	size_t tail;                   /* for people only the last ones are listed, this many; 0: all */
};
void session_list_release(struct session_list *list);
/* The opened file that this number is of, or NULL, as without a list. */
const struct opened_file *session_list_file(const struct session_list *list, uint64_t number);
/* Adds the captures, and says so. A file that was opened before gets new numbers. Returns an exit code: there may be
 * bad records among them; -1: nothing was added. EXIT_CODE_USAGE: it cannot be read again. */
int session_list_open(struct session_list *list, struct context *context, const struct text_list *captures,
                      struct error *err);

struct listing {
	struct context *context;
	const struct session_list *list; /* whose notifications these are; NULL: those of the captures named */
	struct inputs_observer observer;
	struct inputs inputs;
	struct selection selection;
	struct checker *checker;
	struct repeats *repeats;
	struct arrival_style style;
	struct capture_item item;
	struct buffer out; /* not printed yet, */
	bool is_raw;       /* and with bytes from outside, which a terminal does not get as they are */
	/* For a session's list: */
	size_t file;                         /* under way */
	const struct opened_file *opened;    /* the same; NULL: it is not known */
	size_t place;                        /* of it, at or behind the item */
	uint64_t held;                       /* the number of an item read ahead of what arrived; 0: none */
	bool is_read;                        /* all files are */
	size_t found;                        /* records in their places */
	size_t arrival;                      /* the next */
	const struct history_entry *arrived; /* the one at hand; NULL: it is of a capture */
	struct capture_scratch scratch;
	const struct selected_list *selected; /* what is left to be read; NULL: all */
	size_t selected_at;
	/* The notification at hand. */
	uint64_t number; /* its place over all inputs: of the first, its line or entry */
	struct capture_record record;
	struct repeat repeat;
	char name[CATALOG_KIND_NAME_SIZE];
	uint64_t count;               /* so far, chosen or not */
	struct arrival_counts counts; /* of those that listing_append() listed */
};

/* The captures named, or if there are none the context's list; everything is borrowed. Release it even if this fails.
 */
int listing_init(struct listing *listing, struct context *context, const struct text_list *captures,
                 const struct selection_options *options, struct error *err);
void listing_release(struct listing *listing);
/* The next that is chosen, prepared above: SELECTION_YES; SELECTION_NO: no more, or a signal is waiting. Prints before
 * it waits for a pipe. */
enum selection_answer listing_next(struct listing *listing, struct error *err);
/* Appends its line, checked again, or with --json its record, to `out`. */
int listing_append(struct listing *listing, struct error *err);
void listing_flush(struct listing *listing);
/* Appends its record as a line. */
int listing_append_record(struct listing *listing, struct buffer *out, struct error *err);

/* listing_select.c: notifications that were named. Zero-initialise. */
struct selected_list {
	struct selected_record {
		size_t order; /* of the word that named it */
		uint64_t number;
		struct buffer line; /* its record */
		struct repeat repeat;
		const struct history_entry *arrived;
	} * items;
	size_t count;
	size_t capacity;
	size_t bytes; /* of the records */
};
#define SELECTED_MOST 1000

/* Whether the word is for notifications, and not a file: of digits, commas, hyphens, first and last, but not "-". One
 * like 7-5 names none. */
bool listing_is_number(const char *word);
/* The exit code for what was wrong with the inputs. Of a session's list, says how many records are not where they were;
 * what was wrong with its files before is not said again. */
enum exit_code listing_code(const struct listing *listing);
/* Reads the notifications that these words name, and the last `tail` ones, in this order: these are what
 * listing_next() has from then on. Release *list even if this fails. EXIT_CODE_USAGE: there are none, or more than are
 * held in memory. Returns 0 or EXIT_CODE_INTERRUPTED. */
int listing_select(struct listing *listing, const struct text_list *words, size_t tail, struct selected_list *list,
                   struct error *err);
void listing_release_selected(struct selected_list *list);
/* The notification at hand, as it is listed. */
struct arrival listing_arrival(const struct listing *listing, const struct verdict *verdict);

#endif
