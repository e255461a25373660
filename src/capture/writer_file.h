/* What the writer's own files share; nobody else includes this. */
#ifndef CREDHOOK_CAPTURE_WRITER_FILE_H
#define CREDHOOK_CAPTURE_WRITER_FILE_H

#include "capture/writer.h"

struct capture_writer {
	char *path; /* owned */
	int fd;
	bool regular; /* a file: it can be locked, inspected, cut and synced */
	enum capture_sync sync;
	struct buffer batch; /* records added since the last begin() */
	/* Records that begin() took: those of [written_from, written_to) are written and wait for finish(), which keeps
	 * them until it knows that the file still has a name; what is behind them is to be written next. */
	struct buffer taken;
	size_t written_from;
	size_t written_to;
	uint64_t opened_seq;   /* the last one before the file was opened: those after it went to this file */
	uint64_t lost_records; /* in files that are gone */
	uint64_t last_seq;     /* added */
	uint64_t written_seq;  /* written */
	uint64_t durable_seq;  /* committed */
	uint64_t written_end;  /* bytes of the file; only for regular files */
	uint64_t durable_end;
	struct capture_opened found; /* when it was opened again last */
	int failed_errno;            /* 0: well */
	struct error failure;
};

/* Opens, locks and looks through the file at writer->path, and sets fd, regular, last_seq and durable_end. */
int capture_writer_open_file(struct capture_writer *writer, struct capture_opened *opened, struct error *err);

/* Whether the file that is open is the one that stands at the path. */
bool capture_writer_is_at_path(const struct capture_writer *writer);

/* Whether the file that is open has no name at all any more: it was deleted, or another one was renamed over it. */
bool capture_writer_is_gone(const struct capture_writer *writer);

/* Opens what stands at the path now and goes on there; the numbers go on. -1: nothing has changed; our file is put back
 * to the path from `rotated` (NULL: it was not we who moved it). */
int capture_writer_take_over(struct capture_writer *writer, const char *rotated, struct error *err);

/* Looks through a non-empty file of `size` bytes: refuses a foreign one, finds the last record, and sets a torn tail
 * aside. Sets last_seq and durable_end. */
int capture_writer_recover(struct capture_writer *writer, uint64_t size, struct capture_opened *opened,
                           struct error *err);

/* The number of the last record of PATH.1, which is left as it is; 0: there is none, or it is no capture file. */
uint64_t capture_writer_rotated_seq(const struct capture_writer *writer);

/* EXIT_CODE_IO: cannot WHAT 'path': the errno's text. */
int capture_writer_cannot(struct error *err, const char *what, const char *path, int errnum);

/* Writes all bytes, however often the kernel takes only some. Returns an errno, or 0. */
int capture_write_all(int fd, const char *bytes, size_t length);

#endif
