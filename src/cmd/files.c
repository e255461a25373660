#include "cmd/files.h"

#include "capture/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY_NAMES_MAX 100

static int cannot(struct error *err, const char *what, const char *path, int number)
{
	return error_set(err, EXIT_CODE_IO, "cannot %s '%s': %s", what, path, strerror(number));
}

int file_read_whole(const char *path, struct buffer *out, struct error *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return cannot(err, "open", path, errno);
	int failed = buffer_read(out, fd, FILE_WHOLE_MAX);
	if (!is_stdin)
		close(fd);
	if (out->failed)
		return error_no_memory(err);
	if (failed)
		return cannot(err, "read", path, failed);
	if (out->length > FILE_WHOLE_MAX)
		return error_set(err, EXIT_CODE_IO, "'%s' is longer than 64 MiB", path);
	return 0;
}

static int write_all(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t written = write(fd, bytes, length);
		if (written < 0 && errno == EINTR)
			continue;
		if (written == 0)
			errno = EIO; /* or it would be tried for ever */
		if (written <= 0)
			return -1;
		bytes += written;
		length -= (size_t)written;
	}
	return 0;
}

/* Whether another file may be put in the place of what the path names: it is a file, or nothing yet. Not what the
 * kernel shows under /dev and /proc: /dev/stdout is a link there, and to a plain file where stdout goes to one. */
static bool is_replaceable(const char *path)
{
	struct stat status;
	if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
		return false;
	return stat(path, &status) < 0 || S_ISREG(status.st_mode);
}

/* A descriptor for a link that leads to where our own stdout or stderr goes, such as /dev/stdout: one that shares its
 * place in a file, so that neither writes over the other. -1: it leads elsewhere. */
static int open_own_output(const char *path)
{
	struct stat link, target, own;
	if (lstat(path, &link) < 0 || !S_ISLNK(link.st_mode) || stat(path, &target) < 0)
		return -1;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &own) == 0 && own.st_dev == target.st_dev && own.st_ino == target.st_ino)
			return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return -1;
}

char *file_real_path(const char *path)
{
	struct buffer whole = BUFFER_INIT;
	char *real = realpath(path, NULL);
	if (real || errno == ENOMEM)
		return real;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	LOCAL(release_text) char *folder = slash ? strndup(path, (size_t)(name - path)) : strdup(".");
	LOCAL(release_text) char *real_folder = folder ? realpath(folder, NULL) : NULL;
	if (!real_folder)
		return strdup(path); /* opening it will fail */
	buffer_printf(&whole, "%s/%s", real_folder, name);
	return whole.data;
}

/* Makes a file of a new name beside the one it is to replace, with that one's mode and, where that is allowed, owner.
 * Somebody who was killed may have left a name behind. */
