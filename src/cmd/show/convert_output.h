/* Where convert writes: to a file, in the format that its name says, or to standard output. */
#ifndef CREDHOOK_CMD_SHOW_CONVERT_OUTPUT_H
#define CREDHOOK_CMD_SHOW_CONVERT_OUTPUT_H

#include "base/buffer.h"
#include "capture/replace.h"
#include "ui/terminal.h"

#include <stdbool.h>

enum convert_to {
	CONVERT_AUTO, /* as the name says */
	CONVERT_RECORDS,
	CONVERT_HAR,
	CONVERT_PAGE,
};
extern const char *const convert_to_names[]; /* by enum convert_to; ends with NULL */

/* Release it even if a function fails. */
struct convert_output {
	struct terminal *terminal;
	const char *path; /* borrowed; NULL: standard output */
	enum convert_to to;
	struct gzip *gzip; /* NULL: not compressed */
	struct buffer packed;
	struct output_file file;
	bool is_same; /* what was there */
};

/* Whether a name ends as that of something that convert writes. */
bool convert_output_is_name(const char *path);
/* `path`: as given; NULL: none was. EXIT_CODE_USAGE: the name of a file does not say what CONVERT_AUTO asks for, or a
 * page is to be compressed. */
int convert_output_init(struct convert_output *output, struct terminal *terminal, const char *path, enum convert_to to,
                        struct error *err);
/* The file is there once it is kept, and whole; errors: capture/replace.h. */
int convert_output_open(struct convert_output *output, bool force, const struct source_files *in_use,
                        struct signals *signals, struct error *err);
/* Whole lines, which *bytes has no more then; `are_last`: nothing follows. */
int convert_output_write(struct convert_output *output, struct buffer *bytes, bool are_last, struct error *err);
/* Whether the file gets into its place only with convert_output_keep(). */
bool convert_output_is_pending(const struct convert_output *output);
int convert_output_keep(struct convert_output *output, struct error *err);
void convert_output_release(struct convert_output *output);

#endif
