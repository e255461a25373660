#include "base/clock.h"
#include "http/bad_server.h"
#include "http/deliver.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

/* cmocka.h wants these before it. */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define MOST 512

/* A deliverer on a loop of its own, and the deliveries it is given. */
struct bench {
	struct bad_server *server;
	struct loop *loop;
	struct deliver_options options;
	struct deliverer *deliverer;
	struct delivery deliveries[MOST];
	char bodies[MOST][32];
	unsigned count;
	unsigned done;
	unsigned stop_after; /* the loop ends when this many are done */
	unsigned abort_after;
	unsigned most_in_flight;
	unsigned order[MOST];
	struct error err;
};

static int make_bench(void **state)
{
	struct bench *b = calloc(1, sizeof *b);
	b->server = bad_server_start();
	b->loop = loop_new(&b->err);
	b->options.url = b->server->url;
	b->options.max_time_ns = 20 * CLOCK_NS_PER_S; /* no test hangs */
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
		delivery_release(&b->deliveries[i]);
	free(b);
	return 0;
}

static void start(struct bench *b)
{
	b->deliverer = deliverer_new(b->loop, &b->options, &b->err);
	if (!b->deliverer)
		fail_msg("%s", b->err.message);
}

static void on_done(void *context, struct delivery *delivery)
{
	struct bench *b = context;
	unsigned in_flight = deliverer_in_flight(b->deliverer) + 1;
	if (in_flight > b->most_in_flight)
		b->most_in_flight = in_flight;
	b->order[b->done++] = (unsigned)(delivery - b->deliveries);
	if (b->done == b->abort_after)
		deliverer_abort_all(b->deliverer);
	if (b->done == b->stop_after)
		loop_stop(b->loop);
}

static struct delivery *make_delivery(struct bench *b, const char *word)
{
	struct delivery *delivery = &b->deliveries[b->count];
	snprintf(b->bodies[b->count], sizeof b->bodies[0], "%s %u", word, b->count);
	delivery->body = b->bodies[b->count];
	delivery->body_length = strlen(delivery->body);
	delivery->done = on_done;
	delivery->context = b;
	b->count++;
	return delivery;
}

static struct delivery *submit(struct bench *b, const char *word)
{
	struct delivery *delivery = make_delivery(b, word);
	if (deliverer_submit(b->deliverer, delivery, &b->err) < 0)
		fail_msg("%s", b->err.message);
	return delivery;
}

static void run(struct bench *b)
{
	while (!deliverer_idle(b->deliverer))
		assert_int_equal(loop_turn(b->loop, &b->err), 0);
	assert_int_equal(b->done, b->count);
}

static struct delivery *deliver(struct bench *b, const char *word)
{
	struct delivery *delivery = submit(b, word);
	run(b);
	return delivery;
}

static unsigned seen(struct bench *b, unsigned number)
{
	pthread_mutex_lock(&b->server->mutex);
	unsigned times = b->server->seen[number];
	pthread_mutex_unlock(&b->server->mutex);
	return times;
}

static void every_behaviour_has_its_outcome(void **state)
{
	static const struct {
		const char *word;
		enum deliver_outcome outcome;
		int status;
		bool incomplete;
		const char *message; /* how it starts */
	} cases[] = {
		{ "ok", DELIVER_ANSWERED, 200, false, "" },
		{ "bye", DELIVER_ANSWERED, 200, false, "" },
		{ "last", DELIVER_ANSWERED, 200, false, "" },
		{ "moved", DELIVER_ANSWERED, 302, false, "" },
		{ "close", DELIVER_UNKNOWN, 0, false, "the server closed the connection without an answer" },
		{ "interim", DELIVER_UNKNOWN, 0, false, "the server closed the connection without an answer" },
		{ "reset", DELIVER_UNKNOWN, 0, false, "the server reset the connection without an answer" },
		{ "garbage", DELIVER_UNKNOWN, 0, false, "the server's answer is no HTTP" },
		{ "half", DELIVER_ANSWERED, 200, true, "the answer broke off" },
		{ "halfhead", DELIVER_ANSWERED, 503, true, "the answer broke off" },
		{ "heads", DELIVER_ANSWERED, 200, true, "the head of the answer is over 256 KiB" },
		{ "endless", DELIVER_ANSWERED, 200, false, "" },
		{ "bulky", DELIVER_ANSWERED, 200, false, "" },
	};
	struct bench *b = *state;
	start(b);
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct delivery *delivery = deliver(b, cases[i].word);
		print_message("%s: %d %d '%s'\n", cases[i].word, (int)delivery->outcome, delivery->status,
		              delivery->message);
		assert_int_equal(delivery->outcome, cases[i].outcome);
		assert_int_equal(delivery->status, cases[i].status);
		assert_int_equal(delivery->answer_incomplete, cases[i].incomplete);
		assert_int_equal(strncmp(delivery->message, cases[i].message, strlen(cases[i].message)), 0);
		assert_int_equal(delivery->message[0] == '\0', cases[i].message[0] == '\0');
		assert_int_equal(seen(b, i), 1);
		if (delivery->outcome == DELIVER_ANSWERED)
			assert_int_equal(delivery->body_sent, delivery->body_length);
		assert_true(delivery->sent_at_us > 0);
		assert_true(delivery->started_ns <= delivery->sent_ns && delivery->sent_ns <= delivery->finished_ns);
	}
}

