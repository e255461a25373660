/*
 * The deliverer: sends bodies to an HTTP server and reports the outcome of each.
 *
 * One deliverer belongs to one loop and one thread. It knows neither events nor JSON, and the caller decides which
 * status is a success (http/status.h). SIGPIPE must be ignored (base/signals.h does that): OpenSSL uses write(2).
 *
 * Guaranteed whatever the options:
 * - A request is sent at most once per attempt. libcurl silently re-sends when a reused connection dies; here such a
 *   delivery ends as DELIVER_UNKNOWN.
 * - HTTP/1.1 over http or https only. No redirects, no retries, no proxy or .netrc from the environment, no cookies, no
 *   `Expect: 100-continue` unless a header asks for it.
 * - An idle connection is reused only within 4 s, so that slow senders do not exceed the idle limits of servers.
 * - The first delivery runs alone until it is connected or has ended, so that the name is resolved only once.
 *
 * Nothing waits here: a delivery is submitted when there is room for it, and starts at once.
 */
#ifndef CREDHOOK_HTTP_DELIVER_H
#define CREDHOOK_HTTP_DELIVER_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/loop.h"
#include "http/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DELIVER_MAX_CONCURRENCY 4096
#define DELIVER_TYPE            "application/json" /* Content-Type of a request that has none: the fastest */
#define DELIVER_RESPONSE_KEEP   (64u * 1024)       /* default of response_keep */
#define DELIVER_RESPONSE_READ   (1024u * 1024) /* the longest body of a complete response (or response_keep, if more) */
#define DELIVER_HEAD_READ       (256u * 1024)  /* bytes of a response head that are read */

struct echoes;
struct sockaddr;

/* Zero-initialise, set `url`. Everything is borrowed until deliverer_free(). libcurl reads url, connect_to and
 * proxy leniently, so untrusted values must be checked first (config/detours.h). */
struct deliver_options {
	const char *url; /* http or https; a user and password are sent as Basic authentication */
	/* Those of a request of the same name are left out. One whose value is absent is not sent, even if it is added
	 * by default (Accept, Content-Type, Host, User-Agent). */
	const struct header *headers;
	size_t header_count;
	struct text_list connect_to; /* HOST1:PORT1:HOST2:PORT2 */
	const char *capath;          /* a directory of authorities; NULL: the system's */
	const char *cacert;          /* these three are PEM files; NULL: the system's authorities */
	const char *cert;
	const char *key;   /* NULL: in `cert`; a password is never asked for */
	const char *proxy; /* NULL: none, whatever the environment says */
	/* Called before each connection, with the resolved address. False: do not connect. NULL: always connect. */
	bool (*may_connect)(const void *context, const struct sockaddr *to);
	const void *may_connect_context;
	bool insecure;              /* do not verify certificates */
	bool fresh_connections;     /* one for each request, closed after it */
	int64_t connect_timeout_ns; /* name lookup, connection and TLS together; 0: 300 s, as in curl */
	int64_t max_time_ns;        /* of one attempt; 0: unlimited */
	unsigned concurrency;       /* deliveries in flight, up to DELIVER_MAX_CONCURRENCY; 0: 1 */
	/* Called when there is more room, but for that of a delivery whose done() is called: once, with the first
	 * connection. It may submit. NULL: nobody waits. */
	void (*ready)(void *context);
	void *ready_context;
	bool keep_trace;              /* the heads are wanted in each delivery's trace */
	size_t response_keep;         /* bytes of a response body that are kept; 0: DELIVER_RESPONSE_KEEP */
	bool keep_echoes;             /* do not mask the request's secrets in what the server sends (http/secrets.h) */
	const struct echoes *secrets; /* are masked there, too; NULL: none */
};

enum deliver_outcome {
	DELIVER_PENDING,   /* not ended yet */
	DELIVER_RESPONDED, /* a complete response arrived, whatever the status */
	DELIVER_FAILED,    /* nothing of the request was sent */
	DELIVER_UNKNOWN,   /* the request was sent, or a part of it, and no complete response arrived */
};

/* What callers tell apart of a delivery that got no complete response. */
enum deliver_failure {
	DELIVER_NO_FAILURE,
	DELIVER_OTHER_FAILURE,
	DELIVER_REFUSED,   /* nothing listens where a connection was to be made */
	DELIVER_TIMED_OUT, /* connect_timeout_ns or max_time_ns ended it */
	DELIVER_TOO_LONG,  /* a whole head came, and more body than is read */
	DELIVER_NO_TUNNEL, /* the proxy lets requests through, and no bytes as they are (raw.h) */
};

