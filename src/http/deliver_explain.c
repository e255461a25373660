/*
 * The end of an attempt that got no whole response: its kind, in words, and what to do. What libcurl says in words is
 * shown, never read: its code, the system's error and what OpenSSL saw of the handshake decide.
 */
#include "base/clock.h"
#include "http/deliver_internal.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/ssl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char use_http[] = "is it plain HTTP? use http:// instead of https://";

/* hint NULL: none. */
__attribute__((format(printf, 3, 4))) static void say(struct exchange *exchange, const char *hint, const char *format,
                                                      ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(exchange->message, sizeof exchange->message, format, args);
	va_end(args);
	exchange->hint = hint;
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

/* Says what libcurl says, starting with a lower-case letter. */
static void say_curl(struct attempt *attempt, const char *hint, const char *before, CURLcode code)
{
	char *text = attempt->error;
	if (text[0] == '\0')
		snprintf(text, sizeof attempt->error, "%s", curl_easy_strerror(code));
	if (isupper((unsigned char)text[0]) && islower((unsigned char)text[1]))
		text[0] = (char)tolower((unsigned char)text[0]);
	say(attempt->exchange, hint, "%s%s", before, text);
}

static long os_errno(const struct attempt *attempt)
{
	long number = 0;
	curl_easy_getinfo(attempt->easy, CURLINFO_OS_ERRNO, &number);
	return number;
}

static void explain_no_connection(struct attempt *attempt, CURLcode code)
{
	struct exchange *exchange = attempt->exchange;
	const struct deliver_options *options = attempt->multi->deliverer->options;
	const char *to = options->proxy ? " to the proxy" : "";
	long number = os_errno(attempt);
	if (attempt->forbidden) {
		say(exchange, "nothing was sent; add --allow-production if you mean it",
		    "the host name resolves to a protected environment");
	} else if (attempt->socket_errno != 0) {
		say(exchange, "raise the limit of open files (ulimit -n), or lower the concurrency",
		    "cannot open a socket: %s", strerror(attempt->socket_errno));
	} else if (number == ECONNREFUSED) {
		exchange->failure = *to ? DELIVER_OTHER_FAILURE : DELIVER_REFUSED;
		say(exchange, *to ? "is the proxy of -x running?" : "is the listener running?", "connection%s refused",
		    to);
	} else if (number != 0) {
		say(exchange, NULL, "cannot connect%s: %s", to, strerror((int)number));
	} else {
		say_curl(attempt, NULL, "", code);
	}
}

/* The server ended the handshake with an alert. In TLS 1.3 it checks the client certificate after the client has
 * finished its handshake. */
static void explain_alert(struct attempt *attempt)
{
	bool is_required = attempt->alert == SSL_AD_CERTIFICATE_REQUIRED; /* OpenSSL 3.0 has no words for it */
	say(attempt->exchange, "it may require a client certificate of an issuer that it trusts: --cert and --key",
	    "TLS: the server ended the handshake: %s",
	    is_required ? "certificate required" : SSL_alert_desc_string_long(attempt->alert));
}

static void explain_tls(struct attempt *attempt, CURLcode code)
{
	const char *hint = NULL;
	if (code == CURLE_PEER_FAILED_VERIFICATION)
		hint = attempt->multi->deliverer->has_authorities
		               ? "trust its issuer with --cacert FILE; -k skips verification"
		               : "this machine has no certificate authorities: install ca-certificates, or name a "
		                 "file with --cacert or SSL_CERT_FILE";
	if (attempt->is_not_tls)
		say(attempt->exchange, use_http, "TLS: the server does not use TLS on this port");
	else if (attempt->alert)
		explain_alert(attempt);
	else if (code == CURLE_SSL_CONNECT_ERROR && attempt->handshake && !attempt->alert_sent)
		say(attempt->exchange, use_http, "TLS: the server closed the connection during the handshake");
	else
		say_curl(attempt, hint, "TLS: ", code);
}

static void explain_timeout(struct attempt *attempt)
{
	struct exchange *exchange = attempt->exchange;
	bool is_sent = exchange->outcome == DELIVER_UNKNOWN;
	const char *hint = attempt->handshake ? use_http : "check the host and port, and firewalls in between";
	say(exchange, is_sent ? NULL : hint, "timed out after %s %s", DURATION_TEXT(exchange->latency_ns),
	    is_sent               ? "without a response"
	    : attempt->handshake  ? "during the TLS handshake"
	    : attempt->connecting ? "while connecting"
	                          : "while resolving the host name");
}

static void explain_unsent(struct attempt *attempt, CURLcode code)
{
	struct exchange *exchange = attempt->exchange;
	bool is_unresolved = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY;
	bool is_bad_file = code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_CERTPROBLEM;
	const char *hint = NULL;
	long tunnel = 0;
	curl_easy_getinfo(attempt->easy, CURLINFO_HTTP_CONNECTCODE, &tunnel);
	exchange->transient = is_unresolved || (code == CURLE_COULDNT_CONNECT && !attempt->forbidden) ||
	                      code == CURLE_OPERATION_TIMEDOUT;
	if (is_unresolved)
		hint = "check the name, or connect to an address with --connect-to ::ADDRESS:PORT";
	else if (is_bad_file)
		hint = "--cacert, --cert and --key need PEM files: certificates, and the key of --cert";
	else if (tunnel == 407)
		hint = "authentication required: use -x http://USER:PASSWORD@HOST:PORT";
	if (code == CURLE_COULDNT_CONNECT && tunnel < 300)
		explain_no_connection(attempt, code);
	else if (code == CURLE_OPERATION_TIMEDOUT)
		explain_timeout(attempt);
	else if (!is_bad_file && (attempt->handshake || code == CURLE_SSL_CONNECT_ERROR || code == CURLE_SSL_CIPHER))
		explain_tls(attempt, code);
	else
		say_curl(attempt, hint, "", code);
}

static void explain_unknown(struct attempt *attempt, CURLcode code)
{
	struct exchange *exchange = attempt->exchange;
	bool is_broken = code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR;
	if (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY) {
		/* For libcurl, everything without a status line is HTTP/0.9. */
		bool may_be_tls = code == CURLE_UNSUPPORTED_PROTOCOL && !attempt->handshake;
		say(exchange, may_be_tls ? "is it HTTPS? use https:// instead of http://" : NULL,
		    "the response is not HTTP");
	} else if (code == CURLE_OPERATION_TIMEDOUT) {
		explain_timeout(attempt);
	} else if (is_broken && attempt->connecting && attempt->alert) {
		explain_alert(attempt);
	} else if (attempt->refused || code == CURLE_GOT_NOTHING || code == CURLE_OK || is_broken) {
		/* Includes libcurl's "tried 5 times", which counts connections of all deliveries and not retries.
		 * A server that expects TLS mostly just closes a new connection that sends plain HTTP. */
		say(exchange,
		    attempt->connecting && !attempt->handshake && !attempt->multi->deliverer->has_response
		            ? "it may have been delivered. If the server expects HTTPS, use https:// instead of http://"
		            : NULL,
		    "the server %s the connection without a response",
		    is_broken && os_errno(attempt) == ECONNRESET ? "reset" : "closed");
	} else {
		say_curl(attempt, NULL, "cannot read the response: ", code);
	}
}

void explain(struct attempt *attempt, CURLcode code)
{
	struct exchange *exchange = attempt->exchange;
	bool is_failed = exchange->outcome == DELIVER_FAILED, is_late = code == CURLE_OPERATION_TIMEDOUT;
	size_t most = attempt->multi->deliverer->response_most;
	exchange->failure = is_late                            ? DELIVER_TIMED_OUT
	                    : exchange->response_length > most ? DELIVER_TOO_LONG
	                                                       : DELIVER_OTHER_FAILURE;
	if (code == CURLE_WRITE_ERROR && attempt->head_bytes > DELIVER_HEAD_READ)
		say(exchange, NULL, "the head of the response is longer than %u KiB", DELIVER_HEAD_READ / 1024);
	else if (exchange->status != 0 && is_late)
		say(exchange, NULL, "timed out after %s: the response is incomplete",
		    DURATION_TEXT(exchange->latency_ns));
	else if (exchange->status != 0 && exchange->failure == DELIVER_TOO_LONG)
		say(exchange, NULL, "the response is longer than %zu MiB", most >> 20);
	else if (exchange->status != 0)
		say(exchange, NULL, "the response is incomplete");
	else if (attempt->multi->deliverer->aborted && code == CURLE_ABORTED_BY_CALLBACK)
		say(exchange, NULL, "interrupted %s", is_failed ? "before it was sent" : "before a response arrived");
	else if (is_failed)
		explain_unsent(attempt, code);
	else
		explain_unknown(attempt, code);
}
