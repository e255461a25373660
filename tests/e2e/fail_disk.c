/*
 * For LD_PRELOAD: a disk that fails on requirement. While the file $FAIL_WHEN exists, $FAIL_CALL on the file $FAIL_PATH
 * fails with $FAIL_ERRNO (EIO, or one of the rows below): "fdatasync", "flock", "write", or "short", where a write
 * first takes half of its bytes; or "rename" to it kills the process before, and "mounted" fails as where it is
 * mounted. Or it is slow: "stuck", where fdatasync does not return before $FAIL_WHEN is gone. With "pieces" pwrite()
 * takes half of its bytes. With "tmpfile" no file can be made without a name. What is synced and renamed is noted in
 * the file $SYNC_LOG, a line each, in order.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_due(int fd, const char *call)
{
	const char *wanted = getenv("FAIL_CALL"), *path = getenv("FAIL_PATH"), *when = getenv("FAIL_WHEN");
	char link[64], target[PATH_MAX];
	if (!wanted || !path || !when || strcmp(wanted, call) != 0 || access(when, F_OK) != 0)
		return 0;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, target, sizeof target - 1);
	if (length < 0)
		return 0;
	target[length] = '\0';
	return strcmp(target, path) == 0;
}

static void note(const char *call, int fd, const char *path)
{
	const char *log_path = getenv("SYNC_LOG");
	char link[64], target[PATH_MAX] = "";
	FILE *log = log_path ? fopen(log_path, "a") : NULL;
	if (!log)
		return;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (!path && readlink(link, target, sizeof target - 1) > 0)
		path = target;
	fprintf(log, "%s %s\n", call, path ? path : "");
	fclose(log);
}

static int fail(void)
{
	const char *name = getenv("FAIL_ERRNO");
	static const struct {
		const char *name;
		int number;
	} rows[] = { { "ENOSPC", ENOSPC }, { "ENOLCK", ENOLCK }, { "ENOSYS", ENOSYS }, { "EOPNOTSUPP", EOPNOTSUPP } };
	errno = EIO;
	for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
		if (strcmp(name, rows[i].name) == 0)
			errno = rows[i].number;
	return -1;
}

int open(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	const char *wanted = getenv("FAIL_CALL");
	bool is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
	va_list rest;
	va_start(rest, flags);
	mode_t mode = flags & O_CREAT || is_nameless ? va_arg(rest, mode_t) : 0;
	va_end(rest);
	if (!is_nameless || !wanted || strcmp(wanted, "tmpfile") != 0)
		return real(path, flags, mode);
	errno = EOPNOTSUPP;
	return -1;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int fdatasync(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
	for (int stuck = is_due(fd, "stuck"); stuck && access(getenv("FAIL_WHEN"), F_OK) == 0;)
		usleep(1000);
	note("fdatasync", fd, NULL);
	return is_due(fd, "fdatasync") ? fail() : real(fd);
}

int fsync(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
	note("fsync", fd, NULL);
	return real(fd);
}

int flock(int fd, int operation)
{
	int (*real)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
	return is_due(fd, "flock") ? fail() : real(fd, operation);
}

int rename(const char *from, const char *to)
{
	int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
	const char *wanted = getenv("FAIL_CALL"), *path = getenv("FAIL_PATH");
	if (wanted && path && strcmp(wanted, "rename") == 0 && strcmp(path, to) == 0)
		raise(SIGKILL);
	if (wanted && path && strcmp(wanted, "mounted") == 0 && strcmp(path, to) == 0) {
		errno = EBUSY;
		return -1;
	}
	note("rename", -1, to);
	return real(from, to);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at)
{
	ssize_t (*real)(int, const void *, size_t, off_t) =
	        (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
	return real(fd, bytes, is_due(fd, "pieces") && length > 1 ? length / 2 : length, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) __attribute__((alias("pwrite")));

ssize_t write(int fd, const void *bytes, size_t length)
{
	static int halved;
	ssize_t (*real)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	if (is_due(fd, "write"))
		return fail();
	if (!is_due(fd, "short"))
		return real(fd, bytes, length);
	return halved++ ? fail() : real(fd, bytes, length / 2);
}
