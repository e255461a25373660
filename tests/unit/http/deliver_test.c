#include "http/deliver_bench.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>

BENCH_TEST(every_behaviour_has_its_outcome)
{
	static const struct {
		const char *word;
		enum deliver_outcome outcome;
		int status;
		const char *message; /* how it starts */
	} cases[] = {
		{ "ok", DELIVER_RESPONDED, 200, "" },
		{ "last", DELIVER_RESPONDED, 200, "" },
		{ "moved", DELIVER_RESPONDED, 302, "" },
		{ "close", DELIVER_UNKNOWN, 0, "the server closed the connection without a response" },
		{ "interim", DELIVER_UNKNOWN, 0, "the server closed the connection without a response" },
		{ "reset", DELIVER_UNKNOWN, 0, "the server reset the connection without a response" },
		{ "garbage", DELIVER_UNKNOWN, 0, "the response is not HTTP" },
		{ "half", DELIVER_UNKNOWN, 200, "the response is incomplete" },
		{ "halfhead", DELIVER_UNKNOWN, 503, "the response is incomplete" },
		{ "heads", DELIVER_UNKNOWN, 200, "the head of the response is longer than 256 KiB" },
		{ "endless", DELIVER_UNKNOWN, 200, "the response is longer than 1 MiB" },
		{ "bulky", DELIVER_RESPONDED, 200, "" },
		/* Last: whether the next one runs into the closing is a matter of chance. */
		{ "bye", DELIVER_RESPONDED, 200, "" },
	};
	struct bench *b = *state;
	start(b);
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct exchange *exchange = deliver(b, cases[i].word);
		print_message("%s: %d %d '%s'\n", cases[i].word, (int)exchange->outcome, exchange->status,
		              exchange->message);
		assert_int_equal(exchange->outcome, cases[i].outcome);
		assert_int_equal(exchange->status, cases[i].status);
		assert_int_equal(strncmp(exchange->message, cases[i].message, strlen(cases[i].message)), 0);
		assert_int_equal(exchange->message[0] == '\0', cases[i].message[0] == '\0');
		assert_int_equal(seen(b, i), 1);
		if (exchange->outcome == DELIVER_RESPONDED)
			assert_int_equal(exchange->body_sent, exchange->request.body.length);
		assert_true(exchange->sent_ns > 0);
		assert_true(exchange->started_ns <= exchange->sent_ns && exchange->sent_ns <= exchange->finished_ns);
	}
}

BENCH_TEST(an_answer_is_kept_up_to_the_cap)
{
	struct bench *b = *state;
	b->options.response_keep = 1000;
	start(b);
	struct exchange *fine = deliver(b, "ok");
	assert_string_equal(fine->response.body.text, "fine");
	assert_string_equal(exchange_field(fine, "Content-Type"), "text/plain");
	assert_false(fine->response_cut);
	struct exchange *moved = deliver(b, "moved");
	assert_string_equal(exchange_field(moved, "location"), "/ok");
	assert_string_equal(exchange_field(moved, "Retry-After"), "7");
	assert_string_equal(exchange_field(moved, "Content-Type"), "");
	struct exchange *bulky = deliver(b, "bulky");
	assert_int_equal(bulky->response.body.length, 1000);
	assert_int_equal(bulky->response_length, 200000);
	assert_true(bulky->response_cut);
	struct exchange *endless = deliver(b, "endless");
	assert_int_equal(endless->response.body.length, 1000);
	assert_true(endless->response_cut);
	assert_int_equal(b->server->connections, 1); /* all but the last left it usable */
}

/* libcurl alone would send the second body again on a new connection. */
BENCH_TEST(a_request_on_a_reused_connection_goes_out_once)
{
	static const char *const ends[] = { "close", "reset" };
	struct bench *b = *state;
	start(b);
	for (unsigned i = 0; i < 16; i++) { /* libcurl counts re-sends per handle, and acts differently at the sixth */
		struct exchange *first = deliver(b, "ok");
		unsigned connections = b->server->connections;
		struct exchange *second = deliver(b, ends[i % 2]);
		assert_int_equal(first->outcome, DELIVER_RESPONDED);
		assert_int_equal(b->server->connections, connections); /* it was reused, and none made in vain */
		assert_int_equal(second->outcome, DELIVER_UNKNOWN);
		assert_int_equal(seen(b, 2 * i + 1), 1);
		assert_non_null(strstr(second->message, "the connection without a response"));
	}
	assert_int_equal(b->server->connections, 16);
}

