/* What a client sees of the server while it behaves: requests, refusals, deadlines. */
#include "http/head.h"
#include "http/server_fixture.h"
#include "test.h"

SERVER_TEST(a_connection_serves_one_request_after_the_other)
{
	struct fixture *f = *state;
	f->answer.content_type = "text/plain";
	struct client *c = begin(f);
	client_send(c, POST_ABC);
	AWAIT(f, client_got(c, "\r\n\r\nabc"));
	assert_true(strncmp(buffer_text(&c->got), OK_LINE "Date: ", 23) == 0);
	assert_true(client_got(c, "Content-Type: text/plain\r\nContent-Length: 3\r\n\r\n"));
	client_send(c, POST_HEAD("3") "Connection: close\r\n\r\ndef");
	AWAIT(f, c->ended);
	assert_true(client_got(c, "Connection: close\r\n\r\ndef"));
	assert_int_equal(c->error, 0);
	assert_int_equal(f->requests, 2);
	AWAIT(f, fixture_open(f) == 0);
}

SERVER_TEST(http_1_0_closes_unless_asked)
{
	struct fixture *f = *state;
	struct client *c = begin(f);
	client_send(c, "POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx");
	AWAIT(f, client_got(c, "\r\nConnection: keep-alive\r\n\r\nx"));
	client_send(c, "POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\ny");
	AWAIT(f, c->ended);
	assert_true(client_got(c, "\r\nConnection: close\r\n\r\ny"));
}

SERVER_TEST(an_exchange_tells_who_and_when)
{
	struct fixture *f = *state;
	struct sockaddr_in own;
	socklen_t size = sizeof own;
	char remote[64];
	f->hold = true;
	struct client *c = begin(f);
	int64_t before = clock_realtime_us();
	client_send(c, POST_ABC);
	AWAIT(f, f->held_count == 1);
	assert_int_equal(getsockname(c->io.fd, (struct sockaddr *)&own, &size), 0);
	snprintf(remote, sizeof remote, "127.0.0.1:%u", ntohs(own.sin_port));
	assert_string_equal(f->held[0]->remote, remote);
	assert_true(f->held[0]->arrived_us >= before);
	assert_true(f->held[0]->arrived_us <= clock_realtime_us());
	assert_string_equal(f->held[0]->request->target.text, "/hook");
	assert_int_equal(f->held[0]->request->body.length, 3);
	fixture_answer(f, f->held[0]);
	AWAIT(f, client_got(c, "\r\n\r\nabc"));
}

/* Also when the rest comes while the first is unanswered, and on_request never from within respond. */
SERVER_TEST(a_pipelined_request_waits_for_the_answer_before_it)
{
	struct fixture *f = *state;
	f->hold = true;
	struct client *c = begin(f);
	client_send(c, POST_HEAD("1") "\r\na" POST_HEAD("1") "\r");
	AWAIT(f, f->held_count == 1);
	client_send(c, "\nb" POST_HEAD("1") "\r\nc");
	fixture_turn(f);
	for (size_t i = 0; i < 3; i++) {
		AWAIT(f, f->held_count == i + 1);
		assert_int_equal(f->last_body[0], 'a' + (int)i);
		fixture_answer(f, f->held[i]);
		assert_int_equal(f->held_count, i + 1);
	}
	AWAIT(f, client_got(c, "\r\n\r\nc"));
	assert_int_equal(client_count(c, OK_LINE), 3);
}

SERVER_TEST(an_empty_line_after_a_body_is_no_request)
{
	struct fixture *f = *state;
	f->hold = true;
	struct client *c = begin(f);
	client_send(c, POST_ABC "\r\n");
	AWAIT(f, f->held_count == 1);
	fixture_answer(f, f->held[0]);
	AWAIT(f, client_got(c, "abc"));
	client_send(c, POST_ABC);
	AWAIT(f, f->held_count == 2);
	assert_false(c->ended);
}