static int open_temporary(struct file_writer *w)
{
	struct stat old;
	bool replaces = stat(w->real, &old) == 0;
	mode_t mode = w->is_private ? 0600 : replaces ? old.st_mode & 0777 : 0666;
	struct buffer name = BUFFER_INIT;
	for (unsigned number = 0; number < TEMPORARY_NAMES_MAX && w->fd < 0; number++) {
		buffer_clear(&name);
		buffer_printf(&name, "%s.%ld", w->real, (long)getpid());
		buffer_printf(&name, number > 0 ? "-%u.tmp" : ".tmp", number);
		if (name.failed) {
			errno = ENOMEM;
			break;
		}
		w->fd = open(name.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (w->fd < 0 && errno != EEXIST)
			break;
	}
	if (w->fd < 0) {
		int number = errno;
		buffer_release(&name);
		errno = number;
		return -1;
	}
	w->temporary = name.data; /* the buffer's memory goes to the writer */
	/* Who may not give a file away keeps it. */
	if (replaces && fchown(w->fd, old.st_uid, old.st_gid) < 0 && errno != EPERM)
		return -1;
	return replaces ? fchmod(w->fd, mode) : 0;
}

static int open_writer(struct file_writer *w, const char *path, const struct source_files *in_use, struct error *err)
{
	w->path = strdup(path);
	w->real = file_real_path(path); /* so that a link stays one */
	if (!w->path || !w->real) {
		file_writer_abandon(w);
		return error_no_memory(err);
	}
	int result = 0;
	w->fd = open_own_output(path);
	if (w->fd < 0 && replace_check(path, in_use, err) < 0) {
		file_writer_abandon(w);
		return -1;
	}
	if (w->fd < 0 && is_replaceable(path) && is_replaceable(w->real))
		result = open_temporary(w);
	else if (w->fd < 0)
		w->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (result == 0 && w->fd >= 0)
		return 0;
	int number = errno;
	file_writer_abandon(w);
	return cannot(err, "write", path, number);
}

int file_writer_open(struct file_writer *w, const char *path, const struct source_files *in_use, struct error *err)
{
	*w = (struct file_writer){ .fd = -1 };
	return open_writer(w, path, in_use, err);
}

int file_writer_open_private(struct file_writer *w, const char *path, const struct source_files *in_use,
                             struct error *err)
{
	*w = (struct file_writer){ .fd = -1, .is_private = true };
	return open_writer(w, path, in_use, err);
}

int file_writer_append(struct file_writer *w, const char *bytes, size_t length, struct error *err)
{
	return write_all(w->fd, bytes, length) < 0 ? cannot(err, "write", w->path, errno) : 0;
}

int file_writer_finish(struct file_writer *w, struct error *err)
{
	int result = close(w->fd);
	w->fd = -1;
	if (result == 0 && w->temporary)
		result = rename(w->temporary, w->real);
	if (result < 0)
		cannot(err, "write", w->path, errno);
	if (result == 0) {
		free(w->temporary);
		w->temporary = NULL;
	}
	file_writer_abandon(w);
	return result;
}

void file_writer_abandon(struct file_writer *w)
{
	if (w->fd >= 0)
		close(w->fd);
	if (w->temporary)
		unlink(w->temporary);
	free(w->temporary);
	free(w->real);
	free(w->path);
	*w = (struct file_writer){ .fd = -1 };
}

int file_write_whole(const char *path, const char *bytes, size_t length, const struct source_files *in_use,
                     struct error *err)
{
	struct file_writer w;
	if (file_writer_open(&w, path, in_use, err) < 0)
		return -1;
	if (file_writer_append(&w, bytes, length, err) == 0)
		return file_writer_finish(&w, err);
	file_writer_abandon(&w);
	return -1;
}

bool file_differs(const char *path, const char *bytes, size_t length)
{
	struct stat status;
	LOCAL_BUFFER old = BUFFER_INIT;
	struct error ignored;
	if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	bool same = (size_t)status.st_size == length && file_read_whole(path, &old, &ignored) == 0 &&
	            old.length == length && memcmp(buffer_text(&old), bytes, length) == 0;
	return !same;
}

int file_remove(const char *path, const struct source_files *in_use, struct error *err)
{
	struct stat status;
	if (lstat(path, &status) < 0 || !S_ISREG(status.st_mode) || !is_replaceable(path))
		return 0;
	if (replace_check(path, in_use, err) < 0)
		return -1;
	return unlink(path) == 0 ? 0 : cannot(err, "remove", path, errno);
}

int file_make_folders(const char *path, struct error *err)
{
	if (path[0] == '\0')
		return cannot(err, "make folder", path, ENOENT);
	LOCAL(release_text) char *partial = strdup(path);
	if (!partial)
		return error_no_memory(err);
	int result = 0;
	for (char *at = partial + 1; result == 0; at++) {
		if (*at != '/' && *at != '\0')
			continue;
		char saved = *at;
		*at = '\0';
		if (mkdir(partial, 0777) < 0 && errno != EEXIST)
			result = cannot(err, "make folder", partial, errno);
		*at = saved;
		if (saved == '\0')
			break;
	}
	return result;
}
