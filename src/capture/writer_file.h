/* What the writer's own files share; nobody else includes this. */
#ifndef CREDHOOK_CAPTURE_WRITER_FILE_H
#define CREDHOOK_CAPTURE_WRITER_FILE_H

#include "capture/writer.h"

struct capture_writer {
	char *path; /* owned */
	int fd;
	bool regular; /* a file: it can be locked, inspected, cut and synced */
	enum capture_sync sync;
	struct buffer batch; /* records added, of which the first `batch_at` bytes are written */
	size_t batch_at;
	uint64_t last_seq;    /* added */
	uint64_t written_seq; /* written */
	uint64_t durable_seq; /* committed */
	uint64_t written_end; /* bytes of the file; only for regular files */
	uint64_t durable_end;
	int failed_errno; /* 0: well */
	struct error failure;
};

/* Opens, locks and looks over the file at writer->path, and sets fd, regular, last_seq and durable_end. */
int capture_writer_open_file(struct capture_writer *writer, struct capture_opened *opened, struct error *err);

/* Whether the file that is open is the one that stands at the path. */
bool capture_writer_is_at_path(const struct capture_writer *writer);

/* Looks over a non-empty file of `size` bytes: refuses a foreign one, finds the last record, and sets a torn tail
 * aside. Sets last_seq and durable_end. */
int capture_writer_survey(struct capture_writer *writer, uint64_t size, struct capture_opened *opened,
                          struct error *err);

/* The number of the last record of PATH.1, which is left as it is; 0: there is none, or it is no capture file. */
uint64_t capture_writer_rotated_seq(const struct capture_writer *writer);

/* Makes the path's own name durable: fsync of the directory that holds it. */
int capture_writer_sync_directory(const char *path, struct error *err);

/* EXIT_CODE_IO: cannot WHAT 'path': the errno's text. */
int capture_writer_cannot(struct error *err, const char *what, const char *path, int errnum);

/* Writes all bytes, however often the kernel takes only some. Returns an errno, or 0. */
int capture_write_all(int fd, const char *bytes, size_t length);

#endif
