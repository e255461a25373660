#include "base/clock.h"
#include "http/deliver_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char use_http[] = "is it plain HTTP? use http:// instead of https://";
static const char use_https[] = "is it HTTPS? use https:// instead of http://";

static void say(struct delivery *delivery, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct delivery *delivery, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(delivery->message, sizeof delivery->message, format, args);
	va_end(args);
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
	if (number == ECONNREFUSED || (path && number == ENOENT))
		delivery->hint = *proxy ? "is the proxy of -x running?" : "is the listener running?";
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

/* The reason in a message of OpenSSL, and its length. */
static const char *tls_reason(const char *words, int *length)
{
	const char *routines = strstr(words, "routines::");
	const char *reason = routines ? routines + strlen("routines::") : words;
	*length = (int)strcspn(reason, routines ? "," : "");
	return reason;
}

/* `why`: from libcurl or OpenSSL. */
static void explain_certificate(struct attempt *attempt, const char *why)
{
	struct delivery *delivery = attempt->delivery;
	const char *says = attempt->certificate;
	say(delivery, "TLS: certificate not accepted: %s%s%s%s", why, *says ? " (" : "", says, *says ? ")" : "");
	if (strstr(why, "subject name")) /* of the certificate does not match the host */
		delivery->hint = "check the host name; -k skips verification";
	else if (strstr(why, "expired"))
		delivery->hint = "renew the certificate; -k skips verification";
	else if (strstr(why, "not yet valid"))
		delivery->hint = "check the clock of this machine; -k skips verification";
	else
		delivery->hint = "trust its issuer with --cacert FILE; -k skips verification";
}

/* The server ended the handshake with an alert. */
static void explain_alert(struct attempt *attempt, const char *words)
{
	int length;
	const char *reason = tls_reason(words, &length);
	if (strstr(reason, "certificate required")) {
		say(attempt->delivery, "TLS: the server requires a client certificate");
		attempt->delivery->hint = "give one with --cert and --key";
		return;
	}
	say(attempt->delivery, "TLS: the server ended the handshake: %.*s", length, reason);
	if (!strstr(reason, "certificate") && !strstr(reason, "unknown ca") && !strstr(reason, "handshake failure"))
		return;
	attempt->delivery->hint = attempt->multi->deliverer->options->cert
	                                  ? "check that the server trusts the issuer of the --cert certificate"
	                                  : "it may require a client certificate: use --cert and --key";
}

static void explain_tls(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	static const char certificate[] = "SSL certificate problem: ";
	static const char prefix[] = "SSL: ";
	const char *words = curl_message(attempt, code);
	int length;
	if (strstr(words, "wrong version number")) {
		say(delivery, "TLS: the server does not use TLS on this port");
		delivery->hint = use_http;
	} else if (strncmp(words, certificate, sizeof certificate - 1) == 0) {
		explain_certificate(attempt, words + sizeof certificate - 1);
	} else if (code == CURLE_PEER_FAILED_VERIFICATION) {
		explain_certificate(attempt,
		                    words + (strncmp(words, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0));
	} else if (strstr(words, " alert ")) {
		explain_alert(attempt, words);
	} else if (os_errno(attempt) == ECONNRESET || strstr(words, "reset") || strstr(words, "unexpected eof") ||
	           strstr(words, "SSL_ERROR_SYSCALL")) {
		say(delivery, "TLS: the server closed the connection during the handshake");
		delivery->hint = use_http;
	} else {
		const char *reason = tls_reason(words, &length);
		say(delivery, "TLS: %.*s", length, reason);
	}
	if (code == CURLE_SSL_CACERT_BADFILE)
		delivery->hint = "--cacert needs a PEM file of certificates";
	else if (code == CURLE_SSL_CERTPROBLEM)
		delivery->hint = "--cert and --key need a certificate and its key as PEM files, or as one file";
}

/* Other reasons why a request was not sent. */
static void explain_rest(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	long tunnel = 0;
	const char *words = curl_message(attempt, code);
	curl_easy_getinfo(attempt->easy, CURLINFO_HTTP_CONNECTCODE, &tunnel);
	if (strstr(words, "CONNECT") && tunnel >= 300)
		say(delivery, "the proxy did not connect to the host: it responded %ld", tunnel);
	else if (strstr(words, "CONNECT"))
		say(delivery, "the proxy did not respond to CONNECT");
	else
		say(delivery, "%s", words);
	if (tunnel == 407)
		delivery->hint = "authentication required: use -x http://USER:PASSWORD@HOST:PORT";
}

static void explain_unsent(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	const char *host;
	delivery->transient = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
	                      (code == CURLE_COULDNT_CONNECT && !attempt->forbidden) ||
	                      code == CURLE_OPERATION_TIMEDOUT;
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		host = strstr(curl_message(attempt, code), ": ");
		say(delivery, "could not resolve %s '%s'", code == CURLE_COULDNT_RESOLVE_PROXY ? "proxy" : "host",
		    host ? host + 2 : "?");
		delivery->hint = "check the name, or connect to an address with --connect-to ::ADDRESS:PORT";
		break;
	case CURLE_COULDNT_CONNECT:
		explain_no_connection(attempt, code);
		break;
	case CURLE_OPERATION_TIMEDOUT:
		explain_timeout(attempt, false);
		break;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS:
		explain_tls(attempt, code);
		break;
	default:
		explain_rest(attempt, code);
		break;
	}
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

/* The connection broke after at least a part of the request was sent. */
static void explain_broken(struct attempt *attempt, CURLcode code)
{
	const char *words = curl_message(attempt, code);
	/* In TLS 1.3 the server checks the client certificate after the client has finished its handshake. */
	if (strstr(words, " alert "))
		explain_alert(attempt, words);
	else if (os_errno(attempt) == ECONNRESET || strstr(words, "reset"))
		explain_closed(attempt, "reset");
	/* Also libcurl's "tried 5 times", which counts connections of all deliveries and not retries. */
	else if (code == CURLE_SEND_ERROR || strstr(words, "unexpected eof"))
		explain_closed(attempt, "closed");
	else
		say(attempt->delivery, "cannot read the response: %s", words);
}

static void explain_long_head(struct delivery *delivery)
{
	say(delivery, "the head of the response is longer than %u KiB", DELIVER_HEAD_READ / 1024);
}

static void explain_not_http(struct attempt *attempt)
{
	say(attempt->delivery, "the response is not HTTP");
	if (!attempt->handshake)
		attempt->delivery->hint = use_https;
}

static void explain_unknown(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	if (attempt->refused || code == CURLE_GOT_NOTHING || code == CURLE_OK) {
		explain_closed(attempt, "closed");
		return;
	}
	switch (code) {
	case CURLE_OPERATION_TIMEDOUT:
		explain_timeout(attempt, true);
		break;
	case CURLE_UNSUPPORTED_PROTOCOL: /* for libcurl, everything without a status line is HTTP/0.9 */
		explain_not_http(attempt);
		break;
	case CURLE_WRITE_ERROR: /* an interim response, since there is no final status */
		explain_long_head(delivery);
		break;
	case CURLE_WEIRD_SERVER_REPLY:
		say(delivery, "the response is not HTTP: %s", curl_message(attempt, code));
		break;
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
		explain_broken(attempt, code);
		break;
	default:
		say(delivery, "cannot read the response: %s", curl_message(attempt, code));
		break;
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
		explain_long_head(delivery);
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
	delivery->timed_out = code == CURLE_OPERATION_TIMEDOUT;
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
