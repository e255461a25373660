#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int system_pipe(int ends[2], bool blocks)
{
	return pipe2(ends, blocks ? O_CLOEXEC : O_CLOEXEC | O_NONBLOCK);
}

int system_socket(int family, int type, int protocol, bool blocks)
{
	return socket(family, type | SOCK_CLOEXEC | (blocks ? 0 : SOCK_NONBLOCK), protocol);
}

int system_accept(int fd, struct sockaddr *remote, socklen_t *size)
{
	return accept4(fd, remote, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

ssize_t system_send(int fd, const void *bytes, size_t length)
{
	return send(fd, bytes, length, MSG_NOSIGNAL);
}

int system_open_nameless(const char *folder)
{
	return open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int system_open_temporary(char *path, int suffix_length)
{
	return mkostemps(path, suffix_length, O_CLOEXEC);
}

int system_sync(int fd)
{
	return fsync(fd);
}

int system_sync_data(int fd)
{
	return fdatasync(fd);
}

int system_allocate(int fd, off_t size)
{
	return posix_fallocate(fd, 0, size);
}

bool system_filesystem(int fd, char type[SYSTEM_FILESYSTEM_SIZE])
{
	char line[4096];
	struct stat status;
	FILE *mounts = fstat(fd, &status) == 0 ? fopen("/proc/self/mountinfo", "re") : NULL;
	bool is_found = false;
	/* ID PARENT MAJOR:MINOR ROOT PLACE OPTIONS [TAG...] - TYPE SOURCE OPTIONS */
	while (mounts && !is_found && fgets(line, sizeof line, mounts)) {
		unsigned at_major, at_minor;
		const char *behind = strstr(line, " - ");
		is_found = behind && sscanf(line, "%*u %*u %u:%u", &at_major, &at_minor) == 2 &&
		           makedev(at_major, at_minor) == status.st_dev && sscanf(behind, " - %63s", type) == 1;
	}
	if (mounts)
		fclose(mounts);
	return is_found;
}

int system_is_mounted(const char *path)
{
	struct statx status;
	if (statx(AT_FDCWD, path, 0, STATX_TYPE, &status) < 0 || !(status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT))
		return -1;
	return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

void system_expect_reading(int fd)
{
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

int system_wait_signal(const sigset_t *set, bool *is_typed)
{
	siginfo_t info;
	int number;
	do
		number = sigwaitinfo(set, &info);
	while (number < 0);
	*is_typed = info.si_code == SI_KERNEL;
	return number;
}

void system_adopt_orphans(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool system_boot(char boot[SYSTEM_BOOT_SIZE])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	bool is_known = fd >= 0 && read(fd, boot, SYSTEM_BOOT_SIZE) == SYSTEM_BOOT_SIZE;
	if (fd >= 0)
		close(fd);
	return is_known;
}

bool system_program(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size);
	if (length <= 0 || (size_t)length >= size)
		return false;
	path[length] = '\0';
	return true;
}

size_t system_processors(void)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

bool system_random(void *bytes, size_t length)
{
	return getrandom(bytes, length, 0) == (ssize_t)length;
}

const void *system_find_last(const void *bytes, char byte, size_t length)
{
	return memrchr(bytes, byte, length);
}

void system_sort(void *array, size_t count, size_t size, int (*compare)(const void *a, const void *b, void *context),
                 void *context)
{
	qsort_r(array, count, size, compare, context);
}