static void an_answer_is_kept_up_to_the_cap(void **state)
{
	struct bench *b = *state;
	b->options.answer_keep = 1000;
	start(b);
	struct delivery *fine = deliver(b, "ok");
	assert_string_equal(buffer_text(&fine->answer), "fine");
	assert_string_equal(fine->answer_type, "text/plain");
	assert_false(fine->answer_cut);
	struct delivery *moved = deliver(b, "moved");
	assert_string_equal(moved->answer_location, "/ok");
	assert_string_equal(moved->retry_after, "7");
	assert_string_equal(moved->answer_type, "");
	struct delivery *bulky = deliver(b, "bulky");
	assert_int_equal(bulky->answer.length, 1000);
	assert_int_equal(bulky->answer_length, 200000);
	assert_true(bulky->answer_cut);
	struct delivery *endless = deliver(b, "endless");
	assert_int_equal(endless->answer.length, 1000);
	assert_true(endless->answer_cut);
	assert_int_equal(b->server->connections, 1); /* all but the last left it usable */
}

/* libcurl alone would send the second body again on a new connection. */
static void a_request_on_a_reused_connection_goes_out_once(void **state)
{
	static const char *const ends[] = { "close", "reset" };
	struct bench *b = *state;
	start(b);
	for (unsigned i = 0; i < 16; i++) { /* libcurl counts re-sends per handle, and acts differently at the sixth */
		struct delivery *first = deliver(b, "ok");
		unsigned connections = b->server->connections;
		struct delivery *second = deliver(b, ends[i % 2]);
		assert_int_equal(first->outcome, DELIVER_ANSWERED);
		assert_int_equal(b->server->connections, connections); /* it was reused, and none made in vain */
		assert_int_equal(second->outcome, DELIVER_UNKNOWN);
		assert_int_equal(seen(b, 2 * i + 1), 1);
		assert_non_null(strstr(second->message, "the connection without an answer"));
	}
	assert_int_equal(b->server->connections, 16);
}

static void nothing_arrives_twice_over_connections_that_break(void **state)
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
		if (b->deliveries[i].outcome == DELIVER_ANSWERED)
			assert_int_equal(seen(b, i), 1);
		if (b->deliveries[i].outcome == DELIVER_FAILED)
			assert_int_equal(seen(b, i), 0);
	}
	print_message("answered %u, failed %u, unknown %u\n", outcomes[1], outcomes[2], outcomes[3]);
	assert_true(outcomes[DELIVER_ANSWERED] > 100);
	assert_true(outcomes[DELIVER_UNKNOWN] > 50);
	assert_true(b->most_in_flight <= 8);
}

static void concurrency_is_a_limit_and_is_used(void **state)
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

static void many_connections_are_spread_over_handles(void **state)
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

static void one_at_a_time_keeps_the_order(void **state)
{
	struct bench *b = *state;
	start(b);
	for (unsigned i = 0; i < 50; i++)
		submit(b, "ok");
	assert_int_equal(deliverer_in_flight(b->deliverer), 1);
	assert_int_equal(deliverer_queued(b->deliverer), 49);
	run(b);
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(b->order[i], i);
		assert_int_equal(b->server->order[i], i);
	}
	assert_int_equal(b->server->connections, 1);
}

