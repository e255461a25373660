/* Helpers of writer*.c. */
#include "capture/writer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A directory without read permission cannot be synced. */
int capture_writer_sync_directory(const char *path, struct error *err)
{
	LOCAL(release_text) char *real = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;
	if (!slash)
		return file_cannot("sync the directory of", path, errno, err);
	slash[slash == real ? 1 : 0] = '\0';
	int fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed = fd < 0 ? errno : fsync(fd) < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (failed && failed != EACCES && failed != EINVAL)
		return file_cannot("sync the directory of", path, failed, err);
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