SERVER_TEST(a_client_that_sends_no_more_is_still_answered)
{
	struct fixture *f = *state;
	f->hold = true;
	struct client *c = begin(f);
	client_send(c, POST_ABC);
	shutdown(c->io.fd, SHUT_WR);
	AWAIT(f, f->held_count == 1);
	fixture_turn(f);
	fixture_answer(f, f->held[0]);
	AWAIT(f, c->ended);
	assert_true(client_got(c, "\r\n\r\nabc"));
	assert_int_equal(f->abandoned, 0);
}

SERVER_TEST(a_request_that_is_cut_off_is_refused)
{
	struct fixture *f = *state;
	struct client *c = begin(f);
	client_send(c, POST_HEAD("3") "\r\nab");
	shutdown(c->io.fd, SHUT_WR);
	AWAIT(f, c->ended);
	assert_true(client_got(c, "HTTP/1.1 400 "));
	assert_int_equal(f->requests, 0);
	assert_int_equal(f->refused, 400);
}

SERVER_TEST(continue_comes_after_the_door)
{
	struct fixture *f = *state;
	struct client *c = begin(f);
	client_send(c, POST_HEAD("3") "Expect: 100-continue\r\n\r\n");
	AWAIT(f, client_got(c, "HTTP/1.1 100 Continue\r\n\r\n"));
	assert_int_equal(f->heads, 1);
	assert_int_equal(f->requests, 0);
	client_send(c, "abc");
	AWAIT(f, client_got(c, "\r\n\r\nabc"));
	f->door = 404;
	client_send(c, POST_HEAD("3") "Expect: 100-continue\r\n\r\n");
	AWAIT(f, c->ended);
	assert_int_equal(client_count(c, "100 Continue"), 1);
	assert_true(client_got(c, "HTTP/1.1 404 Not Found\r\n"));
}

SERVER_TEST(continue_is_not_sent_once_the_body_comes)
{
	struct fixture *f = *state;
	struct client *c = begin(f);
	client_send(c, POST_HEAD("3") "Expect: 100-continue\r\n\r\na");
	client_send(c, "bc");
	AWAIT(f, client_got(c, "\r\n\r\nabc"));
	assert_false(client_got(c, "100 Continue"));
}

SERVER_TEST(a_door_refuses_and_the_connection_goes_on_without_a_body)
{
	struct fixture *f = *state;
	f->door = 404;
	struct client *c = begin(f);
	client_send(c, "GET /a HTTP/1.1\r\nHost: h\r\n\r\nHEAD /a HTTP/1.1\r\nHost: h\r\n\r\n");
	AWAIT(f, client_count(c, "HTTP/1.1 404 Not Found\r\n") == 2);
	assert_int_equal(client_count(c, "\r\n\r\nNot Found\n"), 1);
	f->door = 0;
	client_send(c, POST_ABC);
	AWAIT(f, client_got(c, "\r\n\r\nabc"));
	f->door = 403;
	client_send(c, POST_ABC);
	AWAIT(f, c->ended);
	assert_true(client_got(c, "HTTP/1.1 403 Forbidden\r\n"));
	assert_int_equal(f->refusals, 3);
}

/* Sends far more than is accepted, as a client that looks for no answer before the end. */
static void upload(struct client *c, const char *head, size_t bytes)
{
	static char block[65536];
	client_send(c, head);
	while (bytes > 0) {
		size_t want = bytes < sizeof block ? bytes : sizeof block;
		ssize_t sent = send(c->io.fd, block, want, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent > 0)
			bytes -= (size_t)sent;
		else
			assert_int_equal(errno, EAGAIN);
		fixture_turn(c->fixture);
	}
	shutdown(c->io.fd, SHUT_WR);
}

SERVER_TEST(an_upload_that_is_too_large_can_read_its_refusal)
{
	static const char *const heads[] = {
		POST_HEAD("3000000") "\r\n",
		"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n",
	};
	struct fixture *f = *state;
	for (size_t i = 0; i < 2; i++) {
		struct client *c = begin(f);
		f->refused = 0;
		upload(c, heads[i], 3000000);
		AWAIT(f, c->ended);
		assert_int_equal(c->error, 0);
		assert_true(client_got(c, "HTTP/1.1 413 Content Too Large\r\n"));
		assert_true(client_got(c, "\r\nConnection: close\r\n"));
		assert_true(client_got(c, "\r\n\r\nthe body is too large\n"));
		assert_int_equal(f->refused, 413);
		AWAIT(f, fixture_open(f) == 0);
	}
}

