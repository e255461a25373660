/* A listening socket in the loop. When descriptors or memory run out, it pauses for a moment. */
#ifndef CREDHOOK_HTTP_LISTENER_H
#define CREDHOOK_HTTP_LISTENER_H

#include "base/error.h"
#include "base/loop.h"
#include "http/address.h"

struct http_listener {
	/* Set these before http_listener_open(). accepted() takes ownership of the descriptor, which is non-blocking,
	 * close-on-exec, and has TCP_NODELAY. */
	void (*accepted)(void *context, int fd, const struct sockaddr *remote);
	void *context;
	const char *scheme; /* of the url; NULL: http */

	/* Set by listener.c; zero-initialise. */
	bool is_open;
	bool is_local; /* only this machine can connect */
	struct loop *loop;
	struct loop_io io;
	struct loop_timer pause;
	char url[HTTP_HOST_SIZE + 32];
	char unlink_path[sizeof((struct sockaddr_un *)0)->sun_path]; /* our socket file; empty: none */
};

/* Listens. Of a name with several addresses the first IPv4 address is used. EXIT_CODE_IO: cannot listen. */
int http_listener_open(struct http_listener *listener, struct loop *loop, const struct http_address *address,
                       struct error *err);
/* No effect when it is not open. The url stays valid. */
void http_listener_close(struct http_listener *listener);

#endif
