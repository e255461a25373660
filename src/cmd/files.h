/* Files as a whole: reading a small one, and writing one so that it is there whole or not at all. */
#ifndef CREDHOOK_CMD_FILES_H
#define CREDHOOK_CMD_FILES_H

#include "base/buffer.h"
#include "base/error.h"

#define FILE_WHOLE_MAX ((size_t)64 << 20) /* bytes */

/* Appends the file's bytes; "-" is standard input. EXIT_CODE_IO: it cannot be read, or is longer than 64 MiB. */
int file_read_whole(const char *path, struct buffer *out, struct error *err);

/* Writes a temporary file beside it (mode 0666 less the umask), and renames it into place. */
int file_write_whole(const char *path, const char *bytes, size_t length, struct error *err);

/* Makes the folder and those above it that are missing. */
int file_make_folders(const char *path, struct error *err);

#endif
