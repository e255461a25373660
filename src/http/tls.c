#include "http/tls.h"

#include "base/file.h"
#include "base/loop.h"
#include "base/system.h"
#include "http/head.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define WEEK (7 * 24 * 3600)
#define HOUR 3600

/* OpenSSL's latest error. Clears its error queue. */
static const char *take_reason(void)
{
	const char *reason = ERR_reason_error_string(ERR_peek_last_error());
	ERR_clear_error();
	return reason ? reason : "unknown reason";
}

static int refuse(struct error *err, const char *what, const char *path)
{
	return error_set(err, EXIT_CODE_USAGE, "%s '%s': %s", what, path, take_reason());
}

int http_check_file(const char *path, struct error *err)
{
	struct stat info;
	if (!path)
		return 0;
	int failed = access(path, R_OK) < 0 || stat(path, &info) < 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
	return failed ? file_cannot("open", path, failed, err) : 0;
}

static int no_password(char *out, int size, int writing, void *context)
{
	(void)out, (void)size, (void)writing, (void)context;
	return -1;
}

static int take_certificate(SSL_CTX *context, const struct http_tls_options *o, struct error *err)
{
	const char *key = o->key ? o->key : o->cert;
	if (http_check_file(o->cert, err) < 0 || http_check_file(key, err) < 0)
		return -1;
	SSL_CTX_set_default_passwd_cb(context, no_password);
	if (SSL_CTX_use_certificate_chain_file(context, o->cert) != 1)
		return refuse(err, "cannot read a certificate from", o->cert);
	if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 && SSL_CTX_check_private_key(context) == 1)
		return 0;
	refuse(err, "cannot use the private key in", key);
	return error_hint(err, "it must belong to the certificate, and be in PEM without a password");
}

static int take_client_ca(SSL_CTX *context, const char *path, struct error *err)
{
	if (!path)
		return 0;
	if (http_check_file(path, err) < 0)
		return -1;
	STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(path);
	if (!names || SSL_CTX_load_verify_file(context, path) != 1) {
		sk_X509_NAME_pop_free(names, X509_NAME_free);
		return refuse(err, "cannot read certificates from", path);
	}
	SSL_CTX_set_client_CA_list(context, names);
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
	return 0;
}

static bool add_extension(X509 *cert, int nid, const char *value)
{
	X509V3_CTX context;
	X509V3_set_ctx_nodb(&context);
	X509V3_set_ctx(&context, cert, cert, NULL, NULL, 0);
	X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
	bool added = extension && X509_add_ext(cert, extension, -1) == 1;
	X509_EXTENSION_free(extension);
	return added;
}

static bool sign_certificate(X509 *cert, EVP_PKEY *key, const struct host *host)
{
	char names[512] = "DNS:localhost,IP:127.0.0.1,IP:::1";
	unsigned char serial[8];
	X509_NAME *subject = X509_get_subject_name(cert);
	if (host)
		snprintf(names, sizeof names, "DNS:localhost,IP:127.0.0.1,IP:::1,%s:%s",
		         host->type == HOST_NAME ? "DNS" : "IP", host->text);
	if (RAND_bytes(serial, sizeof serial) != 1)
		return false;
	serial[0] &= 0x7F;
	BIGNUM *number = BN_bin2bn(serial, sizeof serial, NULL);
	bool numbered = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(cert));
	BN_free(number);
	return numbered && X509_set_version(cert, X509_VERSION_3) == 1 &&
	       X509_gmtime_adj(X509_getm_notBefore(cert), -HOUR) && X509_gmtime_adj(X509_getm_notAfter(cert), WEEK) &&
	       X509_set_pubkey(cert, key) == 1 &&
	       X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)"credhook listen", -1, -1,
	                                  0) == 1 &&
	       X509_set_issuer_name(cert, subject) == 1 && add_extension(cert, NID_subject_alt_name, names) &&
	       add_extension(cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
	       add_extension(cert, NID_key_usage, "critical,digitalSignature,keyCertSign") &&
	       add_extension(cert, NID_ext_key_usage, "serverAuth") &&
	       add_extension(cert, NID_subject_key_identifier, "hash") && X509_sign(cert, key, EVP_sha256()) > 0;
}

static int make_certificate(SSL_CTX *context, const struct host *host, struct error *err)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *cert = X509_new();
	bool is_made = key && cert && sign_certificate(cert, key, host) &&
	               SSL_CTX_use_certificate(context, cert) == 1 && SSL_CTX_use_PrivateKey(context, key) == 1;
	X509_free(cert);
	EVP_PKEY_free(key);
	return is_made ? 0 : error_set(err, EXIT_CODE_INTERNAL, "cannot create a certificate: %s", take_reason());
}

SSL_CTX *http_tls_new(const struct http_tls_options *o, struct error *err)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());
	if (!context)
		return error_no_memory_null(err);
	ERR_clear_error();
	SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	/* HTTP has its own framing, so a missing close_notify is harmless. */
	SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
	SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
	                                  SSL_MODE_RELEASE_BUFFERS);
	/* No resumption: a session could outlive the certificate of its client. */
	SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
	SSL_CTX_set_num_tickets(context, 0);
	int result = o->cert ? take_certificate(context, o, err) : make_certificate(context, o->host, err);
	if (result == 0 && take_client_ca(context, o->client_ca, err) == 0)
		return context;
	SSL_CTX_free(context);
	return NULL;
}

void http_tls_free(SSL_CTX *context)
{
	SSL_CTX_free(context);
}

