/* Files that are put in the place of others, or removed, so that a mistyped command loses no data. */
#ifndef CREDHOOK_CAPTURE_REPLACE_H
#define CREDHOOK_CAPTURE_REPLACE_H

#include "base/file.h"
#include "capture/source_files.h"

/*
 * A file that the user named may be replaced or deleted unless it is
 *   - a file in use, by inode: an input or another output of this run (in_use, then its also_in_use; NULL: none);
 *   - a capture, ours or another tool's (capture/format.h), compressed or not;
 *   - the results of a run, or a configuration.
 * A file that does not exist, is empty, or is not a regular file has nothing to lose. EXIT_CODE_USAGE: it may not be
 * replaced. EXIT_CODE_IO: it cannot be read.
 */
int replace_check(const char *path, const struct source_files *in_use, struct error *err);

/* These replace and remove only what replace_check() allows; `signals` as in base/file.h. */
int file_writer_open(struct file_writer *writer, const char *path, bool is_private, const struct source_files *in_use,
                     struct signals *signals, struct error *err);
int file_write_whole(const char *path, const char *bytes, size_t length, const struct source_files *in_use,
                     struct signals *signals, struct error *err);

/* Takes a plain file away. Anything else stays: nothing, a device, a link, which somebody made on purpose. */
int file_remove(const char *path, const struct source_files *in_use, struct error *err);

#endif
