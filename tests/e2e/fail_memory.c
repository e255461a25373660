/*
 * For LD_PRELOAD: memory that fails once. From main() on, allocation number $FAIL_AT returns NULL, with ENOMEM; the
 * others are glibc's. The file $ALLOCATIONS has a line each for who asked for the one that failed (libc.so.6:strdup;
 * "?" is a function that is not exported), and, where main() returns, for how many there were.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_bool begun;
static atomic_ulong allocations;
static unsigned long fail_at;
static int log_fd = -1;

static int fails(void *caller)
{
	Dl_info asker;
	if (!begun || ++allocations != fail_at)
		return 0;
	if (dladdr(caller, &asker) && asker.dli_fname) {
		const char *slash = strrchr(asker.dli_fname, '/');
		dprintf(log_fd, "%s:%s\n", slash ? slash + 1 : asker.dli_fname,
		        asker.dli_sname ? asker.dli_sname : "?");
	}
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	*out = memalign(alignment, size);
	return *out ? 0 : ENOMEM;
}

static int (*real_main)(int, char **, char **);

static int counted_main(int argc, char **argv, char **env)
{
	const char *at = getenv("FAIL_AT"), *path = getenv("ALLOCATIONS");
	unsetenv("LD_PRELOAD"); /* children have all the memory that they want */
	fail_at = at ? strtoul(at, NULL, 10) : 0;
	log_fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	begun = 1;
	int code = real_main(argc, argv, env);
	begun = 0;
	dprintf(log_fd, "%lu\n", (unsigned long)allocations);
	return code;
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
	__typeof__(&__libc_start_main) real = (__typeof__(real))dlsym(RTLD_NEXT, "__libc_start_main");
	real_main = main;
	return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
