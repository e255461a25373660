/* Private to src/capture/writer*.c. */
#ifndef CREDHOOK_CAPTURE_WRITER_FILE_H
#define CREDHOOK_CAPTURE_WRITER_FILE_H

#include "base/file.h"
#include "capture/writer.h"

struct capture_writer {
	char *path; /* owned */
	int fd;
	bool regular;          /* a regular file: it can be read, truncated and synced */
	struct buffer batch;   /* records added since the last begin() */
	struct buffer taken;   /* those of begin(), kept until finish() knows that the file still has a name */
	uint64_t opened_seq;   /* the last record before this file was opened */
	uint64_t lost_records; /* in files that are gone */
	uint64_t last_seq;     /* the last record added, */
	uint64_t written_seq;  /* written, */
	uint64_t durable_seq;  /* and committed */
	uint64_t written_end;  /* bytes, of a regular file */
	uint64_t durable_end;
	struct capture_opened found; /* when this file was opened */
	int failed_errno;            /* 0: no failure */
	struct error failure;
};

/* Opens, locks and scans the file at writer->path. Sets fd, regular, last_seq, durable_end and found. */
int capture_writer_open_file(struct capture_writer *writer, struct error *err);

/* Whether the open file is the one at the path. */
bool capture_writer_is_at_path(const struct capture_writer *writer);

#endif
