#include "capture/source_input.h"
#include "capture/writer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define OPEN_TRIES 100

/* A FIFO or device is opened without O_CREAT and for writing only, and without waiting for a FIFO's reader. */
static int open_device(struct capture_writer *w, mode_t mode, struct error *err)
{
	if (S_ISDIR(mode))
		return file_cannot("open", w->path, EISDIR, err);
	if (!S_ISFIFO(mode) && !S_ISCHR(mode))
		return error_set(err, EXIT_CODE_IO, "cannot write to '%s': not a file, FIFO or character device",
		                 w->path);
	w->fd = open(w->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (w->fd < 0 && errno == ENXIO && S_ISFIFO(mode))
		return error_set(err, EXIT_CODE_IO, "cannot open '%s': no process reads from this FIFO", w->path);
	if (w->fd < 0)
		return file_cannot("open", w->path, errno, err);
	int flags = fcntl(w->fd, F_GETFL);
	if (flags < 0 || fcntl(w->fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return file_cannot("open", w->path, errno, err);
	return 0;
}

/* Readers would refuse a file called .gz that is not compressed. */
static int refuse_gzip_name(const char *path, struct error *err)
{
	if (!source_input_names_gzip(path))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "cannot capture to '%s': captures are written without compression", path);
	return error_hint(err, "use a name without %s, and run gzip on the file later",
	                  path + strlen(path) - strlen(".gz"));
}

/* The file is created if necessary, but not its directory. */
static int cannot_create(const char *path, int errnum, struct error *err)
{
	const char *slash = strrchr(path, '/');
	int length = slash ? (int)(slash - path) : 0;
	LOCAL(release_text) char *folder = length > 0 ? strndup(path, (size_t)length) : NULL;
	file_cannot("open", path, errnum, err);
	if (folder && errnum == ENOENT && access(folder, F_OK) < 0)
		error_hint(err, "create the directory '%s' first", folder);
	return -1;
}

static int open_path(struct capture_writer *w, struct stat *status, struct error *err)
{
	w->regular = stat(w->path, status) < 0 || S_ISREG(status->st_mode);
	if (!w->regular) {
		if (open_device(w, status->st_mode, err) < 0)
			return -1;
	} else {
		if (refuse_gzip_name(w->path, err) < 0)
			return -1;
		w->fd = open(w->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
		if (w->fd < 0)
			return cannot_create(w->path, errno, err);
	}
	if (fstat(w->fd, status) < 0)
		return file_cannot("open", w->path, errno, err);
	if (S_ISREG(status->st_mode) != w->regular)
		return error_set(err, EXIT_CODE_IO, "cannot open '%s': it was replaced at the same time", w->path);
	return 0;
}

/* The process that holds a flock on the file, from /proc/locks; 0: unknown. */
static long lock_holder(const struct stat *status)
{
	FILE *locks = fopen("/proc/locks", "re");
	if (!locks)
		return 0;
	char line[256];
	long holder = 0;
	while (!holder && fgets(line, sizeof line, locks)) {
		long pid;
		unsigned int dev_major, dev_minor;
		uint64_t inode;
		if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%" SCNu64, &pid, &dev_major, &dev_minor, &inode) == 4 &&
		    pid > 0 && inode == status->st_ino && dev_major == major(status->st_dev) &&
		    dev_minor == minor(status->st_dev))
			holder = pid;
	}
	fclose(locks);
	return holder;
}

static int lock(struct capture_writer *w, const struct stat *status, struct error *err)
{
	/* Devices are not locked: /dev/null may be used by many at once. */
	if (S_ISCHR(status->st_mode) || flock(w->fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno != EWOULDBLOCK)
		return file_cannot("lock", w->path, errno, err);
	long holder = lock_holder(status);
	if (holder)
		error_set(err, EXIT_CODE_IO, "cannot write to '%s': another credhook (process %ld) is writing to it",
		          w->path, holder);
	else
		error_set(err, EXIT_CODE_IO, "cannot write to '%s': another credhook is writing to it", w->path);
	return error_hint(err, "use another capture file for each listener");
}

/* The previous owner of the lock may have moved the file between our open() and flock(): then try the new one. */
static int open_and_lock(struct capture_writer *w, struct error *err)
{
	for (int i = 0; i < OPEN_TRIES; i++) {
		struct stat status;
		if (open_path(w, &status, err) < 0 || lock(w, &status, err) < 0)
			return -1;
		if (!w->regular)
			return 0;
		if (capture_writer_is_at_path(w)) {
			int result = capture_writer_sync_directory(w->path, err);
			if (capture_writer_is_at_path(w))
				return result;
		}
		close(w->fd);
		w->fd = -1;
	}
	return error_set(err, EXIT_CODE_IO, "cannot open '%s': it is replaced repeatedly", w->path);
}

int capture_writer_open_file(struct capture_writer *writer, struct capture_opened *opened, struct error *err)
{
	struct stat status;
	if (open_and_lock(writer, err) < 0)
		return -1;
	/* Only now: the previous writer may have appended until it released the lock. */
	if (fstat(writer->fd, &status) < 0)
		return file_cannot("open", writer->path, errno, err);
	opened->was_empty = !writer->regular || status.st_size == 0;
	if (opened->was_empty)
		return 0;
	return capture_writer_recover(writer, (uint64_t)status.st_size, opened, err);
}
