/*
 * What systems do in ways of their own: system_linux.c, and portable/system_portable.c for every other one, which uses
 * POSIX and what macOS and the BSDs have alike. Nobody else includes or calls what Linux has beyond that; the loop and
 * wake-ups have files of their own, a pair each.
 */
#ifndef CREDHOOK_BASE_SYSTEM_H
#define CREDHOOK_BASE_SYSTEM_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Descriptors. What is new is closed in child processes, from birth where the system can. They return -1 with an errno.
 */
int system_pipe(int ends[2], bool blocks);
int system_socket(int family, int type, int protocol, bool blocks);
/* From a socket that listens; the new one does not block. */
int system_accept(int fd, struct sockaddr *remote, socklen_t *size);
/* send(2) that raises no SIGPIPE, of a socket from here. */
ssize_t system_send(int fd, const void *bytes, size_t length);

/* Files. A new one of mode 0600 without a name in the folder; where the system or its file system has none: -1. */
int system_open_nameless(const char *folder);
/* mkstemps(3). */
int system_open_temporary(char *path, int suffix_length);
/* The bytes are on the disk, not in its cache. They return 0, or -1 with an errno. */
int system_sync(int fd);
int system_sync_data(int fd); /* and what is needed to read them */
/* Makes the file that long, with room on the disk for all of it. Returns 0, or an errno. */
int system_allocate(int fd, off_t size);
#define SYSTEM_FILESYSTEM_SIZE 64
/* What the file system of an open file is called: "nfs4". False: the system does not say. */
bool system_filesystem(int fd, char type[SYSTEM_FILESYSTEM_SIZE]);
/* 1: something is mounted there itself, a file or a folder; 0: nothing is; -1: the system does not say. */
int system_is_mounted(const char *path);
/* The file will be read from its beginning to its end. */
void system_expect_reading(int fd);

/* sigwait(3). is_typed: a terminal sent the signal, to all that share its foreground. */
int system_wait_signal(const sigset_t *set, bool *is_typed);

/* What a child leaves behind becomes a child of this process, where the system can: not every init takes the dead away.
 */
void system_adopt_orphans(void);

#define SYSTEM_BOOT_SIZE 36
/* Which boot of the machine this is, in that many characters. False: nobody knows. */
bool system_boot(char boot[SYSTEM_BOOT_SIZE]);
/* Writes the path of this program's file, if the size has room for it. False: the system does not say. */
bool system_program(char *path, size_t size);
/* How many processors this process may use, at least 1. */
size_t system_processors(void);
/* Random bytes of the kernel, for keys: up to 256. False: there are none, and *errno says why. */
bool system_random(void *bytes, size_t length);

/* The last such byte; NULL: there is none. */
const void *system_find_last(const void *bytes, char byte, size_t length);
/* qsort(3) with a context for compare(). */
void system_sort(void *array, size_t count, size_t size, int (*compare)(const void *a, const void *b, void *context),
                 void *context);

#endif
