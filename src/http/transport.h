/*
 * The one place where a connection's bytes go in and out: plain sockets today, TLS would be a second kind here.
 *
 * Whoever adds TLS: a receive may leave decrypted bytes inside the library that epoll does not know of, so ask again
 * until AGAIN; a receive may want the socket writable, and the other way round.
 */
#ifndef CREDHOOK_HTTP_TRANSPORT_H
#define CREDHOOK_HTTP_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct http_transport {
	int fd; /* non-blocking; owned */
};

#define HTTP_TRANSPORT_AGAIN  (-1) /* would block */
#define HTTP_TRANSPORT_FAILED (-2) /* the peer is gone */

/* How many bytes came (0: the peer sends no more), or one of the above. */
ssize_t http_transport_receive(struct http_transport *transport, char *bytes, size_t size);
/* How many bytes went out, perhaps fewer than asked, or one of the above. */
ssize_t http_transport_send(struct http_transport *transport, const char *bytes, size_t length);
/* Sends no more; bytes still come in. */
void http_transport_shut(struct http_transport *transport);
/* Closes; with `reset` by an RST. */
void http_transport_close(struct http_transport *transport, bool reset);

#endif
