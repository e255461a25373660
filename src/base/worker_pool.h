/*
 * A pool of threads that run jobs and return them in the order of submission.
 *
 * One thread submits and collects. Worker threads are started when a job finds none idle; with 0 threads, or when none
 * can be started, a job runs inside worker_pool_submit(). The number of uncollected jobs is bounded, and so is their
 * memory.
 */
#ifndef CREDHOOK_BASE_WORKER_POOL_H
#define CREDHOOK_BASE_WORKER_POOL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define WORKER_POOL_THREADS_MAX 16

struct worker_pool;

/* worker: 0 to threads - 1 (0 without threads); no two jobs with the same number run at the same time. */
typedef void worker_function(void *context, size_t worker, void *job);

/* At most `jobs_max` (1 or more) jobs may be uncollected. NULL: out of memory. */
struct worker_pool *worker_pool_new(size_t threads, size_t jobs_max, worker_function *work, void *context,
                                    struct error *err);
/* Waits for running jobs and drops those that have not started. NULL is allowed. */
void worker_pool_free(struct worker_pool *pool);

/* Not while `jobs_max` jobs are uncollected. */
void worker_pool_submit(struct worker_pool *pool, void *job);
/* The oldest job, when it is done. NULL: there is none, or (without wait) it is not done yet. */
void *worker_pool_collect(struct worker_pool *pool, bool wait);

/* How many threads are worth it: one for each processor that this process may use, by its affinity and by the quota of
 * its cgroup and of those above it (rounded up), at most WORKER_POOL_THREADS_MAX; none for one processor. The files of
 * cgroups are below `root`: "" is this machine. */
size_t worker_pool_threads(const char *root);

#endif
