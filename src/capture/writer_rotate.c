/* Continues in another file of the same name, after somebody else (logrotate) or we have moved the file. */
#include "capture/replace.h"
#include "capture/writer_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROTATED_MAX 1000000 /* rotated files; bounds the search for a free number */

/* Moves the rotated file back to its path, if nothing is there or only the empty file that we have just created and
 * nobody else has locked. */
static void move_back(const struct capture_writer *made, const char *rotated)
{
	struct stat status;
	bool is_free = made->fd < 0 ? lstat(made->path, &status) < 0
	                            : made->regular && flock(made->fd, LOCK_EX | LOCK_NB) == 0 &&
	                                      fstat(made->fd, &status) == 0 && status.st_size == 0 &&
	                                      capture_writer_is_at_path(made);
	if (is_free)
		rename(rotated, made->path);
}

int capture_writer_take_over(struct capture_writer *w, const char *rotated, struct error *err)
{
	struct capture_writer next = { .path = w->path, .fd = -1, .sync = w->sync };
	struct capture_opened found = { .was_empty = false };
	if (capture_writer_open_file(&next, &found, err) < 0) {
		if (rotated)
			move_back(&next, rotated);
		if (next.fd >= 0)
			close(next.fd);
		return -1;
	}
	w->lost_records = capture_writer_lost_records(w);
	close(w->fd); /* its committed records are synced, so that an error of close() does not matter */
	w->fd = next.fd;
	w->regular = next.regular;
	w->found = found;
	w->written_end = w->durable_end = next.durable_end;
	/* Records that already have a number keep it. */
	if (next.last_seq > w->last_seq && w->durable_seq == w->last_seq)
		w->last_seq = w->written_seq = w->durable_seq = next.last_seq;
	w->opened_seq = w->durable_seq;
	return 0;
}

int capture_writer_reopen(struct capture_writer *writer, struct error *err)
{
	if (writer->failed_errno || !writer->regular || capture_writer_is_at_path(writer))
		return 0;
	return capture_writer_take_over(writer, NULL, err) < 0 ? -1 : 1;
}

const struct capture_opened *capture_writer_found(const struct capture_writer *writer)
{
	return &writer->found;
}

uint64_t capture_writer_size(const struct capture_writer *writer)
{
	return writer->durable_end;
}

static bool rotated_name(char *out, const struct capture_writer *w, unsigned number)
{
	return (size_t)snprintf(out, PATH_MAX, "%s.%u", w->path, number) < PATH_MAX;
}

/* Renames PATH.1 to PATH.2 and so on, up to the first free number; with `keep`, PATH.keep is overwritten. A crash in
 * between leaves a gap in the numbers and loses nothing. */
static int make_room(const struct capture_writer *w, uint64_t keep, struct error *err)
{
	char from[PATH_MAX], to[PATH_MAX];
	unsigned most = keep > 0 && keep < ROTATED_MAX ? (unsigned)keep : ROTATED_MAX;
	unsigned last = 0;
	struct stat status;
	/* Check all before the first is renamed: none may be somebody else's. */
	while (last < most && rotated_name(from, w, last + 1) && lstat(from, &status) == 0) {
		last++;
		if (!replace_is_our_capture(from))
			return error_set(err, EXIT_CODE_IO, "cannot rotate '%s': '%s' is not a capture of credhook",
			                 w->path, from);
	}
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
	char rotated[PATH_MAX];
	if (w->failed_errno || !w->regular)
		return 0;
	if (!capture_writer_is_at_path(w))
		return error_set(err, EXIT_CODE_IO, "cannot rotate '%s': it was replaced by another file", w->path);
	if (make_room(w, keep, err) < 0)
		return -1;
	if (!rotated_name(rotated, w, 1))
		return capture_writer_cannot(err, "rotate", w->path, ENAMETOOLONG);
	if (rename(w->path, rotated) < 0)
		return capture_writer_cannot(err, "rotate", w->path, errno);
	/* This syncs the directory, and with it the new names. */
	return capture_writer_take_over(w, rotated, err);
}
