/* The inputs of send --file and replay: files, folders and standard input, read one after the other as one stream. */
#ifndef CREDHOOK_CMD_INPUTS_H
#define CREDHOOK_CMD_INPUTS_H

#include "capture/reader.h"
#include "capture/source_files.h"
#include "cmd/cmd.h"

#include <stdbool.h>
#include <stdint.h>

enum inputs_got {
	INPUTS_FAILED = -1,
	INPUTS_NONE, /* there are no more, or Ctrl-C came */
	INPUTS_ITEM,
	INPUTS_LATER, /* nothing can be read right now; only where it must not wait */
};

struct inputs {
	struct context *context;
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

/* Warns of directories among the arguments in which nothing was found. */
void inputs_warn_empty(struct terminal *terminal, const struct source_files *files);

/* Takes the arguments, and tells what is left out of directories. Of those that are regular files the beginnings are
 * looked at: -1 with EXIT_CODE_IO where one is a file of another kind, so that nothing at all is sent. */
int inputs_init(struct inputs *inputs, struct context *context, const struct text_list *arguments,
                enum capture_accepted accepted, struct error *err);
void inputs_release(struct inputs *inputs);
void inputs_rewind(struct inputs *inputs); /* begins again with the first file */

/* Whether inputs_next() waits for an input (a pipe) that has nothing yet: it does unless told otherwise before it is
 * first called. */
void inputs_wait(struct inputs *inputs, bool wait);
int inputs_fd(const struct inputs *inputs); /* INPUTS_LATER: what becomes readable then */

/* The next payload, borrowed until the next call. What cannot be read, and bad records, are told on stderr with file
 * and line, remembered in `code`, and passed over. */
enum inputs_got inputs_next(struct inputs *inputs, struct capture_item *item, struct error *err);

/* The hash of a record as it stands in its input. */
uint64_t inputs_hash(const struct capture_item *item);
/* Whether all were read to their end. */
bool inputs_ended(const struct inputs *inputs);

/* How much of the files is handed out (see ui/progress.h), leaving aside what inputs_begin_here() was told to. Unknown
 * unless all of them are regular files. */
double inputs_fraction(const struct inputs *inputs);
/* What was handed out so far was only passed over. */
void inputs_begin_here(struct inputs *inputs);

#endif
