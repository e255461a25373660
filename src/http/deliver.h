/*
 * The deliverer: sends bodies to an HTTP server and tells truthfully what became of each.
 *
 * SIGPIPE must be ignored (base/signals.h does): OpenSSL writes with write(2).
 *
 * One deliverer belongs to one loop and one thread and shares nothing with another. It knows bytes only, neither events
 * nor JSON; which status is a success is judged by its caller (http/status_set.h).
 *
 * Held to, whatever the options:
 * - A request goes out at most once per attempt. libcurl re-sends in silence when a reused connection dies; here such a
 *   delivery ends as DELIVER_UNKNOWN.
 * - HTTP/1.1 over http or https only. No redirect is followed, no retry made, no proxy or .netrc taken from the
 *   environment, no cookie kept, no `Expect: 100-continue` sent unless a header asks for it.
 * - An idle connection is used again only within 4 s, so that slow senders do not run into servers' idle limits.
 * - The first delivery goes alone until it is connected or has ended: one look-up of the name, not one per connection.
 * - Deliveries start in the order they were submitted; with a concurrency of 1 they also end in it.
 */
#ifndef CREDHOOK_HTTP_DELIVER_H
#define CREDHOOK_HTTP_DELIVER_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/loop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DELIVER_MAX_CONCURRENCY 4096
#define DELIVER_RESPONSE_KEEP   (64u * 1024)   /* bytes of an answer's body kept where the options say nothing */
#define DELIVER_RESPONSE_READ   (1024u * 1024) /* bytes of an answer's body read, before it is cut (or response_keep) */
#define DELIVER_HEAD_READ       (256u * 1024)  /* bytes of an answer's head read, before it is cut */

struct deliver_list {
	const char *const *items;
	size_t count;
};

struct sockaddr;

/* Zero-initialise, set `url`. Everything is borrowed and must stay as it is until deliverer_free(). Where a connection
 * goes is taken as it is and handed to libcurl, which reads it leniently: whoever has it from outside reads it first
 * (config/detours.h). */
struct deliver_options {
	const char *url; /* http or https; a user and password in it are sent as Basic authentication */
	/* "Name: value" as curl's -H takes it: "Name:" holds back a header that would go out by itself, "Name;" sends
	 * one without a value. A Content-Type among them wins over every delivery's. */
	struct deliver_list headers;
	struct deliver_list connect_to; /* HOST1:PORT1:HOST2:PORT2 */
	struct deliver_list resolve;    /* [+]HOST:PORT:ADDRESS[,ADDRESS]... */
	const char *cacert;             /* files in PEM; NULL: the system's authorities */
	const char *cert;
	const char *key;          /* NULL: the key stands in `cert` */
	const char *key_password; /* NULL: none; never asked for on the terminal */
	const char *unix_socket;  /* path; NULL: TCP */
	const char *proxy;        /* NULL: none, whatever the environment says */
	/* Asked before each connection, once its address is known; false: it is not made. NULL: all are. */
	bool (*may_connect)(const void *context, const struct sockaddr *to);
	const void *may_connect_context;
	const char *user_agent;     /* NULL: credhook/VERSION */
	bool insecure;              /* certificates are not checked */
	int64_t connect_timeout_ns; /* look-up, connection and TLS together; 0: 300 s, as in curl */
	int64_t max_time_ns;        /* one whole attempt; 0: no limit */
	unsigned concurrency;       /* deliveries in flight at once, up to DELIVER_MAX_CONCURRENCY; 0: 1 */
	bool keep_trace;            /* the heads are wanted in each delivery's trace */
	size_t response_keep;       /* bytes of an answer's body that are kept; 0: DELIVER_RESPONSE_KEEP */
};

enum deliver_outcome {
	DELIVER_PENDING,   /* not ended yet */
	DELIVER_RESPONDED, /* a whole answer came, whatever the status */
	DELIVER_FAILED,    /* nothing of the request was sent */
	DELIVER_UNKNOWN,   /* the request was sent, or a part of it, and no whole answer came */
};

/* One attempt at one request: the caller's struct, which stays in place from deliverer_submit() until done() is called.
 * Zero-initialise it; it may be submitted again after done(), from within done() too, keeping its memory. */