/* One attempt at one request. Owned by the caller; it must not move from deliverer_submit() until done().
 * Zero-initialise it. It can be submitted again from done() on, and then keeps its memory. */
struct exchange {
	/* What to send: borrowed until done(); a NUL follows method and target. Method absent: POST; not HEAD. The
	 * target is a URL with the scheme, host and port of the options'; absent: that one. Skipped are headers of a
	 * connection (Host, Content-Length, Transfer-Encoding, Connection, Expect, Proxy-...) and those that the
	 * options set. Without a Content-Type it gets DELIVER_TYPE; as for the options, one may be absent. */
	struct message request;
	const char *unmade; /* why no request can be made: it fails with these words; NULL: one can */
	bool keep_head; /* all fields of the response; else of Content-Type, Location and Retry-After what is shown */
	void (*done)(void *context, struct exchange *exchange); /* never called from within deliverer_submit() */
	void *context;

	/* The result. Everything that the server has sent is untrusted. */
	struct buffer kept_head; /* what `response` points to, like the next two; exchange_release() frees them all */
	struct buffer kept_body;
	struct header *fields;
	size_t field_capacity;
	/* With keep_trace: the lines of the heads as sent and received, without line ends: "> POST / HTTP/1.1",
	 * "< HTTP/1.1 200 OK". They hold secrets and hostile bytes. */
	struct buffer trace;
	enum deliver_outcome outcome; /* this and all below is zeroed when it is submitted */
	int status;               /* of the final response; 0: none. With DELIVER_UNKNOWN the response is incomplete */
	bool transient;           /* no connection was made, so a retry may succeed */
	struct message response;  /* without method and target; a NUL follows each name and value */
	bool response_cut;        /* the body is longer than that, or there was no memory */
	uint64_t response_length; /* bytes of body that were read, kept or not */
	uint64_t body_sent;       /* bytes of the body passed to the kernel; 0 also if a reused connection died */
	int64_t started_ns;       /* monotonic: submitted */
	int64_t sent_ns;          /* monotonic: the request began to be sent; 0: never */
	int64_t finished_ns;      /* monotonic */
	int64_t latency_ns;       /* finished - started */
	/* What failed, for messages; empty: nothing. "connection refused", "the server closed the connection without a
	 * response". It may contain text of the server (of its certificate), so escape it too. */
	char message[384];
	const char *hint; /* what to do, a constant; NULL: none */
	enum deliver_failure failure;
};

/* The value of a field of the response; "": it has none. */
const char *exchange_field(const struct exchange *exchange, const char *name);
void exchange_release(struct exchange *exchange); /* not while it is submitted */

struct deliverer;

/* EXIT_CODE_USAGE: an invalid URL, header, list entry or number. EXIT_CODE_IO: a certificate file cannot be read. */
struct deliverer *deliverer_new(struct loop *loop, const struct deliver_options *options, struct error *err);
/* Drops submitted deliveries without calling done(). The loop must still exist. Not from within done(). NULL is
 * allowed.
 */
void deliverer_free(struct deliverer *deliverer);

/* How many deliveries may be submitted now: of `concurrency` those that are not in flight; one until there is a
 * connection; none after deliverer_abort_all(). */
unsigned deliverer_room(const struct deliverer *deliverer);

/* Clears the result, and starts the delivery; there must be room. False: it has ended already, as DELIVER_FAILED with a
 * message, and done() will not be called: its URL, method or a header is invalid, or there is no memory. */
bool deliverer_submit(struct deliverer *deliverer, struct exchange *exchange);

/* Whether the request can be sent with these options. EXIT_CODE_USAGE: its target, method or a header is invalid. */
int deliver_check(const struct deliver_options *options, const struct message *request, struct error *err);

/* The request as it goes out, borrowed from both: first the headers of the options, those that are not to be sent
 * included, then its own and those that are added (Content-Type, User-Agent, Expect), but not libcurl's (Host, Accept,
 * Content-Length). The caller frees *headers. -1: out of memory. */
int deliver_request(const struct deliver_options *options, const struct message *request, struct header **headers,
                    struct message *out);

/* Ends all deliveries now and calls their done(): unsent ones as failed, sent ones as unknown. May be called from
 * within done(). */
void deliverer_abort_all(struct deliverer *deliverer);

#endif
