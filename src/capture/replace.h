/*
 * Whether a file may be replaced or deleted: asked before every file that is written, so that nobody's data is lost to
 * a slip of the keyboard. Whoever opens a file for writing in place of what stands there asks here first.
 */
#ifndef CREDHOOK_CAPTURE_REPLACE_H
#define CREDHOOK_CAPTURE_REPLACE_H

#include "base/error.h"
#include "capture/source_files.h"

#include <stdbool.h>

/*
 * A file that the user named may be replaced, or deleted, unless it is
 *   - one of the files in use, by whatever path (the same inode): what this run reads, or writes elsewhere. A list of
 *     them leads to another one (also_in_use). NULL: none;
 *   - a capture, ours or one of another tool's (capture/foreign.h), packed or not;
 *   - the results of a run, or a configuration of ours.
 * What does not exist, is empty, or is not a regular file holds nothing that could be lost. EXIT_CODE_USAGE: it may
 * not; EXIT_CODE_IO: it cannot be read, so that nobody knows. Nothing has been changed then.
 */
int replace_check(const char *path, const struct source_files *in_use, struct error *err);

/* Of a file whose name we made up (FILE.1): whether we made it. A regular file, no link, that begins exactly as the
 * writer of captures begins one. */
bool replace_is_our_capture(const char *path);

#endif
