/*
 * The durable writer of a capture file: after capture_writer_commit() the records are on disk.
 *
 * One writer per file, by flock(2). capture_writer_add() collects records in memory; capture_writer_commit() writes and
 * syncs them together.
 *
 * If the file was deleted or replaced, the next commit notices and writes its records to the file that now has the
 * name. A file that was only renamed, or truncated by a program that copied it, is kept. (NFS hides deleted files, and
 * with them this case.)
 *
 * After a failure nothing more is written, and the file is truncated to the end of the last successful commit if
 * possible, so that it contains exactly the committed records. A failed fdatasync(2) is not repeated: Linux may have
 * dropped the pages that it could not write, and a second call would report success. If truncating fails too, the file
 * may end in records that were not committed; a torn one is set aside when the file is next opened.
 *
 * The path may be a FIFO or a character device (/dev/null, /dev/full): nothing is read, truncated or synced there, and
 * a device is not locked. A FIFO with a slow reader blocks the writer.
 */
#ifndef CREDHOOK_CAPTURE_WRITER_H
#define CREDHOOK_CAPTURE_WRITER_H

#include "base/error.h"
#include "capture/record.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* The state of the file when it was opened. */
struct capture_opened {
	bool was_empty;                /* new, empty, or not a regular file */
	uint64_t last_seq;             /* of the last record; 0: none */
	uint64_t torn_bytes;           /* bytes at the end that are not JSON or not a whole line; 0: none */
	char torn_path[PATH_MAX + 64]; /* the file they were moved to: PATH.torn-MICROSECONDS */
};

struct capture_writer;

/* Opens the file for appending, or creates it with mode 0600. Only the first and the last lines are read. These are
 * refused and left unchanged:
 *   EXIT_CODE_USAGE: a non-empty file whose first line is not a capture record, or with other JSON lines after the last
 *                    record, or one of another version; gzip data
 *   EXIT_CODE_IO:    a file that another process writes; a directory or block device; a file that cannot be opened */
struct capture_writer *capture_writer_open(const char *path, struct capture_opened *opened, struct error *err);
/* Closes; records that were not committed are lost. -1: close(2) failed. NULL is allowed. */
int capture_writer_close(struct capture_writer *writer, struct error *err);

/* Copies the record into the batch with the next seq (its own is ignored), and returns that seq. Out of memory is
 * reported by the commit. After a failure nothing is added, and the result is 0. */
uint64_t capture_writer_add(struct capture_writer *writer, const struct capture_record *record);

/* Writes and syncs everything that was added. -1: what was added since the last commit is not durable, and later
 * commits fail with the same error. */
int capture_writer_commit(struct capture_writer *writer, struct error *err);

/* The three steps of a commit, for a caller that syncs in another thread.
 * begin() writes what was added so far. 1: written; 0: nothing to write; -1.
 * sync() calls fdatasync(2), of a regular file, and returns 0 or its errno. It may run in another thread while records
 * are added. finish() takes that errno; with 0, what begin() wrote is durable. 1: the file had been deleted or
 * replaced, and finish() wrote and synced the records again in the file that now has the name (see
 * capture_writer_found()). No second begin() before finish(). */
int capture_writer_begin(struct capture_writer *writer, struct error *err);
int capture_writer_sync(const struct capture_writer *writer);
int capture_writer_finish(struct capture_writer *writer, int sync_errno, struct error *err);

/* Opens or creates the file at the path if that is no longer ours: between two commits, not between begin() and
 * finish(). Numbers continue. 1: it did (see capture_writer_found()); 0: it is still ours; -1: the writer keeps the
 * file that it has. */
int capture_writer_reopen(struct capture_writer *writer, struct error *err);
const struct capture_opened *capture_writer_found(const struct capture_writer *writer); /* by the last reopening */
/* Whether another file has the name of ours (after sed -i.bak, or a rotated log): call reopen(). */
bool capture_writer_is_replaced(const struct capture_writer *writer);
uint64_t capture_writer_durable_seq(const struct capture_writer *writer); /* of the last committed record; 0: none */

/* Committed records in files that have been deleted or replaced since. */
uint64_t capture_writer_lost_records(const struct capture_writer *writer);

/* The HTTP status for a failure of the writer: 507 for a full disk or quota, 503 for any other; 0: no failure. */
int capture_writer_status(const struct capture_writer *writer);

#endif
