/*
 * The end of an attempt that got no whole response: its kind, in words, and what to do. What libcurl says in words is
 * shown, never read: its code, the system's error and what OpenSSL saw of the handshake decide.
 */
#include "base/clock.h"
#include "http/deliver_internal.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char use_http[] = "is it plain HTTP? use http:// instead of https://";
static const char use_https[] = "is it HTTPS? use https:// instead of http://";

/* Ends that need no more than these words. */
static const struct end {
	CURLcode code;
	bool unsent;         /* nothing was sent; else a part was, at least */
	const char *message; /* NULL: libcurl's */
	const char *hint;
} ends[] = {
	{ CURLE_COULDNT_RESOLVE_HOST, true, NULL,
	  "check the name, or connect to an address with --connect-to ::ADDRESS:PORT" },
	{ CURLE_COULDNT_RESOLVE_PROXY, true, NULL, "check the name of the proxy" },
	{ CURLE_SSL_CACERT_BADFILE, true, NULL, "--cacert needs a PEM file of certificates" },
	{ CURLE_SSL_CERTPROBLEM, true, NULL,
	  "--cert and --key need a certificate and its key as PEM files, or as one file" },
	/* For libcurl, everything without a status line is HTTP/0.9. */
	{ CURLE_UNSUPPORTED_PROTOCOL, false, "the response is not HTTP", use_https },
	{ CURLE_WEIRD_SERVER_REPLY, false, "the response is not HTTP", NULL },
};

/* Why OpenSSL did not accept a certificate. */
static const struct {
	int error;
	const char *hint;
} certificate_hints[] = {
	{ X509_V_OK, "check the host name; -k skips verification" }, /* libcurl compares it afterwards */
	{ X509_V_ERR_CERT_HAS_EXPIRED, "renew the certificate; -k skips verification" },
	{ X509_V_ERR_CERT_NOT_YET_VALID, "check the clock of this machine; -k skips verification" },
};

static void say(struct delivery *delivery, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct delivery *delivery, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(delivery->message, sizeof delivery->message, format, args);
	va_end(args);
}

/* Verifies as OpenSSL does by default, and describes the certificate that failed, or the server's. */
static int verify(X509_STORE_CTX *store, void *context)
{
	struct attempt *attempt = context;
	int good = X509_verify_cert(store);
	const X509 *certificate = good > 0 ? NULL : X509_STORE_CTX_get_current_cert(store);
	attempt->verify_error = good > 0 ? X509_V_OK : X509_STORE_CTX_get_error(store);
	if (!certificate)
		certificate = X509_STORE_CTX_get0_cert(store);
	if (certificate) {
		char subject[80], issuer[80];
		X509_NAME_oneline(X509_get_subject_name(certificate), subject, sizeof subject);
		X509_NAME_oneline(X509_get_issuer_name(certificate), issuer, sizeof issuer);
		snprintf(attempt->certificate, sizeof attempt->certificate, "for %s, issued by %s", subject, issuer);
	}
	return good > 0;
}

/* An SSL_CTX_set_msg_callback(): alerts, and whether the server speaks TLS at all. A kept connection calls for the
 * attempt that made it. */
static void on_tls_message(int is_sent, int version, int type, const void *bytes, size_t length, SSL *ssl,
                           void *context)
{
	struct attempt *attempt = context;
	const unsigned char *b = bytes;
	(void)version;
	(void)ssl;
	if (type == SSL3_RT_ALERT && length == 2 && b[1] != SSL_AD_CLOSE_NOTIFY)
		*(is_sent ? &attempt->alert_sent : &attempt->alert) = b[1];
	else if (type == SSL3_RT_HEADER && !is_sent && length == SSL3_RT_HEADER_LENGTH && b[1] != SSL3_VERSION_MAJOR)
		attempt->is_not_tls = true;
}

