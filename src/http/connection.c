#include "http/connection.h"

#include "base/clock.h"

#include <stdlib.h>
#include <unistd.h>

static void connection_ready(void *context, uint32_t events);
static void connection_fire(void *context);

void http_connection_open(struct http_server *server, int fd, const struct http_address *remote)
{
	struct error ignored;
	struct http_connection *c = calloc(1, sizeof *c);
	if (!c || http_transport_open(&c->transport, fd, server->tls) < 0) {
		if (!c)
			close(fd);
		free(c);
		return;
	}
	c->server = server;
	c->io = (struct loop_io){ .fd = fd, .ready = connection_ready, .context = c };
	c->timer = (struct loop_timer){ .fire = connection_fire, .context = c };
	c->watched = LOOP_READ;
	c->deadline = clock_monotonic_ns() + server->options.head_timeout;
	http_address_format(remote, c->remote);
	c->is_trusted = http_networks_contain(&server->options.trusted, &remote->host);
	if (loop_add(server->loop, &c->io, c->watched, &ignored) < 0) {
		http_transport_close(&c->transport, false);
		free(c);
		return;
	}
	loop_timer_set(server->loop, &c->timer, c->deadline);
	c->next = server->connections;
	if (c->next)
		c->next->previous = c;
	server->connections = c;
	server->state.connections++;
}

/* Counts the body and the waiting bytes as memory of the server. */
static void charge(struct http_connection *c)
{
	size_t now = c->waiting.capacity + (c->exchange ? c->exchange->parser.body.length : 0);
	c->server->body_memory += now - c->charged;
	c->charged = now;
}

void http_connection_end_exchange(struct http_connection *c)
{
	struct http_server *server = c->server;
	struct http_exchange *exchange = c->exchange;
	c->exchange = NULL;
	charge(c);
	if (!exchange)
		return;
	if (server->spare_count == HTTP_SPARE_EXCHANGES) {
		http_request_parser_release(&exchange->parser);
		free(exchange);
		return;
	}
	http_request_parser_reset(&exchange->parser, HTTP_SPARE_BODY);
	exchange->next = server->spares;
	server->spares = exchange;
	server->spare_count++;
}

static bool begin_exchange(struct http_connection *c)
{
	struct http_server *server = c->server;
	struct http_exchange *exchange = server->spares;
	if (exchange) {
		server->spares = exchange->next;
		server->spare_count--;
	} else {
		exchange = malloc(sizeof *exchange);
		if (!exchange)
			return false;
		http_request_parser_init(&exchange->parser, &server->options.limits);
	}
	exchange->request = &exchange->parser.request.message;
	exchange->remote = c->remote;
	exchange->via = NULL;
	exchange->is_https = c->transport.ssl != NULL;
	exchange->connection = c;
	exchange->next = NULL;
	exchange->user = NULL;
	c->exchange = exchange;
	return true;
}

void http_connection_enter(struct http_connection *c)
{
	c->busy++;
}

void http_connection_leave(struct http_connection *c)
{
	if (--c->busy == 0 && c->state == HTTP_CONNECTION_CLOSED)
		free(c);
}

void http_connection_gone(struct http_server *server)
{
	if (server->draining && !server->connections && server->drain_timer.is_set)
		loop_timer_set(server->loop, &server->drain_timer, 0);
}

void http_connection_close(struct http_connection *c, bool reset)
{
	struct http_server *server = c->server;
	enum http_connection_state before = c->state;
	if (before == HTTP_CONNECTION_CLOSED)
		return;
	http_connection_enter(c);
	c->state = HTTP_CONNECTION_CLOSED;
	loop_remove(server->loop, &c->io);
	loop_timer_cancel(server->loop, &c->timer);
	http_transport_close(&c->transport, reset);
	buffer_release(&c->waiting);
	buffer_release(&c->out);
	if (c->previous)
		c->previous->next = c->next;
	else
		server->connections = c->next;
	if (c->next)
		c->next->previous = c->previous;
	server->state.connections--;
	if (before == HTTP_CONNECTION_HANDLER)
		server->handler.on_abandoned(server->handler.context, c->exchange);
	http_connection_end_exchange(c);
	if (c->response_id != 0)
		server->handler.on_unsent(server->handler.context, c->response_id);
	http_connection_gone(server);
	http_connection_leave(c);
}

void http_connection_watch(struct http_connection *c, uint32_t events)
{
	if (c->watched == events)
		return;
	c->watched = events;
	loop_change(c->server->loop, &c->io, events);
}

