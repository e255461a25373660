#include "http/server.h"

#include "base/clock.h"
#include "base/system.h"
#include "http/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BACKLOG           4096
#define ACCEPTS_PER_TURN  64
#define PAUSE             (100 * CLOCK_NS_PER_MS) /* in accepting, when descriptors or memory run out */
#define SPARE_DESCRIPTORS 64                      /* for files, deliveries and the loop */

const struct http_server_options http_server_defaults = {
	.limits = { .request_line = 8 * 1024, .head = 16 * 1024, .fields = 100, .body = 1024 * 1024 },
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

/* Raises the limit of open files for them. Returns how many of them it allows; if descriptors run out anyway,
 * accepting pauses. */
static size_t raise_file_limit(size_t connections)
{
	struct rlimit limit, raised;
	rlim_t wanted = (rlim_t)connections + SPARE_DESCRIPTORS;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return connections;
	raised = limit;
	raised.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	if (limit.rlim_cur < raised.rlim_cur && setrlimit(RLIMIT_NOFILE, &raised) == 0)
		limit = raised;
	if (limit.rlim_cur >= wanted)
		return connections;
	return limit.rlim_cur > SPARE_DESCRIPTORS ? (size_t)limit.rlim_cur - SPARE_DESCRIPTORS : 1;
}

static int cannot_listen(struct error *err, const struct http_address *address, const char *why, bool is_elsewhere)
{
	LOCAL_BUFFER host = BUFFER_INIT;
	host_append(&host, &address->host);
	error_set(err, EXIT_CODE_IO, "cannot listen on '%s:%u': %s", buffer_text(&host), address->port, why);
	return error_hint(err, is_elsewhere ? "write an address of this machine; 0.0.0.0 means all of them"
	                                    : "choose another port, or 0 for any free one");
}

static int make_socket(struct http_server *server, int family)
{
	const int on = 1;
	int fd = system_socket(family, SOCK_STREAM, 0, false);
	server->listen_io.fd = fd;
	if (fd < 0)
		return fd;
	/* Accepted sockets inherit the last two. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return fd;
}

static int open_tcp(struct http_server *server, const struct http_address *address, struct error *err)
{
	static const struct http_network loopback[] = { { 104, { [10] = 0xFF, 0xFF, 127 } }, { 128, { [15] = 1 } } };
	const struct addrinfo wanted = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	struct sockaddr_storage bound;
	socklen_t bound_size = sizeof bound;
	struct http_address real;
	char port[8];
	char text[HTTP_REMOTE_SIZE];
	snprintf(port, sizeof port, "%u", address->port);
	/* RFC 6761, section 6.3. A minimal system may not resolve this name. */
	const char *host = strcmp(address->host.text, "localhost") == 0 ? "127.0.0.1" : address->host.text;
	int unresolved = getaddrinfo(host, port, &wanted, &found);
	if (unresolved)
		return cannot_listen(err, address,
		                     unresolved == EAI_SYSTEM ? strerror(errno) : gai_strerror(unresolved), true);
	const struct addrinfo *one = found; /* IPv4, where the host has it */
	while (one->ai_family != AF_INET && one->ai_next)
		one = one->ai_next;
	one = one->ai_family == AF_INET ? one : found;
	int result = -1;
	if (make_socket(server, one->ai_family) < 0 || bind(server->listen_io.fd, one->ai_addr, one->ai_addrlen) < 0 ||
	    listen(server->listen_io.fd, BACKLOG) < 0 ||
	    getsockname(server->listen_io.fd, (struct sockaddr *)&bound, &bound_size) < 0) {
		cannot_listen(err, address, strerror(errno), errno == EADDRNOTAVAIL);
	} else {
		http_address_read((struct sockaddr *)&bound, &real);
		http_address_format(&real, text);
		snprintf(server->state.url, HTTP_URL_SIZE, "%s://%s", server->tls ? "https" : "http", text);
		server->state.is_local = http_networks_contain(&(struct http_networks){ loopback, 2 }, &real.host);
		result = 0;
	}
	freeaddrinfo(found);
	return result;
}

static void accepted(struct http_server *server, int fd, const struct sockaddr *from)
{
	const struct http_server_options *o = &server->options;
	struct http_address remote;
	http_address_read(from, &remote);
	bool allowed = o->allowed.count == 0 || http_networks_contain(&o->allowed, &remote.host) ||
	               http_networks_contain(&o->trusted, &remote.host);
	if (allowed && server->state.connections < o->max_connections) {
		http_connection_open(server, fd, &remote);
		return;
	}
	server->state.not_allowed += !allowed;
	server->state.turned_away += allowed;
	close(fd);
}

static void accept_ready(void *context, uint32_t events)
{
	struct http_server *server = context;
	(void)events;
	for (int i = 0; i < ACCEPTS_PER_TURN && server->is_open; i++) {
		struct sockaddr_storage remote = { .ss_family = AF_UNSPEC };
		socklen_t size = sizeof remote;
		int fd = system_accept(server->listen_io.fd, (struct sockaddr *)&remote, &size);
		if (fd >= 0) {
			accepted(server, fd, (struct sockaddr *)&remote);
		} else if (errno == EAGAIN || errno == EWOULDBLOCK) {
			return;
		} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
			/* The connection stays ready and would keep the loop busy. */
			loop_timer_set(server->loop, &server->pause, clock_monotonic_ns() + PAUSE);
			loop_change(server->loop, &server->listen_io, 0);
			return;
		}
		/* Other errors concern this connection only. */
	}
}