BENCH_TEST(nothing_arrives_twice_over_connections_that_break)
{
	struct bench *b = *state;
	unsigned outcomes[4] = { 0 };
	b->options.concurrency = 8;
	start(b);
	for (unsigned i = 0; i < 400; i++)
		submit(b, "random");
	run(b);
	for (unsigned i = 0; i < b->count; i++) {
		outcomes[b->deliveries[i].outcome]++;
		assert_true(seen(b, i) <= 1);
		if (b->deliveries[i].outcome == DELIVER_RESPONDED)
			assert_int_equal(seen(b, i), 1);
		if (b->deliveries[i].outcome == DELIVER_FAILED)
			assert_int_equal(seen(b, i), 0);
	}
	assert_true(outcomes[DELIVER_RESPONDED] > 100);
	assert_true(outcomes[DELIVER_UNKNOWN] > 50);
	assert_true(b->most_in_flight <= 8);
}

BENCH_TEST(concurrency_is_a_limit_and_is_used)
{
	struct bench *b = *state;
	b->options.concurrency = 4;
	b->server->barrier = 4;
	start(b);
	for (unsigned i = 0; i < 20; i++)
		submit(b, "barrier");
	run(b);
	for (unsigned i = 0; i < 20; i++)
		assert_int_equal(b->deliveries[i].status, 200);
	assert_int_equal(b->server->waiting_max, 4);
	assert_int_equal(b->most_in_flight, 4);
	assert_int_equal(b->server->connections, 4);
}

BENCH_TEST(many_connections_are_spread_over_handles)
{
	struct bench *b = *state;
	b->options.concurrency = 300;
	b->server->barrier = 300;
	start(b);
	for (unsigned i = 0; i < 300; i++)
		submit(b, "barrier");
	run(b);
	assert_int_equal(b->server->waiting_max, 300);
	assert_int_equal(b->server->connections, 300);
}

BENCH_TEST(one_at_a_time_keeps_the_order)
{
	struct bench *b = *state;
	start(b);
	for (unsigned i = 0; i < 50; i++)
		submit(b, "ok");
	assert_int_equal(b->started, 1);
	run(b);
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(b->order[i], i);
		assert_int_equal(b->server->order[i], i);
	}
	assert_int_equal(b->server->connections, 1);
}

BENCH_TEST(the_first_goes_alone_until_connected)
{
	struct bench *b = *state;
	b->options.concurrency = 8;
	b->server->barrier = 8; /* so that none is answered before all have come */
	start(b);
	for (unsigned i = 0; i < 8; i++)
		submit(b, "barrier");
	assert_int_equal(b->started, 1);
	run(b);
	assert_int_equal(b->most_in_flight, 8);
}

BENCH_TEST(a_time_limit_after_sending_is_unknown)
{
	struct bench *b = *state;
	b->options.max_time_ns = 150 * CLOCK_NS_PER_MS;
	start(b);
	struct exchange *hang = deliver(b, "hang");
	assert_int_equal(hang->outcome, DELIVER_UNKNOWN);
	assert_int_equal(strncmp(hang->message, "timed out after ", 16), 0);
	assert_true(hang->latency_ns >= 149 * CLOCK_NS_PER_MS);
	struct exchange *stall = deliver(b, "stall");
	assert_int_equal(stall->outcome, DELIVER_UNKNOWN);
	assert_int_equal(stall->status, 200);
	assert_int_equal(stall->response.body.length, 10);
	assert_non_null(strstr(stall->message, "the response is incomplete"));
}

