#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

int fdatasync(int fd); /* macOS has it without a declaration */

/* -1 where it is -1. */
static int made(int fd, bool blocks)
{
	if (fd < 0)
		return -1;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (!blocks)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return fd;
}

static int made_socket(int fd, bool blocks)
{
#ifdef SO_NOSIGPIPE
	const int on = 1;
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
	return made(fd, blocks);
}

int system_pipe(int ends[2], bool blocks)
{
	if (pipe(ends) < 0)
		return -1;
	made(ends[0], blocks);
	made(ends[1], blocks);
	return 0;
}

int system_socket(int family, int type, int protocol, bool blocks)
{
	return made_socket(socket(family, type, protocol), blocks);
}

int system_accept(int fd, struct sockaddr *remote, socklen_t *size)
{
	return made_socket(accept(fd, remote, size), false);
}

ssize_t system_send(int fd, const void *bytes, size_t length)
{
#ifdef SO_NOSIGPIPE
	return send(fd, bytes, length, 0);
#else
	return send(fd, bytes, length, MSG_NOSIGNAL);
#endif
}

int system_open_nameless(const char *folder)
{
	(void)folder;
	errno = EOPNOTSUPP;
	return -1;
}

int system_open_temporary(char *path, int suffix_length)
{
	return made(mkstemps(path, suffix_length), true);
}

/* Elsewhere fsync(2) leaves it to the disk when it writes what is in its cache. */
int system_sync(int fd)
{
#ifdef F_FULLFSYNC
	if (fcntl(fd, F_FULLFSYNC) == 0)
		return 0;
#endif
	return fsync(fd);
}

int system_sync_data(int fd)
{
#ifdef F_FULLFSYNC
	return system_sync(fd);
#else
	return fdatasync(fd);
#endif
}

int system_allocate(int fd, off_t size)
{
	static const char zeros[4096];
	for (off_t at = 0; at < size;) {
		size_t piece = size - at < (off_t)sizeof zeros ? (size_t)(size - at) : sizeof zeros;
		ssize_t written = pwrite(fd, zeros, piece, at);
		if (written < 0 && errno != EINTR)
			return errno;
		at += written > 0 ? written : 0;
	}
	return 0;
}

bool system_filesystem(int fd, char type[SYSTEM_FILESYSTEM_SIZE])
{
	(void)fd;
	(void)type;
	return false;
}

int system_is_mounted(const char *path)
{
	(void)path;
	return -1;
}

void system_expect_reading(int fd)
{
	(void)fd;
}

/* Who sent a signal is not known: in the foreground of a terminal, SIGINT is taken for typed. */
static bool is_foreground(void)
{
	int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	bool is = fd >= 0 && tcgetpgrp(fd) == getpgrp();
	if (fd >= 0)
		close(fd);
	return is;
}

int system_wait_signal(const sigset_t *set, bool *is_typed)
{
	int number;
	while (sigwait(set, &number) != 0)
		continue;
	*is_typed = number == SIGINT && is_foreground();
	return number;
}

void system_adopt_orphans(void)
{
}

bool system_boot(char boot[SYSTEM_BOOT_SIZE])
{
#ifdef __APPLE__
	char text[SYSTEM_BOOT_SIZE + 1];
	size_t size = sizeof text;
	bool is_known = sysctlbyname("kern.bootsessionuuid", text, &size, NULL, 0) == 0 && size == sizeof text;
	if (is_known)
		memcpy(boot, text, SYSTEM_BOOT_SIZE);
	return is_known;
#else
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	bool is_known = fd >= 0 && read(fd, boot, SYSTEM_BOOT_SIZE) == SYSTEM_BOOT_SIZE;
	if (fd >= 0)
		close(fd);
	return is_known;
#endif
}

bool system_program(char *path, size_t size)
{
	(void)path;
	(void)size;
	return false;
}

size_t system_processors(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	return count > 1 ? (size_t)count : 1;
}

bool system_random(void *bytes, size_t length)
{
	return getentropy(bytes, length) == 0;
}

const void *system_find_last(const void *bytes, char byte, size_t length)
{
	const char *text = bytes;
	while (length > 0)
		if (text[--length] == byte)
			return text + length;
	return NULL;
}

struct sorting {
	char *array;
	size_t size;
	int (*compare)(const void *a, const void *b, void *context);
	void *context;
};

static void swap(const struct sorting *s, size_t one, size_t other)
{
	char *a = s->array + one * s->size, *b = s->array + other * s->size;
	for (size_t i = 0; i < s->size; i++) {
		char byte = a[i];
		a[i] = b[i];
		b[i] = byte;
	}
}

static bool is_less(const struct sorting *s, size_t one, size_t other)
{
	return s->compare(s->array + one * s->size, s->array + other * s->size, s->context) < 0;
}

/* Lets the element sink until none below it in the heap is larger. */
static void sink(const struct sorting *s, size_t at, size_t count)
{
	for (size_t below; (below = 2 * at + 1) < count; at = below) {
		if (below + 1 < count && is_less(s, below, below + 1))
			below++;
		if (!is_less(s, at, below))
			return;
		swap(s, at, below);
	}
}

/* A heap sort: qsort_r(3) has its arguments in an order of its own on each system. */
void system_sort(void *array, size_t count, size_t size, int (*compare)(const void *a, const void *b, void *context),
                 void *context)
{
	const struct sorting s = { array, size, compare, context };
	for (size_t at = count / 2; at-- > 0;)
		sink(&s, at, count);
	for (size_t end = count; end-- > 1;) {
		swap(&s, 0, end);
		sink(&s, 0, end);
	}
}
