/*
 * TLS for the server, by OpenSSL 3: TLS 1.2 and newer with the library's default ciphers.
 *
 * The certificate is read from files, or made for this run. Passwords are not supported.
 */
#ifndef CREDHOOK_HTTP_TLS_H
#define CREDHOOK_HTTP_TLS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/url.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct ssl_ctx_st; /* OpenSSL's SSL_CTX: what connections have in common, the certificate above all */
struct ssl_st;

struct http_tls_options {
	/* PEM: the certificate, then the intermediate ones. NULL: one is made, for localhost, the loopback addresses
	 * and `host`, valid for a week, with a new key that is never written to disk. */
	const char *cert;
	const char *key;         /* PEM; NULL: in `cert` */
	const struct host *host; /* NULL: no other */
	const char *client_ca;   /* PEM: clients need a certificate issued by one of these; NULL: they need none */
};

/* Whether a file of certificates or a key (NULL: none) can be opened, before a library says it less well. EXIT_CODE_IO:
 * it cannot. */
int http_check_file(const char *path, struct error *err);

/* EXIT_CODE_IO: a file cannot be read. EXIT_CODE_USAGE: it has the wrong contents, or the key belongs to another
 * certificate. */
struct ssl_ctx_st *http_tls_new(const struct http_tls_options *options, struct error *err);
/* Open connections continue. NULL is allowed. */
void http_tls_free(struct ssl_ctx_st *tls);

#define HTTP_FINGERPRINT_SIZE 96
/* The SHA-256 fingerprint of the certificate, as openssl prints it: AB:CD:... */
void http_tls_fingerprint(const struct ssl_ctx_st *tls, char out[HTTP_FINGERPRINT_SIZE]);
/* Appends the certificate as PEM. */
void http_tls_append_certificate(const struct ssl_ctx_st *tls, struct buffer *out);

/*
 * The bytes of a connection: a plain socket, or TLS over one.
 *
 * TLS may have to write in order to read, and vice versa: after AGAIN, watch the socket for `want`. Receive at least
 * HTTP_TRANSPORT_MIN bytes at a time, so that no decrypted bytes stay in OpenSSL, where the loop does not see them.
 */
#define HTTP_TRANSPORT_MIN (32 * 1024)

struct http_transport {
	int fd;             /* non-blocking; owned */
	struct ssl_st *ssl; /* owned; NULL: plain */
	uint32_t want;      /* LOOP_READ or LOOP_WRITE */
	bool has_looked;    /* at the first bytes, before the handshake; there were some */
	bool handshaken;    /* the handshake succeeded */
	bool raw;           /* TLS has ended: further bytes are received undecrypted, to be discarded */
	/* Why the handshake failed, a constant; NULL: it did not, or not a byte came. */
	const char *failure;
};

#define HTTP_TRANSPORT_AGAIN  (-1) /* would block */
#define HTTP_TRANSPORT_FAILED (-2) /* the connection is broken, or the peer does not use TLS */

/* Takes ownership of the descriptor. tls: NULL for plain. -1: out of memory; the descriptor is closed. */
int http_transport_open(struct http_transport *transport, int fd, struct ssl_ctx_st *tls);
/* The number of bytes received (0: end), or one of the above. */
ssize_t http_transport_receive(struct http_transport *transport, char *bytes, size_t size);
/* The number of bytes sent, perhaps fewer than `length`, or one of the above. After AGAIN the same bytes must be sent
 * again, with or without more after them. */
ssize_t http_transport_send(struct http_transport *transport, const char *bytes, size_t length);
/* Ends sending. Bytes can still be received. */
void http_transport_shut(struct http_transport *transport);
/* Closes; with `reset` by sending an RST. */
void http_transport_close(struct http_transport *transport, bool reset);

#endif
