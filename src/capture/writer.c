#include "capture/writer.h"

#include "base/system.h"
#include "capture/writer_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of memory that the batch keeps from one commit to the next. */
#define BATCH_KEPT ((size_t)4 << 20)

/* The file may be deleted again each time it is reopened. */
#define RESCUE_TRIES 100

/* Whether it was deleted, or another one was renamed over it. */
static bool has_no_name(const struct capture_writer *w)
{
	struct stat ours;
	/* Some file systems always have a link count of 0. */
	return w->regular && fstat(w->fd, &ours) == 0 && ours.st_nlink == 0 && !capture_writer_is_at_path(w);
}

uint64_t capture_writer_lost_records(const struct capture_writer *writer)
{
	uint64_t in_this_file = writer->durable_seq - writer->opened_seq;
	return writer->lost_records + (has_no_name(writer) ? in_this_file : 0);
}

struct capture_writer *capture_writer_open(const char *path, struct capture_opened *opened, struct error *err)
{
	struct capture_writer *w = calloc(1, sizeof *w);
	memset(opened, 0, sizeof *opened);
	if (!w || !(w->path = strdup(path))) {
		free(w);
		return error_no_memory_null(err);
	}
	w->fd = -1;
	int result = capture_writer_open_file(w, err);
	*opened = w->found;
	if (result == 0) {
		w->opened_seq = w->written_seq = w->durable_seq = w->last_seq;
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
	buffer_release(&writer->taken);
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

/* Remembers the failure for good, drops the batch, and truncates the file to the committed records. */
static int fail_with(struct capture_writer *w, int errnum, const struct error *failure, struct error *err)
{
	struct stat status;
	w->failure = *failure;
	w->failed_errno = errnum;
	buffer_release(&w->batch);
	buffer_release(&w->taken);
	/* Never extend: if somebody else has truncated the file, ftruncate() would fill it with zeros. */
	if (w->regular && fstat(w->fd, &status) == 0 && (uint64_t)status.st_size > w->durable_end &&
	    ftruncate(w->fd, (off_t)w->durable_end) < 0)
		error_hint(&w->failure, "the file may end in a torn record; the next 'listen' sets it aside");
	*err = w->failure;
	return -1;
}

static int fail(struct capture_writer *w, int errnum, const char *what, struct error *err)
{
	struct error failure;
	if (errnum == ENOMEM)
		error_no_memory(&failure);
	else
		error_set(&failure, EXIT_CODE_IO, "cannot %s '%s': %s", what, w->path, strerror(errnum));
	return fail_with(w, errnum, &failure, err);
}

int capture_writer_begin(struct capture_writer *w, struct error *err)
{
	if (w->failed_errno) {
		*err = w->failure;
		return -1;
	}
	if (w->batch.failed)
		return fail(w, ENOMEM, "write", err);
	if (w->batch.length == 0)
		return 0;
	struct buffer empty = w->taken;
	w->taken = w->batch;
	w->batch = empty;
	int failed = file_write_all(w->fd, w->taken.data, w->taken.length);
	if (failed)
		return fail(w, failed, "write", err);
	w->written_end += w->taken.length;
	w->written_seq = w->last_seq;
	return 1;
}

int capture_writer_sync(const struct capture_writer *writer)
{
	if (!writer->regular)
		return 0;
	int result;
	do {
		result = system_sync_data(writer->fd);
	} while (result < 0 && errno == EINTR);
	return result < 0 ? errno : 0;
}

/* Continues in the file that is now at the path. -1: nothing has changed. */
static int take_over(struct capture_writer *w, struct error *err)
{
	struct capture_writer next = { .path = w->path, .fd = -1 };
	if (capture_writer_open_file(&next, err) < 0) {
		if (next.fd >= 0)
			close(next.fd);
		return -1;
	}
	w->lost_records = capture_writer_lost_records(w);
	close(w->fd); /* its committed records are synced, so that an error of close() does not matter */
	w->fd = next.fd;
	w->regular = next.regular;
	w->found = next.found;
	w->written_end = w->durable_end = next.durable_end;
	/* Records that already have a number keep it. */
	if (next.last_seq > w->last_seq && w->durable_seq == w->last_seq)
		w->last_seq = w->written_seq = w->durable_seq = next.last_seq;
	w->opened_seq = w->durable_seq;
	return 0;
}

/* Writes the records of this commit again, to the file that has the name of ours now. */
static int rescue(struct capture_writer *w, struct error *err)
{
	struct error reason, failure;
	for (int i = 0; i < RESCUE_TRIES; i++) {
		if (take_over(w, &reason) < 0) {
			error_set(&failure, EXIT_CODE_IO, "'%s' was deleted or replaced, and cannot be reopened: %s",
			          w->path, reason.message);
			return fail_with(w, EIO, &failure, err);
		}
		int failed = file_write_all(w->fd, w->taken.data, w->taken.length);
		if (failed)
			return fail(w, failed, "write", err);
		w->written_end += w->taken.length;
		failed = capture_writer_sync(w);
		if (failed)
			return fail(w, failed, "sync", err);
		if (!has_no_name(w))
			return 0;
	}
	error_set(&failure, EXIT_CODE_IO, "cannot write '%s': it is deleted or replaced repeatedly", w->path);
	return fail_with(w, EIO, &failure, err);
}

int capture_writer_finish(struct capture_writer *w, int sync_errno, struct error *err)
{
	if (w->failed_errno) {
		*err = w->failure;
		return -1;
	}
	if (sync_errno)
		return fail(w, sync_errno, "sync", err);
	bool is_gone = has_no_name(w);
	if (is_gone && rescue(w, err) < 0)
		return -1;
	w->durable_end = w->written_end;
	w->durable_seq = w->written_seq;
	if (w->taken.capacity > BATCH_KEPT)
		buffer_release(&w->taken);
	else
		buffer_clear(&w->taken);
	return is_gone;
}

int capture_writer_reopen(struct capture_writer *writer, struct error *err)
{
	if (writer->failed_errno || !writer->regular || capture_writer_is_at_path(writer))
		return 0;
	return take_over(writer, err) < 0 ? -1 : 1;
}

const struct capture_opened *capture_writer_found(const struct capture_writer *writer)
{
	return &writer->found;
}

int capture_writer_commit(struct capture_writer *writer, struct error *err)
{
	int began = capture_writer_begin(writer, err);
	if (began > 0 && capture_writer_finish(writer, capture_writer_sync(writer), err) < 0)
		return -1;
	return began < 0 ? -1 : 0;
}

uint64_t capture_writer_durable_seq(const struct capture_writer *writer)
{
	return writer->durable_seq;
}

int capture_writer_status(const struct capture_writer *writer)
{
	if (!writer->failed_errno)
		return 0;
	return writer->failed_errno == ENOSPC || writer->failed_errno == EDQUOT ? 507 : 503;
}