static CURLcode on_context(CURL *easy, void *ssl_context, void *context)
{
	(void)easy;
	((struct attempt *)context)->handshake = true;
	SSL_CTX_set_cert_verify_callback(ssl_context, verify, context);
	SSL_CTX_set_msg_callback(ssl_context, on_tls_message);
	SSL_CTX_set_msg_callback_arg(ssl_context, context);
	return CURLE_OK;
}

void tls_watch(struct attempt *attempt)
{
	const curl_version_info_data *version = curl_version_info(CURLVERSION_NOW);
	/* With another library ssl_context has another type. */
	if (!version->ssl_version || strncmp(version->ssl_version, "OpenSSL/", 8) != 0)
		return;
	curl_easy_setopt(attempt->easy, CURLOPT_SSL_CTX_FUNCTION, on_context);
	curl_easy_setopt(attempt->easy, CURLOPT_SSL_CTX_DATA, attempt);
}

/* libcurl's message, starting with a lower-case letter. */
static const char *curl_message(struct attempt *attempt, CURLcode code)
{
	if (attempt->error[0] == '\0')
		snprintf(attempt->error, sizeof attempt->error, "%s", curl_easy_strerror(code));
	if (isupper((unsigned char)attempt->error[0]) && islower((unsigned char)attempt->error[1]))
		attempt->error[0] = (char)tolower((unsigned char)attempt->error[0]);
	return attempt->error;
}

static long os_errno(const struct attempt *attempt)
{
	long number = 0;
	curl_easy_getinfo(attempt->easy, CURLINFO_OS_ERRNO, &number);
	return number;
}

static void explain_no_connection(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	const struct deliver_options *options = attempt->multi->deliverer->options;
	const char *path = options->unix_socket, *proxy = options->proxy && !path ? " to the proxy" : "";
	long number = os_errno(attempt);
	if (attempt->forbidden) {
		say(delivery, "the host name resolves to a protected environment");
		delivery->hint = "nothing was sent; add --allow-production if you mean it";
		return;
	}
	if (attempt->socket_errno != 0) {
		say(delivery, "cannot open a socket: %s", strerror(attempt->socket_errno));
		if (attempt->socket_errno == EMFILE)
			delivery->hint = "raise the limit of open files (ulimit -n), or lower the concurrency";
		return;
	}
	if (number == ECONNREFUSED || (path && number == ENOENT)) {
		delivery->failure = *proxy ? DELIVER_OTHER_FAILURE : DELIVER_REFUSED;
		delivery->hint = *proxy ? "is the proxy of -x running?" : "is the listener running?";
	}
	if (path && number != 0)
		say(delivery, "cannot connect to the unix socket '%s': %s", path, strerror((int)number));
	else if (number == ECONNREFUSED)
		say(delivery, "connection%s refused", proxy);
	else if (number != 0)
		say(delivery, "cannot connect%s: %s", proxy, strerror((int)number));
	else
		say(delivery, "%s", curl_message(attempt, code));
}

static void explain_timeout(struct attempt *attempt, bool sent)
{
	struct delivery *delivery = attempt->delivery;
	char span[CLOCK_DURATION_SIZE];
	double looked_up = 0;
	clock_format_duration(delivery->latency_ns, span);
	curl_easy_getinfo(attempt->easy, CURLINFO_NAMELOOKUP_TIME, &looked_up);
	if (sent) {
		say(delivery, "timed out after %s without a response", span);
	} else if (attempt->handshake) {
		say(delivery, "timed out after %s during the TLS handshake", span);
		delivery->hint = use_http;
	} else if (attempt->connecting || looked_up > 0) {
		say(delivery, "timed out after %s while connecting", span);
		delivery->hint = "check the host and port, and firewalls in between";
	} else {
		say(delivery, "timed out after %s while resolving the host name", span);
	}
}