static void the_first_goes_alone_until_connected(void **state)
{
	struct bench *b = *state;
	b->options.concurrency = 8;
	b->server->barrier = 8; /* so that none is answered before all have come */
	start(b);
	for (unsigned i = 0; i < 8; i++)
		submit(b, "barrier");
	assert_int_equal(deliverer_in_flight(b->deliverer), 1);
	assert_int_equal(deliverer_queued(b->deliverer), 7);
	run(b);
	assert_int_equal(b->most_in_flight, 8);
}

static void a_time_limit_after_sending_is_unknown(void **state)
{
	struct bench *b = *state;
	b->options.max_time_ns = 150 * CLOCK_NS_PER_MS;
	start(b);
	struct delivery *hang = deliver(b, "hang");
	assert_int_equal(hang->outcome, DELIVER_UNKNOWN);
	assert_int_equal(strncmp(hang->message, "timed out after 1", 17), 0);
	assert_true(hang->latency_ns >= 149 * CLOCK_NS_PER_MS);
	struct delivery *stall = deliver(b, "stall");
	assert_int_equal(stall->outcome, DELIVER_ANSWERED);
	assert_int_equal(stall->status, 200);
	assert_true(stall->answer_incomplete);
	assert_int_equal(stall->answer.length, 10);
	assert_non_null(strstr(stall->message, "not complete after"));
}

/* A listener that does not accept, its queue full: connecting takes for ever. */
static void a_time_limit_before_sending_is_failed(void **state)
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
	struct delivery *delivery = deliver(b, "ok");
	assert_int_equal(delivery->outcome, DELIVER_FAILED);
	assert_non_null(strstr(delivery->message, "while connecting"));
	assert_int_equal(delivery->sent_at_us, 0);
	assert_int_equal(delivery->body_sent, 0);
	for (unsigned i = 0; i < 4; i++)
		close(fillers[i]);
	close(full);
}

static int closed_port(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)(void *)&address, length), 0);
	getsockname(fd, (struct sockaddr *)(void *)&address, &length);
	close(fd);
	return ntohs(address.sin_port);
}

static void a_refused_connection_is_failed(void **state)
{
	struct bench *b = *state;
	char url[64];
	snprintf(url, sizeof url, "http://127.0.0.1:%d/", closed_port());
	b->options.url = url;
	b->options.concurrency = 4;
	start(b);
	for (unsigned i = 0; i < 12; i++)
		submit(b, "ok");
	run(b);
	for (unsigned i = 0; i < 12; i++) {
		assert_int_equal(b->deliveries[i].outcome, DELIVER_FAILED);
		assert_string_equal(b->deliveries[i].message, "connection refused");
		assert_string_equal(b->deliveries[i].hint, "is the listener running?");
	}
}

static void a_name_that_does_not_resolve_is_failed(void **state)
{
	struct bench *b = *state;
	b->options.url = "http://nonexistent.invalid/";
	start(b);
	struct delivery *delivery = deliver(b, "ok");
	assert_int_equal(delivery->outcome, DELIVER_FAILED);
	assert_string_equal(delivery->message, "could not resolve host 'nonexistent.invalid'");
}

static void one_failure_does_not_spoil_the_next(void **state)
{
	struct bench *b = *state;
	char url[64];
	snprintf(url, sizeof url, "http://127.0.0.1:%d/", closed_port());
	start(b);
	for (unsigned i = 0; i < 8; i++) {
		struct delivery *refused = make_delivery(b, "ok");
		refused->url = url;
		assert_int_equal(deliverer_submit(b->deliverer, refused, &b->err), 0);
		run(b);
		assert_int_equal(refused->outcome, DELIVER_FAILED);
		assert_int_equal(deliver(b, "ok")->outcome, DELIVER_ANSWERED);
	}
	assert_int_equal(b->server->connections, 1);
}

