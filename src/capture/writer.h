/*
 * The durable writer of a capture file: what capture_writer_commit() has accepted is on disk.
 *
 * One writer a file, by flock(2). Records are gathered in memory by capture_writer_add(), and written and synced
 * together by capture_writer_commit().
 *
 * A file that is deleted, or replaced by another one of its name, is noticed by the commit that follows: what that was
 * to write goes to the file that has the name then. A file that was only moved away, or emptied by whoever copied it,
 * loses nothing and stays the one that is written. (A file system that hides deleted files, as NFS does, hides this
 * too.)
 *
 * After a failure nothing more is written. The file is cut back to the end of the last commit that succeeded, where
 * that is possible, so that it holds exactly the records that were promised. After a failed fdatasync(2) that is all
 * one can know: Linux may have dropped the pages it could not write, and a second fdatasync would lie, so none is
 * tried; if cutting back fails too, the file may end in records nobody was promised, and a torn tail is set aside at
 * the next opening.
 *
 * A FIFO or a character device (/dev/null, /dev/full) may be named too: nothing is read, cut or synced there, and a
 * device is not locked. A FIFO whose reader is slow holds the writer up.
 */
#ifndef CREDHOOK_CAPTURE_WRITER_H
#define CREDHOOK_CAPTURE_WRITER_H

#include "base/error.h"
#include "capture/record.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum capture_sync {
	CAPTURE_SYNC_BATCH,  /* one fdatasync a commit */
	CAPTURE_SYNC_ALWAYS, /* one write and fdatasync a record */
	CAPTURE_SYNC_NONE,   /* none: a crash of the machine may lose what was promised */
};

/* What was found on opening. */
struct capture_opened {
	bool was_empty;                /* new, or empty, or no regular file */
	uint64_t last_seq;             /* of the last record, of PATH.1 where the file is empty; 0: none */
	uint64_t torn_bytes;           /* bytes at the end that are no JSON, or no whole line; 0: none */
	char torn_path[PATH_MAX + 64]; /* the file they were moved to: PATH.torn-YYYYMMDDTHHMMSSZ, with -2, -3... */
};

struct capture_writer;

/* Opens the file for appending, making it (0600) where there is none. Refused, and left untouched, are: a non-empty
 * file whose first line is no whole capture record, or in which whole lines of other JSON stand behind the last record;
 * a file of records of another version; what is gzip data, or called .gz (all EXIT_CODE_USAGE); a file that another
 * process writes; a directory, a block device, and what cannot be opened (EXIT_CODE_IO). Only the first and the last
 * lines are read, however long the file. */
struct capture_writer *capture_writer_open(const char *path, enum capture_sync sync, struct capture_opened *opened,
                                           struct error *err);
/* Closes without writing what was not committed. -1: close(2) told of a loss. NULL is allowed. */
int capture_writer_close(struct capture_writer *writer, struct error *err);

/* Gives the record the next seq (its own is ignored), copies it into the batch and returns that seq. No memory is told
 * by the commit. After a failure nothing is gathered, and 0 returned. */
uint64_t capture_writer_add(struct capture_writer *writer, const struct capture_record *record);

/* Writes and syncs all that was added. -1: none of what was added since the last commit may be relied on (with
 * CAPTURE_SYNC_ALWAYS: none after capture_writer_durable_seq()), and every later commit fails with the same error. */
int capture_writer_commit(struct capture_writer *writer, struct error *err);

/* The three steps of a commit, for a caller that syncs in another thread: begin() writes what was added so far (with
 * CAPTURE_SYNC_ALWAYS one record; 1: something was written, 0: nothing to do, -1); sync() does nothing but fdatasync
 * and returns its errno or 0, and may run in another thread while records are added; finish() takes that errno, and
 * on 0 what begin() wrote is durable. 1: it had been written to a file that was deleted or replaced, and was written
 * and synced again by finish(), to the file that has the name now; what was found there is capture_writer_found(). No
 * second begin() before the finish(). */
int capture_writer_begin(struct capture_writer *writer, struct error *err);
int capture_writer_sync(const struct capture_writer *writer);
int capture_writer_finish(struct capture_writer *writer, int sync_errno, struct error *err);

/* Both are for the time between two commits (not between begin() and finish()); the numbers go on without a gap, and
 * where they fail (-1) the writer still writes to the file it has.
 * reopen(): where another file, or none, stands at the path, because somebody moved ours away, it is opened (made) and
 * taken over; 1: so it was, and capture_writer_found() there; 0: ours still stands there. */
int capture_writer_reopen(struct capture_writer *writer, struct error *err);
const struct capture_opened *capture_writer_found(const struct capture_writer *writer); /* when last opened again */
/* Whether another file has taken the name of ours, which may have one yet (sed -i.bak, a hard link, a log that was moved
 * away and made anew): time for reopen(). */
bool capture_writer_is_replaced(const struct capture_writer *writer);
/* rotate(): moves the file to PATH.1 (what was there to PATH.2, and so on) and goes on in a new one. keep: so many are
 * kept, the oldest goes; 0: all. */
int capture_writer_rotate(struct capture_writer *writer, uint64_t keep, struct error *err);
uint64_t capture_writer_size(const struct capture_writer *writer); /* bytes committed in the file; 0: no regular file */

uint64_t capture_writer_durable_seq(const struct capture_writer *writer); /* of the last record committed; 0: none */
size_t capture_writer_pending(const struct capture_writer *writer);       /* bytes added and not yet written */

/* Records that were durable in a file that has been deleted or replaced since: nobody can name it any more. */
uint64_t capture_writer_lost_records(const struct capture_writer *writer);

/* The HTTP status that tells a sender of the failure: 507 where the disk is full or the quota used up, 503 for any
 * other; 0 while the writer is well. */
int capture_writer_status(const struct capture_writer *writer);

/* Makes the path's own name durable: fsync of the directory that holds it. */
int capture_writer_sync_directory(const char *path, struct error *err);

#endif
