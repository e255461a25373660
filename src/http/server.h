/*
 * The HTTP/1.1 server: an epoll loop's worth of connections, one handler.
 *
 * The server answers by itself what is no acceptable request (see request_parser.h), what comes too slowly, and what
 * the handler's on_head refuses; the handler sees whole requests only. It knows nothing of what bodies mean. It can
 * also misbehave on demand (enum http_fault), which is what a test listener is for.
 *
 * Everything is called from one thread, the loop's.
 */
#ifndef CREDHOOK_HTTP_SERVER_H
#define CREDHOOK_HTTP_SERVER_H

#include "base/error.h"
#include "base/loop.h"
#include "http/network.h"
#include "http/request_parser.h"
#include "http/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_server;
struct http_tls;
struct http_exchange; /* one request and the answer it waits for */

struct http_server_options {
	struct http_limits limits;
	/* Whoever fails one of these three is accepted and closed at once, and counted. */
	size_t max_connections;
	size_t max_per_address;             /* open from one address; 0: no limit. Not for unix sockets, as the next */
	const struct http_network *allowed; /* who may connect; borrowed until http_server_free() */
	size_t allowed_count;               /* 0: everybody */
	/* Bytes that bodies and what waits behind them may take together while requests are under way. A body that
	 * would go beyond them is refused with 503, unless it is a small one (HTTP_SMALL_BODY). */
	size_t body_memory;
	/* Deadlines in nanoseconds, all absolute: a byte now and then does not move them. */
	int64_t head_timeout; /* from accept to the first byte, and from there to the empty line: 408 */
	int64_t body_timeout; /* from the end of the head: 408 */
	int64_t send_timeout; /* for the client to take an answer */
	int64_t idle_timeout; /* between two requests */
	/* A refused upload is read on for so long, so that the client can read the answer. */
	uint64_t drain_bytes;
	int64_t drain_timeout;
	int64_t drip_interval; /* HTTP_FAULT_DRIP: between two bytes */
};
/* 1 MiB of body, 16 KiB and 100 fields of head, 8 KiB of request line; 16,384 connections; 64 MiB of bodies; 10 s, 30
 * s, 30 s, 60 s; 4 MiB or 2 s; 1 s. Copy and change. */
extern const struct http_server_options http_server_defaults;
#define HTTP_SMALL_BODY (8 * 1024)

/* How an answer is spoilt. The exchange counts as answered with each of them. */
enum http_fault {
	HTTP_FAULT_NONE,
	HTTP_FAULT_RESET,    /* RST instead of an answer */
	HTTP_FAULT_EMPTY,    /* the connection is closed without a byte */
	HTTP_FAULT_TRUNCATE, /* the head and half of the body (without a body: half of the head), then close */
	HTTP_FAULT_DRIP,     /* the whole answer, one byte a second */
	HTTP_FAULT_HANG,     /* no answer; the connection stays open until the client or the server ends */
};

/* An answer. Zero-initialise and fill in what is wanted; everything is copied by http_exchange_respond(). Date,
 * Content-Length and Connection are the server's. */
struct http_response {
	int status;               /* 200 to 599 */
	const char *reason;       /* NULL: the standard phrase */
	const char *content_type; /* NULL: none */
	/* Extra fields. Content-Type and Date given here replace the server's; Connection, Content-Length,
	 * Transfer-Encoding, and whatever is no valid field are left out. */
	const struct http_field *fields;
	size_t field_count;
	const char *body; /* left out for HEAD, 204 and 304 */
	size_t body_length;
	enum http_fault fault;
	int64_t delay_ns; /* before the answer (or the fault) */
	bool close;       /* close the connection afterwards, even if the client would keep it */
	uint64_t mark;    /* for on_unsent; 0: it is not told. Nor is an answer with a fault */
};

/* How a door refuses. */
struct http_refusal {
	int status;         /* 400 to 599 */
	const char *reason; /* a sentence for a person, which becomes the body; NULL: the standard phrase */
	const struct http_field *fields; /* extra ones, such as Allow; must outlive the call to on_head */
	size_t field_count;
};