static void a_unix_socket_is_spoken_to(void **state)
{
	struct bench *b = *state;
	char folder[] = "/tmp/credhook-test-XXXXXX";
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	assert_non_null(mkdtemp(folder));
	snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
	struct bad_server *server = bad_server_listen((struct sockaddr *)(void *)&address, sizeof address);
	b->options.url = "http://localhost/hook";
	b->options.unix_socket = address.sun_path;
	start(b);
	assert_int_equal(deliver(b, "ok")->status, 200);
	assert_int_equal(deliver(b, "close")->outcome, DELIVER_UNKNOWN);
	bad_server_stop(server);
	unlink(address.sun_path);
	struct delivery *gone = deliver(b, "ok");
	rmdir(folder);
	assert_int_equal(gone->outcome, DELIVER_FAILED);
	assert_non_null(strstr(gone->message, "No such file or directory"));
}

static void the_environment_is_not_asked_for_a_proxy(void **state)
{
	struct bench *b = *state;
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("all_proxy", "http://127.0.0.1:1", 1);
	start(b);
	assert_int_equal(deliver(b, "ok")->status, 200);
	unsetenv("http_proxy");
	unsetenv("all_proxy");
}

static void a_proxy_is_used_when_asked_for(void **state)
{
	struct bench *b = *state;
	setenv("no_proxy", "*", 1);
	b->options.proxy = b->server->url;
	b->options.url = "http://nonexistent.invalid/hook?x=1";
	start(b);
	assert_int_equal(deliver(b, "ok")->status, 200);
	assert_int_equal(strncmp(b->server->last_head, "POST http://nonexistent.invalid/hook?x=1 ", 41), 0);
	unsetenv("no_proxy");
}

static void connections_can_be_led_elsewhere(void **state)
{
	struct bench *b = *state;
	char connect_to[80];
	char resolve[80];
	char url[80];
	const char *port = strrchr(b->server->url, ':') + 1;
	const char *connect_items[] = { connect_to };
	const char *resolve_items[] = { resolve };
	snprintf(connect_to, sizeof connect_to, "a.invalid:80:127.0.0.1:%d", atoi(port));
	snprintf(resolve, sizeof resolve, "b.invalid:%d:127.0.0.1", atoi(port));
	snprintf(url, sizeof url, "http://b.invalid:%d/", atoi(port));
	b->options.url = "http://a.invalid/";
	b->options.connect_to = (struct deliver_list){ connect_items, 1 };
	b->options.resolve = (struct deliver_list){ resolve_items, 1 };
	start(b);
	assert_int_equal(deliver(b, "ok")->status, 200);
	assert_non_null(strstr(b->server->last_head, "\r\nHost: a.invalid\r\n"));
	struct delivery *other = make_delivery(b, "ok");
	other->url = url;
	assert_int_equal(deliverer_submit(b->deliverer, other, &b->err), 0);
	run(b);
	assert_int_equal(other->status, 200);
}

static unsigned times(const char *text, const char *part)
{
	unsigned count = 0;
	for (const char *found = text; (found = strcasestr(found, part)); found++)
		count++;
	return count;
}

static void a_plain_delivery_says_what_it_must(void **state)
{
	struct bench *b = *state;
	start(b);
	deliver(b, "ok");
	const char *head = b->server->last_head;
	assert_int_equal(strncmp(head, "POST /hook HTTP/1.1\r\n", 21), 0);
	assert_int_equal(times(head, "\r\nContent-Type: application/json\r\n"), 1);
	assert_int_equal(times(head, "\r\nContent-Length: 4\r\n"), 1);
	assert_int_equal(times(head, "\r\nUser-Agent: credhook/"), 1);
	assert_int_equal(times(head, "\r\nExpect"), 0);
	assert_int_equal(times(head, "\r\n"), 7); /* Host and Accept too, and no other */
}

