/* The worker pool: every job once, handed back in order, whatever the threads do. */
#include "base/system.h"
#include "base/worker_pool.h"
#include "test.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define JOBS 2000

struct job {
	unsigned number;
	unsigned done;
	pthread_t by;
};

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t opened;
	bool open;
};

static void work(void *context, size_t worker, void *given)
{
	struct job *job = given;
	size_t *busy = context;
	/* Two jobs with one number at the same time would be a race that ThreadSanitizer sees. */
	busy[worker]++;
	if (job->number % 128 == 0) /* some take longer; on a busy machine each waits for all that runs there */
		sched_yield();
	job->done++;
	job->by = pthread_self();
}

TEST(jobs_come_back_once_and_in_order)
{
	static const struct {
		size_t threads, room;
	} cases[] = { { 0, 1 }, { 0, 5 }, { 1, 1 }, { 1, 3 }, { 2, 2 }, { 8, 1 }, { 8, 10 } };
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		struct job jobs[JOBS] = { { 0 } };
		size_t busy[WORKER_POOL_THREADS_MAX] = { 0 };
		struct error err;
		struct worker_pool *pool = worker_pool_new(cases[c].threads, cases[c].room, work, busy, &err);
		assert_non_null(pool);
		unsigned taken = 0;
		for (unsigned i = 0; i < JOBS; i++) {
			jobs[i].number = i;
			while (i - taken == cases[c].room)
				assert_ptr_equal(worker_pool_collect(pool, true), &jobs[taken++]);
			worker_pool_submit(pool, &jobs[i]);
			struct job *done = worker_pool_collect(pool, false);
			if (done)
				assert_ptr_equal(done, &jobs[taken++]);
		}
		for (struct job *done; (done = worker_pool_collect(pool, true));)
			assert_ptr_equal(done, &jobs[taken++]);
		assert_int_equal(taken, JOBS);
		worker_pool_free(pool);
		size_t sum = 0;
		for (size_t i = 0; i < WORKER_POOL_THREADS_MAX; i++)
			sum += busy[i];
		assert_int_equal(sum, JOBS);
		for (unsigned i = 0; i < JOBS; i++) {
			assert_int_equal(jobs[i].done, 1);
			if (cases[c].threads == 0)
				assert_true(pthread_equal(jobs[i].by, pthread_self()));
		}
	}
}

static void wait_at_gate(void *context, size_t worker, void *job)
{
	struct gate *gate = context;
	(void)worker;
	pthread_mutex_lock(&gate->lock);
	while (!gate->open)
		pthread_cond_wait(&gate->opened, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
	*(int *)job = 1;
}

TEST(a_job_that_is_not_done_is_waited_for_only_on_request)
{
	struct gate gate = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false };
	struct error err;
	int jobs[2] = { 0, 0 };
	struct worker_pool *pool = worker_pool_new(2, 2, wait_at_gate, &gate, &err);
	assert_non_null(pool);
	assert_null(worker_pool_collect(pool, true)); /* none was given */
	worker_pool_submit(pool, &jobs[0]);
	worker_pool_submit(pool, &jobs[1]);
	assert_null(worker_pool_collect(pool, false));
	pthread_mutex_lock(&gate.lock);
	gate.open = true;
	pthread_cond_broadcast(&gate.opened);
	pthread_mutex_unlock(&gate.lock);
	assert_ptr_equal(worker_pool_collect(pool, true), &jobs[0]);
	assert_int_equal(jobs[0], 1);
	worker_pool_free(pool); /* with a job that nobody took */
}

static void write_file(const char *root, const char *name, const char *text)
{
	char command[PATH_MAX];
	int length = snprintf(command, sizeof command, "f='%s/%s'; mkdir -p \"${f%%/*}\" && printf -- '%s' >\"$f\"",
	                      root, name, text);
	assert_in_range(length, 1, sizeof command - 1);
	assert_int_equal(system(command), 0);
}

/* The least quota of the cgroup and those above it, whichever version, rounded up; never more than the affinity has. */
TEST(there_are_as_many_threads_as_processors_by_affinity_and_quota)
{
#define CGROUP "proc/self/cgroup"
#define V2     "sys/fs/cgroup/"
#define V1     "sys/fs/cgroup/cpu,cpuacct/"
	static const struct {
		const char *files[6]; /* name, text */
		size_t most;
	} cases[] = {
		{ { NULL }, SIZE_MAX },
		{ { CGROUP, "" }, SIZE_MAX },
		{ { CGROUP, "0::/a/b\\n", V2 "a/b/cpu.max", "max 100000\\n" }, SIZE_MAX },
		{ { CGROUP, "0::/a/b\\n", V2 "a/b/cpu.max", "100000 100000\\n" }, 1 },
		{ { CGROUP, "0::/a/b\\n", V2 "a/b/cpu.max", "100001 100000\\n" }, 2 },
		{ { CGROUP, "0::/a/b\\n", V2 "a/cpu.max", "1000 100000\\n", V2 "a/b/cpu.max", "max 100000\\n" }, 1 },
		{ { CGROUP, "0::/docker/1\\n", V2 "cpu.max", "50000 100000\\n" }, 1 },
		{ { CGROUP, "0::/\\n", V2 "cpu.max", "50000 100000\\n", V2 "other/cpu.max", "1 1" }, 1 },
		{ { CGROUP, "0::/a\\n", V2 "a/cpu.max", "0 0\\n", V2 "b/cpu.max", "1 1" }, SIZE_MAX },
		{ { CGROUP, "9:memory:/x\\n4:cpu,cpuacct:/a\\n", V1 "a/cpu.cfs_quota_us", "90000\\n",
		    V1 "a/cpu.cfs_period_us", "100000\\n" },
		  1 },
		{ { CGROUP, "4:cpu,cpuacct:/docker/1\\n", V1 "cpu.cfs_quota_us", "150000\\n", V1 "cpu.cfs_period_us",
		    "100000\\n" },
		  2 },
		{ { CGROUP, "4:cpu,cpuacct:/a\\n", V1 "a/cpu.cfs_quota_us", "-1\\n", V1 "a/cpu.cfs_period_us",
		    "100000\\n" },
		  SIZE_MAX },
		{ { CGROUP, "no colon\\n::\\n0:\\n" }, SIZE_MAX },
	};
	size_t allowed = system_processors();
	allowed = allowed < 16 ? allowed : 16;
	assert_true(worker_pool_threads("") <= allowed);
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		char root[] = "/tmp/worker_pool.XXXXXX", command[64];
		assert_non_null(mkdtemp(root));
		for (size_t i = 0; i < 6 && cases[c].files[i]; i += 2)
			write_file(root, cases[c].files[i], cases[c].files[i + 1]);
		size_t found = worker_pool_threads(root), expected = cases[c].most < allowed ? cases[c].most : allowed;
		snprintf(command, sizeof command, "rm -r %s", root);
		assert_int_equal(system(command), 0);
		if (found != (expected > 1 ? expected : 0))
			fail_msg("%zu: %zu, not %zu", c, found, expected);
	}
}