/* What the server calls. Each gets `context`; a NULL one is not called, but on_request must be there. */
struct http_server_handler {
	void *context;
	/* The head is whole (the request has no body yet), and 100 Continue was not sent. False: refused as *refusal
	 * says; the body is not read. */
	bool (*on_head)(void *context, const struct http_request *request, struct http_refusal *refusal);
	/* The request is whole. The handler owns the duty to answer: http_exchange_respond(), now or later. */
	void (*on_request)(void *context, struct http_exchange *exchange);
	/* An exchange that was not answered is gone, since the client went away or the server ends; it must not be
	 * answered any more, and is invalid once this returns. Do not respond to other exchanges in here. */
	void (*on_abandoned)(void *context, struct http_exchange *exchange);
	/* The answer with this mark was not sent whole: the client went away or did not take it in time, or the server
	 * ended. Do not respond in here. */
	void (*on_unsent)(void *context, uint64_t mark);
	/* The parser, a limit, a deadline (408) or a door refused. remote and reason are valid during the call. status
	 * 0: no TLS came about, and nothing was answered. */
	void (*on_refused)(void *context, const char *remote, int status, const char *reason);
	/* After http_server_drain(): the last connection is gone. http_server_free() may be called from here. */
	void (*on_drained)(void *context);
};

/* Takes copies of options and handler; raises the soft limit of open files as far as max_connections wants and the hard
 * limit allows. The loop must outlive the server. Does not listen yet. */
struct http_server *http_server_new(struct loop *loop, const struct http_server_options *options,
                                    const struct http_server_handler *handler, struct error *err);
/* Listens on "127.0.0.1:8080", "[::1]:0", "localhost:3000", ":8080", "8080" (both 127.0.0.1) or "unix:PATH" (a stale
 * socket there is replaced). Once per server. Error: EXIT_CODE_USAGE where the text is no address, EXIT_CODE_IO where
 * listening fails. */
int http_server_listen(struct http_server *server, const char *address, struct error *err);
/* Speaks TLS with whoever connects from now on; those who are connected go on as they are. Borrowed until the next call
 * or http_server_free(). To be called before http_server_listen() first, for the URL's sake. */
void http_server_use_tls(struct http_server *server, const struct http_tls *tls);
/* Whether only this machine can connect: a loopback address or a unix socket. */
bool http_server_is_local(const struct http_server *server);
/* "http://127.0.0.1:8080" (or https) with the real port, or "unix:PATH"; "" before http_server_listen(). Borrowed. */
const char *http_server_url(const struct http_server *server);

/* Stops accepting, closes idle connections, lets requests that have begun be answered (with Connection: close) until
 * `deadline` on the clock of clock_monotonic_ns(), abandons the rest then, and calls on_drained, always from the loop,
 * never from within this call. An answer that would be held back beyond the deadline is given at once. A second call
 * moves the deadline. */
void http_server_drain(struct http_server *server, int64_t deadline);
/* Closes everything at once, with on_abandoned for what is unanswered. Not from within a callback other than
 * on_drained. NULL is allowed. */
void http_server_free(struct http_server *server);

struct http_server_counts {
	size_t connections;   /* open now */
	uint64_t accepted;    /* ever, those turned away not among them */
	uint64_t turned_away; /* beyond max_connections */
	uint64_t not_allowed; /* not among `allowed` */
	uint64_t too_many;    /* beyond max_per_address */
	uint64_t requests;    /* given to on_request */
	uint64_t refused;     /* told to on_refused */
	uint64_t abandoned;   /* told to on_abandoned */
};
const struct http_server_counts *http_server_counts(const struct http_server *server);

/* An exchange is valid from on_request until http_exchange_respond() or on_abandoned, and so is all it lends. */
const struct http_request *http_exchange_request(const struct http_exchange *exchange);
const char *http_exchange_remote(const struct http_exchange *exchange);  /* "127.0.0.1:5123", "[::1]:5123", "unix" */
int64_t http_exchange_arrived_us(const struct http_exchange *exchange);  /* clock_realtime_us() when it was whole */
void http_exchange_set_user(struct http_exchange *exchange, void *user); /* a pointer of the handler's own */
void *http_exchange_user(const struct http_exchange *exchange);          /* NULL at first */

/* Answers, from on_request or any later time in the loop's thread. The exchange is the server's again; the client
 * having gone meanwhile is no error. */
void http_exchange_respond(struct http_exchange *exchange, const struct http_response *response);

#endif
