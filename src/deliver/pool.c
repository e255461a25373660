#include "deliver/pool.h"

#include "base/clock.h"
#include "base/thread.h"
#include "base/wake.h"
#include "deliver/journal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A thread that has more to start keeps what is done for a moment: waking the run for each costs more than a delivery.
 */
#define KEPT_DONE    16
#define KEPT_DONE_NS (CLOCK_NS_PER_MS / 2)

static const struct pool_deliverer http_deliverer = { deliverer_new, deliverer_room, deliverer_submit, deliverer_free };

struct worker {
	struct pool *pool;
	pthread_t thread;
	bool running;
	struct loop *loop; /* the run's own where there are no threads */
	struct deliverer *deliverer;
	struct deliver_options http; /* the pool's, with this worker's share of the concurrency */
	struct job_list done;        /* to be handed over at the end of a turn */
	struct loop_timer hand_over; /* at the latest then */
	struct wake wake;            /* wakes the thread: its queue was filled, or it is to stop; not open: no thread */
	struct loop_io wake_io;
	/* The run's. */
	size_t outstanding;
	struct job_list outbox; /* for the queue, at pool_push() */
	/* Under the pool's lock. */
	struct job_list queue; /* not started */
	bool stop;
};

struct pool {
	const struct deliver_policy *policy;
	const struct pool_deliverer *deliverer;
	pool_done *done;
	void *context; /* its */
	struct loop *loop;
	struct worker *workers;
	unsigned count;
	struct wake done_wake; /* wakes the run: something is done; not open: no threads */
	struct loop_io done_io;
	pthread_mutex_t lock;
	struct job_list ended; /* under the lock, like the next two */
	bool failed;
	struct error error;
};

/* ready() is called when somebody wakes the loop. */
static int watch_wakes(struct loop *loop, struct wake *wake, struct loop_io *io,
                       void (*ready)(void *context, uint32_t events), void *context, struct error *err)
{
	if (wake_open(wake, err) < 0)
		return -1;
	*io = (struct loop_io){ .fd = wake->fd, .ready = ready, .context = context };
	return loop_add(loop, io, LOOP_READ, err);
}

/* Has the job handed over at the end of this turn, or of one that comes at once. */
static void complete(struct worker *w, struct job *job)
{
	job_list_add(&w->done, job);
	if (!w->hand_over.is_set)
		loop_timer_set(w->loop, &w->hand_over, 1);
}

static void on_done(void *context, struct exchange *exchange)
{
	struct job *job = context;
	(void)exchange;
	complete(job->worker, job);
}

/* The deliverer's ready(). As many as there is room for at once: the lock is the run's and the other threads', too.
 * Afterwards there is no room, or nothing queued. */
static void start_queued(void *context)
{
	struct worker *w = context;
	struct job_list taken = { NULL, NULL, 0 };
	unsigned room;
	while ((room = w->pool->deliverer->room(w->deliverer)) > 0) {
		pthread_mutex_lock(&w->pool->lock);
		while (w->queue.first && taken.count < room)
			job_list_add(&taken, job_list_take(&w->queue));
		pthread_mutex_unlock(&w->pool->lock);
		if (!taken.first)
			return;
		for (struct job *job; (job = job_list_take(&taken)) != NULL;) {
			journal_begin(job);
			job->refused = !w->pool->deliverer->submit(w->deliverer, &job->exchange);
			if (job->refused)
				complete(w, job);
		}
	}
}

