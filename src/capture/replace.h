/* What may be put in the place of a file, so that a mistyped command loses no data; and how -o writes. */
#ifndef CREDHOOK_CAPTURE_REPLACE_H
#define CREDHOOK_CAPTURE_REPLACE_H

#include "base/error.h"
#include "base/file.h"
#include "capture/source_files.h"

/*
 * A file that the user named may be replaced or deleted unless it is
 *   - a file in use, by inode, or where none is there by its path: an input or another output of this run (in_use, then
 *     its also_in_use; NULL: none);
 *   - a capture, ours or another tool's (capture/format.h), compressed or not;
 *   - the results of a run, what it had in flight, or a configuration;
 *   - empty, and another process holds it locked, or an unfinished run has its marks beside it.
 * Any other that does not exist, is empty, or is not a regular file has nothing to lose, nor has one that our own
 * stdout or stderr goes to, by a path such as /dev/stdout: it is written behind what it has. EXIT_CODE_USAGE: it may
 * not be replaced. EXIT_CODE_IO: it cannot be read.
 */
int replace_check(const char *path, const struct source_files *in_use, struct error *err);

/* The first of these rules alone, for an output that has its own about what is there. */
int replace_check_in_use(const char *path, const struct source_files *in_use, struct error *err);

/*
 * What each run writes again: under the rules above it may replace what such a run has left, and nothing else
 * that has something in it. What is written in its place (file_is_replaced()) may have anything but a capture, results
 * or a configuration. `what` is for the message, "a report"; is_ours() gets the first KiB, which ends at a NUL.
 */
int replace_check_own(const char *path, const char *what, bool (*is_ours)(const char *begin),
                      const struct source_files *in_use, struct error *err);

/* The same of what --report names; `format` is its name. EXIT_CODE_USAGE: also where the path ends with .gz or '/'. */
int replace_check_report(const char *path, const char *format, bool (*is_ours)(const char *begin),
                         const struct source_files *in_use, struct error *err);

/*
 * What -o names. A file that is there is replaced if it is a page or a schema of ours, left unchanged if it has the
 * same bytes, and otherwise refused, unless `force`. Never is a file in use, one that another process holds locked (a
 * capture that is written), or the results or marks of a run. What has nothing to lose, as above, is not there. In a
 * folder that -o names, where we name the files, nothing is written through a link or into a device: whoever made it
 * did not mean ours.
 *
 * Zero-initialise but for the first six. EXIT_CODE_USAGE: it is refused, by output_append() as soon as it differs.
 */
struct output_file {
	const char *path; /* borrowed */
	enum file_privacy privacy;
	bool is_in_folder; /* -o names the folder */
	bool force;
	const struct source_files *in_use;
	struct signals *signals;
	struct file_writer writer;
	int there; /* what has to be the same; -1: it is written */
	bool is_open;
};
/* Refuses a name that ends with .gz, for callers that do not compress. EXIT_CODE_USAGE. */
int output_check_plain(const char *path, struct error *err);
int output_begin(struct output_file *output, struct error *err);
int output_append(struct output_file *output, const char *bytes, size_t length, struct error *err);
/* Puts it into its place: 1; 0: the same was there; -1. */
int output_finish(struct output_file *output, struct error *err);
void output_abandon(struct output_file *output); /* leaves nothing of it behind; may be called at any time */
/* All of it in one call. */
int output_write(struct output_file *output, const char *bytes, size_t length, struct error *err);

/* F.inflight, beside the results F of a run that has not ended: deliver/journal_marks.c writes it, and while it is
 * there nobody replaces F. */
#define MARKS_NAME_END ".inflight"
#define MARKS_BEGIN    "credhook: what is in flight of the results beside this file, version " /* its first bytes */

#endif
