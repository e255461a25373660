/* Going on in another file of the same name: one that somebody else moved away (logrotate), or that we move ourselves.
 */
#include "capture/writer_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROTATED_MOST 1000000 /* files; no directory is searched for longer */

static bool is_our_file(const struct capture_writer *w)
{
	struct stat ours, theirs;
	return fstat(w->fd, &ours) == 0 && stat(w->path, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
	       ours.st_ino == theirs.st_ino;
}

/* Opens what stands at the path now and takes it over; the numbers go on. Where that fails, nothing has changed. */
static int take_over(struct capture_writer *w, struct capture_opened *opened, struct error *err)
{
	struct capture_writer next = { .path = w->path, .fd = -1, .sync = w->sync };
	if (capture_writer_open_file(&next, opened, err) < 0) {
		if (next.fd >= 0)
			close(next.fd);
		return -1;
	}
	close(w->fd); /* all that was promised is synced; what close() could tell of is not */
	w->fd = next.fd;
	w->regular = next.regular;
	w->written_end = w->durable_end = next.durable_end;
	if (next.last_seq > w->last_seq && capture_writer_pending(w) == 0)
		w->last_seq = w->written_seq = w->durable_seq = next.last_seq;
	return 0;
}

int capture_writer_reopen(struct capture_writer *writer, struct capture_opened *opened, struct error *err)
{
	memset(opened, 0, sizeof *opened);
	if (writer->failed_errno || !writer->regular || is_our_file(writer))
		return 0;
	return take_over(writer, opened, err) < 0 ? -1 : 1;
}

uint64_t capture_writer_size(const struct capture_writer *writer)
{
	return writer->durable_end;
}

static bool rotated_name(char *out, const struct capture_writer *w, unsigned number)
{
	return (size_t)snprintf(out, PATH_MAX, "%s.%u", w->path, number) < PATH_MAX;
}

/* PATH.1 becomes PATH.2 and so on up to the first number that is free; with `keep` what would be PATH.(keep+1) goes. A
 * crash in between leaves a gap in the numbers and loses nothing. */
static int make_room(const struct capture_writer *w, uint64_t keep, struct error *err)
{
	char from[PATH_MAX], to[PATH_MAX];
	unsigned most = keep > 0 && keep < ROTATED_MOST ? (unsigned)keep : ROTATED_MOST;
	unsigned last = 0;
	struct stat status;
	while (last < most && rotated_name(from, w, last + 1) && lstat(from, &status) == 0)
		last++;
	if (last == most)
		last = most - 1; /* overwritten below */
	for (unsigned number = last; number > 0; number--) {
		if (!rotated_name(from, w, number) || !rotated_name(to, w, number + 1))
			return capture_writer_cannot(err, "rotate", w->path, ENAMETOOLONG);
		if (rename(from, to) < 0)
			return capture_writer_cannot(err, "rotate", from, errno);
	}
	return 0;
}

int capture_writer_rotate(struct capture_writer *writer, uint64_t keep, struct error *err)
{
	struct capture_writer *w = writer;
	struct capture_opened opened;
	char rotated[PATH_MAX];
	if (w->failed_errno || !w->regular)
		return 0;
	if (!is_our_file(w))
		return error_set(err, EXIT_CODE_IO, "cannot rotate '%s': another file stands there now", w->path);
	if (make_room(w, keep, err) < 0)
		return -1;
	if (!rotated_name(rotated, w, 1))
		return capture_writer_cannot(err, "rotate", w->path, ENAMETOOLONG);
	if (rename(w->path, rotated) < 0)
		return capture_writer_cannot(err, "rotate", w->path, errno);
	memset(&opened, 0, sizeof opened);
	/* Syncs the directory, and with it the new names of all. */
	if (take_over(w, &opened, err) == 0)
		return 0;
	struct stat status;
	if (lstat(w->path, &status) < 0)
		rename(rotated, w->path);
	return -1;
}
