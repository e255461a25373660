#include "http/server.h"

#include "base/clock.h"
#include "http/connection.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define SPARE_DESCRIPTORS 64 /* for files, deliveries and the loop */

const struct http_server_options http_server_defaults = {
	.limits = HTTP_LIMITS_DEFAULT,
	.max_connections = 16384,
	.body_memory = 64 * 1024 * 1024,
	.head_timeout = 10 * CLOCK_NS_PER_S,
	.body_timeout = 30 * CLOCK_NS_PER_S,
	.send_timeout = 30 * CLOCK_NS_PER_S,
	.idle_timeout = 60 * CLOCK_NS_PER_S,
	.drain_bytes = 4 * 1024 * 1024,
	.drain_timeout = 2 * CLOCK_NS_PER_S,
	.drip_interval = CLOCK_NS_PER_S,
};

/* If this fails, the listener pauses whenever descriptors run out. */
static void raise_file_limit(size_t connections)
{
	struct rlimit limit;
	rlim_t wanted = (rlim_t)connections + SPARE_DESCRIPTORS;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static bool is_allowed(const struct http_server *server, const struct sockaddr *remote)
{
	const struct http_server_options *o = &server->options;
	if (o->allowed_count == 0 || remote->sa_family == AF_UNIX || remote->sa_family == AF_UNSPEC)
		return true;
	for (size_t i = 0; i < o->allowed_count; i++)
		if (http_network_contains(&o->allowed[i], remote))
			return true;
	return false;
}

static void accepted(void *context, int fd, const struct sockaddr *remote)
{
	struct http_server *server = context;
	bool allowed = is_allowed(server, remote);
	if (allowed && server->counts.connections < server->options.max_connections) {
		http_connection_open(server, fd, remote);
		return;
	}
	server->counts.not_allowed += !allowed;
	server->counts.turned_away += allowed;
	close(fd);
}

static void close_all(struct http_server *server)
{
	/* Callbacks may close further connections, so no other pointer stays valid. */
	while (server->connections)
		http_connection_close(server->connections, false);
}

static void drained(void *context)
{
	struct http_server *server = context;
	close_all(server);
	loop_timer_cancel(server->loop, &server->drain_timer);
	if (server->handler.on_drained)
		server->handler.on_drained(server->handler.context);
}

struct http_server *http_server_new(struct loop *loop, const struct http_server_options *options,
                                    const struct http_server_handler *handler, struct error *err)
{
	struct http_server *server = calloc(1, sizeof *server);
	if (!server) {
		error_no_memory(err);
		return NULL;
	}
	server->loop = loop;
	server->options = *options;
	server->handler = *handler;
	server->listener.accepted = accepted;
	server->listener.context = server;
	if (server->options.body_memory < 4 * options->limits.body)
		server->options.body_memory = 4 * (size_t)options->limits.body;
	server->drain_timer = (struct loop_timer){ .fire = drained, .context = server };
	raise_file_limit(options->max_connections);
	return server;
}

int http_server_listen(struct http_server *server, const char *address, struct error *err)
{
	struct http_address parsed;
	if (http_address_parse(address, &parsed, err) < 0)
		return -1;
	return http_listener_open(&server->listener, server->loop, &parsed, err);
}

void http_server_use_tls(struct http_server *server, const struct http_tls *tls)
{
	server->tls = tls;
	server->listener.scheme = tls ? "https" : "http";
}

bool http_server_is_local(const struct http_server *server)
{
	return server->listener.is_local;
}

const char *http_server_url(const struct http_server *server)
{
	return server->listener.url;
}

static bool has_work(const struct http_connection *c)
{
	switch (c->state) {
	case HTTP_CONNECTION_IDLE:
		return c->waiting.length > 0;
	case HTTP_CONNECTION_DRIP:
	case HTTP_CONNECTION_HANG:
		return false;
	default:
		return true;
	}
}

void http_server_drain(struct http_server *server, int64_t deadline)
{
	loop_timer_set(server->loop, &server->drain_timer, deadline);
	server->draining = true;
	server->drain_until = deadline;
	http_listener_close(&server->listener);
	for (struct http_connection *c = server->connections, *next; c; c = next) {
		next = c->next;
		/* Closing these calls no callback, so `next` stays valid. */
		if (!has_work(c))
			http_connection_close(c, false);
		else if (c->state == HTTP_CONNECTION_DELAY && c->deadline > deadline)
			http_connection_set_deadline(c, 0);
	}
	http_connection_gone(server);
}

void http_server_free(struct http_server *server)
{
	if (!server)
		return;
	http_listener_close(&server->listener);
	loop_timer_cancel(server->loop, &server->drain_timer);
	close_all(server);
	while (server->spares) {
		struct http_exchange *exchange = server->spares;
		server->spares = exchange->next;
		http_request_parser_release(&exchange->parser);
		free(exchange);
	}
	buffer_release(&server->scratch);
	free(server);
}

const struct http_server_counts *http_server_counts(const struct http_server *server)
{
	return &server->counts;
}

const struct message *http_exchange_request(const struct http_exchange *exchange)
{
	return &exchange->parser.request.message;
}

const char *http_exchange_remote(const struct http_exchange *exchange)
{
	return exchange->connection->remote;
}

int64_t http_exchange_arrived_us(const struct http_exchange *exchange)
{
	return exchange->arrived_us;
}

void http_exchange_set_user(struct http_exchange *exchange, void *user)
{
	exchange->user = user;
}

void *http_exchange_user(const struct http_exchange *exchange)
{
	return exchange->user;
}
