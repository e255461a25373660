/*
 * What server.c, connection.c and answer.c share: one connection, its exchange, and the server around them.
 *
 * A connection is a small thing while it idles: request memory is borrowed from the server's spares when a byte comes
 * and goes back with the answer. It has one exchange at a time; further requests wait in `waiting` and in the kernel.
 *
 *   IDLE -> HEAD -> BODY -> HANDLER [-> DELAY] -> SEND|DRIP|HANG -> IDLE, or LINGER, or closed
 *
 * Callbacks may close any connection, the one at work included. So every entry from outside is bracketed by
 * http_connection_enter() and _leave(), and a closed connection is freed by the last leave.
 */
#ifndef CREDHOOK_HTTP_CONNECTION_H
#define CREDHOOK_HTTP_CONNECTION_H

#include "base/buffer.h"
#include "http/address.h"
#include "http/address_counts.h"
#include "http/listener.h"
#include "http/response.h"
#include "http/server.h"
#include "http/transport.h"

#define HTTP_INPUT_SIZE  (64 * 1024)
#define HTTP_SCARCE_SIZE HTTP_TRANSPORT_MIN /* read at once while memory for bodies is short */
#define HTTP_NEVER       INT64_MAX

enum http_connection_state {
	HTTP_CONNECTION_IDLE,    /* between two requests, or new */
	HTTP_CONNECTION_HEAD,    /* a head has begun */
	HTTP_CONNECTION_BODY,    /* the head is whole */
	HTTP_CONNECTION_HANDLER, /* the handler has the exchange */
	HTTP_CONNECTION_DELAY,   /* the answer is made and held back */
	HTTP_CONNECTION_SEND,
	HTTP_CONNECTION_DRIP,
	HTTP_CONNECTION_HANG,
	HTTP_CONNECTION_LINGER, /* nothing more is said; what still comes is thrown away */
	HTTP_CONNECTION_CLOSED, /* freed as soon as nobody works on it */
};

struct http_exchange {
	struct http_connection *connection;
	struct http_exchange *next; /* among the spares */
	void *user;
	int64_t arrived_us;
	struct http_request_parser parser;
};

struct http_connection {
	struct http_server *server;
	struct http_connection *next, *previous;
	struct http_transport transport;
	struct loop_io io;
	uint32_t watched; /* the epoll events asked for */
	enum http_connection_state state;
	unsigned busy;                  /* entries under way */
	struct loop_timer timer;        /* rings at `deadline` or earlier, so that it is seldom moved */
	int64_t deadline;               /* HTTP_NEVER: none */
	struct http_exchange *exchange; /* NULL while idle */
	struct buffer waiting;          /* what came behind the request under way */
	struct buffer out;              /* the answer, while it cannot be sent at once */
	size_t out_sent;
	size_t out_head; /* bytes of the answer's head */
	enum http_fault fault;
	bool close_after; /* the answer */
	bool linger;      /* then, not only close */
	uint64_t mark;    /* of the answer, until it is sent */
	size_t charged;   /* bytes of server->body_memory that are this one's */
	bool counted;     /* in server->addresses, under `address` */
	unsigned char address[16];
	uint64_t drain_left; /* bytes that LINGER may still throw away */
	char remote[HTTP_REMOTE_SIZE];
};

#define HTTP_SPARE_EXCHANGES 64
#define HTTP_SPARE_BODY      (64 * 1024) /* what a spare keeps of its body's memory */

struct http_server {
	struct loop *loop;
	struct http_server_options options;
	struct http_server_handler handler;
	struct http_server_counts counts;
	struct http_listener listener;
	struct http_connection *connections;
	struct http_exchange *spares;
	size_t spare_count;
	const struct http_tls *tls; /* NULL: plain */
	struct http_address_counts addresses;
	size_t body_memory;    /* bytes that bodies take now */
	struct buffer scratch; /* an answer being made */
	struct http_date date;
	bool draining;
	int64_t drain_until;
	struct loop_timer drain_timer;
	char input[HTTP_INPUT_SIZE];
};

/* connection.c */
/* Takes over the descriptor, whatever happens. counted: server->addresses has the remote address. */
void http_connection_open(struct http_server *server, int fd, const struct sockaddr *remote, bool counted);
/* Closes (abandoning an exchange that the handler has) and, unless it is at work, frees. */
void http_connection_close(struct http_connection *connection, bool reset);
void http_connection_enter(struct http_connection *connection);
void http_connection_leave(struct http_connection *connection);
void http_connection_watch(struct http_connection *connection, uint32_t events);
void http_connection_set_deadline(struct http_connection *connection, int64_t deadline);
/* The last connection of a draining server may just have gone. */
void http_connection_gone(struct http_server *server);
/* The exchange goes back to the spares. */
void http_connection_end_exchange(struct http_connection *connection);

/* answer.c */
/* Says no more, and throws away what still comes, for a while. */
void http_connection_linger(struct http_connection *connection);
/* Answers by itself, tells on_refused, and closes unless `keep`. */
void http_connection_refuse(struct http_connection *connection, const struct http_refusal *refusal, bool keep);
/* The delay is over. */
void http_connection_start_response(struct http_connection *connection);
/* Goes on sending c->out. */
void http_connection_continue_response(struct http_connection *connection);
/* One byte of c->out. */
void http_connection_drip(struct http_connection *connection);

#endif