static void explain_certificate(struct attempt *attempt)
{
	struct delivery *delivery = attempt->delivery;
	const char *says = attempt->certificate;
	const char *why = X509_verify_cert_error_string(attempt->verify_error);
	if (attempt->verify_error == X509_V_OK) {
		why = curl_message(attempt, CURLE_PEER_FAILED_VERIFICATION); /* has the host */
		why += strncmp(why, "SSL: ", 5) == 0 ? 5 : 0;
	}
	say(delivery, "TLS: certificate not accepted: %s%s%s%s", why, *says ? " (" : "", says, *says ? ")" : "");
	const char *unused;
	const struct deliver_options *options = attempt->multi->deliverer->options;
	delivery->hint = options->cacert || options->capath || find_authorities(&unused)
	                         ? "trust its issuer with --cacert FILE; -k skips verification"
	                         : "this machine has no certificate authorities: looked for " AUTHORITIES_DEBIAN
	                           ", " AUTHORITIES_FEDORA ", " AUTHORITIES_ALPINE " and " AUTHORITIES_SUSE
	                           "; install ca-certificates, or name a file with --cacert or SSL_CERT_FILE";
	for (size_t i = 0; i < sizeof certificate_hints / sizeof certificate_hints[0]; i++)
		if (certificate_hints[i].error == attempt->verify_error)
			delivery->hint = certificate_hints[i].hint;
}

/* The server ended the handshake with an alert. In TLS 1.3 it checks the client certificate after the client has
 * finished its handshake. */
static void explain_alert(struct attempt *attempt)
{
	static const unsigned char about_certificates[] = {
		SSL_AD_HANDSHAKE_FAILURE,       SSL_AD_NO_CERTIFICATE,      SSL_AD_BAD_CERTIFICATE,
		SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED, SSL_AD_CERTIFICATE_EXPIRED,
		SSL_AD_CERTIFICATE_UNKNOWN,     SSL_AD_UNKNOWN_CA,
	};
	struct delivery *delivery = attempt->delivery;
	if (attempt->alert == SSL_AD_CERTIFICATE_REQUIRED) {
		say(delivery, "TLS: the server requires a client certificate");
		delivery->hint = "give one with --cert and --key";
		return;
	}
	say(delivery, "TLS: the server ended the handshake: %s", SSL_alert_desc_string_long(attempt->alert));
	if (memchr(about_certificates, attempt->alert, sizeof about_certificates))
		delivery->hint = attempt->multi->deliverer->options->cert
		                         ? "check that the server trusts the issuer of the --cert certificate"
		                         : "it may require a client certificate: use --cert and --key";
}

/* A row's words; false: there is no row. */
static bool explain_by_row(struct attempt *attempt, CURLcode code, bool unsent)
{
	struct delivery *delivery = attempt->delivery;
	const struct end *end = ends;
	while (end < ends + sizeof ends / sizeof ends[0] && (end->code != code || end->unsent != unsent))
		end++;
	if (end == ends + sizeof ends / sizeof ends[0])
		return false;
	say(delivery, "%s", end->message ? end->message : curl_message(attempt, code));
	delivery->hint = end->hint;
	return true;
}

static void explain_tls(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	if (attempt->is_not_tls) {
		say(delivery, "TLS: the server does not use TLS on this port");
		delivery->hint = use_http;
	} else if (code == CURLE_PEER_FAILED_VERIFICATION) {
		explain_certificate(attempt);
	} else if (attempt->alert) {
		explain_alert(attempt);
	} else if (code == CURLE_SSL_CONNECT_ERROR && attempt->handshake && !attempt->alert_sent) {
		say(delivery, "TLS: the server closed the connection during the handshake");
		delivery->hint = use_http;
	} else {
		say(delivery, "TLS: %s", curl_message(attempt, code));
	}
}

static void explain_proxy(struct attempt *attempt, CURLcode code, long response)
{
	struct delivery *delivery = attempt->delivery;
	if (response >= 300)
		say(delivery, "the proxy did not connect to the host: it responded %ld", response);
	else if (code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR || code == CURLE_GOT_NOTHING)
		say(delivery, "the proxy did not respond to CONNECT");
	else
		say(delivery, "%s", curl_message(attempt, code));
	if (response == 407)
		delivery->hint = "authentication required: use -x http://USER:PASSWORD@HOST:PORT";
}

