/* A listening socket in the loop. Where descriptors or memory run out it pauses, and goes on by itself. */
#ifndef CREDHOOK_HTTP_LISTENER_H
#define CREDHOOK_HTTP_LISTENER_H

#include "base/error.h"
#include "base/loop.h"
#include "http/address.h"

struct http_listener {
	/* Set by the owner before http_listener_open(): gets each connection's descriptor, which is non-blocking,
	 * closes on exec, does not delay small packets, and belongs to whom it is given. */
	void (*accepted)(void *context, int fd, const struct sockaddr *remote);
	void *context;
	const char *scheme; /* of the url; NULL: http */

	/* The rest is the listener's own; zero-initialise. */
	bool is_open;
	bool is_local; /* only this machine can connect */
	struct loop *loop;
	struct loop_io io;
	struct loop_timer pause;
	char url[HTTP_HOST_SIZE + 32];
	char unlink_path[sizeof((struct sockaddr_un *)0)->sun_path]; /* a socket file that is ours; empty: none */
};

/* Of an address that has several, the first IPv4 one is taken. Error: EXIT_CODE_IO. */
int http_listener_open(struct http_listener *listener, struct loop *loop, const struct http_address *address,
                       struct error *err);
/* No harm when it is not open. The url stays. */
void http_listener_close(struct http_listener *listener);

#endif
