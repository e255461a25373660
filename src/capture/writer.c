#include "capture/writer.h"

#include "capture/writer_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The batch keeps its memory from one commit to the next, unless a burst made it larger than this. */
#define BATCH_KEPT ((size_t)4 << 20)

/* So much that is written may stay in front of what is not, so that each move pays. */
#define WRITTEN_KEPT ((size_t)64 << 10)

struct capture_writer *capture_writer_open(const char *path, enum capture_sync sync, struct capture_opened *opened,
                                           struct error *err)
{
	struct capture_writer *w = calloc(1, sizeof *w);
	memset(opened, 0, sizeof *opened);
	if (!w || !(w->path = strdup(path))) {
		free(w);
		error_no_memory(err);
		return NULL;
	}
	w->fd = -1;
	w->sync = sync;
	buffer_init(&w->batch);
	if (capture_writer_open_file(w, opened, err) == 0) {
		w->written_seq = w->durable_seq = w->last_seq;
		w->written_end = w->durable_end;
		return w;
	}
	struct error ignored;
	capture_writer_close(w, &ignored);
	return NULL;
}

int capture_writer_close(struct capture_writer *writer, struct error *err)
{
	if (!writer)
		return 0;
	int result = 0;
	if (writer->fd >= 0 && close(writer->fd) < 0 && errno != EINTR && !writer->failed_errno)
		result = error_set(err, EXIT_CODE_IO, "cannot close '%s': %s", writer->path, strerror(errno));
	buffer_release(&writer->batch);
	free(writer->path);
	free(writer);
	return result;
}

uint64_t capture_writer_add(struct capture_writer *writer, const struct capture_record *record)
{
	if (writer->failed_errno)
		return 0;
	struct capture_record numbered = *record;
	if (writer->last_seq < UINT64_MAX)
		writer->last_seq++;
	numbered.seq = writer->last_seq;
	capture_record_append(&numbered, &writer->batch);
	return numbered.seq;
}

int capture_write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t written = write(fd, bytes, length);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? errno : EIO;
		bytes += written;
		length -= (size_t)written;
	}
	return 0;
}

/* Remembers the failure for good, drops the batch, and cuts the file back to what was promised. */
static int fail(struct capture_writer *w, int errnum, const char *what, struct error *err)
{
	struct stat status;
	if (errnum == ENOMEM)
		error_no_memory(&w->failure);
	else
		error_set(&w->failure, EXIT_CODE_IO, "cannot %s '%s': %s", what, w->path, strerror(errnum));
	w->failed_errno = errnum;
	buffer_release(&w->batch);
	w->batch_at = 0;
	/* Only ever cut: a file that somebody else made shorter must not be filled up with zeros. */
	if (w->regular && fstat(w->fd, &status) == 0 && (uint64_t)status.st_size > w->durable_end &&
	    ftruncate(w->fd, (off_t)w->durable_end) < 0)
		error_hint(&w->failure, "the file may end in a torn record, which the next listen sets aside");
	*err = w->failure;
	return -1;
}

/* One by one and under a steady load, the batch is never empty: what is written must not pile up in front. */
static void drop_written(struct capture_writer *w)
{
	if (w->batch_at < WRITTEN_KEPT || w->batch_at < w->batch.length / 2)
		return;
	buffer_consume(&w->batch, w->batch_at);
	w->batch_at = 0;
}

int capture_writer_begin(struct capture_writer *writer, struct error *err)
{
	struct capture_writer *w = writer;
	if (w->failed_errno) {
		*err = w->failure;
		return -1;
	}
	if (w->batch.failed)
		return fail(w, ENOMEM, "write", err);
	if (w->batch_at == w->batch.length)
		return 0;
	const char *from = w->batch.data + w->batch_at;
	size_t length = w->batch.length - w->batch_at;
	/* A record's line holds no LF but its last byte. */
	if (w->sync == CAPTURE_SYNC_ALWAYS)
		length = (size_t)((const char *)memchr(from, '\n', length) - from) + 1;
	int failed = capture_write_all(w->fd, from, length);
	if (failed)
		return fail(w, failed, "write", err);
	w->written_end += length;
	w->batch_at += length;
	w->written_seq = w->sync == CAPTURE_SYNC_ALWAYS ? w->written_seq + 1 : w->last_seq;
	if (w->batch_at < w->batch.length) {
		drop_written(w);
		return 1;
	}
	w->batch_at = 0;
	if (w->batch.capacity > BATCH_KEPT)
		buffer_release(&w->batch);
	else
		buffer_clear(&w->batch);
	return 1;
}

int capture_writer_sync(const struct capture_writer *writer)
{
	if (writer->sync == CAPTURE_SYNC_NONE || !writer->regular)
		return 0;
	int result;
	do {
		result = fdatasync(writer->fd);
	} while (result < 0 && errno == EINTR);
	return result < 0 ? errno : 0;
}

int capture_writer_finish(struct capture_writer *writer, int sync_errno, struct error *err)
{
	if (writer->failed_errno) {
		*err = writer->failure;
		return -1;
	}
	if (sync_errno)
		return fail(writer, sync_errno, "sync", err);
	writer->durable_end = writer->written_end;
	writer->durable_seq = writer->written_seq;
	return 0;
}

int capture_writer_commit(struct capture_writer *writer, struct error *err)
{
	int began;
	while ((began = capture_writer_begin(writer, err)) > 0)
		if (capture_writer_finish(writer, capture_writer_sync(writer), err) < 0)
			return -1;
	return began;
}

uint64_t capture_writer_durable_seq(const struct capture_writer *writer)
{
	return writer->durable_seq;
}

size_t capture_writer_pending(const struct capture_writer *writer)
{
	return writer->batch.length - writer->batch_at;
}

int capture_writer_status(const struct capture_writer *writer)
{
	if (!writer->failed_errno)
		return 0;
	return writer->failed_errno == ENOSPC || writer->failed_errno == EDQUOT ? 507 : 503;
}
