/* The journal from the inside; for src/deliver/journal*.c only. */
#ifndef CREDHOOK_DELIVER_JOURNAL_INTERNAL_H
#define CREDHOOK_DELIVER_JOURNAL_INTERNAL_H

#include "base/buffer.h"
#include "base/clock.h"
#include "deliver/journal.h"
#include "deliver/journal_inputs.h"
#include "deliver/journal_marks.h"
#include "deliver/journal_records.h"

#include <sys/types.h>

#define JOURNAL_NAMES 3

/* One that was in flight: its mark, and a copy of that which can be relied on as text. */
struct journal_cut {
	struct journal_cell *mark;
	struct journal_cell cell;
};

/* What the lines of an earlier run say, and what it had in flight. */
struct journal_past {
	const char *path; /* borrowed; NULL: none was read */
	bool is_ended;    /* it got through all that was asked for */
	struct journal_records records;
	struct journal_marks marks;
	struct journal_cut *cut; /* in flight when it was killed */
	size_t cut_count;
	size_t cut_capacity;
	uint64_t cut_from; /* the first line that is the end of one of these; 0: none is */
	uint64_t lines;
	uint64_t good_lines;
	uint64_t bad_lines;
	uint64_t first_bad_line;
	uint64_t nameless_lines; /* of an input, but without its hash */
	size_t torn;             /* bytes of a last line without its end */
	struct buffer names;     /* of the first inputs: 'a', 'b' */
	size_t named_inputs;     /* how many there are */
	uint64_t not_accepted;   /* of those skipped */
	uint64_t without_line;   /* of those skipped */
};

struct journal {
	struct journal_options options;
	const struct source_files *files;
	const char *path; /* of F; NULL: none is written */
	int fd;           /* of F; -1: none, or stdout */
	off_t ended_at;   /* where the word of "ended" stands in F; 0: nowhere */
	bool writes;      /* lines are wanted, be it on stdout */
	bool adds;        /* F is that of the earlier run */
	bool keeps;       /* F.inflight is there: F is a plain file */
	bool finished;
	bool of_inputs; /* a line is of an input: what send makes is never sent again */
	struct journal_past past;
	struct journal_inputs inputs; /* the earlier run's, and this one's */
	struct journal_input *current;
	size_t unseen; /* files that are not plain and were not opened yet: nobody knows what they hold */
	struct journal_marks marks;
	struct buffer out;
	uint64_t lines;                /* of F */
	uint64_t added;                /* lines in `out` */
	int64_t epoch_us;              /* real time where the monotonic clock is 0 */
	char second[CLOCK_STAMP_SIZE]; /* a stamp, and the second it is of: most have the same */
	int64_t second_of;
};

/* What a plain file begins with, for whoever is about to write or send it. */
enum journal_file {
	JOURNAL_FILE_OTHER,
	JOURNAL_FILE_RESULTS,
	JOURNAL_FILE_TORN, /* maybe the beginning of a line of results, and no more */
	JOURNAL_FILE_BLANK,
};
struct journal_first_line {
	enum journal_file file;
	bool says_ended;
	bool is_ended;
	bool has_input;
	uint64_t id; /* of the input; 0: the line has no hash */
};

/* journal_read.c */
int journal_read_first(int fd, const char *path, struct journal_first_line *first, struct error *err);
/* Reads F, open at journal->fd, and F.inflight. */
int journal_read_past(struct journal *journal, struct error *err);

/* journal_match.c */
int journal_check_files(struct journal *journal, struct error *err);

/* journal_lines.c */
void journal_append_cut(struct journal *journal, const struct journal_cut *cut, bool final);

/* journal_notice.c */
int journal_refuse_foreign(const struct journal_marks *left, struct error *err); /* EXIT_CODE_USAGE */
void journal_notify(const struct journal *journal, struct journal_notice notice);
int journal_cannot(const char *what, const char *path, struct error *err); /* EXIT_CODE_IO, with errno */

#endif
