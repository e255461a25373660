/* The inputs of send --file and replay: files, folders and standard input, read one after the other as one stream. */
#ifndef CREDHOOK_CMD_INPUTS_H
#define CREDHOOK_CMD_INPUTS_H

#include "capture/reader.h"
#include "capture/source_files.h"
#include "cmd/cmd.h"

#include <stdbool.h>
#include <stdint.h>

struct inputs {
	struct context *context;
	struct source_files files;
	size_t at;                     /* the next file to open */
	struct capture_reader *reader; /* of the file under way */
	const char *name;              /* its name */
	enum exit_code code;           /* what went wrong with inputs so far: FAILED for bad records, IO */
	uint64_t bad;                  /* records that were skipped */
};

/* Takes the arguments; opens nothing yet. */
int inputs_init(struct inputs *inputs, struct context *context, const struct text_list *arguments, struct error *err);
void inputs_release(struct inputs *inputs);
void inputs_rewind(struct inputs *inputs); /* begins again with the first file */

/* The next payload, borrowed until the next call: 1; 0: there are no more (or Ctrl-C came); -1: failed. What cannot be
 * read, and bad records, are told on stderr with file and line, remembered in `code`, and passed over. */
int inputs_next(struct inputs *inputs, struct capture_item *item, struct error *err);

#endif
