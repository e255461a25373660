/* Workers: each job comes back once, whichever thread had it, or is taken back before it is started. */
#include "base/clock.h"
#include "deliver/pool.h"
#include "test.h"

#include <stdatomic.h>
#include <stdlib.h>

#define JOBS 2000

/* Each delivery ends in the next turn, unless it is held: then never. */
struct deliverer {
	struct loop *loop;
	struct loop_timer timer;
	struct exchange *held[JOBS];
	unsigned in_flight, limit;
};

static atomic_uint begun;
static atomic_bool held;

static void end_all(void *context)
{
	struct deliverer *d = context;
	while (d->in_flight > 0) {
		struct exchange *exchange = d->held[--d->in_flight];
		exchange->outcome = DELIVER_RESPONDED;
		exchange->status = 200;
		exchange->done(exchange->context, exchange);
	}
}

static struct deliverer *make(struct loop *loop, const struct deliver_options *options, struct error *err)
{
	struct deliverer *d = calloc(1, sizeof *d);
	(void)err;
	*d = (struct deliverer){ .loop = loop, .limit = options->concurrency };
	d->timer = (struct loop_timer){ .fire = end_all, .context = d };
	return d;
}

static unsigned room(const struct deliverer *d)
{
	return d->limit - d->in_flight;
}

static bool submit(struct deliverer *d, struct exchange *exchange)
{
	exchange->outcome = DELIVER_FAILED;
	atomic_fetch_add(&begun, 1);
	if (exchange->request.body.length == 0)
		return false;
	d->held[d->in_flight++] = exchange;
	assert_true(d->in_flight <= d->limit);
	if (!atomic_load(&held))
		loop_timer_set(d->loop, &d->timer, 1);
	return true;
}

static void discard(struct deliverer *d)
{
	loop_timer_cancel(d->loop, &d->timer);
	free(d);
}

static const struct pool_deliverer deliverer = { make, room, submit, discard };

struct scene {
	struct loop *loop;
	struct pool *pool;
	struct deliver_policy policy;
	struct deliver_options http;
	struct job *jobs;
	unsigned back[JOBS];
	size_t given, wanted, total;
};

static void give(struct scene *s)
{
	while (s->given < JOBS && pool_outstanding(s->pool) < 100)
		pool_submit(s->pool, &s->jobs[s->given++]);
	pool_push(s->pool);
}

static void on_done(void *context, struct job_list *batch, const struct error *problem)
{
	assert_null(problem);
	struct scene *s = context;
	for (struct job *job; (job = job_list_take(batch)) != NULL;) {
		size_t index = (size_t)(job - s->jobs);
		s->back[index]++;
		s->total++;
		assert_int_equal(job->exchange.outcome, index % 10 == 7 ? DELIVER_FAILED : DELIVER_RESPONDED);
	}
	give(s);
	if (s->total == JOBS)
		loop_stop(s->loop);
}

static void set(struct scene *s, unsigned threads)
{
	struct error err;
	*s = (struct scene){ .loop = loop_new(&err), .jobs = calloc(JOBS, sizeof *s->jobs) };
	s->policy = (struct deliver_policy){
		.deliverer = &deliverer, .http = &s->http, .concurrency = 30, .threads = threads
	};
	atomic_store(&begun, 0);
	atomic_store(&held, false);
	for (size_t i = 0; i < JOBS; i++)
		if (i % 10 != 7)
			buffer_append_text(&s->jobs[i].body, "x");
	s->pool = pool_new(s->loop, &s->policy, on_done, s, &err);
	assert_non_null(s->pool);
}

static void tear_down(struct scene *s)
{
	pool_free(s->pool);
	loop_free(s->loop);
	for (size_t i = 0; i < JOBS; i++)
		buffer_release(&s->jobs[i].body);
	free(s->jobs);
}

TEST(test_each_comes_back_once)
{
	static const unsigned threads[] = { 1, 2, 7 };
	for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
		static struct scene s;
		struct error err;
		set(&s, threads[i]);
		give(&s);
		assert_int_equal(loop_run(s.loop, &err), 0);
		for (size_t job = 0; job < JOBS; job++)
			assert_int_equal(s.back[job], 1);
		assert_int_equal(atomic_load(&begun), JOBS);
		assert_int_equal(pool_outstanding(s.pool), 0);
		tear_down(&s);
	}
}

TEST(test_what_was_not_started_is_taken_back)
{
	static const unsigned threads[] = { 1, 3 };
	for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
		static struct scene s;
		struct job_list recalled = { NULL, NULL, 0 };
		set(&s, threads[i]);
		atomic_store(&held, true);
		for (size_t job = 0; job < 50; job++)
			pool_submit(s.pool, &s.jobs[job * 10]);
		pool_push(s.pool);
		pool_recall(s.pool, &recalled);
		pool_recall(s.pool, &recalled);
		size_t in_flight = pool_outstanding(s.pool);
		assert_int_equal(in_flight + recalled.count, 50);
		assert_true(recalled.count >= 20); /* which is what the concurrency leaves */
		pool_free(s.pool);
		s.pool = NULL;
		assert_int_equal(atomic_load(&begun), in_flight);
		tear_down(&s);
	}
}
