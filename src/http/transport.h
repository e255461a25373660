/*
 * The one place where a connection's bytes go in and out: a plain socket, or TLS over one.
 *
 * TLS may have to write in order to read, and the other way round: after AGAIN, `want` says what the socket is to be
 * watched for. A receive of HTTP_TRANSPORT_MIN bytes or more leaves no decrypted byte behind that epoll would not
 * know of.
 */
#ifndef CREDHOOK_HTTP_TRANSPORT_H
#define CREDHOOK_HTTP_TRANSPORT_H

#include "http/tls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define HTTP_TRANSPORT_MIN (32 * 1024)

struct http_transport {
	int fd;             /* non-blocking; owned */
	struct ssl_st *ssl; /* owned; NULL: plain */
	uint32_t want;      /* EPOLLIN or EPOLLOUT */
	bool spoken;        /* the handshake is over, well */
	bool raw;           /* what still comes is not decrypted: it is thrown away anyway */
	/* Why the handshake failed, for a person; NULL: it has not. */
	const char *failure;
};

#define HTTP_TRANSPORT_AGAIN  (-1) /* would block */
#define HTTP_TRANSPORT_FAILED (-2) /* the peer is gone, or speaks no TLS */

/* Takes the descriptor, whatever happens. tls: NULL for plain. -1: no memory, and it is closed. */
int http_transport_open(struct http_transport *transport, int fd, const struct http_tls *tls);
/* How many bytes came (0: the peer sends no more), or one of the above. */
ssize_t http_transport_receive(struct http_transport *transport, char *bytes, size_t size);
/* How many bytes went out, perhaps fewer than asked, or one of the above. After AGAIN the same bytes have to be sent,
 * with or without more behind them. */
ssize_t http_transport_send(struct http_transport *transport, const char *bytes, size_t length);
/* Sends no more; bytes still come in, to be thrown away. */
void http_transport_shut(struct http_transport *transport);
/* Closes; with `reset` by an RST. */
void http_transport_close(struct http_transport *transport, bool reset);

#endif
