/* Files, folders and standard input, read one after the other as one stream of payloads and records. */
#ifndef CREDHOOK_CAPTURE_INPUTS_H
#define CREDHOOK_CAPTURE_INPUTS_H

#include "base/signals.h"
#include "capture/reader.h"
#include "capture/source_files.h"

#include <stdbool.h>
#include <stdint.h>

enum inputs_got {
	INPUTS_FAILED = -1,
	INPUTS_NONE, /* there are no more, or Ctrl-C came */
	INPUTS_ITEM,
	INPUTS_LATER, /* nothing can be read right now; only where it must not wait */
};

/* Who hears what happens. */
struct inputs_observer {
	void (*problem)(void *context, const struct error *problem); /* what is wrong with a file or a record */
	void (*opening)(void *context, const char *path);            /* "-": standard input is about to be read */
	void *context;
};

struct inputs {
	const struct inputs_observer *observer;
	struct signals *signals; /* one ends the waiting for a pipe; NULL: none does */
	struct source_files files;
	enum capture_accepted accepted;
	size_t at;                     /* the next file to open */
	struct capture_reader *reader; /* of the file under way */
	const char *name;              /* its name */
	uint64_t first_hash;           /* of its first record, be it a bad one; 0: that was not read yet */
	size_t first_line;
	uint64_t opened; /* how many were, so far */
	bool no_wait;
	enum exit_code code; /* what went wrong with inputs so far: FAILED for bad records, IO */
	uint64_t bad;        /* records that were skipped */
	uint64_t whole;      /* bytes of all files; 0: not known */
	uint64_t passed;     /* bytes of the files before the one under way */
	uint64_t from;       /* bytes that were handed out before the work began */
};

/* Takes the arguments. Of those that are regular files the beginnings are looked at: -1 with EXIT_CODE_IO where one is
 * a file of another kind, so that nothing at all is sent. `observer` stays the caller's. */
int inputs_init(struct inputs *inputs, const struct text_list *arguments, enum capture_accepted accepted,
                const struct inputs_observer *observer, struct signals *signals, struct error *err);
void inputs_release(struct inputs *inputs);
void inputs_rewind(struct inputs *inputs); /* begins again with the first file */

/* Whether inputs_next() waits for an input (a pipe) that has nothing yet: it does unless told otherwise before it is
 * first called. */
void inputs_wait(struct inputs *inputs, bool wait);
int inputs_fd(const struct inputs *inputs); /* INPUTS_LATER: what becomes readable then */

/* The next payload, borrowed until the next call. What cannot be read, and bad records, are reported with file and
 * line, remembered in `code`, and skipped. */
enum inputs_got inputs_next(struct inputs *inputs, struct capture_item *item, struct error *err);

/* The hash of a record as it stands in its input. */
uint64_t inputs_hash(const struct capture_item *item);
/* Whether all were read to their end. */
bool inputs_ended(const struct inputs *inputs);

/* How many bytes of the files are handed out, of how many, leaving aside what inputs_mark_start() was told to. *whole
 * is 0 unless all of them are regular files. */
void inputs_measure(const struct inputs *inputs, uint64_t *handed_out, uint64_t *whole);
/* What was handed out so far was only skipped. */
void inputs_mark_start(struct inputs *inputs);

#endif
