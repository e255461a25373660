#include "base/clock.h"
#include "http/deliver_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char plain_http[] = "is it plain HTTP? then write http:// instead of https://";

static void say(struct delivery *delivery, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct delivery *delivery, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(delivery->message, sizeof delivery->message, format, args);
	va_end(args);
}

/* libcurl's own words, without a capital at their start. */
static const char *own_words(struct attempt *attempt, CURLcode code)
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
		say(delivery, "the name of the host leads to a protected environment");
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
		say(delivery, "%s", own_words(attempt, code));
}

static void explain_timeout(struct attempt *attempt, bool sent)
{
	struct delivery *delivery = attempt->delivery;
	char span[CLOCK_DURATION_SIZE];
	double looked_up = 0;
	clock_format_duration(delivery->latency_ns, span);
	curl_easy_getinfo(attempt->easy, CURLINFO_NAMELOOKUP_TIME, &looked_up);
	if (sent) {
		say(delivery, "timed out after %s without an answer", span);
	} else if (attempt->handshake) {
		say(delivery, "timed out after %s while agreeing on TLS", span);
		delivery->hint = plain_http;
	} else if (attempt->connecting || looked_up > 0) {
		say(delivery, "timed out after %s while connecting", span);
		delivery->hint = "are host and port right, and does no firewall keep silent in between?";
	} else {
		say(delivery, "timed out after %s while looking up the host's name", span);
	}
}

/* A reason of OpenSSL's without what stands around it, and its length. */
static const char *tls_reason(const char *words, int *length)
{
	const char *routines = strstr(words, "routines::");
	const char *reason = routines ? routines + strlen("routines::") : words;
	*length = (int)strcspn(reason, routines ? "," : "");
	return reason;
}

/* `why`: libcurl's or OpenSSL's words. */
static void explain_certificate(struct attempt *attempt, const char *why)
{
	struct delivery *delivery = attempt->delivery;
	const char *says = attempt->certificate;
	say(delivery, "TLS: the server's certificate was not accepted: %s%s%s%s", why, *says ? " (" : "", says,
	    *says ? ")" : "");
	if (strstr(why, "subject name")) /* whatever the name says */
		delivery->hint = "is it the right host? -k skips the check";
	else if (strstr(why, "expired"))
		delivery->hint = "it has to be renewed; -k skips the check";
	else if (strstr(why, "not yet valid"))
		delivery->hint = "is the clock of this machine right? -k skips the check";
	else
		delivery->hint = "name its authority with --cacert, or skip the check with -k";
}

/* The server says why it goes no further. */
static void explain_alert(struct attempt *attempt, const char *words)
{
	int length;
	const char *reason = tls_reason(words, &length);
	say(attempt->delivery, "TLS: the server broke off: %.*s", length, reason);
	if (!strstr(reason, "certificate") && !strstr(reason, "unknown ca") && !strstr(reason, "handshake failure"))
		return;
	attempt->delivery->hint =
	        attempt->multi->deliverer->options->cert
	                ? "it does not take the client certificate of --cert: is it of the right authority?"
	                : "does it want a client certificate? --cert and --key give one";
}

