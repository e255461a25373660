/*
 * The inputs of a run, known by their content: by the hash of the first record, and where several begin with the same
 * one, by the last one that was dealt with.
 */
#ifndef CREDHOOK_DELIVER_JOURNAL_INPUTS_H
#define CREDHOOK_DELIVER_JOURNAL_INPUTS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct journal_cell;

struct journal_input {
	uint64_t id;          /* the hash of its first record, or one of those after it */
	uint64_t last_record; /* the last one dealt with, by its place; 0: none yet */
	uint64_t last_hash;
	dev_t device; /* the file that it was found in; 0: in none yet */
	ino_t inode;
	struct journal_cell *cell; /* in F.inflight; NULL: it is done with, or nothing is kept */
	size_t under_way;          /* jobs */
	bool recorded;             /* an earlier run dealt with it */
	bool required;             /* and may not be done with it */
	bool found;                /* it is among the files given */
	bool opened;               /* by this run */
	bool read;                 /* to its end */
	bool left;                 /* one of its jobs was dropped before its end */
};

/* Zero-initialise. Some 120 bytes per input; each stays where it is. */
struct journal_inputs {
	struct journal_input **items; /* by hash, the next place where one is taken; at most half full */
	size_t count;
	size_t places; /* a power of two, or 0 */
};

/* What was learned of a file by opening it. */
struct journal_opening {
	const char *path;
	const struct stat *status; /* NULL: nothing is known of the file */
	uint64_t first;            /* the hash of its first record */
	uint64_t line;             /* where that stands */
};

struct journal_input *journal_inputs_find(const struct journal_inputs *inputs, uint64_t id); /* NULL: none */
/* The input of that id, made where there is none yet; NULL: no memory. */
struct journal_input *journal_inputs_add(struct journal_inputs *inputs, uint64_t id);
/* The next one, in no order, from *at = 0; NULL: there are no more. */
struct journal_input *journal_inputs_next(const struct journal_inputs *inputs, size_t *at);
void journal_inputs_release(struct journal_inputs *inputs);

/* The record was dealt with. */
void journal_input_deal(struct journal_input *input, uint64_t record, uint64_t hash);

/* Which of the inputs the file is, be it about to be read (`opening`) or only looked at: no two files are the same one,
 * even if they hold the same. NULL: none; *id is then free for it. What is not a plain file is known by its first
 * record alone; a plain one may be read as far as the last record that was dealt with. */
struct journal_input *journal_inputs_identify(const struct journal_inputs *inputs,
                                              const struct journal_opening *opening, bool is_opening, uint64_t *id);

/* Looks at the first record of a plain file; false: it cannot be read, has none, or is not a plain file. */
bool journal_look_at_file(const char *path, struct stat *status, struct journal_opening *opening);

/* A file beside `path` whose name begins with its name, and that begins with the first record of the input (c.ndjson.1
 * after a rotation), is appended to `found`. False: there is none. */
struct buffer;
bool journal_find_renamed(const char *path, uint64_t id, struct buffer *found);

#endif
