/* Threads of ours: none of them is interrupted by a signal. */
#ifndef CREDHOOK_BASE_THREAD_H
#define CREDHOOK_BASE_THREAD_H

#include <pthread.h>

/* As pthread_create(), for a thread that blocks every signal: those are for the one that waits for them, SIGWINCH of a
 * prompt too. Returns an errno, or 0. */
int thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
