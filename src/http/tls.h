/*
 * The server's side of TLS, by OpenSSL 3: 1.2 and newer, with the library's own choice of ciphers.
 *
 * A certificate comes from files, or is made for the session. Passwords are not asked for.
 */
#ifndef CREDHOOK_HTTP_TLS_H
#define CREDHOOK_HTTP_TLS_H

#include "base/buffer.h"
#include "base/error.h"

struct ssl_st;
struct http_tls;

struct http_tls_options {
	const char *cert;      /* PEM, with the certificates between it and the authority behind it */
	const char *key;       /* PEM; NULL: it stands in `cert` */
	const char *client_ca; /* PEM: only clients with a certificate of these are let in; NULL: all */
};

/* Error: EXIT_CODE_IO where a file cannot be read, EXIT_CODE_USAGE where it does not hold what it should, or the key is
 * another certificate's. */
struct http_tls *http_tls_new(const struct http_tls_options *options, struct error *err);
/* With a key that is never written anywhere, and a certificate for localhost, the loopback addresses and `host` (a name
 * or an address; NULL: none), good for a week. client_ca as above. */
struct http_tls *http_tls_new_self_signed(const char *host, const char *client_ca, struct error *err);
/* Connections that use it go on. NULL is allowed. */
void http_tls_free(struct http_tls *tls);

#define HTTP_FINGERPRINT_SIZE 96 /* 32 times two digits and a colon, and a NUL */
/* SHA-256 over the certificate, as openssl writes it: AB:CD:... */
void http_tls_fingerprint(const struct http_tls *tls, char out[HTTP_FINGERPRINT_SIZE]);
/* Appends the certificate as PEM. */
void http_tls_append_certificate(const struct http_tls *tls, struct buffer *out);

/* For the transport: a connection's half, on the descriptor; NULL: no memory. */
struct ssl_st *http_tls_accept(const struct http_tls *tls, int fd);

#endif
