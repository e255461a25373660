/* A server and its clients in one loop and one thread: every wait is for something that must come, or the test fails.
 * A test of SERVER_TEST() sets the options, then begins. */
#ifndef CREDHOOK_TESTS_HTTP_SERVER_FIXTURE_H
#define CREDHOOK_TESTS_HTTP_SERVER_FIXTURE_H

#include "base/buffer.h"
#include "base/clock.h"
#include "http/server.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MS        CLOCK_NS_PER_MS
#define TOO_LATE  (20 * CLOCK_NS_PER_S)
#define HELD_MOST 16

struct client {
	struct fixture *fixture;
	struct loop_io io;
	struct buffer got;
	bool is_open;
	bool ended; /* the server sends no more */
	int error;  /* of the last receive */
};

struct fixture {
	struct loop *loop;
	struct http_server_options options;
	struct http_server *server;
	struct client client; /* most tests have no other */
	struct loop_timer guard;
	unsigned turns;

	/* How the handler behaves. */
	struct http_response answer; /* to every request; without a body the request's own */
	bool hold;                   /* keep exchanges in `held` instead */
	int door;                    /* on_head refuses with this; 0: it does not */
	bool end_in_drained;         /* free the server in on_drained */

	/* What it saw. */
	struct http_exchange *held[HELD_MOST];
	size_t held_count;
	unsigned heads, requests, refusals, abandoned, drained;
	int refused; /* the last status */
	char reason[128];
	char last_body[64];
};

static inline bool fixture_on_head(void *context, const struct message *request, struct http_refusal *refusal)
{
	struct fixture *f = context;
	assert_null(request->body.text);
	f->heads++;
	refusal->status = f->door;
	return f->door == 0;
}

static inline void fixture_answer(struct fixture *f, struct http_exchange *exchange)
{
	const struct message *request = exchange->request;
	struct http_response response = f->answer;
	if (!response.body) {
		response.body = request->body.text;
		response.body_length = request->body.length;
	}
	http_exchange_respond(exchange, &response);
}

static inline void fixture_on_request(void *context, struct http_exchange *exchange)
{
	struct fixture *f = context;
	const struct message *request = exchange->request;
	f->requests++;
	snprintf(f->last_body, sizeof f->last_body, "%s", request->body.text);
	assert_null(exchange->user);
	exchange->user = f;
	if (!f->hold) {
		fixture_answer(f, exchange);
		return;
	}
	assert_true(f->held_count < HELD_MOST);
	f->held[f->held_count++] = exchange;
}

static inline void fixture_on_abandoned(void *context, struct http_exchange *exchange)
{
	struct fixture *f = context;
	assert_ptr_equal(exchange->user, f);
	f->abandoned++;
	for (size_t i = 0; i < f->held_count; i++)
		if (f->held[i] == exchange)
			f->held[i] = NULL;
}

static inline void fixture_on_refused(void *context, const char *remote, int status, const char *reason)
{
	struct fixture *f = context;
	assert_non_null(remote);
	f->refused = status;
	f->refusals++;
	snprintf(f->reason, sizeof f->reason, "%s", reason);
}

static inline void fixture_on_drained(void *context)
{
	struct fixture *f = context;
	f->drained++;
	if (f->end_in_drained) {
		http_server_free(f->server);
		f->server = NULL;
	}
}

static inline void fixture_too_late(void *context)
{
	(void)context;
	fail_msg("what was waited for did not come");
}

static inline int fixture_make(void **state)
{
	struct error err;
	struct fixture *f = calloc(1, sizeof *f);
	assert_non_null(f);
	f->answer.status = 200;
	f->guard = (struct loop_timer){ .fire = fixture_too_late };
	f->options = http_server_defaults;
	f->loop = loop_new(&err);
	*state = f;
	return f->loop ? 0 : -1;
}