struct delivery {
	/* What to send: borrowed until done(). */
	const char *body; /* sent from where it lies; NULL with a length of 0 */
	size_t body_length;
	const char *content_type; /* NULL: application/json; "": no Content-Type at all */
	const char *url;          /* NULL: the options'; else of the same scheme, host and port */
	const char *method;       /* NULL: POST; not HEAD */
	/* Further "Name: value" lines, those of a recorded request say. Left out of them is what concerns one
	 * connection (Host, Content-Length, Transfer-Encoding, Connection, Expect, Proxy-...), and what the options'
	 * headers set. */
	struct deliver_list headers;
	bool keep_head;                                         /* the answer's fields are wanted in response_head */
	void (*done)(void *context, struct delivery *delivery); /* never called from within deliverer_submit() */
	void *context;

	/* What became of it. */
	enum deliver_outcome outcome;
	int status;                  /* the final answer's, 0: none; of an unknown one: its answer broke off */
	bool transient;              /* failed for want of a connection: another time it may be there */
	bool response_cut;           /* more of its body came than `answer` holds */
	struct buffer response;      /* its body; hostile bytes. delivery_release() frees it */
	uint64_t response_length;    /* how many bytes of body were read, kept or not */
	char response_type[256];     /* its Content-Type, cut to fit; empty: none. Hostile bytes, like the next two */
	char response_location[512]; /* Location */
	char retry_after[64];        /* Retry-After */
	uint64_t body_sent;          /* bytes of the body handed to the kernel; 0 also where a reused connection died */
	int64_t started_ns;          /* monotonic: taken out of the queue, connection to be found or made; 0: never */
	int64_t sent_ns;             /* monotonic: the request began to go out; 0: it never did */
	int64_t finished_ns;         /* monotonic */
	int64_t latency_ns;          /* finished - started; 0 if it never started */
	/* For a person, empty when all is well: "connection refused", "the server closed the connection without an
	 * answer". May hold bytes of the server's (a certificate's name): to be escaped like them. */
	char message[384];
	const char *hint;            /* what to do about it, a constant; NULL: nothing to say */
	bool timed_out;              /* a time limit ended it */
	struct buffer response_head; /* with keep_head: the lines of the answer's fields, as they came. As `answer` */

	/* With keep_trace: the lines of the heads as they went over the connection, without line ends: "> POST /
	 * HTTP/1.1",
	 * "< HTTP/1.1 200 OK". Secrets and hostile bytes are in it. */
	struct buffer trace;

	struct delivery *next; /* the deliverer's, while queued */
};

void delivery_release(struct delivery *delivery); /* frees the answer and its head; not while it is submitted */

struct deliverer;

/* EXIT_CODE_USAGE: a bad URL, header, list entry or number. EXIT_CODE_IO: a certificate file that cannot be read. */
struct deliverer *deliverer_new(struct loop *loop, const struct deliver_options *options, struct error *err);
/* NULL is allowed. What is still submitted is dropped without its done(); the loop must still be there. Not from within
 * done(). */
void deliverer_free(struct deliverer *deliverer);

/* Starts the delivery, or queues it while `concurrency` of them are in flight. The results are cleared first. -1: it
 * was not taken (a bad URL, method or header of its own, no memory, or after deliverer_abort_all()); done() won't be
 * called. */
int deliverer_submit(struct deliverer *deliverer, struct delivery *delivery, struct error *err);

/* Calls take() with each header line that the delivery would carry, written as for curl's -H: the options' own first,
 * in their order, then those that are added (the delivery's, Content-Type, User-Agent, an `Expect:`); not what libcurl
 * makes by itself (Host, Accept, Content-Length). -1: no memory. */
int deliver_each_header(const struct deliver_options *options, const struct delivery *delivery,
                        void (*take)(void *context, size_t index, const char *line), void *context);

unsigned deliverer_in_flight(const struct deliverer *deliverer);
size_t deliverer_queued(const struct deliverer *deliverer); /* submitted, not started */

/* Ends everything now, calling each done(): what was not sent as failed, what was as unknown. Takes no further
 * deliveries from then on. May be called from within done(). */
void deliverer_abort_all(struct deliverer *deliverer);

#endif