void http_connection_set_deadline(struct http_connection *c, int64_t deadline)
{
	c->deadline = deadline;
	/* A timer that fires too early is set again, see connection_fire(). */
	if (deadline != HTTP_NEVER && (!c->timer.is_set || c->timer.due > deadline))
		loop_timer_set(c->server->loop, &c->timer, deadline);
}

static bool is_reading(const struct http_connection *c)
{
	return c->state == HTTP_CONNECTION_IDLE || c->state == HTTP_CONNECTION_HEAD || c->state == HTTP_CONNECTION_BODY;
}

/* Takes the sender from the headers of a trusted proxy. NULL, or why it may not send. */
static const char *refuse_sender(struct http_connection *c)
{
	struct http_exchange *exchange = c->exchange;
	const struct http_server_options *o = &c->server->options;
	if (!c->is_trusted || !message_method_is(exchange->request, "POST"))
		return NULL;
	const char *why = http_sender_find(exchange->request, &o->trusted, &exchange->sender);
	if (why)
		return why;
	exchange->remote = exchange->sender.text;
	exchange->via = c->remote;
	bool is_allowed = o->allowed.count == 0 || http_networks_contain(&o->allowed, &exchange->sender);
	return is_allowed ? NULL : "the sender is not allowed";
}

static void end_head(struct http_connection *c, bool body_has_begun)
{
	static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct http_server *server = c->server;
	const struct http_request *request = &c->exchange->parser.request;
	struct http_refusal refusal = { .status = 403, .reason = refuse_sender(c) };
	c->state = HTTP_CONNECTION_HEAD;
	if (refusal.reason || !server->handler.on_head(server->handler.context, &request->message, &refusal)) {
		/* Without a body, the next request can follow. */
		http_connection_refuse(c, &refusal, request->content_length == 0 && !request->chunked);
		return;
	}
	c->state = HTTP_CONNECTION_BODY;
	/* RFC 9110, section 10.1.1: not needed once a part of the body has arrived. */
	if (!request->expect_continue || body_has_begun)
		return;
	ssize_t sent = http_transport_send(&c->transport, interim, sizeof interim - 1);
	/* Not sending it is harmless: clients continue after a while. Half of it would corrupt the response, and TLS
	 * would have to send the same bytes again. */
	bool unsent = sent == HTTP_TRANSPORT_AGAIN && !c->transport.ssl;
	if (!unsent && sent != (ssize_t)(sizeof interim - 1))
		http_connection_close(c, false);
}

static void refuse_request(struct http_connection *c, int status, const char *reason)
{
	http_connection_refuse(c, &(struct http_refusal){ .status = status, .reason = reason }, false);
}

static bool is_memory_short(const struct http_server *server)
{
	return server->body_memory > server->options.body_memory;
}

/* Refuses a body that grows while memory for bodies is short. Small ones always fit. */
static void refuse_if_short(struct http_connection *c)
{
	static const struct header later[] = { HEADER("Retry-After", "1") };
	static const struct http_refusal refusal = { 503, "too many large bodies at the same time", later, 1 };
	charge(c);
	if (c->state == HTTP_CONNECTION_BODY && is_memory_short(c->server) &&
	    c->exchange->parser.body.length > HTTP_SMALL_BODY)
		http_connection_refuse(c, &refusal, false);
}

/* Parses bytes until they are used up or a request is complete. Returns the number used. */
static size_t feed(struct http_connection *c, const char *bytes, size_t length)
{
	struct http_server *server = c->server;
	size_t at = 0;
	while (is_reading(c) && at < length) {
		if (!c->exchange && !begin_exchange(c)) {
			http_connection_close(c, false);
			return length;
		}
		struct http_request_parser *parser = &c->exchange->parser;
		size_t used;
		enum http_parsed event = http_request_parser_feed(parser, bytes + at, length - at, &used);
		at += used;
		if (event == HTTP_PARSED_HEAD) {
			end_head(c, at < length);
			if (c->state != HTTP_CONNECTION_BODY)
				continue;
			/* A request without a body is complete now. */
			event = http_request_parser_feed(parser, bytes + at, length - at, &used);
			at += used;
			if (event == HTTP_PARSED_MORE)
				http_connection_set_deadline(c, clock_monotonic_ns() + server->options.body_timeout);
		}
		if (event == HTTP_PARSED_MORE) {
			if (c->state == HTTP_CONNECTION_IDLE && http_request_parser_has_begun(parser)) {
				c->state = HTTP_CONNECTION_HEAD;
				http_connection_set_deadline(c, clock_monotonic_ns() + server->options.head_timeout);
			}
			refuse_if_short(c);
		} else if (event == HTTP_PARSED_REFUSED) {
			refuse_request(c, parser->status, parser->reason);
		} else {
			c->state = HTTP_CONNECTION_HANDLER;
			c->deadline = HTTP_NEVER;
			c->exchange->arrived_us = clock_realtime_us();
			charge(c);
			server->handler.on_request(server->handler.context, c->exchange);
		}
	}
	return at;
}