void http_tls_fingerprint(const SSL_CTX *context, char out[HTTP_FINGERPRINT_SIZE])
{
	unsigned char digest[32];
	unsigned length = 0;
	out[0] = '\0';
	if (X509_digest(SSL_CTX_get0_certificate(context), EVP_sha256(), digest, &length) != 1)
		return;
	for (unsigned i = 0; i < length && i < sizeof digest; i++)
		snprintf(out + (size_t)3 * i, 4, "%02X%s", digest[i], i + 1 < length ? ":" : "");
}

void http_tls_append_certificate(const SSL_CTX *context, struct buffer *out)
{
	BIO *memory = BIO_new(BIO_s_mem());
	char *bytes = NULL;
	if (memory && PEM_write_bio_X509(memory, SSL_CTX_get0_certificate(context)) == 1) {
		long length = BIO_get_mem_data(memory, &bytes);
		buffer_append(out, bytes, (size_t)length);
	}
	BIO_free(memory);
}

int http_transport_open(struct http_transport *transport, int fd, SSL_CTX *context)
{
	*transport = (struct http_transport){ .fd = fd, .want = LOOP_READ };
	if (!context)
		return 0;
	transport->ssl = SSL_new(context);
	if (!transport->ssl || SSL_set_fd(transport->ssl, fd) != 1) {
		http_transport_close(transport, false);
		return -1;
	}
	SSL_set_accept_state(transport->ssl);
	return 0;
}

static ssize_t outcome(struct http_transport *transport, ssize_t result, uint32_t want)
{
	transport->want = want;
	if (result >= 0)
		return result;
	return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? HTTP_TRANSPORT_AGAIN : HTTP_TRANSPORT_FAILED;
}

static ssize_t fail_tls(struct http_transport *t)
{
	/* Whoever said nothing has only looked whether the port is open: a health check. */
	if (!t->handshaken && !t->failure && t->has_looked) {
		const char *reason = ERR_reason_error_string(ERR_peek_last_error());
		t->failure = reason ? reason : "the client disconnected";
	}
	t->raw = true;
	return HTTP_TRANSPORT_FAILED;
}

/* Makes an outcome of what a call of SSL_read_ex() or SSL_write_ex() came to. */
static ssize_t tls_outcome(struct http_transport *t, int result, size_t count, uint32_t want)
{
	if (SSL_is_init_finished(t->ssl))
		t->handshaken = true;
	t->want = want;
	if (result == 1)
		return (ssize_t)count;
	ssize_t came = HTTP_TRANSPORT_AGAIN;
	switch (SSL_get_error(t->ssl, result)) {
	case SSL_ERROR_WANT_READ:
		t->want = LOOP_READ;
		break;
	case SSL_ERROR_WANT_WRITE:
		t->want = LOOP_WRITE;
		break;
	case SSL_ERROR_ZERO_RETURN:
		came = t->handshaken ? 0 : fail_tls(t);
		break;
	default:
		came = fail_tls(t);
	}
	ERR_clear_error();
	return came;
}

/* Such a proxy passes TLS on, and OpenSSL would only say that it is none. Once: the first bytes come together. */
static bool begins_as_proxy_protocol(struct http_transport *t, char *bytes, size_t size)
{
	ssize_t count = t->has_looked ? 0 : recv(t->fd, bytes, size, MSG_PEEK);
	t->has_looked = t->has_looked || count > 0;
	return count > 0 && http_is_proxy_protocol(bytes, (size_t)count);
}

ssize_t http_transport_receive(struct http_transport *t, char *bytes, size_t size)
{
	if (!t->ssl || t->raw)
		return outcome(t, recv(t->fd, bytes, size, 0), LOOP_READ);
	if (begins_as_proxy_protocol(t, bytes, size)) {
		t->want = LOOP_READ;
		t->failure = HTTP_PROXY_PROTOCOL;
		return fail_tls(t);
	}
	size_t more = 0;
	ERR_clear_error();
	int result = SSL_read_ex(t->ssl, bytes, size, &more);
	ssize_t count = tls_outcome(t, result, more, LOOP_READ);
	/* One record and what OpenSSL has already decrypted, but not all that the socket has, so that one busy client
	 * does not delay the others. */
	while (count > 0 && (size_t)count < size && SSL_pending(t->ssl) > 0 &&
	       SSL_read_ex(t->ssl, bytes + count, size - (size_t)count, &more) == 1)
		count += (ssize_t)more;
	return count;
}

ssize_t http_transport_send(struct http_transport *t, const char *bytes, size_t length)
{
	size_t sent = 0;
	if (!t->ssl)
		return outcome(t, system_send(t->fd, bytes, length), LOOP_WRITE);
	if (t->raw)
		return HTTP_TRANSPORT_FAILED;
	ERR_clear_error();
	int result = SSL_write_ex(t->ssl, bytes, length, &sent);
	return tls_outcome(t, result, sent, LOOP_WRITE);
}

/* Sends close_notify, once, if that is possible without waiting. */
static void send_close_notify(struct http_transport *t)
{
	if (!t->ssl || !t->handshaken || t->raw)
		return;
	SSL_shutdown(t->ssl);
	ERR_clear_error();
	t->raw = true;
}

void http_transport_shut(struct http_transport *transport)
{
	send_close_notify(transport);
	shutdown(transport->fd, SHUT_WR);
}

void http_transport_close(struct http_transport *transport, bool reset)
{
	struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
	if (reset)
		setsockopt(transport->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	else
		send_close_notify(transport);
	SSL_free(transport->ssl);
	transport->ssl = NULL;
	close(transport->fd);
	transport->fd = -1;
}
