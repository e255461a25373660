#include "http/listener.h"

#include "base/clock.h"
#include "http/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKLOG          4096
#define ACCEPTS_PER_TURN 64
#define PAUSE            (100 * CLOCK_NS_PER_MS)

static int cannot_listen(struct error *err, const struct http_address *address, const char *why)
{
	if (address->is_unix)
		return error_set(err, EXIT_CODE_IO, "cannot listen on 'unix:%s': %s", address->path, why);
	bool ipv6 = strchr(address->host, ':') != NULL;
	return error_set(err, EXIT_CODE_IO, "cannot listen on '%s%s%s:%u': %s", ipv6 ? "[" : "", address->host,
	                 ipv6 ? "]" : "", address->port, why);
}

static int refuse_bind(struct error *err, const struct http_address *address, int number)
{
	cannot_listen(err, address, strerror(number));
	if (number == EADDRINUSE && address->is_unix)
		return error_hint(err, "another program listens there; choose another path");
	if (number == EADDRINUSE)
		return error_hint(err, "another program uses this port; choose another one, or 0 for any free port");
	if (number == EACCES && !address->is_unix)
		return error_hint(err, "ports below 1024 require root; choose a higher one, or 0 for any free port");
	if (number == EADDRNOTAVAIL)
		return error_hint(err, "this machine does not have the address; 0.0.0.0 means all of its addresses");
	return -1;
}

static int make_socket(struct http_listener *listener, int family)
{
	const int on = 1;
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	listener->io.fd = fd;
	if (fd < 0 || family == AF_UNIX)
		return fd;
	/* Accepted sockets inherit the last two. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return fd;
}

static bool is_loopback(const struct sockaddr *address)
{
	static const struct http_network loopbacks[] = {
		{ true, 8, { 127 } },
		{ false, 128, { [15] = 1 } },
	};
	return http_network_contains(&loopbacks[0], address) || http_network_contains(&loopbacks[1], address);
}

static const struct addrinfo *preferred(const struct addrinfo *found)
{
	for (const struct addrinfo *one = found; one; one = one->ai_next)
		if (one->ai_family == AF_INET)
			return one;
	return found;
}

static int open_tcp(struct http_listener *listener, const struct http_address *address, struct error *err)
{
	const struct addrinfo wanted = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM };
	struct addrinfo *found = NULL;
	struct sockaddr_storage bound;
	socklen_t bound_size = sizeof bound;
	char port[8];
	char text[HTTP_REMOTE_SIZE];
	snprintf(port, sizeof port, "%u", address->port);
	/* RFC 6761, section 6.3. A minimal system may not resolve this name. */
	const char *host = strcasecmp(address->host, "localhost") == 0 ? "127.0.0.1" : address->host;
	int unresolved = getaddrinfo(host, port, &wanted, &found);
	if (unresolved)
		return cannot_listen(err, address,
		                     unresolved == EAI_SYSTEM ? strerror(errno) : gai_strerror(unresolved));
	const struct addrinfo *one = preferred(found);
	int result = -1;
	if (!one) {
		cannot_listen(err, address, gai_strerror(EAI_NONAME));
	} else if (make_socket(listener, one->ai_family) < 0 ||
	           bind(listener->io.fd, one->ai_addr, one->ai_addrlen) < 0 || listen(listener->io.fd, BACKLOG) < 0 ||
	           getsockname(listener->io.fd, (struct sockaddr *)&bound, &bound_size) < 0) {
		refuse_bind(err, address, errno);
	} else {
		http_address_format((struct sockaddr *)&bound, text);
		snprintf(listener->url, sizeof listener->url, "%s://%s", listener->scheme ? listener->scheme : "http",
		         text);
		listener->is_local = is_loopback((struct sockaddr *)&bound);
		result = 0;
	}
	freeaddrinfo(found);
	return result;
}

/* Whether the path is a socket file without a listener. */
static bool is_stale(const struct sockaddr_un *name)
{
	struct stat status;
	if (lstat(name->sun_path, &status) < 0 || !S_ISSOCK(status.st_mode))
		return false;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	bool refused = connect(fd, (const struct sockaddr *)name, sizeof *name) < 0 && errno == ECONNREFUSED;
	close(fd);
	return refused;
}

static int open_unix(struct http_listener *listener, const struct http_address *address, struct error *err)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	memcpy(name.sun_path, address->path, sizeof name.sun_path);
	if (is_stale(&name))
		unlink(name.sun_path);
	if (make_socket(listener, AF_UNIX) < 0 ||
	    bind(listener->io.fd, (const struct sockaddr *)&name, sizeof name) < 0)
		return refuse_bind(err, address, errno);
	memcpy(listener->unlink_path, name.sun_path, sizeof name.sun_path);
	if (listen(listener->io.fd, BACKLOG) < 0)
		return refuse_bind(err, address, errno);
	snprintf(listener->url, sizeof listener->url, "unix:%s", address->path);
	listener->is_local = true;
	return 0;
}

static void pause_accepting(struct http_listener *listener)
{
	loop_timer_set(listener->loop, &listener->pause, clock_monotonic_ns() + PAUSE);
	loop_change(listener->loop, &listener->io, 0);
}

static void resume_accepting(void *context)
{
	struct http_listener *listener = context;
	loop_change(listener->loop, &listener->io, EPOLLIN);
}

static void listener_ready(void *context, uint32_t events)
{
	struct http_listener *listener = context;
	(void)events;
	for (int i = 0; i < ACCEPTS_PER_TURN && listener->is_open; i++) {
		struct sockaddr_storage remote = { .ss_family = AF_UNSPEC };
		socklen_t size = sizeof remote;
		int fd = accept4(listener->io.fd, (struct sockaddr *)&remote, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0)
			listener->accepted(listener->context, fd, (struct sockaddr *)&remote);
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return;
		else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			/* The connection stays ready and would keep the loop busy. */
			return pause_accepting(listener);
		/* Other errors concern this connection only. */
	}
}

int http_listener_open(struct http_listener *listener, struct loop *loop, const struct http_address *address,
                       struct error *err)
{
	listener->loop = loop;
	listener->io = (struct loop_io){ .fd = -1, .ready = listener_ready, .context = listener };
	listener->pause = (struct loop_timer){ .fire = resume_accepting, .context = listener };
	int result = address->is_unix ? open_unix(listener, address, err) : open_tcp(listener, address, err);
	if (result == 0 && loop_add(loop, &listener->io, EPOLLIN, err) == 0) {
		listener->is_open = true;
		return 0;
	}
	if (listener->io.fd >= 0)
		close(listener->io.fd);
	if (listener->unlink_path[0] != '\0')
		unlink(listener->unlink_path);
	listener->unlink_path[0] = '\0';
	return -1;
}

void http_listener_close(struct http_listener *listener)
{
	if (!listener->is_open)
		return;
	listener->is_open = false;
	loop_remove(listener->loop, &listener->io);
	loop_timer_cancel(listener->loop, &listener->pause);
	close(listener->io.fd);
	if (listener->unlink_path[0] != '\0')
		unlink(listener->unlink_path);
}