static void feed_waiting(struct http_connection *c)
{
	/* Moved out first: a refusal or a close would release it. */
	struct buffer bytes = c->waiting;
	c->waiting = (struct buffer)BUFFER_INIT;
	http_connection_set_deadline(c, clock_monotonic_ns() + c->server->options.idle_timeout);
	size_t used = feed(c, bytes.data, bytes.length);
	if (used < bytes.length && c->state != HTTP_CONNECTION_CLOSED && c->state != HTTP_CONNECTION_LINGER) {
		buffer_consume(&bytes, used);
		c->waiting = bytes;
		charge(c);
	} else {
		buffer_release(&bytes);
	}
}

static void read_request(struct http_connection *c)
{
	struct http_server *server = c->server;
	char *input = server->input;
	size_t size = is_memory_short(server) ? HTTP_TRANSPORT_MIN : HTTP_INPUT_SIZE;
	ssize_t count = http_transport_receive(&c->transport, input, size);
	if (c->transport.want != c->watched)
		http_connection_watch(c, c->transport.want);
	if (count == HTTP_TRANSPORT_AGAIN)
		return;
	if (count < 0 && c->transport.failure) {
		server->handler.on_refused(server->handler.context, c->remote, 0, c->transport.failure);
		http_connection_linger(c); /* so that the client can read the alert */
		return;
	}
	if (count < 0 || (count == 0 && c->state == HTTP_CONNECTION_IDLE)) {
		http_connection_close(c, false);
		return;
	}
	if (count == 0) {
		refuse_request(c, 400, "the client closed the connection before the end of the request");
		return;
	}
	size_t used = feed(c, input, (size_t)count);
	if (used == (size_t)count || c->state == HTTP_CONNECTION_CLOSED || c->state == HTTP_CONNECTION_LINGER)
		return;
	buffer_append(&c->waiting, input + used, (size_t)count - used);
	if (c->waiting.failed)
		http_connection_close(c, false);
	else
		charge(c);
}

static void discard_input(struct http_connection *c)
{
	ssize_t count = http_transport_receive(&c->transport, c->server->input, HTTP_INPUT_SIZE);
	if (count == HTTP_TRANSPORT_AGAIN)
		return;
	if (count <= 0 || (uint64_t)count >= c->drain_left)
		http_connection_close(c, false);
	else
		c->drain_left -= (uint64_t)count;
}

static void connection_ready(void *context, uint32_t events)
{
	struct http_connection *c = context;
	http_connection_enter(c);
	if (is_reading(c) && c->waiting.length > 0)
		feed_waiting(c); /* before what is in the socket */
	else if (is_reading(c))
		read_request(c);
	else if (c->state == HTTP_CONNECTION_LINGER)
		discard_input(c);
	else if ((events & (LOOP_ERROR | LOOP_HANGUP)) || c->state == HTTP_CONNECTION_HANG)
		http_connection_close(c, false);
	else if (c->state == HTTP_CONNECTION_SEND)
		http_connection_continue_response(c);
	else
		/* Further requests, or their end, wait until this request has its response. */
		http_connection_watch(c, 0);
	http_connection_leave(c);
}

static void connection_fire(void *context)
{
	struct http_connection *c = context;
	if (c->deadline > clock_monotonic_ns()) {
		http_connection_set_deadline(c, c->deadline);
		return;
	}
	http_connection_enter(c);
	switch (c->state) {
	case HTTP_CONNECTION_IDLE:
		if (c->waiting.length > 0)
			feed_waiting(c);
		else
			http_connection_close(c, false);
		break;
	case HTTP_CONNECTION_HEAD:
		refuse_request(c, 408, "timeout while reading the head of the request");
		break;
	case HTTP_CONNECTION_BODY:
		refuse_request(c, 408, "timeout while reading the body of the request");
		break;
	case HTTP_CONNECTION_DELAY:
		http_connection_start_response(c);
		break;
	case HTTP_CONNECTION_DRIP:
		http_connection_continue_response(c);
		break;
	case HTTP_CONNECTION_SEND:
	case HTTP_CONNECTION_LINGER:
		http_connection_close(c, false);
		break;
	default:
		break;
	}
	http_connection_leave(c);
}
