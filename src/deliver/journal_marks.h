/*
 * F.inflight: what is in flight, and which inputs are not done with, kept where a crash of the process cannot take it:
 * a small file beside the results, mapped into memory, so that a mark costs a few stores.
 *
 * After a head stand cells of one size: an input that is not read to its end, or has deliveries under way, has one, and
 * so has each job, which marks it right before it is sent. After kill -9 the marks are what was in flight, but for
 * those whose line is there. The head counts the lines of the results, so that results cut short are noticed. The file
 * appears under its name whole and synced, and is only ever replaced or removed if it is ours.
 */
#ifndef CREDHOOK_DELIVER_JOURNAL_MARKS_H
#define CREDHOOK_DELIVER_JOURNAL_MARKS_H

#include "base/error.h"
#include "catalog/catalog.h"
#include "deliver/journal.h"

#define JOURNAL_NAME_SIZE 1024

enum journal_cell_kind {
	JOURNAL_CELL_FREE,
	JOURNAL_CELL_INPUT, /* not done with: `id` and `name` */
	JOURNAL_CELL_MARK,  /* in flight */
};

/* As it lies in the file: anything may stand there. */
struct journal_cell {
	uint32_t kind; /* accessed with atomic builtins, set last */
	uint32_t attempt;
	uint64_t id; /* of the input; 0: the record was made by send */
	uint64_t record;
	uint64_t hash; /* of the record */
	uint64_t line; /* of the results, from 1: its end, once that is about to be written; 0: it is not */
	char event[CATALOG_KIND_NAME_SIZE];
	char name[JOURNAL_NAME_SIZE]; /* of the input, cut to fit */
};

enum journal_marks_found {
	JOURNAL_MARKS_FAILED = -1,
	JOURNAL_MARKS_NONE,    /* no such file */
	JOURNAL_MARKS_FOREIGN, /* somebody else's */
	JOURNAL_MARKS_OURS,    /* or what is left of it: `doubt` */
};

/* Zero-initialise. */
struct journal_marks {
	char *path;
	struct journal_head *head; /* mapped; NULL: there is no file, or nothing in it to read */
	struct journal_cell *cells;
	size_t count;
	size_t inputs;  /* how many of the cells, the first ones, are for inputs */
	size_t used;    /* how many are for inputs or taken by a job */
	uint64_t lines; /* read: the results had no fewer */
	enum journal_doubt doubt;
};

/* Opens what an earlier run has left; read with journal_marks_next(). EXIT_CODE_IO. */
enum journal_marks_found journal_marks_read(struct journal_marks *marks, const char *results, struct error *err);
/* The next cell of that kind, from *at = 0; NULL: there are no more. */
const struct journal_cell *journal_marks_next(const struct journal_marks *marks, enum journal_cell_kind kind,
                                              size_t *at);

/* Makes the file anew, for that number of jobs, and inputs beside those that `earlier` (may be empty) has cells of:
 * these are taken over. It replaces what is there, which must be ours. EXIT_CODE_IO. */
int journal_marks_create(struct journal_marks *marks, const struct journal_marks *earlier, const char *results,
                         size_t jobs, struct error *err);
struct journal_cell *journal_marks_take_job(struct journal_marks *marks); /* NULL: all are taken */
/* A cell for the input; NULL: there is none free. */
struct journal_cell *journal_marks_add_input(struct journal_marks *marks, uint64_t id, const char *name);
/* The cell of an input that was taken over; NULL: it has none. */
struct journal_cell *journal_marks_find_input(const struct journal_marks *marks, uint64_t id);

/* The results have that number of lines by now. */
void journal_marks_count_lines(struct journal_marks *marks, uint64_t lines);

/* From any thread; cell NULL: nothing is kept. */
void journal_cell_mark(struct journal_cell *cell, const struct job *job, uint64_t id);
void journal_cell_end_at(struct journal_cell *cell, uint64_t line); /* before that line is written */
void journal_cell_free(struct journal_cell *cell);

/* The file is done with: it is removed, or stays and says that the run ended in order. EXIT_CODE_IO. */
int journal_marks_finish(struct journal_marks *marks, bool stay, struct error *err);
void journal_marks_close(struct journal_marks *marks);

#endif
