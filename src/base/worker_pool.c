#include "base/worker_pool.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/system.h"
#include "base/thread.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slot {
	void *job;
	bool done;
};

struct worker {
	struct worker_pool *pool;
	size_t number;
	pthread_t thread;
};

struct worker_pool {
	worker_function *work;
	void *context;
	pthread_mutex_t lock; /* guards all that follows */
	pthread_cond_t submitted;
	pthread_cond_t done;
	/* A ring buffer. The positions only grow; a slot is position % slot_count. collected <= begun <= end. */
	struct slot *slots;
	size_t slot_count;
	size_t collected, begun, end;
	size_t idle; /* threads waiting for a job */
	bool stop;
	size_t started, wanted; /* threads */
	struct worker workers[];
};

struct worker_pool *worker_pool_new(size_t threads, size_t jobs_max, worker_function *work, void *context,
                                    struct error *err)
{
	struct worker_pool *pool = calloc(1, sizeof *pool + threads * sizeof pool->workers[0]);
	struct slot *slots = calloc(jobs_max, sizeof *slots);
	if (!pool || !slots) {
		free(pool);
		free(slots);
		return error_no_memory_null(err);
	}
	pool->work = work;
	pool->context = context;
	pool->slots = slots;
	pool->slot_count = jobs_max;
	pool->wanted = threads;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->submitted, NULL);
	pthread_cond_init(&pool->done, NULL);
	return pool;
}

void worker_pool_free(struct worker_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->submitted);
	pthread_mutex_unlock(&pool->lock);
	for (size_t i = 0; i < pool->started; i++)
		pthread_join(pool->workers[i].thread, NULL);
	pthread_cond_destroy(&pool->done);
	pthread_cond_destroy(&pool->submitted);
	pthread_mutex_destroy(&pool->lock);
	free(pool->slots);
	free(pool);
}

static void *run_worker(void *argument)
{
	struct worker *worker = argument;
	struct worker_pool *pool = worker->pool;
	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (!pool->stop && pool->begun == pool->end) {
			pool->idle++;
			pthread_cond_wait(&pool->submitted, &pool->lock);
			pool->idle--;
		}
		if (pool->stop)
			break;
		struct slot *slot = &pool->slots[pool->begun++ % pool->slot_count];
		void *job = slot->job;
		pthread_mutex_unlock(&pool->lock);
		pool->work(pool->context, worker->number, job);
		pthread_mutex_lock(&pool->lock);
		slot->done = true;
		pthread_cond_signal(&pool->done);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

void worker_pool_submit(struct worker_pool *pool, void *job)
{
	pthread_mutex_lock(&pool->lock);
	struct slot *slot = &pool->slots[pool->end++ % pool->slot_count];
	*slot = (struct slot){ .job = job };
	if (pool->end - pool->begun > pool->idle && pool->started < pool->wanted) {
		struct worker *worker = &pool->workers[pool->started];
		*worker = (struct worker){ .pool = pool, .number = pool->started };
		if (thread_start(&worker->thread, run_worker, worker) == 0)
			pool->started++;
		else
			pool->wanted = pool->started; /* continue with those that run */
	}
	if (pool->started == 0) {
		pool->begun++;
		slot->done = true;
	}
	pthread_cond_signal(&pool->submitted);
	pthread_mutex_unlock(&pool->lock);
	if (pool->started == 0)
		pool->work(pool->context, 0, job);
}

void *worker_pool_collect(struct worker_pool *pool, bool wait)
{
	void *job = NULL;
	pthread_mutex_lock(&pool->lock);
	if (pool->collected < pool->end) {
		struct slot *slot = &pool->slots[pool->collected % pool->slot_count];
		while (wait && !slot->done)
			pthread_cond_wait(&pool->done, &pool->lock);
		if (slot->done) {
			job = slot->job;
			pool->collected++;
		}
	}
	pthread_mutex_unlock(&pool->lock);
	return job;
}

/* The file's first numbers. Returns how many of the two it has. */
static int read_numbers(const char *folder, const char *name, long long *first, long long *second)
{
	LOCAL_BUFFER path = BUFFER_INIT;
	buffer_printf(&path, "%s/%s", folder, name);
	FILE *file = path.failed ? NULL : fopen(path.data, "re");
	int got = file ? fscanf(file, "%18lld %18lld", first, second) : 0;
	if (file)
		fclose(file);
	return got;
}

/* Processors of the cgroup that a line of /proc/self/cgroup names, and of those above it: "4:cpu,cpuacct:/a/b", or
 * "0::/a/b" of cgroups v2. A container may see its own as the uppermost one, whatever it is called. "150000 100000" in
 * cpu.max are two, "max 100000" is unlimited; the other files are those of cgroups v1, where -1 is. */
static size_t quota_of_line(const char *root, char *line)
{
	size_t least = SIZE_MAX;
	strsep(&line, ":");
	const char *controllers = strsep(&line, ":");
	for (char *end = line ? line + strlen(line) : NULL; end; end = strrchr(line, '/')) {
		LOCAL_BUFFER folder = BUFFER_INIT;
		long long quota = 0, period = 0, none;
		*end = '\0';
		buffer_printf(&folder, "%s/sys/fs/cgroup/%s%s", root, controllers, line);
		if (read_numbers(buffer_text(&folder), "cpu.max", &quota, &period) < 2) {
			read_numbers(buffer_text(&folder), "cpu.cfs_quota_us", &quota, &none);
			read_numbers(buffer_text(&folder), "cpu.cfs_period_us", &period, &none);
		}
		size_t processors = quota > 0 && period > 0 ? (size_t)((quota - 1) / period + 1) : SIZE_MAX;
		least = processors < least ? processors : least;
	}
	return least;
}

size_t worker_pool_threads(const char *root)
{
	LOCAL_BUFFER path = BUFFER_INIT, text = BUFFER_INIT;
	struct error unused;
	size_t least = system_processors();
	buffer_printf(&path, "%s/proc/self/cgroup", root);
	bool is_read = !path.failed && file_read_whole(path.data, &text, NULL, &unused) == 0;
	char *rest = is_read ? text.data : NULL;
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		size_t quota = quota_of_line(root, line);
		least = quota < least ? quota : least;
	}
	if (least > WORKER_POOL_THREADS_MAX)
		return WORKER_POOL_THREADS_MAX;
	return least > 1 ? least : 0;
}
