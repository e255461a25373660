/* The journal from the inside; for src/deliver/journal*.c only. */
#ifndef CREDHOOK_DELIVER_JOURNAL_INTERNAL_H
#define CREDHOOK_DELIVER_JOURNAL_INTERNAL_H

#include "base/buffer.h"
#include "base/clock.h"
#include "deliver/journal.h"
#include "deliver/journal_marks.h"

#include <sys/types.h>

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

/* journal_lines.c */
void journal_append_open(struct journal *journal, const struct journal_cell *cell, bool final);

#endif
