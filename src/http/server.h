/*
 * The HTTP/1.1 server: many connections in one loop, one handler, one thread.
 *
 * The handler gets complete requests only. The server itself responds to invalid requests (request_parser.h), to slow
 * ones, and to those that the handler's admission (on_head) refuses. It does not interpret bodies. It can inject faults
 * (enum http_fault), for testing clients.
 */
#ifndef CREDHOOK_HTTP_SERVER_H
#define CREDHOOK_HTTP_SERVER_H

#include "base/error.h"
#include "base/loop.h"
#include "http/address.h"
#include "http/request_parser.h"
#include "http/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HTTP_URL_SIZE (HOST_SIZE + 32)

struct http_server;
struct ssl_ctx_st;

/* One request and its response to come. It, and everything borrowed from it, is valid from on_request until
 * http_exchange_respond() or on_abandoned. */
struct http_exchange {
	const struct message *request; /* every text ends with a NUL, which is not counted */
	/* The sender: the client, "127.0.0.1:5123" or "[::1]:5123"; behind a trusted proxy an address alone. */
	const char *remote;
	const char *via;    /* the trusted proxy that is the client, as remote otherwise is; NULL: none */
	bool is_https;      /* the client's connection */
	int64_t arrived_us; /* clock_realtime_us() when complete */
	void *user;         /* the handler's own; NULL at first */

	/* The server's own. */
	struct http_connection *connection;
	struct http_exchange *next; /* among the spares */
	struct http_request_parser parser;
	struct host sender;
};

struct http_server_options {
	struct http_limits limits;
	/* A connection that exceeds one of these is closed at once, and counted. */
	size_t max_connections; /* or what the loop is meant for or the limit of open files allows, if that is less */
	struct http_networks allowed; /* may send; borrowed until http_server_free(). None: all */
	/* Proxies that may connect. A POST of theirs comes from the sender that their headers name
	 * (http_sender_find()); it is refused with 403 where there is none, or where it is not in `allowed`. Borrowed
	 * as well. */
	struct http_networks trusted;
	/* Bytes of memory for the bodies of all current requests. A body that exceeds it is refused with 503, except
	 * small ones (HTTP_SMALL_BODY). */
	size_t body_memory;
	/* Absolute timeouts in nanoseconds: single bytes do not extend them. */
	int64_t head_timeout; /* from accept to the first byte, and from there to the end of the head: 408 */
	int64_t body_timeout; /* from the end of the head: 408 */
	int64_t send_timeout; /* for the client to receive a response */
	int64_t idle_timeout; /* between two requests */
	/* A refused upload is still read up to these limits, so that the client can read the response. */
	uint64_t drain_bytes;
	int64_t drain_timeout;
	int64_t drip_interval; /* HTTP_FAULT_DRIP: between two bytes */
};
/* The defaults, to copy and change. */
extern const struct http_server_options http_server_defaults;
#define HTTP_SMALL_BODY (8 * 1024)

/* A fault to inject. The exchange counts as responded. */
enum http_fault {
	HTTP_FAULT_NONE,
	HTTP_FAULT_RESET,    /* RST instead of a response */
	HTTP_FAULT_EMPTY,    /* close without sending a byte */
	HTTP_FAULT_TRUNCATE, /* close after half of the body, or without a body after half of the head */
	HTTP_FAULT_DRIP,     /* the whole response, one byte per drip_interval */
	HTTP_FAULT_HANG,     /* no response; the connection stays open until the client closes it or the server ends */
};

/* A response. Zero-initialise; http_exchange_respond() copies everything. The server adds Date, Content-Length and
 * Connection. */