/* Hands to the run's thread what is done, unless it is kept for a moment. */
static void hand_over_to_thread(struct worker *w)
{
	struct pool *pool = w->pool;
	int64_t now = loop_now(w->loop);
	bool is_due = w->done.count >= KEPT_DONE || (w->hand_over.due > 1 && w->hand_over.due <= now);
	pthread_mutex_lock(&pool->lock);
	bool kept = w->queue.first && !is_due, was_empty = !pool->ended.first;
	if (!kept)
		job_list_move(&pool->ended, &w->done);
	pthread_mutex_unlock(&pool->lock);
	if (kept) {
		if (!w->hand_over.is_set || w->hand_over.due <= 1)
			loop_timer_set(w->loop, &w->hand_over, now + KEPT_DONE_NS);
		return;
	}
	loop_timer_cancel(w->loop, &w->hand_over);
	w->hand_over.due = 0;
	if (was_empty)
		wake_up(&pool->done_wake);
}

/* Fills the room that ended jobs have made, and hands those over. */
static void at_turn_end(void *context)
{
	struct worker *w = context;
	struct job_list batch = { NULL, NULL, 0 };
	if (!w->done.first)
		return;
	start_queued(w);
	if (w->wake.is_open) {
		hand_over_to_thread(w);
		return;
	}
	loop_timer_cancel(w->loop, &w->hand_over);
	job_list_move(&batch, &w->done);
	w->outstanding -= batch.count;
	w->pool->done(w->pool->context, &batch, NULL);
}

static void on_wake(void *context, uint32_t events)
{
	struct worker *w = context;
	(void)events;
	wake_clear(&w->wake);
	pthread_mutex_lock(&w->pool->lock);
	bool stop = w->stop;
	pthread_mutex_unlock(&w->pool->lock);
	if (stop)
		loop_stop(w->loop);
	else
		start_queued(w);
}

static void *work(void *context)
{
	struct worker *w = context;
	struct pool *pool = w->pool;
	struct error err;
	if (loop_run(w->loop, &err) < 0) {
		pthread_mutex_lock(&pool->lock);
		pool->failed = true;
		pool->error = err;
		pthread_mutex_unlock(&pool->lock);
		wake_up(&pool->done_wake);
	}
	return NULL;
}

/* Hands to the run what the threads have done. */
static void on_threads_done(void *context, uint32_t events)
{
	struct pool *pool = context;
	struct job_list batch = { NULL, NULL, 0 };
	(void)events;
	wake_clear(&pool->done_wake);
	pthread_mutex_lock(&pool->lock);
	job_list_move(&batch, &pool->ended);
	bool failed = pool->failed;
	struct error problem = pool->error;
	pthread_mutex_unlock(&pool->lock);
	for (struct job *job = batch.first; job; job = job->next)
		job->worker->outstanding--;
	pool->done(pool->context, &batch, failed ? &problem : NULL);
}

void pool_submit(struct pool *pool, struct job *job)
{
	struct worker *best = &pool->workers[0];
	for (unsigned i = 1; i < pool->count; i++)
		if (pool->workers[i].outstanding < best->outstanding)
			best = &pool->workers[i];
	job->worker = best;
	job_request(job);
	job->exchange.done = on_done;
	job->exchange.context = job;
	best->outstanding++;
	job_list_add(&best->outbox, job);
}

void pool_push(struct pool *pool)
{
	for (unsigned i = 0; i < pool->count; i++) {
		struct worker *w = &pool->workers[i];
		if (!w->outbox.first)
			continue;
		pthread_mutex_lock(&pool->lock);
		bool was_empty = !w->queue.first; /* else it knows, or has enough to do */
		job_list_move(&w->queue, &w->outbox);
		pthread_mutex_unlock(&pool->lock);
		if (!w->wake.is_open)
			start_queued(w);
		else if (was_empty)
			wake_up(&w->wake);
	}
}

void pool_recall(struct pool *pool, struct job_list *recalled)
{
	pthread_mutex_lock(&pool->lock);
	for (unsigned i = 0; i < pool->count; i++) {
		struct worker *w = &pool->workers[i];
		w->outstanding -= w->queue.count + w->outbox.count;
		job_list_move(recalled, &w->queue);
		job_list_move(recalled, &w->outbox);
	}
	pthread_mutex_unlock(&pool->lock);
}

