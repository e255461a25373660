/* The journal from the inside; for src/deliver/journal*.c only. */
#ifndef CREDHOOK_DELIVER_JOURNAL_INTERNAL_H
#define CREDHOOK_DELIVER_JOURNAL_INTERNAL_H

#include "base/buffer.h"
#include "base/clock.h"
#include "catalog/catalog.h"
#include "deliver/journal.h"

#include <sys/types.h>

/*
 * F.inflight: what is in flight, kept where a crash of the process cannot take it: a small file beside the results,
 * mapped into memory, so that a mark costs a few stores. After a head and the run's selection stand cells of one size,
 * one per job, which marks it right before it is sent.
 */
#define JOURNAL_NAME_SIZE 1024

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

enum journal_marks_found {
	JOURNAL_MARKS_FAILED = -1,
	JOURNAL_MARKS_NONE,    /* no such file */
	JOURNAL_MARKS_FOREIGN, /* somebody else's */
	JOURNAL_MARKS_OURS,    /* or what is left of it */
};

/* What an earlier run has left. Zero-initialise. */
struct journal_left {
	enum journal_marks_found found;
	const char *doubt; /* why it is not to be trusted: "is empty", ...; NULL: it is */
	struct buffer path;
	struct journal_cell *open; /* marks, by number; their texts have an end */
	size_t count;
	bool has_head;  /* and with it: */
	uint64_t lines; /* the results had no fewer */
	struct buffer selection;
	bool has_seed;
	uint64_t seed;
};
/* EXIT_CODE_IO, with JOURNAL_MARKS_FAILED. */
enum journal_marks_found journal_left_read(struct journal_left *left, const char *results, struct error *err);
int journal_cell_order(const void *a, const void *b); /* by number, for qsort() and bsearch() */
int journal_refuse_foreign(const struct journal_left *left, struct error *err); /* EXIT_CODE_USAGE */
void journal_left_release(struct journal_left *left);

/* Zero-initialise. */
struct journal_marks {
	struct buffer path;
	struct journal_head *head; /* mapped; NULL: there is no file */
	struct journal_cell *cells;
	size_t size;  /* of the file */
	size_t count; /* of the cells */
	size_t used;  /* how many are taken by a job */
};

/* Makes the file anew, for that number of jobs; what is there must be ours. `seed`: NULL: there is none. EXIT_CODE_IO.
 */
int journal_marks_create(struct journal_marks *marks, const char *results, size_t jobs, const char *selection,
                         const uint64_t *seed, struct error *err);
struct journal_cell *journal_marks_take(struct journal_marks *marks); /* NULL: all are taken */
bool journal_marks_any(const struct journal_marks *marks);
/* The results have that number of lines by now. */
void journal_marks_count_lines(struct journal_marks *marks, uint64_t lines);

/* From any thread; cell NULL: nothing is kept. */
void journal_cell_mark(struct journal_cell *cell, const struct job *job);
void journal_cell_free(struct journal_cell *cell);

/* The file is done with: it is removed, or stays and says that the run ended in order. EXIT_CODE_IO. */
int journal_marks_finish(struct journal_marks *marks, bool stay, struct error *err);
void journal_marks_close(struct journal_marks *marks);

/* How many of a record have ended, are open or are to be sent. */
struct journal_entry {
	struct capture_id id;
	uint32_t counted; /* 0: free; else one more than how many */
};

/* What the earlier runs say of each record: a table with open addressing, 24 bytes a line. */
struct journal_ended {
	struct journal_entry *entries;
	size_t places;
};

/* An earlier run: what F and F.inflight say. */
struct journal_past {
	const char *path; /* borrowed; NULL: none was read */
	bool has_lines;
	bool is_ended;  /* it got through all that was asked for */
	off_t ended_at; /* where the word of "ended" stands in F; 0: nowhere */
	bool has_selection;
	struct buffer selection; /* of its first line, else of F.inflight */
	bool has_seed;
	uint64_t seed;
	struct journal_left left; /* of its marks, the open ones */
	uint64_t lines;
	uint64_t last_number;
	uint64_t bad_lines;
	uint64_t first_bad_line;
	size_t torn; /* bytes of a last line without its end */
	uint64_t not_accepted;
};

struct journal {
	struct journal_options options;
	const char *path; /* of F; NULL: none is written */
	int fd;           /* of F; -1: none, or stdout */
	bool writes;      /* lines are wanted, be it on stdout */
	bool keeps;       /* F.inflight is there: F is a plain file */
	bool finished;
	bool of_inputs;             /* a line has an id: what send makes is never sent again */
	struct journal_past failed; /* --failed-only */
	struct journal_past past;   /* --resume; its F is also the one that is added to */
	struct journal_ended ended;
	uint64_t without_line; /* of those skipped */
	struct journal_marks marks;
	struct buffer out;
	off_t ended_at;                /* where the word of "ended" stands in F; 0: nowhere */
	uint64_t numbers;              /* given so far */
	uint64_t lines;                /* of F */
	uint64_t added;                /* lines in `out` */
	int64_t epoch_us;              /* real time where the monotonic clock is 0 */
	char second[CLOCK_STAMP_SIZE]; /* a stamp, and the second it is of: most have the same */
	int64_t second_of;
};

/* journal_read.c */
enum journal_file {
	JOURNAL_FILE_OTHER,
	JOURNAL_FILE_OLD,   /* an older version's results: there is no id */
	JOURNAL_FILE_TORN,  /* the beginning of a first line */
	JOURNAL_FILE_BLANK, /* no byte */
	JOURNAL_FILE_RESULTS,
};
/* What a plain file is by its first line, which is also read: `is_ended`, `ended_at`, `selection`, `seed`. */
int journal_read_first(struct journal_past *past, int fd, const char *path, enum journal_file *file, struct error *err);
/* Reads F and F.inflight. EXIT_CODE_USAGE: F is not to be used, and why. */
int journal_read_past(struct journal *journal, struct journal_past *past, int fd, struct error *err);
void journal_past_release(struct journal_past *past);

#endif