/* A listener that does not accept, its queue full: connecting takes for ever. */
BENCH_TEST(a_time_limit_before_sending_is_failed)
{
	struct bench *b = *state;
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct sockaddr *any = (struct sockaddr *)(void *)&address;
	socklen_t length = sizeof address;
	int full = socket(AF_INET, SOCK_STREAM, 0);
	int fillers[4];
	char url[64];
	assert_int_equal(bind(full, any, length) | listen(full, 0) | getsockname(full, any, &length), 0);
	for (unsigned i = 0; i < 4; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		assert_true(connect(fillers[i], any, length) == 0 || errno == EINPROGRESS);
	}
	snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(address.sin_port));
	b->options.url = url;
	b->options.connect_timeout_ns = 150 * CLOCK_NS_PER_MS;
	start(b);
	struct exchange *exchange = deliver(b, "ok");
	assert_int_equal(exchange->outcome, DELIVER_FAILED);
	assert_non_null(strstr(exchange->message, "while connecting"));
	assert_int_equal(exchange->sent_ns, 0);
	assert_int_equal(exchange->body_sent, 0);
	for (unsigned i = 0; i < 4; i++)
		close(fillers[i]);
	close(full);
}

static bool is_allowed(const void *allowed, const struct sockaddr *to)
{
	assert_int_equal(to->sa_family, AF_INET);
	return *(const bool *)allowed;
}

BENCH_TEST(a_connection_that_may_not_be_made_is_failed)
{
	struct bench *b = *state;
	bool allowed = false;
	b->options.may_connect = is_allowed;
	b->options.may_connect_context = &allowed;
	start(b);
	for (unsigned i = 0; i < 8; i++) {
		allowed = false;
		const struct exchange *refused = deliver(b, "last");
		assert_int_equal(refused->outcome, DELIVER_FAILED);
		assert_false(refused->transient);
		assert_non_null(strstr(refused->message, "protected"));
		assert_int_equal(b->server->connections, i);
		allowed = true;
		/* One failure does not spoil the next. */
		assert_int_equal(deliver(b, "last")->outcome, DELIVER_RESPONDED);
	}
}

BENCH_TEST(an_abort_ends_all_truthfully)
{
	struct bench *b = *state;
	b->options.concurrency = 3;
	b->abort_after = 1;
	start(b);
	/* The first answer comes only when the other two requests are out. */
	b->server->barrier = 3;
	submit(b, "barrier");
	for (unsigned i = 1; i < 10; i++)
		submit(b, i < 3 ? "barrier" : "hang");
	while (b->done < b->started)
		assert_int_equal(loop_turn(b->loop, &b->err), 0);
	assert_in_range(b->started, 3, 4); /* what waits is its owner's to end */
	for (unsigned i = 0; i < b->started; i++) {
		struct exchange *exchange = &b->deliveries[i];
		if (exchange->outcome == DELIVER_FAILED) {
			assert_string_equal(exchange->message, "interrupted before it was sent");
			assert_int_equal(seen(b, i), 0);
		} else if (exchange->outcome == DELIVER_UNKNOWN) {
			assert_string_equal(exchange->message, "interrupted before a response arrived");
			assert_true(exchange->sent_ns > 0);
		}
	}
	assert_int_equal(deliverer_room(b->deliverer), 0);
}

static void resubmit(void *context, struct exchange *exchange)
{
	struct bench *b = context;
	assert_int_equal(exchange->status, 200);
	if (++b->done < 1000)
		assert_true(deliverer_submit(b->deliverer, exchange));
	go(b);
}

BENCH_TEST(a_delivery_can_be_submitted_again_when_done)
{
	struct bench *b = *state;
	b->options.concurrency = 8;
	start(b);
	for (unsigned i = 0; i < 8; i++) {
		struct exchange *exchange = make_delivery(b, "ok");
		exchange->done = resubmit;
		go(b);
	}
	while (b->done < 1007)
		assert_int_equal(loop_turn(b->loop, &b->err), 0);
	assert_int_equal(b->done, 1007);
	assert_true(b->server->connections <= 8);
}

static unsigned open_descriptors(void)
{
	unsigned count = 0;
	DIR *folder = opendir("/proc/self/fd");
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

BENCH_TEST(a_freed_deliverer_leaves_nothing_in_the_loop)
{
	struct bench *b = *state;
	deliverer_free(NULL);
	for (unsigned i = 0; i < 10; i++) { /* more than the loop has room for at once */
		struct deliverer *d = deliverer_new(b->loop, &b->options, &b->err);
		assert_non_null(d);
		b->deliverer = d;
		deliver(b, "ok");
		submit(b, "hang");
		loop_turn(b->loop, &b->err);
		b->started = --b->count;
		deliverer_free(d);
		b->deliverer = NULL;
	}
	assert_true(open_descriptors() < 64);
}