static void headers_of_user_record_and_default_have_an_order(void **state)
{
	static const char *const user[] = { "Authorization: Bearer s3cret", "x-both: user", "Accept:", "X-Blank;" };
	static const char *const recorded[] = {
		"X-Both: record",     "X-Other: kept",           "Host: elsewhere.invalid",
		"Content-Length: 99", "Connection: close",       "Transfer-Encoding: chunked",
		"X-Empty: ",          "Content-Type: text/html", "Expect: 100-continue"
	};
	struct bench *b = *state;
	b->options.headers = (struct deliver_list){ user, 4 };
	start(b);
	struct delivery *delivery = make_delivery(b, "ok");
	delivery->headers = (struct deliver_list){ recorded, 9 };
	delivery->content_type = "application/json; charset=utf-8";
	delivery->method = "PUT";
	assert_int_equal(deliverer_submit(b->deliverer, delivery, &b->err), 0);
	run(b);
	const char *head = b->server->last_head;
	assert_int_equal(strncmp(head, "PUT /hook HTTP/1.1\r\n", 20), 0);
	assert_int_equal(times(head, "\r\nAuthorization: Bearer s3cret\r\n"), 1);
	assert_int_equal(times(head, "\r\nx-both:"), 1);
	assert_int_equal(times(head, "\r\nx-both: user\r\n"), 1);
	assert_int_equal(times(head, "\r\nX-Other: kept\r\n"), 1);
	assert_int_equal(times(head, "\r\nX-Empty:\r\n"), 1);
	assert_int_equal(times(head, "\r\nX-Blank:\r\n"), 1);
	assert_int_equal(times(head, "\r\nContent-Type: application/json; charset=utf-8\r\n"), 1);
	assert_int_equal(times(head, "\r\nContent-Type:"), 1);
	assert_int_equal(times(head, "\r\nContent-Length: 4\r\n"), 1);
	assert_int_equal(times(head, "elsewhere") + times(head, "chunked") + times(head, "Connection") +
	                         times(head, "Accept") + times(head, "Expect"),
	                 0);
	deliver(b, "ok"); /* and the next one on the same handle has none of it */
	assert_int_equal(strncmp(head, "POST /hook HTTP/1.1\r\n", 21), 0);
	assert_int_equal(times(head, "X-Other"), 0);
	assert_int_equal(times(head, "\r\nContent-Type: application/json\r\n"), 1);
}

static void a_content_type_of_the_user_wins(void **state)
{
	static const char *const user[] = { "content-type: text/plain" };
	struct bench *b = *state;
	b->options.headers = (struct deliver_list){ user, 1 };
	start(b);
	struct delivery *delivery = make_delivery(b, "ok");
	delivery->content_type = "application/xml";
	assert_int_equal(deliverer_submit(b->deliverer, delivery, &b->err), 0);
	run(b);
	assert_int_equal(times(b->server->last_head, "\r\nContent-Type: text/plain\r\n"), 1);
	assert_int_equal(times(b->server->last_head, "\r\nContent-Type:"), 1);
}

static void no_content_type_can_be_asked_for(void **state)
{
	struct bench *b = *state;
	start(b);
	struct delivery *delivery = make_delivery(b, "ok");
	delivery->content_type = "";
	assert_int_equal(deliverer_submit(b->deliverer, delivery, &b->err), 0);
	run(b);
	assert_int_equal(times(b->server->last_head, "\r\nContent-Type"), 0);
}

#define BIG (8u * 1024 * 1024)

static void big_and_empty_bodies_arrive_whole(void **state)
{
	struct bench *b = *state;
	char *big = malloc(BIG);
	memset(big, ' ', BIG);
	memcpy(big, "ok 7", 4);
	start(b);
	struct delivery *delivery = make_delivery(b, "");
	delivery->body = big;
	delivery->body_length = BIG;
	assert_int_equal(deliverer_submit(b->deliverer, delivery, &b->err), 0);
	run(b);
	assert_int_equal(delivery->status, 200);
	assert_int_equal(delivery->body_sent, BIG);
	assert_int_equal(b->server->last_length, BIG);
	struct delivery *empty = make_delivery(b, "");
	empty->body = NULL;
	empty->body_length = 0;
	assert_int_equal(deliverer_submit(b->deliverer, empty, &b->err), 0);
	run(b);
	assert_int_equal(empty->status, 200);
	assert_int_equal(times(b->server->last_head, "\r\nContent-Length: 0\r\n"), 1);
	free(big);
}

static void an_answer_before_the_body_is_read_counts(void **state)
{
	static const char *const user[] = { "X-Early: 1" };
	struct bench *b = *state;
	char *big = calloc(1, BIG);
	b->options.headers = (struct deliver_list){ user, 1 };
	start(b);
	struct delivery *delivery = make_delivery(b, "");
	delivery->body = big;
	delivery->body_length = BIG;
	assert_int_equal(deliverer_submit(b->deliverer, delivery, &b->err), 0);
	run(b);
	assert_int_equal(delivery->outcome, DELIVER_ANSWERED);
	assert_int_equal(delivery->status, 413);
	free(big);
}

