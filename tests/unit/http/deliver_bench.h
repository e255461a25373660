/* A deliverer on a loop of its own against a bad_server, and the deliveries it is given. */
#ifndef DELIVER_BENCH_H
#define DELIVER_BENCH_H

#include "base/clock.h"
#include "http/bad_server.h"
#include "http/deliver.h"
#include "test.h"

#define MOST 512

struct bench {
	struct bad_server *server;
	struct loop *loop;
	struct deliver_options options;
	struct deliverer *deliverer;
	struct exchange deliveries[MOST];
	char bodies[MOST][32];
	unsigned count;   /* made */
	unsigned started; /* submitted; the others wait for room */
	unsigned done;
	unsigned stop_after; /* the loop ends when this many are done */
	unsigned abort_after;
	unsigned most_in_flight;
	unsigned order[MOST];
	struct error err;
};

/* Submits what waits, as long as there is room. */
static void go(void *context)
{
	struct bench *b = context;
	while (b->started < b->count && deliverer_room(b->deliverer) > 0) {
		struct exchange *exchange = &b->deliveries[b->started++];
		if (!deliverer_submit(b->deliverer, exchange))
			fail_msg("%s", exchange->message);
	}
}

static int make_bench(void **state)
{
	struct bench *b = calloc(1, sizeof *b);
	b->server = bad_server_start();
	b->loop = loop_new(&b->err);
	b->options.url = b->server->url;
	b->options.ready = go;
	b->options.ready_context = b;
	b->options.max_time_ns = 600 * CLOCK_NS_PER_S; /* no test hangs */
	*state = b;
	return b->loop ? 0 : -1;
}

static int drop_bench(void **state)
{
	struct bench *b = *state;
	deliverer_free(b->deliverer);
	loop_free(b->loop);
	bad_server_stop(b->server);
	for (unsigned i = 0; i < b->count; i++)
		exchange_release(&b->deliveries[i]);
	free(b);
	return 0;
}

static void start(struct bench *b)
{
	b->deliverer = deliverer_new(b->loop, &b->options, &b->err);
	if (!b->deliverer)
		fail_msg("%s", b->err.message);
}

static void on_done(void *context, struct exchange *exchange)
{
	struct bench *b = context;
	unsigned in_flight = b->started - b->done;
	if (in_flight > b->most_in_flight)
		b->most_in_flight = in_flight;
	b->order[b->done++] = (unsigned)(exchange - b->deliveries);
	if (b->done == b->abort_after)
		deliverer_abort_all(b->deliverer);
	if (b->done == b->stop_after)
		loop_stop(b->loop);
	go(b);
}

static struct exchange *make_delivery(struct bench *b, const char *word)
{
	struct exchange *exchange = &b->deliveries[b->count];
	snprintf(b->bodies[b->count], sizeof b->bodies[0], "%s %u", word, b->count);
	exchange->request.body = text_of(b->bodies[b->count]);
	exchange->done = on_done;
	exchange->context = b;
	b->count++;
	return exchange;
}

static struct exchange *submit(struct bench *b, const char *word)
{
	struct exchange *exchange = make_delivery(b, word);
	go(b);
	return exchange;
}

static void run(struct bench *b)
{
	go(b);
	while (b->done < b->count)
		assert_int_equal(loop_turn(b->loop, &b->err), 0);
}

static struct exchange *deliver(struct bench *b, const char *word)
{
	struct exchange *exchange = submit(b, word);
	run(b);
	return exchange;
}

static inline unsigned seen(struct bench *b, unsigned number)
{
	pthread_mutex_lock(&b->server->mutex);
	unsigned times = b->server->seen[number];
	pthread_mutex_unlock(&b->server->mutex);
	return times;
}

#define BENCH_TEST(name) TEST_WITH(name, make_bench, drop_bench)

#endif
