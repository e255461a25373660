/*
 * Files that a user names: opening one, reading a small one, and writing one so that it is there whole or not at all.
 *
 * Whatever waits here for somebody else, the partner of a FIFO, ends when a signal waits at `signals` (NULL: does not
 * end). It is not taken: an error is returned, and unless the command takes it signals_close() ends the process.
 */
#ifndef CREDHOOK_BASE_FILE_H
#define CREDHOOK_BASE_FILE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/signals.h"

#include <stdbool.h>
#include <sys/types.h>
#include <unistd.h>

#define FILE_WHOLE_MAX ((size_t)64 << 20) /* bytes */

/* "cannot WHAT 'PATH': REASON" (EXIT_CODE_IO; of EINTR EXIT_CODE_INTERRUPTED, of ENOMEM out of memory), and what may
 * have been meant by a missing one; `number` is an errno. Returns -1. */
int file_cannot(const char *what, const char *path, int number, struct error *err);

/* LOCAL(file_close) int fd = open(...); where it is -1, nothing is closed. It may change errno. */
static inline void file_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
/* open(2) of a file that exists, for reading or for writing; waits for the partner of a FIFO. -1 with an errno; EINTR:
 * a signal is waiting. */
int file_open(const char *path, int flags, const struct signals *signals);
/* Appends the file's bytes; "-" is standard input. EXIT_CODE_IO: it cannot be read, or is longer than 64 MiB. */
int file_read_whole(const char *path, struct buffer *out, const struct signals *signals, struct error *err);
/* Returns 0, or an errno. */
int file_write_all(int fd, const char *bytes, size_t length);
/* Makes a file of mode 0600 that has no name, to be read and written, in the folder of `beside`, a real path; NULL: in
 * $TMPDIR, else /tmp. Returns a descriptor, or -1 with an errno. */
int file_make_nameless(const char *beside);
/* Makes a file in $TMPDIR, else /tmp, of a new name that ends in `suffix`, with this text and mode, and appends its
 * path. */
int file_write_temporary(struct buffer *path, const char *suffix, mode_t mode, const char *text, size_t length,
                         struct error *err);
/* Makes the folders above the last '/' of the path that are missing; one without '/' has none. */
int file_make_folders_above(const char *path, struct error *err);

/* The path with its links followed; of a new file, its folder's. For free(); NULL: no memory. */
char *file_real_path(const char *path);
struct stat;
bool file_is_same(const struct stat *one, const struct stat *other); /* under whatever names */
/* Whether it names what a process has open, a file too, so that a line that has it does not name the same again:
 * /dev/stdin, /dev/fd/3, /proc/PID/fd/3. */
bool file_is_descriptor(const char *path);
/* Whether what it names is there for another process to read, by the same name and from its beginning: a file or a
 * folder, no FIFO, no device, and nothing of this process alone. */
bool file_can_be_read_again(const char *path);
/* Our own stdout or stderr, where the path is a link that leads there, such as /dev/stdout; else -1. */
int file_own_output(const char *path);
/* EXIT_CODE_USAGE: the open file is a plain one that our own stdout or stderr goes to. Each has an offset of its own,
 * so that what is appended would be written over. */
int file_refuse_own_output(int fd, const char *path, struct error *err);

/* Locks an open file (flock(2)), alone or with others that only read it, until it is closed. 1: another process holds
 * it; EXIT_CODE_IO: it cannot be locked, since its file system has no locks. */
int file_lock(int fd, const char *path, bool alone, struct error *err);
/* Opens it; where it is not there it is made, 0600, and *made says so: whoever then cannot use it removes it again. -1:
 * errno says why. */
int file_open_or_make(const char *path, int flags, bool *made);

/* Syncs an open file (-1: none), then the folder in which the path names it, so that neither its bytes nor its name are
 * lost with the power. EXIT_CODE_IO. A folder that may not be read cannot be synced: that is ignored. */
int file_sync(int fd, const char *path, struct error *err);

/* Whether a file_writer puts another file, or other content, in its place; otherwise it adds to what is there. */
bool file_is_replaced(const char *path);

/* Writes a temporary file beside it, FILE.credhook-N.tmp, and renames it into place; a link stays one. It is locked
 * (flock(2)) meanwhile. Left by runs that were killed, and removed, are those with N from 1 to 16, and further while
 * these are taken, that are plain files of this user, have one name, and are locked by nobody. What is mounted alone
 * (a container's -v FILE:FILE) cannot be replaced: it is written over at the end, from a file without a name. A device,
 * a FIFO, and what a process has open (/dev/fd/3), is written as it is; what leads to our own stdout or stderr is
 * written behind what they have. Must not be moved while it is open. */
enum file_privacy {
	FILE_PUBLIC,              /* of the mode of the one it replaces, else 0666 less the umask */
	FILE_PRIVATE,             /* of mode 0600, whatever the mode of the one it replaces; synced */
	FILE_PRIVATE_ONE_OF_MANY, /* the same, but not synced, which takes its time for each */
};
struct file_writer {
	char *path;      /* owned; for messages */
	char *real;      /* owned; with its links followed: of two writers of one file it is the same */
	char *temporary; /* owned; NULL: it has no name, or is what is there */
	int fd;          /* for reading, too, where it is put in its place at the end; -1: not open */
	bool is_copied;  /* to what is mounted there */
	enum file_privacy privacy;
	bool is_synced; /* FILE_PRIVATE, or it replaces a file with something in it: on disk before it is in its place
	                 */
	struct signals *signals;
	struct signals_file at_end; /* the temporary file: a second Ctrl-C leaves none behind */
};
/* Whether a file that is there may be replaced is the caller's question: capture/replace.h. */
int file_writer_begin(struct file_writer *writer, const char *path, enum file_privacy privacy, struct signals *signals,
                      struct error *err);
int file_writer_append(struct file_writer *writer, const char *bytes, size_t length, struct error *err);
/* Puts the file into its place, and syncs that where is_synced; -1: it is dropped. EXIT_CODE_IO: also where its name is
 * another file's by now, of a run that the locks do not reach. */
int file_writer_finish(struct file_writer *writer, struct error *err);
/* Leaves nothing of it behind. */
void file_writer_drop(struct file_writer *writer);
/* Whether nothing of it is there before the end: it is not a device, a FIFO, or open elsewhere. */
static inline bool file_writer_is_whole(const struct file_writer *w)
{
	return w->temporary || w->is_copied;
}
/* All of it in one call, FILE_PUBLIC. */
int file_write_whole(const char *path, const char *bytes, size_t length, struct signals *signals, struct error *err);

/* Removes a plain file, and empties one that is mounted alone; whether it may is the caller's question, too. Anything
 * else stays: nothing, a device, a link, which somebody made on purpose. EXIT_CODE_IO. */
int file_remove(const char *path, struct error *err);

/* file_missing.c: what may have been meant by the name of a file that is not there. */

/* Adds a hint to the error: the name nearest to it in the same folder, or that the folder is missing, or that nothing
 * expands a pattern in quotes; or none. Returns -1. */
int file_missing_hint(const char *path, struct error *err);

#endif