static void bad_options_are_refused(void **state)
{
	static const struct {
		const char *url;
		const char *header;
		const char *connect_to;
		const char *cacert;
		enum exit_code code;
		const char *message;
	} cases[] = {
		{ "ftp://h/", NULL, NULL, NULL, EXIT_CODE_USAGE, "only http and https" },
		{ "file:///etc/passwd", NULL, NULL, NULL, EXIT_CODE_USAGE, "only http and https" },
		{ "h/x", NULL, NULL, NULL, EXIT_CODE_USAGE, "no URL" },
		{ "http://", NULL, NULL, NULL, EXIT_CODE_USAGE, "no URL" },
		{ "http://h:99999/", NULL, NULL, NULL, EXIT_CODE_USAGE, "no URL" },
		{ "http://h/\r\nX: y", NULL, NULL, NULL, EXIT_CODE_USAGE, "no URL" },
		{ "gopher://me:pw@h/", NULL, NULL, NULL, EXIT_CODE_USAGE, "'gopher://***@h/'" },
		{ "http://h/", "X: a\r\nY: b", NULL, NULL, EXIT_CODE_USAGE, "'X' holds a control character" },
		{ "http://h/", "X: a\nb", NULL, NULL, EXIT_CODE_USAGE, "control character" },
		{ "http://h/", "X: \033[31m", NULL, NULL, EXIT_CODE_USAGE, "control character" },
		{ "http://h/", "X", NULL, NULL, EXIT_CODE_USAGE, "'Name: value'" },
		{ "http://h/", "X Y: z", NULL, NULL, EXIT_CODE_USAGE, "'Name: value'" },
		{ "http://h/", ": z", NULL, NULL, EXIT_CODE_USAGE, "'Name: value'" },
		{ "http://h/", "Content-length: 3", NULL, NULL, EXIT_CODE_USAGE, "counted" },
		{ "http://h/", "Transfer-Encoding: gzip", NULL, NULL, EXIT_CODE_USAGE, "chunked" },
		{ "http://h/", NULL, "a:1:b", NULL, EXIT_CODE_USAGE, "HOST1:PORT1:HOST2:PORT2" },
		{ "http://h/", NULL, "a:1:b:2:c", NULL, EXIT_CODE_USAGE, "HOST1:PORT1:HOST2:PORT2" },
		{ "http://h/", NULL, NULL, "/nonexistent/ca.pem", EXIT_CODE_IO, "cannot open '/nonexistent/ca.pem'" },
	};
	struct bench *b = *state;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct deliver_options o = { .url = cases[i].url, .cacert = cases[i].cacert };
		o.headers = (struct deliver_list){ &cases[i].header, cases[i].header != NULL };
		o.connect_to = (struct deliver_list){ &cases[i].connect_to, cases[i].connect_to != NULL };
		struct deliverer *d = deliverer_new(b->loop, &o, &b->err);
		if (d)
			fail_msg("case %u was accepted", i);
		assert_int_equal(b->err.code, cases[i].code);
		if (!strstr(b->err.message, cases[i].message))
			fail_msg("case %u: %s", i, b->err.message);
	}
}

static void a_bad_delivery_is_not_taken(void **state)
{
	static const char *const injected[] = { "X: a\r\nY: b" };
	struct bench *b = *state;
	start(b);
	struct delivery bad[] = {
		{ .url = "ftp://h/" }, { .content_type = "a\r\nX: y" }, { .method = "PO ST" }, { .method = "" },
		{ .method = "HEAD" },  { .headers = { injected, 1 } },
	};
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		bad[i].done = on_done;
		bad[i].context = b;
		assert_int_equal(deliverer_submit(b->deliverer, &bad[i], &b->err), -1);
		assert_int_equal(b->err.code, EXIT_CODE_USAGE);
	}
	assert_true(deliverer_idle(b->deliverer));
}

