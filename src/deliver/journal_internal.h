/* The journal from the inside; for src/deliver/journal*.c only. */
#ifndef CREDHOOK_DELIVER_JOURNAL_INTERNAL_H
#define CREDHOOK_DELIVER_JOURNAL_INTERNAL_H

#include "base/buffer.h"
#include "base/clock.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "deliver/journal.h"

#include <sys/types.h>

/*
 * F.inflight: what is in flight, kept where a crash of the process cannot take it: a small file beside the results,
 * mapped into memory, so that a mark costs a few stores. After a head and the run's selection stand cells of one size,
 * one per job, which marks it right before it is sent.
 */
#define JOURNAL_NAME_SIZE 1024

/* No attempt has a greater number: every reader of JSON keeps it. What has one is damaged, or was edited. A run is only
 * continued while half of the numbers are left, so that no line of its own becomes one of these. */
#define JOURNAL_NUMBER_MAX ((uint64_t)1 << 53)

/* What stands behind "ended": of one length, whatever it says, so that it can be written again in its place. Results of
 * earlier versions have the word only. */
#define JOURNAL_LINES     ",\"lines\":"
#define JOURNAL_WORD_SIZE (sizeof "false" - 1)
#define JOURNAL_END_SIZE  (JOURNAL_WORD_SIZE + sizeof JOURNAL_LINES - 1 + sizeof "18446744073709551615" - 1)

/* As it lies in the file: anything may stand there. */
struct journal_cell {
	uint64_t number;   /* of the attempt; 0: free. Accessed with atomic builtins, set last */
	uint64_t checksum; /* of the number, and of all from here to the end of the name */
	uint64_t record;
	uint32_t attempt;
	uint32_t has_id; /* 0: send made it */
	struct capture_id id;
	char event[CATALOG_KIND_NAME_SIZE];
	char name[JOURNAL_NAME_SIZE]; /* of the input, cut to fit */
};

/* Zero-initialise. */
struct journal_marks {
	struct buffer path;
	struct journal_head *head; /* mapped; NULL: there is no file */
	struct journal_cell *cells;
	size_t size;  /* of the file */
	size_t count; /* of the cells */
	size_t used;  /* how many are taken by a job */
};

/* Makes the file again, for that number of jobs; what is there must be ours. `seed`: NULL: there is none. EXIT_CODE_IO.
 */
int journal_marks_create(struct journal_marks *marks, const char *results, size_t jobs, const char *selection,
                         const struct seed *seed, struct error *err);
bool journal_marks_any(const struct journal_marks *marks);
/* The results have that number of lines by now. */
void journal_marks_count_lines(struct journal_marks *marks, uint64_t lines);

/* The file is done with: it is removed, or stays and says that the run ended in order. EXIT_CODE_IO. */
int journal_marks_finish(struct journal_marks *marks, bool stay, struct error *err);
void journal_marks_close(struct journal_marks *marks);

/* How many of a record are to be skipped, or with --failed-only to be sent; and then, how many are not, and why. */
struct journal_entry {
	struct capture_id id;
	uint32_t counted : 26; /* 0: free; else one more than how many */
	uint32_t skips : 6;    /* for words: two bits for each enum journal_skip, 3: that many or more */
};

/* An earlier run: what F and F.inflight say. Zero-initialise but for the path and what it is read for. */
struct journal_past {
	const char *path;  /* borrowed; NULL: none was read */
	bool is_replaced;  /* it gets the results of a new run */
	bool is_only_read; /* --failed-only: F.inflight that is not ours is no more than a doubt */
	bool has_lines;    /* or the beginning of one */
	bool is_ended;     /* it got through all that was asked for, and there are no marks beside it */
	off_t ended_at;    /* where the word of "ended" stands in F; 0: nowhere */
	size_t ended_size; /* bytes from there on that can be written again: JOURNAL_WORD_SIZE, or JOURNAL_END_SIZE */
	uint64_t ended_lines; /* lines that F had at its end; 0: not known */
	bool has_selection;
	struct buffer selection; /* of its first line, else of F.inflight */
	bool has_seed;
	uint64_t seed;
	struct buffer marks_path;
	const char *doubt;         /* why F.inflight is not to be trusted: "is missing", ...; NULL: it is */
	bool has_marks;            /* be they over or damaged */
	bool has_ids;              /* the first line has one, or a mark: it was not all made by send */
	struct journal_cell *open; /* marks, by number; their texts have an end */
	size_t open_count;
	uint64_t marked_lines; /* the results had no fewer */
	uint64_t lines;
	uint64_t last_number;
	uint64_t bad_lines;
	uint64_t first_bad_line;
	size_t torn; /* bytes of a last line without its end */
	uint64_t not_accepted;
	uint64_t failed_records; /* of these; the others were made by send */
};

struct journal {
	struct journal_options options;
	const char *path; /* of F; NULL: none is written */
	int fd;           /* of F; -1: none, or stdout */
	bool writes;      /* lines are wanted, be it on stdout */
	bool finished;
	bool of_inputs;             /* a line has an id, or some to come have: what send makes is never sent again */
	struct journal_past failed; /* --failed-only */
	struct journal_past past;   /* --resume; its F is also the one that is added to */
	/* What they say of each record: a table with open addressing, 24 bytes a line. */
	struct journal_entry *entries;
	size_t places;
	struct random key; /* its state: random numbers that decide where a record stands */
	uint64_t skipped[JOURNAL_SKIPS];
	struct journal_marks marks; /* there are none where F is not a plain file */
	struct buffer out;
	off_t ended_at;                /* where the word of "ended" stands in F; 0: nowhere */
	size_t ended_size;             /* as above */
	uint64_t numbers;              /* given so far */
	uint64_t lines;                /* of F */
	uint64_t added;                /* lines in `out` */
	int64_t epoch_us;              /* real time where the monotonic clock is 0 */
	char second[CLOCK_STAMP_SIZE]; /* a stamp, and the second it is of: most have the same */
	int64_t second_of;
};

/* journal_marks.c: reads F.inflight beside past->path into `past`. 0: there is none. EXIT_CODE_IO; EXIT_CODE_USAGE: it
 * is somebody else's. */
int journal_marks_read(struct journal_past *past, struct error *err);
int journal_cell_order(const void *a, const void *b); /* by number, for qsort() and bsearch() */

/* journal_read.c: what F is by its first line, and F.inflight. EXIT_CODE_USAGE: one of them is somebody else's. */
int journal_look(struct journal_past *past, int fd, struct error *err);
/* Reads F and F.inflight. EXIT_CODE_USAGE: F is not to be used, and why. */
int journal_read_past(struct journal *journal, struct journal_past *past, int fd, struct error *err);
void journal_past_release(struct journal_past *past);

#endif
