/*
 * F.inflight: what is in flight, kept where a crash of the process cannot take it: a small file beside the results,
 * mapped into memory, so that a mark costs a few stores. After a head and the run's selection stand cells of one size,
 * one per job, which marks it right before it is sent.
 */
#ifndef CREDHOOK_DELIVER_JOURNAL_MARKS_H
#define CREDHOOK_DELIVER_JOURNAL_MARKS_H

#include "base/buffer.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "deliver/job.h"

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

#endif