static void assert_upload_is_given_up(struct fixture *f)
{
	static char block[65536];
	struct client *c = begin(f);
	client_send(c, POST_HEAD("100000000") "\r\n");
	AWAIT(f, client_got(c, " 413 "));
	AWAIT(f, fixture_open(f) == 0 || (f->options.drain_bytes == 100000 &&
	                                  send(c->io.fd, block, sizeof block, MSG_NOSIGNAL | MSG_DONTWAIT) == 0));
}

SERVER_TEST(a_refused_upload_is_not_read_for_ever)
{
	struct fixture *f = *state;
	f->options.drain_bytes = 100000;
	assert_upload_is_given_up(f);
}

SERVER_TEST(a_refused_upload_is_not_waited_for_for_ever)
{
	struct fixture *f = *state;
	f->options.drain_timeout = 10 * MS;
	assert_upload_is_given_up(f);
}

SERVER_TEST(what_is_no_http_is_refused)
{
	struct fixture *f = *state;
	struct client *c = begin(f);
	client_send(c, POST_ABC "\x16\x03\x01");
	AWAIT(f, c->ended);
	assert_true(client_got(c, "\r\n\r\nabcHTTP/1.1 400 Bad Request\r\n"));
	assert_string_equal(f->reason, "the client uses TLS, but this is plain HTTP");
	static const char *const proxied[] = { "PROXY TCP4 10.0.0.1 10.0.0.2 5 80\r\n", "PROXY UNKNOWN\r\n" };
	for (size_t i = 0; i < 2; i++) {
		c = begin(f);
		client_send(c, proxied[i]);
		AWAIT(f, c->ended);
		assert_string_equal(f->reason, HTTP_PROXY_PROTOCOL);
	}
	c = begin(f);
	client_send(c, "HEAD / HTTP/1.1\nHost: h\r\n\r\n");
	AWAIT(f, c->ended);
	assert_true(client_got(c, " 400 "));
}

struct dripper {
	struct loop_timer timer;
	struct client *client;
};

static void drip(void *context)
{
	struct dripper *dripper = context;
	if (dripper->client->got.length > 0)
		return;
	send(dripper->client->io.fd, "A", 1, MSG_NOSIGNAL);
	loop_timer_set(dripper->client->fixture->loop, &dripper->timer, clock_monotonic_ns() + MS);
}

SERVER_TEST(what_is_too_slow_is_refused_and_a_byte_now_and_then_moves_no_deadline)
{
	static const char *const beginnings[] = { "POST /", POST_HEAD("100000") "\r\n" };
	struct fixture *f = *state;
	f->options.head_timeout = 30 * MS;
	f->options.body_timeout = 30 * MS;
	for (size_t i = 0; i < 4; i++) {
		struct client *c = begin(f);
		struct dripper dripper = { .timer = { .fire = drip, .context = &dripper }, .client = c };
		f->refused = 0;
		client_send(c, beginnings[i / 2]);
		if (i % 2 == 0)
			drip(&dripper);
		AWAIT(f, c->ended);
		assert_true(client_got(c, "HTTP/1.1 408 Request Timeout\r\n"));
		assert_int_equal(f->refused, 408);
		assert_int_equal(f->requests, 0);
		loop_timer_cancel(f->loop, &dripper.timer);
	}
}

SERVER_TEST(silence_is_ended_silently)
{
	struct fixture *f = *state;
	struct client fresh;
	f->options.head_timeout = 30 * MS;
	f->options.idle_timeout = 30 * MS;
	struct client *idle = begin(f);
	client_init(&fresh, f);
	client_send(idle, POST_ABC);
	AWAIT(f, fresh.ended && idle->ended);
	assert_int_equal(fresh.got.length, 0);
	assert_int_equal(client_count(idle, "HTTP/1.1"), 1);
	assert_int_equal(f->refused, 0);
	client_release(&fresh);
}

