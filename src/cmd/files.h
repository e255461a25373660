/* Files as a whole: reading a small one, and writing one so that it is there whole or not at all. */
#ifndef CREDHOOK_CMD_FILES_H
#define CREDHOOK_CMD_FILES_H

#include "base/buffer.h"
#include "base/error.h"
#include "capture/source_files.h"

#include <stdbool.h>

#define FILE_WHOLE_MAX ((size_t)64 << 20) /* bytes */

/* Appends the file's bytes; "-" is standard input. EXIT_CODE_IO: it cannot be read, or is longer than 64 MiB. */
int file_read_whole(const char *path, struct buffer *out, struct error *err);

/* All that follows asks replace_check() (capture/replace.h) before it puts a file in the place of another, or takes one
 * away; `in_use` is for that, and may be NULL. */

/* Writes a temporary file beside it (of the mode of the one it replaces, else 0666 less the umask), and renames it into
 * place. A link stays one; what it leads to is replaced. */
int file_write_whole(const char *path, const char *bytes, size_t length, const struct source_files *in_use,
                     struct error *err);

/* Whether a plain file with other bytes than these, or one that cannot be read, is in the path's place. */
bool file_differs(const char *path, const char *bytes, size_t length);

/* The path with its links followed; of a new file, its folder's. For free(); NULL: no memory. */
char *file_real_path(const char *path);

/* The writing piece by piece. A device, a FIFO, and whatever is under /dev and /proc, is written as it is; what leads
 * to our own stdout or stderr is written behind what they have. */
struct file_writer {
	char *path;      /* owned; for messages */
	char *real;      /* owned; with its links followed: of two writers of one file it is the same */
	char *temporary; /* owned; NULL: written in place */
	int fd;          /* -1: not open */
	bool is_private; /* of mode 0600 */
};
int file_writer_open(struct file_writer *writer, const char *path, const struct source_files *in_use,
                     struct error *err);
/* The same for a file that only its owner may read (mode 0600), whatever the mode of the one it replaces. */
int file_writer_open_private(struct file_writer *writer, const char *path, const struct source_files *in_use,
                             struct error *err);
int file_writer_append(struct file_writer *writer, const char *bytes, size_t length, struct error *err);
/* Puts the file into its place; -1: it is abandoned. */
int file_writer_finish(struct file_writer *writer, struct error *err);
/* Leaves nothing of it behind. */
void file_writer_abandon(struct file_writer *writer);

/* Takes a plain file away. Anything else stays: nothing, a device, a link, which somebody made on purpose. */
int file_remove(const char *path, const struct source_files *in_use, struct error *err);

/* Makes the folder and those above it that are missing. */
int file_make_folders(const char *path, struct error *err);

#endif
