/* Which records of the inputs are taken, for replay, convert and show. */
#ifndef CREDHOOK_CMD_ARGS_SELECTION_H
#define CREDHOOK_CMD_ARGS_SELECTION_H

#include "capture/record.h"
#include "catalog/catalog.h"
#include "cmd/args/distinct.h"
#include "cmd/args/kinds.h"
#include "cmd/args/where.h"
#include "cmd/cmd.h"
#include "http/status.h"
#include "payload/check.h"
#include "ui/terminal.h"

#include <stdbool.h>
#include <stdint.h>

#define SELECTION_TIME_SIZE 64

/* --since, --until */
struct selection_time {
	bool given;
	bool has_date;                  /* or it is of the day of the last record, see selection_read_day() */
	const char *day;                /* what that day is, for the note; NULL: it has a date */
	int64_t us;                     /* microseconds since 1970 */
	char text[SELECTION_TIME_SIZE]; /* as it was typed */
};

/* --record 1-20,31,100-: lines of the input, or entries. */
struct selection_records {
	struct selection_range {
		uint64_t first, last;
	} * ranges;
	size_t count;
	size_t capacity;
};

/* --status 502|5xx: of the responses that were recorded; repeated ones add. */
struct selection_statuses {
	bool given; /* else any, or no response */
	struct status_set set;
};

struct selection_options {
	struct text_list events;
	struct where_list where;
	struct selection_statuses statuses;
	bool invalid; /* only what is not valid */
	struct selection_time since;
	struct selection_time until;
	struct selection_records records;
	bool distinct;
	uint64_t limit;
};

extern const struct option_group selection_option_group;

/* Appends what was given of the options that choose, as it was typed, in the order of the rows: without what has its
 * initial value, and times are absolute. `masked`: to be read, without what is secret in an address. */
void selection_append_given(const struct option_use *uses, size_t use_count, const void *args,
                            const struct option_words *words, bool masked, struct buffer *out);
/* "--where details.bureau=abc: 412 of 21,430 records"; is_cut: there may be more, which were not read. */
void selection_append_part(struct buffer *out, const char *given, uint64_t taken, uint64_t read, bool is_cut);
/* The value of --record. */
int selection_parse_records(void *field, const char *value, struct error *err);
/* A number without a sign, and where it ends; NULL: none. */
const char *selection_read_number(const char *text, uint64_t *number);
/* The same of 3, 5-7, or 5- (to UINT64_MAX), in any spelling: #3, 5..7, 5:7. */
const char *selection_read_range(const char *text, struct selection_range *range);

#define SELECTION_VALUES_MAX 1000 /* different values that are counted */

/* The values that the records refused have at one place. */
struct selection_seen {
	uint64_t hashes[SELECTION_VALUES_MAX];
	size_t count;
	bool has_more;       /* than are counted */
	struct buffer shown; /* some of them, as words */
	size_t shown_count;
};

/* What the inputs have, as long as nothing was taken. */
struct selection_refused {
	uint64_t records;
	uint64_t invalid;            /* of them; only where that is asked for */
	uint64_t kinds;              /* a bit for each of catalog_kind_at() */
	int64_t first_us, last_us;   /* 0: no record has a time */
	uint64_t last_line;          /* the highest */
	struct selection_seen *seen; /* of the status, and behind it of each --where */
};

struct selection {
	const struct selection_options *options; /* borrowed */
	struct buffer scratch;
	struct checker *checker;

	struct selection_refused refused;
	struct kind_list events;   /* --events; none: all */
	struct buffer key_pointer; /* set by the caller: of the key, or empty */
	struct json_doc doc;       /* of the body under consideration */
	uint64_t taken;            /* chosen, and not beyond the limit */
	uint64_t without_time;     /* left out by --since or --until */
	bool has_more;             /* the limit was reached before the end */
	/* Set by the caller: with --distinct all is read, so that what is beyond the limit is counted, too. */
	bool counts_all;
	/* Set by the caller: its own choice, 1, 0, or -1: *err; asked last before --distinct and --limit. NULL: all. */
	int (*wants)(void *context, struct error *err);
	void *wants_context;
	/* These are of the record asked about last, after SELECTION_YES, and for wants(). */
	struct catalog_kind kind;           /* event NULL: unknown */
	char named[CATALOG_KIND_NAME_SIZE]; /* what it calls its event; empty: nothing that is known */
	bool is_keyed;                      /* the key, if any, is in the buffer given */

	struct distinct *distinct;          /* NULL: not asked for */
	struct distinct_taken distinct_for; /* what the one taken last was taken for */
};

enum selection_answer {
	SELECTION_FAILED = -1,
	SELECTION_NO,
	SELECTION_YES,
	SELECTION_ENOUGH, /* --limit is reached */
};

/* A time without a date is of the day of the last record of the captures, where all are files, or of that at `list_us`
 * (0: none), or else of today. Before the options are used. */
void selection_read_day(struct selection_options *options, const struct text_list *captures, int64_t list_us,
                        struct signals *signals);
/* Whether it takes every record. */
bool selection_is_all(const struct selection_options *options);
int selection_init(struct selection *selection, const struct selection_options *options, struct error *err);
/* From now on a signal ends the reading of a long payload: SELECTION_FAILED with EXIT_CODE_INTERRUPTED. */
void selection_set_stop(struct selection *selection, const struct signals *signals);
void selection_release(struct selection *selection);

/* Private to selection.c: notes what the record has, which was not taken, as long as none was. */
void selection_note_refused(struct selection *selection, const struct capture_record *record, uint64_t line);
/* EXIT_CODE_FAILED, or `inputs` where that is worse: nothing to `task`, and what the inputs have; of a field that is a
 * code some values, of others, which may be of people, only how many; with the path of --where that was probably meant.
 * Returns -1. */
int selection_nothing(const struct selection *selection, const char *task, enum exit_code inputs, struct error *err);

/* Asks for one record after the other, `line` being its place in its input, and `number` the one over all inputs. *key
 * gets the value at key_pointer; it may be NULL where that is empty. */
enum selection_answer selection_takes(struct selection *selection, const struct capture_record *record, uint64_t line,
                                      uint64_t number, struct buffer *key, struct error *err);
/* Notes of the end: which times were meant, how many records have no time for --since or --until; with --distinct how
 * many were taken of how many, and of which codes not all values are told apart. */
void selection_note(const struct selection *selection, struct terminal *terminal);
/* With --distinct: the one taken last was of no use, so the next one like it is taken instead. */
void selection_untake(struct selection *selection);

#endif
