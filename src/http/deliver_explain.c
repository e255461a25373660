#include "base/clock.h"
#include "http/deliver_internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
	const char *path = attempt->lane->deliverer->options->unix_socket;
	long number = os_errno(attempt);
	if (attempt->socket_errno != 0) {
		say(delivery, "cannot open a socket: %s", strerror(attempt->socket_errno));
		if (attempt->socket_errno == EMFILE)
			delivery->hint = "raise the limit of open files (ulimit -n), or lower the concurrency";
		return;
	}
	if (number == ECONNREFUSED || (path && number == ENOENT))
		delivery->hint = "is the listener running?";
	if (path && number != 0)
		say(delivery, "cannot connect to the unix socket '%s': %s", path, strerror((int)number));
	else if (number == ECONNREFUSED)
		say(delivery, "connection refused");
	else if (number != 0)
		say(delivery, "cannot connect: %s", strerror((int)number));
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
	if (sent)
		say(delivery, "timed out after %s without an answer", span);
	else if (attempt->connecting || looked_up > 0)
		say(delivery, "timed out after %s while connecting", span);
	else
		say(delivery, "timed out after %s while looking up the host's name", span);
}

static void explain_tls(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	static const char certificate[] = "SSL certificate problem: ";
	static const char prefix[] = "SSL: ";
	const char *words = own_words(attempt, code);
	if (strstr(words, "wrong version number")) {
		say(delivery, "TLS: the server does not speak it on this port");
		delivery->hint = "is it plain HTTP? then write http:// instead of https://";
	} else if (strncmp(words, certificate, sizeof certificate - 1) == 0) {
		say(delivery, "TLS: the server's certificate was not accepted: %s", words + sizeof certificate - 1);
		delivery->hint = "name its authority with --cacert, or skip the check with -k";
	} else if (code == CURLE_PEER_FAILED_VERIFICATION) {
		say(delivery, "TLS: the server's certificate was not accepted: %s",
		    words + (strncmp(words, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0));
		delivery->hint = "is it the right host? -k skips the check";
	} else {
		say(delivery, "TLS: %s", words);
	}
}

static void explain_unsent(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	const char *host;
	delivery->transient = code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY ||
	                      code == CURLE_COULDNT_CONNECT || code == CURLE_OPERATION_TIMEDOUT;
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		host = strstr(own_words(attempt, code), ": ");
		say(delivery, "could not resolve %s '%s'", code == CURLE_COULDNT_RESOLVE_PROXY ? "proxy" : "host",
		    host ? host + 2 : "?");
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
		say(delivery, "%s", own_words(attempt, code));
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
		const char *reason = strstr(words, "routines::");
		reason = reason ? reason + strlen("routines::") : words;
		say(delivery, "TLS: the server broke off: %.*s", (int)strcspn(reason, ","), reason);
		delivery->hint = "does it want a client certificate? --cert and --key give one";
	} else if (os_errno(attempt) == ECONNRESET || strstr(words, "reset")) {
		say(delivery, "the server reset the connection without an answer");
	} else if (code == CURLE_SEND_ERROR || strstr(words, "unexpected eof")) {
		/* Also libcurl's "tried 5 times", which counts across deliveries: nothing was tried again. */
		say(delivery, "the server closed the connection without an answer");
	} else {
		say(delivery, "no answer could be read: %s", words);
	}
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
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_WRITE_ERROR:
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

static void explain_incomplete(struct attempt *attempt, CURLcode code)
{
	struct delivery *delivery = attempt->delivery;
	char span[CLOCK_DURATION_SIZE];
	if (code == CURLE_WRITE_ERROR && delivery->answer_length > DELIVER_ANSWER_READ)
		return; /* it was we who stopped reading, and answer_cut says so */
	delivery->answer_incomplete = true;
	if (code == CURLE_OPERATION_TIMEDOUT) {
		clock_format_duration(delivery->latency_ns, span);
		say(delivery, "the answer was not complete after %s", span);
	} else if (code == CURLE_WRITE_ERROR && attempt->head_bytes > DELIVER_HEAD_READ) {
		say(delivery, "the head of the answer is over %u KiB", DELIVER_HEAD_READ / 1024);
	} else if (code == CURLE_OK || code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR ||
	           code == CURLE_GOT_NOTHING) {
		say(delivery, "the answer broke off");
	} else {
		say(delivery, "the answer broke off: %s", own_words(attempt, code));
	}
}

void explain(struct attempt *attempt, CURLcode code)
{
	struct deliverer *d = attempt->lane->deliverer;
	struct delivery *delivery = attempt->delivery;
	delivery->timed_out = code == CURLE_OPERATION_TIMEDOUT;
	if (delivery->outcome == DELIVER_ANSWERED)
		explain_incomplete(attempt, code);
	else if (d->aborted && code == CURLE_ABORTED_BY_CALLBACK)
		say(delivery, "interrupted %s",
		    delivery->outcome == DELIVER_FAILED ? "before it was sent" : "before an answer came");
	else if (delivery->outcome == DELIVER_FAILED)
		explain_unsent(attempt, code);
	else
		explain_unknown(attempt, code);
}
