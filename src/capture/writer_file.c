/* Helpers of writer*.c. */
#include "capture/writer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int capture_writer_cannot(struct error *err, const char *what, const char *path, int errnum)
{
	return error_set(err, EXIT_CODE_IO, "cannot %s '%s': %s", what, path, strerror(errnum));
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

/* A directory without read permission cannot be synced. */
int capture_writer_sync_directory(const char *path, struct error *err)
{
	LOCAL(release_text) char *real = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	if (!slash)
		return capture_writer_cannot(err, "sync the directory of", path, errno);
	slash[slash == real ? 1 : 0] = '\0';
	int fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed = fd < 0 ? errno : fsync(fd) < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (failed && failed != EACCES && failed != EINVAL)
		return capture_writer_cannot(err, "sync the directory of", path, failed);
	return 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool capture_writer_is_at_path(const struct capture_writer *w)
{
	struct stat ours, theirs;
	return fstat(w->fd, &ours) == 0 && stat(w->path, &theirs) == 0 && is_same(&ours, &theirs);
}

bool capture_writer_is_replaced(const struct capture_writer *w)
{
	struct stat ours, theirs;
	return w->regular && fstat(w->fd, &ours) == 0 && stat(w->path, &theirs) == 0 && !is_same(&ours, &theirs);
}

bool capture_writer_is_gone(const struct capture_writer *w)
{
	struct stat ours;
	/* Some file systems always have a link count of 0. */
	return w->regular && fstat(w->fd, &ours) == 0 && ours.st_nlink == 0 && !capture_writer_is_at_path(w);
}

uint64_t capture_writer_lost_records(const struct capture_writer *writer)
{
	uint64_t in_this_file = writer->durable_seq - writer->opened_seq;
	return writer->lost_records + (capture_writer_is_gone(writer) ? in_this_file : 0);
}
