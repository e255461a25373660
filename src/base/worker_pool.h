/*
 * Threads that work through jobs, and hand them back in the order in which they were given.
 *
 * Whoever owns the pool gives jobs and takes them back, from one thread. Threads are started as jobs find none idle;
 * with 0 threads, or where none can be started, a job is done while it is given. The number of jobs that were given and
 * not taken back is bounded, and with it the memory that they hold.
 */
#ifndef CREDHOOK_BASE_WORKER_POOL_H
#define CREDHOOK_BASE_WORKER_POOL_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

#define WORKER_POOL_THREADS_MAX 256

struct worker_pool;

/* worker: 0 to threads - 1 (0 without threads); two jobs with the same number never run at the same time. */
typedef void worker_function(void *context, size_t worker, void *job);

/* At most `jobs_max` (1 or more) jobs are given and not taken back. NULL: no memory. */
struct worker_pool *worker_pool_new(size_t threads, size_t jobs_max, worker_function *work, void *context,
                                    struct error *err);
/* Waits for the jobs that are being done; those that nobody began are dropped. NULL is allowed. */
void worker_pool_free(struct worker_pool *pool);

/* Not while jobs_max were given and not taken back. */
void worker_pool_submit(struct worker_pool *pool, void *job);
/* The oldest job once it is done. NULL: none is pending, or (without wait) the oldest is not done yet. */
void *worker_pool_collect(struct worker_pool *pool, bool wait);

/* How many processors this process may use; 1 at least. */
size_t worker_pool_processors(void);

#endif