static void explain_unsent(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	long tunnel = 0;
	curl_easy_getinfo(attempt->easy, CURLINFO_HTTP_CONNECTCODE, &tunnel);
	delivery->transient = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
	                      (code == CURLE_COULDNT_CONNECT && !attempt->forbidden) ||
	                      code == CURLE_OPERATION_TIMEDOUT;
	if (explain_by_row(attempt, code, true))
		return;
	if (code == CURLE_COULDNT_CONNECT && tunnel < 300)
		explain_no_connection(attempt, code);
	else if (code == CURLE_OPERATION_TIMEDOUT)
		explain_timeout(attempt, false);
	else if (attempt->handshake || code == CURLE_SSL_CONNECT_ERROR || code == CURLE_SSL_CIPHER)
		explain_tls(attempt, code);
	else if (attempt->multi->deliverer->options->proxy)
		explain_proxy(attempt, code, tunnel);
	else
		say(delivery, "%s", curl_message(attempt, code));
}

/* A server that expects TLS mostly just closes a new connection that sends plain HTTP. */
static void explain_closed(struct attempt *attempt, const char *how)
{
	struct delivery *delivery = attempt->delivery;
	say(delivery, "the server %s the connection without a response", how);
	if (attempt->connecting && !attempt->handshake)
		delivery->hint =
		        "it may have been delivered. If the server expects HTTPS, use https:// instead of http://";
}

static void explain_unknown(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	bool is_broken = code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR;
	if (explain_by_row(attempt, code, false)) {
		if (attempt->handshake)
			delivery->hint = NULL;
	} else if (code == CURLE_OPERATION_TIMEDOUT) {
		explain_timeout(attempt, true);
	} else if (code == CURLE_WRITE_ERROR) { /* an interim response, since there is no final status */
		say(delivery, "the head of the response is longer than %u KiB", DELIVER_HEAD_READ / 1024);
	} else if (is_broken && attempt->connecting && attempt->alert) {
		explain_alert(attempt);
	} else if (is_broken && os_errno(attempt) == ECONNRESET) {
		explain_closed(attempt, "reset");
		/* Also libcurl's "tried 5 times", which counts connections of all deliveries and not retries. */
	} else if (attempt->refused || code == CURLE_GOT_NOTHING || code == CURLE_OK || is_broken) {
		explain_closed(attempt, "closed");
	} else {
		say(delivery, "cannot read the response: %s", curl_message(attempt, code));
	}
}

/* The response ended after its status. */
static void explain_incomplete(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	char span[CLOCK_DURATION_SIZE];
	if (code == CURLE_OPERATION_TIMEDOUT) {
		clock_format_duration(delivery->latency_ns, span);
		say(delivery, "timed out after %s: the response is incomplete", span);
	} else if (code == CURLE_WRITE_ERROR && attempt->head_bytes > DELIVER_HEAD_READ) {
		say(delivery, "the head of the response is longer than %u KiB", DELIVER_HEAD_READ / 1024);
	} else if (code == CURLE_OK || code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR ||
	           code == CURLE_GOT_NOTHING) {
		say(delivery, "the response is incomplete");
	} else {
		say(delivery, "the response is incomplete: %s", curl_message(attempt, code));
	}
}

void explain(struct attempt *attempt, CURLcode code)
{
	struct deliverer *d = attempt->multi->deliverer;
	struct delivery *delivery = attempt->delivery;
	delivery->failure = code == CURLE_OPERATION_TIMEDOUT ? DELIVER_TIMED_OUT : DELIVER_OTHER_FAILURE;
	if (delivery->status != 0)
		explain_incomplete(attempt, code);
	else if (d->aborted && code == CURLE_ABORTED_BY_CALLBACK)
		say(delivery, "interrupted %s",
		    delivery->outcome == DELIVER_FAILED ? "before it was sent" : "before a response arrived");
	else if (delivery->outcome == DELIVER_FAILED)
		explain_unsent(attempt, code);
	else
		explain_unknown(attempt, code);
}
