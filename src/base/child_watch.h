/* How the end of a child is seen from a descriptor: child_watch_pidfd.c, where the system has pidfd_open(2), and
 * child_watch_thread.c. For child.c. */
#ifndef CREDHOOK_BASE_CHILD_WATCH_H
#define CREDHOOK_BASE_CHILD_WATCH_H

#include <sys/types.h>

/* A descriptor that can be read once this child has ended, which the caller closes. The child is still to be waited
 * for. -1: there is none. */
int child_watch(pid_t child);

#endif
