/* What may be put in the place of a file, so that a mistyped command loses no data. */
#ifndef CREDHOOK_CAPTURE_REPLACE_H
#define CREDHOOK_CAPTURE_REPLACE_H

#include "base/error.h"
#include "capture/source_files.h"

/*
 * A file that the user named may be replaced or deleted unless it is
 *   - a file in use, by inode: an input or another output of this run (in_use, then its also_in_use; NULL: none);
 *   - a capture, ours or another tool's (capture/format.h), compressed or not;
 *   - the results of a run, or a configuration.
 * A file that does not exist, is empty, or is not a regular file has nothing to lose, nor has one that our own stdout
 * or stderr goes to, by a path such as /dev/stdout: it is written behind what it has. EXIT_CODE_USAGE: it may not be
 * replaced. EXIT_CODE_IO: it cannot be read.
 */
int replace_check(const char *path, const struct source_files *in_use, struct error *err);

#endif