struct http_response {
	int status;               /* 200 to 599 */
	const char *content_type; /* NULL or empty: none */
	/* Further fields. Content-Type and Date replace the server's; Connection, Content-Length, Transfer-Encoding and
	 * invalid fields are skipped. */
	const struct header *fields;
	size_t field_count;
	const char *body; /* not sent for HEAD, 204 and 304 */
	size_t body_length;
	enum http_fault fault;
	int64_t delay_ns;     /* before the response or the fault */
	bool close;           /* close the connection afterwards, even if the client would keep it */
	uint64_t response_id; /* for on_unsent; 0: do not call it. It is not called for a fault either */
};

/* Why admission refuses a request. */
struct http_refusal {
	int status;                  /* 400 to 599 */
	const char *reason;          /* a short text, which becomes the body; NULL: the standard phrase */
	const struct header *fields; /* further ones, such as Allow; must outlive the call of on_head */
	size_t field_count;
};

/* Callbacks with their `context`. */
struct http_server_handler {
	void *context;
	/* Admission: the head is complete, the body has not been read, and 100 Continue has not been sent. False:
	 * refuse as *refusal says, without reading the body. */
	bool (*on_head)(void *context, const struct message *request, struct http_refusal *refusal);
	/* The request is complete. The handler must call http_exchange_respond(), now or later. */
	void (*on_request)(void *context, struct http_exchange *exchange);
	/* The client disconnected, or the server ends, before the response. The exchange is invalid afterwards. Do not
	 * respond to other exchanges in here. */
	void (*on_abandoned)(void *context, struct http_exchange *exchange);
	/* The response with this id was not sent completely: the client disconnected or was too slow, or the server
	 * ended. Do not respond in here. */
	void (*on_unsent)(void *context, uint64_t response_id);
	/* The parser, a limit, a timeout (408) or admission refused a request. remote and reason are valid during the
	 * call. status 0: the TLS handshake failed, and there was no response. */
	void (*on_refused)(void *context, const char *remote, int status, const char *reason);
	/* After http_server_drain(): the last connection is closed. http_server_free() may be called from here. */
	void (*on_drained)(void *context);
};

/* Copies options and handler, and raises the soft limit of open files for max_connections as far as the hard limit
 * allows, which may leave fewer. The loop must outlive the server. Does not listen yet. */
struct http_server *http_server_new(struct loop *loop, const struct http_server_options *options,
                                    const struct http_server_handler *handler, struct error *err);
/* Listens on an address (see http_address_parse()). Once per server. EXIT_CODE_USAGE: not an address. EXIT_CODE_IO:
 * cannot listen. */
int http_server_listen(struct http_server *server, const char *address, struct error *err);
/* Uses TLS for new connections. Borrowed until the next call or http_server_free(). The first call must come before
 * http_server_listen(), since the URL depends on it. */
void http_server_use_tls(struct http_server *server, struct ssl_ctx_st *tls);
/* Shuts down gracefully: stops accepting, closes idle connections, completes open requests (with Connection: close)
 * until `deadline` on the clock of clock_monotonic_ns(), then abandons the rest and calls on_drained, from the loop. A
 * response that is delayed beyond the deadline is sent at once. A second call moves the deadline. */
void http_server_drain(struct http_server *server, int64_t deadline);
/* Closes everything at once, with on_abandoned for open requests. Not from within a callback other than on_drained.
 * NULL is allowed. */
void http_server_free(struct http_server *server);

/* What is known of a server. */
struct http_server_state {
	char url[HTTP_URL_SIZE]; /* "http://127.0.0.1:8080" (or https), the real port; "" before it listens */
	bool is_local;           /* only this machine can connect */
	size_t connections;      /* open now */
	uint64_t turned_away;    /* over max_connections */
	uint64_t not_allowed;    /* neither in `allowed` nor in `trusted` */
};
const struct http_server_state *http_server_state(const struct http_server *server); /* stays in its place */

/* Responds, from on_request or later, in the thread of the loop. The exchange is invalid afterwards. A client that has
 * disconnected is not an error. */
void http_exchange_respond(struct http_exchange *exchange, const struct http_response *response);

#endif
