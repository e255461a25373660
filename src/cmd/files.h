/* Files that are put in the place of others, or removed: only what replace_check() (capture/replace.h) allows.
 * `in_use` is for that, and may be NULL; `signals` as in base/file.h. */
#ifndef CREDHOOK_CMD_FILES_H
#define CREDHOOK_CMD_FILES_H

#include "base/file.h"
#include "capture/source_files.h"

int file_writer_open(struct file_writer *writer, const char *path, bool is_private, const struct source_files *in_use,
                     struct signals *signals, struct error *err);
int file_write_whole(const char *path, const char *bytes, size_t length, const struct source_files *in_use,
                     struct signals *signals, struct error *err);

/* Takes a plain file away. Anything else stays: nothing, a device, a link, which somebody made on purpose. */
int file_remove(const char *path, const struct source_files *in_use, struct error *err);

#endif