size_t pool_outstanding(const struct pool *pool)
{
	size_t sum = 0;
	for (unsigned i = 0; i < pool->count; i++)
		sum += pool->workers[i].outstanding;
	return sum;
}

/* Before the deliverer's own duty at the end of a turn, so that what the run submits goes out within the same turn. */
static int worker_init(struct worker *w, struct pool *pool, unsigned share, struct error *err)
{
	w->http = *pool->policy->http;
	w->http.concurrency = share;
	w->http.ready = start_queued;
	w->http.ready_context = w;
	if (!w->loop || loop_at_turn_end(w->loop, at_turn_end, w, err) < 0)
		return -1;
	w->deliverer = pool->deliverer->make(w->loop, &w->http, err);
	return w->deliverer ? 0 : -1;
}

static int start_threads(struct pool *pool, struct error *err)
{
	if (watch_wakes(pool->loop, &pool->done_wake, &pool->done_io, on_threads_done, pool, err) < 0)
		return -1;
	for (struct worker *w = pool->workers; w < pool->workers + pool->count; w++) {
		if (watch_wakes(w->loop, &w->wake, &w->wake_io, on_wake, w, err) < 0)
			return -1;
		int failed = thread_start(&w->thread, work, w);
		if (failed)
			return error_set(err, EXIT_CODE_INTERNAL, "cannot start a thread: %s", strerror(failed));
		w->running = true;
	}
	return 0;
}

struct pool *pool_new(struct loop *loop, const struct deliver_policy *policy, pool_done *done, void *context,
                      struct error *err)
{
	unsigned concurrency = policy->concurrency > 0 ? policy->concurrency : 1;
	unsigned threads = policy->threads > 0 ? policy->threads : 1;
	unsigned count = threads < concurrency ? threads : concurrency;
	struct pool *pool = calloc(1, sizeof *pool);
	if (!pool || !(pool->workers = calloc(count, sizeof *pool->workers))) {
		free(pool);
		return error_no_memory_null(err);
	}
	pool->policy = policy;
	pool->done = done;
	pool->context = context;
	pool->deliverer = policy->deliverer ? policy->deliverer : &http_deliverer;
	pool->loop = loop;
	pthread_mutex_init(&pool->lock, NULL);
	/* All deliverers are made here, one after the other: making libcurl ready is not safe in threads. */
	for (; pool->count < count; pool->count++) {
		struct worker *w = &pool->workers[pool->count];
		unsigned share = concurrency / count + (pool->count < concurrency % count ? 1 : 0);
		w->pool = pool;
		w->loop = count == 1 ? loop : loop_new(err);
		if (worker_init(w, pool, share, err) < 0) {
			pool->count++;
			goto failed;
		}
	}
	if (count > 1 && start_threads(pool, err) < 0)
		goto failed;
	return pool;
failed:
	pool_free(pool);
	return NULL;
}

void pool_free(struct pool *pool)
{
	if (!pool)
		return;
	for (struct worker *w = pool->workers; w < pool->workers + pool->count; w++) {
		if (!w->running)
			continue;
		pthread_mutex_lock(&pool->lock);
		w->stop = true;
		pthread_mutex_unlock(&pool->lock);
		wake_up(&w->wake);
		pthread_join(w->thread, NULL);
	}
	for (struct worker *w = pool->workers; w < pool->workers + pool->count; w++) {
		if (w->deliverer)
			pool->deliverer->free(w->deliverer);
		if (w->loop == pool->loop) {
			loop_timer_cancel(w->loop, &w->hand_over);
			loop_cancel_turn_end(w->loop, at_turn_end, w);
		} else {
			loop_free(w->loop);
		}
		wake_close(&w->wake);
	}
	if (pool->done_wake.is_open)
		loop_remove(pool->loop, &pool->done_io);
	wake_close(&pool->done_wake);
	pthread_mutex_destroy(&pool->lock);
	free(pool->workers);
	free(pool);
}