/* A client that does not read, and a response that does not fit between the two. */
static void begin_deaf(struct fixture *f, char *body, size_t size)
{
	assert_non_null(body);
	memset(body, 'x', size);
	f->answer.body = body;
	f->answer.body_length = size;
	fixture_serve(f);
	client_init_deaf(&f->client, f);
}

SERVER_TEST(a_large_answer_waits_for_a_slow_reader)
{
	struct fixture *f = *state;
	size_t size = 16 * 1024 * 1024;
	char *body = malloc(size);
	begin_deaf(f, body, size);
	client_send(&f->client, POST_ABC POST_ABC);
	AWAIT(f, f->requests == 1);
	/* The second request waits: the first answer is not out yet. */
	assert_false(f->requests > 1);
	client_listen(&f->client);
	AWAIT(f, f->requests == 2 && f->client.got.length > 2 * size);
	assert_int_equal(client_count(&f->client, OK_LINE), 2);
	free(body);
}

SERVER_TEST(a_reader_that_does_not_read_is_given_up)
{
	struct fixture *f = *state;
	size_t size = 16 * 1024 * 1024;
	char *body = malloc(size);
	f->options.send_timeout = 30 * MS;
	begin_deaf(f, body, size);
	client_send(&f->client, POST_ABC);
	AWAIT(f, f->requests == 1);
	AWAIT(f, fixture_open(f) == 0);
	client_listen(&f->client);
	free(body);
}

static const struct header fields[] = {
	HEADER("X-A", "1"),
	HEADER("Content-Length", "7"),
	HEADER("connection", "upgrade"),
	HEADER("Transfer-Encoding", "chunked"),
	HEADER("X-Split", "a\r\nX-Evil: 1"),
	HEADER("X Name", "1"),
	HEADER("", "1"),
	HEADER("X-A", "2"),
};
static const struct header own[] = { HEADER("date", "X"), HEADER("content-type", "a/b") };

SERVER_TEST(answers_are_framed_whatever_fields_they_are_given)
{
	static const struct {
		const char *method;
		struct http_response response;
		const char *bytes; /* without the Date field */
	} rows[] = {
		{ "GET", { .status = 404, .body = "" }, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n" },
		{ "HEAD",
		  { .status = 200, .body = "hello", .body_length = 5 },
		  "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" },
		{ "GET",
		  { .status = 204, .content_type = "text/plain", .body = "hello", .body_length = 5 },
		  "HTTP/1.1 204 No Content\r\n\r\n" },
		{ "GET",
		  { .status = 99, .body = "" },
		  "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n" },
		{ "GET",
		  { .status = 200, .body = "", .fields = fields, .field_count = 8 },
		  "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-A: 1\r\nX-A: 2\r\n\r\n" },
		{ "GET",
		  { .status = 200,
		    .fields = own,
		    .field_count = 2,
		    .content_type = "c/d",
		    .body = "x",
		    .body_length = 1 },
		  "HTTP/1.1 200 OK\r\nContent-Length: 1\r\ndate: X\r\ncontent-type: a/b\r\n\r\nx" },
	};
	struct fixture *f = *state;
	struct client *c = begin(f);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char request[64];
		struct tm time;
		f->answer = rows[i].response;
		buffer_clear(&c->got);
		snprintf(request, sizeof request, "%s / HTTP/1.1\r\nHost: h\r\n\r\n", rows[i].method);
		client_send(c, request);
		AWAIT(f, c->got.length > 0);
		char *date = strstr(c->got.data, "Date: ");
		assert_int_equal(date == NULL, rows[i].response.fields == own);
		if (date) {
			const char *end = strptime(date, "Date: %a, %d %b %Y %H:%M:%S GMT", &time);
			assert_true(end && strncmp(end, "\r\n", 2) == 0);
			memmove(date, end + 2, strlen(end + 2) + 1);
		}
		assert_string_equal(c->got.data, rows[i].bytes);
	}
}
