/*
 * TLS for the server, by OpenSSL 3: TLS 1.2 and newer with the library's default ciphers.
 *
 * The certificate is read from files, or made for this run. Passwords are not supported.
 */
#ifndef CREDHOOK_HTTP_TLS_H
#define CREDHOOK_HTTP_TLS_H

#include "base/buffer.h"
#include "base/error.h"

struct ssl_st;
struct http_tls;

struct http_tls_options {
	const char *cert;      /* PEM: the certificate, then the intermediate ones */
	const char *key;       /* PEM; NULL: in `cert` */
	const char *client_ca; /* PEM: clients need a certificate issued by one of these; NULL: they need none */
};

/* EXIT_CODE_IO: a file cannot be read. EXIT_CODE_USAGE: it has the wrong contents, or the key belongs to another
 * certificate. */
struct http_tls *http_tls_new(const struct http_tls_options *options, struct error *err);
/* With a new key, which is never written to disk, and a certificate for localhost, the loopback addresses and `host` (a
 * name or an address; NULL: none), valid for a week. client_ca as above. */
struct http_tls *http_tls_new_self_signed(const char *host, const char *client_ca, struct error *err);
/* Open connections continue. NULL is allowed. */
void http_tls_free(struct http_tls *tls);

#define HTTP_FINGERPRINT_SIZE 96
/* The SHA-256 fingerprint of the certificate, as openssl prints it: AB:CD:... */
void http_tls_fingerprint(const struct http_tls *tls, char out[HTTP_FINGERPRINT_SIZE]);
/* Appends the certificate as PEM. */
void http_tls_append_certificate(const struct http_tls *tls, struct buffer *out);

/* For transport.c: the server side of a connection on the descriptor. NULL: out of memory. */
struct ssl_st *http_tls_accept(const struct http_tls *tls, int fd);

#endif
