/*
 * Workers that deliver jobs: one on the run's own loop, or several in threads with a loop and a deliverer each.
 *
 * Jobs are given out by one thread, the run's, and come back to it in batches, at the end of a turn of its loop. A job
 * that was given out waits in its worker's queue until the worker can start it; from then on it belongs to the worker,
 * until it comes back.
 */
#ifndef CREDHOOK_DELIVER_POOL_H
#define CREDHOOK_DELIVER_POOL_H

#include "deliver/delivery_run.h"

struct pool;

/* Gets what has ended, at the end of a turn; may submit. `problem`: NULL, or why a worker can work no more. */
typedef void pool_done(void *context, struct job_list *batch, const struct error *problem);
/* Workers as the policy wants them, which is borrowed. NULL: see deliverer_new(); or no thread can be had. Signals
 * should be blocked. */
struct pool *pool_new(struct loop *loop, const struct deliver_policy *policy, pool_done *done, void *context,
                      struct error *err);
void pool_free(struct pool *pool); /* NULL is allowed; what is in flight is dropped, and no job freed */

/* Gives a job to the worker that has least to do; it comes into its queue at pool_push(). */
void pool_submit(struct pool *pool, struct job *job);
void pool_push(struct pool *pool);

/* Takes back all that was not started. */
void pool_recall(struct pool *pool, struct job_list *recalled);

/* Submitted, and not back yet. */
size_t pool_outstanding(const struct pool *pool);

#endif