/* Starts the server with the options, without a client. */
static inline void fixture_serve(struct fixture *f)
{
	struct error err;
	const struct http_server_handler handler = {
		.context = f,
		.on_head = fixture_on_head,
		.on_request = fixture_on_request,
		.on_abandoned = fixture_on_abandoned,
		.on_refused = fixture_on_refused,
		.on_drained = fixture_on_drained,
	};
	f->server = http_server_new(f->loop, &f->options, &handler, &err);
	assert_non_null(f->server);
	if (http_server_listen(f->server, "127.0.0.1:0", &err) < 0)
		fail_msg("%s", err.message);
}

static inline void fixture_turn(struct fixture *f)
{
	struct error err;
	f->turns++;
	assert_int_equal(loop_turn(f->loop, &err), 0);
}

/* Turns the loop until the condition holds. */
#define AWAIT(f, condition)                                                                                            \
	do {                                                                                                           \
		loop_timer_set((f)->loop, &(f)->guard, clock_monotonic_ns() + TOO_LATE);                               \
		while (!(condition))                                                                                   \
			fixture_turn(f);                                                                               \
		loop_timer_cancel((f)->loop, &(f)->guard);                                                             \
	} while (0)

static inline size_t fixture_open(const struct fixture *f)
{
	return http_server_state(f->server)->connections;
}

static inline in_port_t fixture_port(const struct fixture *f)
{
	const char *colon = strrchr(http_server_state(f->server)->url, ':');
	assert_non_null(colon);
	return (in_port_t)strtoul(colon + 1, NULL, 10);
}

static inline void client_ready(void *context, uint32_t events)
{
	struct client *c = context;
	char bytes[4096];
	(void)events;
	ssize_t count = recv(c->io.fd, bytes, sizeof bytes, MSG_DONTWAIT);
	if (count > 0) {
		buffer_append(&c->got, bytes, (size_t)count);
		return;
	}
	if (count < 0 && errno == EAGAIN)
		return;
	c->error = count < 0 ? errno : 0;
	c->ended = true;
	loop_remove(c->fixture->loop, &c->io);
}

static inline void client_init_deaf(struct client *c, struct fixture *f)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(fixture_port(f)) };
	inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
	*c = (struct client){ .fixture = f, .is_open = true };
	c->io = (struct loop_io){ .ready = client_ready, .context = c };
	c->io.fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(c->io.fd >= 0);
	assert_int_equal(connect(c->io.fd, (struct sockaddr *)&to, sizeof to), 0);
}

static inline void client_listen(struct client *c)
{
	struct error err;
	assert_int_equal(loop_add(c->fixture->loop, &c->io, LOOP_READ, &err), 0);
}

static inline void client_init(struct client *c, struct fixture *f)
{
	client_init_deaf(c, f);
	client_listen(c);
}

static inline void client_release(struct client *c)
{
	if (!c->is_open)
		return;
	if (!c->ended)
		loop_remove(c->fixture->loop, &c->io);
	close(c->io.fd);
	buffer_release(&c->got);
	c->is_open = false;
}

/* Starts the server if need be, and connects its client anew. */
static inline struct client *begin(struct fixture *f)
{
	client_release(&f->client);
	if (!f->server)
		fixture_serve(f);
	client_init(&f->client, f);
	return &f->client;
}

static inline int fixture_drop(void **state)
{
	struct fixture *f = *state;
	client_release(&f->client);
	http_server_free(f->server);
	loop_free(f->loop);
	free(f);
	return 0;
}

#define SERVER_TEST(name) TEST_WITH(name, fixture_make, fixture_drop)

static inline void client_send(struct client *c, const char *text)
{
	assert_int_equal(send(c->io.fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static inline bool client_got(const struct client *c, const char *text)
{
	return strstr(buffer_text(&c->got), text) != NULL;
}

/* How often the text came. */
static inline unsigned client_count(const struct client *c, const char *text)
{
	unsigned count = 0;
	for (const char *at = buffer_text(&c->got); (at = strstr(at, text)); at++)
		count++;
	return count;
}

#define POST_HEAD(length) "POST /hook HTTP/1.1\r\nHost: h\r\nContent-Length: " length "\r\n"
#define POST_ABC          POST_HEAD("3") "\r\nabc"
#define OK_LINE           "HTTP/1.1 200 OK\r\n"

#endif