static void explain_tls(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	static const char certificate[] = "SSL certificate problem: ";
	static const char prefix[] = "SSL: ";
	const char *words = own_words(attempt, code);
	int length;
	if (strstr(words, "wrong version number")) {
		say(delivery, "TLS: the server does not speak it on this port");
		delivery->hint = plain_http;
	} else if (strncmp(words, certificate, sizeof certificate - 1) == 0) {
		explain_certificate(attempt, words + sizeof certificate - 1);
	} else if (code == CURLE_PEER_FAILED_VERIFICATION) {
		explain_certificate(attempt,
		                    words + (strncmp(words, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0));
	} else if (strstr(words, " alert ")) {
		explain_alert(attempt, words);
	} else if (os_errno(attempt) == ECONNRESET || strstr(words, "reset") || strstr(words, "unexpected eof") ||
	           strstr(words, "SSL_ERROR_SYSCALL")) {
		say(delivery, "TLS: the server closed the connection before it was agreed on");
		delivery->hint = plain_http;
	} else {
		const char *reason = tls_reason(words, &length);
		say(delivery, "TLS: %.*s", length, reason);
	}
	if (code == CURLE_SSL_CACERT_BADFILE)
		delivery->hint = "--cacert takes a file of certificates in PEM";
	else if (code == CURLE_SSL_CERTPROBLEM)
		delivery->hint = "--cert and --key take a certificate and its own key in PEM; one file may hold both";
}

/* Of what keeps a request from going out, all that is left. */
static void explain_rest(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	long tunnel = 0;
	const char *words = own_words(attempt, code);
	curl_easy_getinfo(attempt->easy, CURLINFO_HTTP_CONNECTCODE, &tunnel);
	if (strstr(words, "CONNECT") && tunnel >= 300)
		say(delivery, "the proxy opens no way to the host: it answered %ld", tunnel);
	else if (strstr(words, "CONNECT"))
		say(delivery, "the proxy gave no answer when asked for the host");
	else
		say(delivery, "%s", words);
	if (tunnel == 407)
		delivery->hint = "it wants to know who asks: -x http://USER:PASSWORD@HOST:PORT";
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
		host = strstr(own_words(attempt, code), ": ");
		say(delivery, "could not resolve %s '%s'", code == CURLE_COULDNT_RESOLVE_PROXY ? "proxy" : "host",
		    host ? host + 2 : "?");
		delivery->hint = "is the name right? --resolve HOST:PORT:ADDRESS gives one an address";
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

/* The connection broke after the request, or a part of it, was sent. */
static void explain_broken(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	const char *words = own_words(attempt, code);
	/* In TLS 1.3 a server refuses a client's certificate when the client thinks all is settled. */
	if (strstr(words, " alert ")) {
		explain_alert(attempt, words);
	} else if (os_errno(attempt) == ECONNRESET || strstr(words, "reset")) {
		say(delivery, "the server reset the connection without an answer");
	} else if (code == CURLE_SEND_ERROR || strstr(words, "unexpected eof")) {
		/* Also libcurl's "tried 5 times", which counts across deliveries: nothing was tried again. */
		say(delivery, "the server closed the connection without an answer");
	} else {
		say(delivery, "no answer could be read: %s", words);
	}
}

static void explain_long_head(struct delivery *delivery)
{
	say(delivery, "the head of the answer is over %u KiB", DELIVER_HEAD_READ / 1024);
}

static void explain_unknown(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	if (attempt->refused || code == CURLE_GOT_NOTHING || code == CURLE_OK) {
		say(delivery, "the server closed the connection without an answer");
		return;
	}
	switch (code) {
	case CURLE_OPERATION_TIMEDOUT:
		explain_timeout(attempt, true);
		break;
	case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9, says libcurl of anything that starts with no status line */
		say(delivery, "the server's answer is no HTTP");
		break;
	case CURLE_WRITE_ERROR: /* of interim answers: the final one would have its status */
		explain_long_head(delivery);
		break;
	case CURLE_WEIRD_SERVER_REPLY:
		say(delivery, "the server's answer is no HTTP: %s", own_words(attempt, code));
		break;
	case CURLE_SEND_ERROR:
	case CURLE_RECV_ERROR:
		explain_broken(attempt, code);
		break;
	default:
		say(delivery, "no answer could be read: %s", own_words(attempt, code));
		break;
	}
}

/* After its status. */
static void explain_incomplete(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	char span[CLOCK_DURATION_SIZE];
	if (code == CURLE_OPERATION_TIMEDOUT) {
		clock_format_duration(delivery->latency_ns, span);
		say(delivery, "the answer was not complete after %s", span);
	} else if (code == CURLE_WRITE_ERROR && attempt->head_bytes > DELIVER_HEAD_READ) {
		explain_long_head(delivery);
	} else if (code == CURLE_OK || code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR ||
	           code == CURLE_GOT_NOTHING) {
		say(delivery, "the answer broke off");
	} else {
		say(delivery, "the answer broke off: %s", own_words(attempt, code));
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
		    delivery->outcome == DELIVER_FAILED ? "before it was sent" : "before an answer came");
	else if (delivery->outcome == DELIVER_FAILED)
		explain_unsent(attempt, code);
	else
		explain_unknown(attempt, code);
}