static void resume_accepting(void *context)
{
	struct http_server *server = context;
	loop_change(server->loop, &server->listen_io, LOOP_READ);
}

int http_server_listen(struct http_server *server, const char *address, struct error *err)
{
	struct http_address parsed;
	if (http_address_parse(address, &parsed, err) < 0)
		return -1;
	server->listen_io = (struct loop_io){ .fd = -1, .ready = accept_ready, .context = server };
	server->pause = (struct loop_timer){ .fire = resume_accepting, .context = server };
	if (open_tcp(server, &parsed, err) == 0 && loop_add(server->loop, &server->listen_io, LOOP_READ, err) == 0) {
		server->is_open = true;
		return 0;
	}
	if (server->listen_io.fd >= 0)
		close(server->listen_io.fd);
	return -1;
}

/* Has no effect where it does not listen. The url stays. */
static void stop_listening(struct http_server *server)
{
	if (!server->is_open)
		return;
	server->is_open = false;
	loop_remove(server->loop, &server->listen_io);
	loop_timer_cancel(server->loop, &server->pause);
	close(server->listen_io.fd);
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
	server->handler.on_drained(server->handler.context);
}

struct http_server *http_server_new(struct loop *loop, const struct http_server_options *options,
                                    const struct http_server_handler *handler, struct error *err)
{
	struct http_server *server = calloc(1, sizeof *server);
	if (!server)
		return error_no_memory_null(err);
	server->loop = loop;
	server->options = *options;
	server->handler = *handler;
	if (server->options.body_memory < 4 * options->limits.body)
		server->options.body_memory = 4 * (size_t)options->limits.body;
	server->drain_timer = (struct loop_timer){ .fire = drained, .context = server };
	server->options.max_connections =
	        raise_file_limit(options->max_connections < loop_most ? options->max_connections : loop_most);
	return server;
}

void http_server_use_tls(struct http_server *server, struct ssl_ctx_st *tls)
{
	server->tls = tls;
}

void http_server_drain(struct http_server *server, int64_t deadline)
{
	loop_timer_set(server->loop, &server->drain_timer, deadline);
	server->draining = true;
	server->drain_until = deadline;
	stop_listening(server);
	for (struct http_connection *c = server->connections, *next; c; c = next) {
		next = c->next;
		bool has_work = c->state == HTTP_CONNECTION_IDLE
		                        ? c->waiting.length > 0
		                        : c->state != HTTP_CONNECTION_DRIP && c->state != HTTP_CONNECTION_HANG;
		/* Closing these calls no callback, so `next` stays valid. */
		if (!has_work)
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
	stop_listening(server);
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

const struct http_server_state *http_server_state(const struct http_server *server)
{
	return &server->state;
}