static void an_abort_ends_all_truthfully(void **state)
{
	struct bench *b = *state;
	b->options.concurrency = 3;
	b->abort_after = 1;
	start(b);
	submit(b, "ok");
	for (unsigned i = 1; i < 10; i++)
		submit(b, "hang");
	/* The first answer may only come when the other two requests are out. */
	b->server->barrier = 3;
	snprintf(b->bodies[0], sizeof b->bodies[0], "barrier 0");
	b->deliveries[0].body_length = strlen(b->bodies[0]);
	deliverer_free(b->deliverer);
	start(b);
	b->done = b->count = 0;
	submit(b, "barrier");
	for (unsigned i = 1; i < 10; i++)
		submit(b, i < 3 ? "barrier" : "hang");
	run(b);
	unsigned failed = 0;
	for (unsigned i = 0; i < 10; i++) {
		struct delivery *delivery = &b->deliveries[i];
		if (delivery->outcome == DELIVER_FAILED) {
			failed++;
			assert_string_equal(delivery->message, "interrupted before it was sent");
			assert_int_equal(seen(b, i), 0);
		} else if (delivery->outcome == DELIVER_UNKNOWN) {
			assert_string_equal(delivery->message, "interrupted before an answer came");
			assert_true(delivery->sent_at_us > 0);
		}
	}
	assert_true(failed >= 6);
	assert_int_equal(b->deliveries[9].outcome, DELIVER_FAILED);
	assert_int_equal(deliverer_submit(b->deliverer, &b->deliveries[0], &b->err), -1);
	assert_int_equal(b->err.code, EXIT_CODE_INTERRUPTED);
}

static void resubmit(void *context, struct delivery *delivery)
{
	struct bench *b = context;
	assert_int_equal(delivery->status, 200);
	if (++b->done < 1000)
		assert_int_equal(deliverer_submit(b->deliverer, delivery, &b->err), 0);
}

static void a_delivery_can_be_submitted_again_when_done(void **state)
{
	struct bench *b = *state;
	b->options.concurrency = 8;
	start(b);
	for (unsigned i = 0; i < 8; i++) {
		struct delivery *delivery = make_delivery(b, "ok");
		delivery->done = resubmit;
		assert_int_equal(deliverer_submit(b->deliverer, delivery, &b->err), 0);
	}
	while (!deliverer_idle(b->deliverer))
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

static void a_freed_deliverer_leaves_nothing_in_the_loop(void **state)
{
	struct bench *b = *state;
	deliverer_free(NULL);
	for (unsigned i = 0; i < 10; i++) { /* more than the loop has room for at once */
		struct deliverer *d = deliverer_new(b->loop, &b->options, &b->err);
		assert_non_null(d);
		b->deliverer = d;
		deliver(b, "ok");
		submit(b, "hang");
		submit(b, "hang");
		loop_turn(b->loop, &b->err);
		b->count -= 2;
		deliverer_free(d);
		b->deliverer = NULL;
	}
	assert_true(open_descriptors() < 64);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_bench, drop_bench)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_behaviour_has_its_outcome),
		TEST(an_answer_is_kept_up_to_the_cap),
		TEST(a_request_on_a_reused_connection_goes_out_once),
		TEST(nothing_arrives_twice_over_connections_that_break),
		TEST(concurrency_is_a_limit_and_is_used),
		TEST(many_connections_are_spread_over_handles),
		TEST(one_at_a_time_keeps_the_order),
		TEST(the_first_goes_alone_until_connected),
		TEST(a_time_limit_after_sending_is_unknown),
		TEST(a_time_limit_before_sending_is_failed),
		TEST(a_refused_connection_is_failed),
		TEST(a_name_that_does_not_resolve_is_failed),
		TEST(one_failure_does_not_spoil_the_next),
		TEST(a_unix_socket_is_spoken_to),
		TEST(the_environment_is_not_asked_for_a_proxy),
		TEST(a_proxy_is_used_when_asked_for),
		TEST(connections_can_be_led_elsewhere),
		TEST(a_plain_delivery_says_what_it_must),
		TEST(headers_of_user_record_and_default_have_an_order),
		TEST(a_content_type_of_the_user_wins),
		TEST(no_content_type_can_be_asked_for),
		TEST(big_and_empty_bodies_arrive_whole),
		TEST(an_answer_before_the_body_is_read_counts),
		TEST(bad_options_are_refused),
		TEST(a_bad_delivery_is_not_taken),
		TEST(an_abort_ends_all_truthfully),
		TEST(a_delivery_can_be_submitted_again_when_done),
		TEST(a_freed_deliverer_leaves_nothing_in_the_loop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
