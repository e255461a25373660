/*
 * Shared by server.c, connection.c and respond.c: one connection, its exchange, and the server.
 *
 * An idle connection is small: it takes an exchange from the server's spares with the first byte of a request and
 * returns it after the response. It has one exchange at a time; further requests wait in `waiting` and in the kernel.
 *
 *   IDLE -> HEAD -> BODY -> HANDLER [-> DELAY] -> SEND|DRIP|HANG -> IDLE, or LINGER, or closed
 *
 * Callbacks may close any connection, also the current one. So every entry from outside is between
 * http_connection_enter() and http_connection_leave(), and the last leave frees a closed connection.
 */
#ifndef CREDHOOK_HTTP_CONNECTION_H
#define CREDHOOK_HTTP_CONNECTION_H

#include "base/buffer.h"
#include "http/address.h"
#include "http/server.h"
#include "http/tls.h"

#define HTTP_INPUT_SIZE (64 * 1024)
#define HTTP_NEVER      INT64_MAX

enum http_connection_state {
	HTTP_CONNECTION_IDLE,    /* new, or between two requests */
	HTTP_CONNECTION_HEAD,    /* a part of a head has arrived */
	HTTP_CONNECTION_BODY,    /* the head is complete */
	HTTP_CONNECTION_HANDLER, /* the handler has the exchange */
	HTTP_CONNECTION_DELAY,   /* the response is ready and delayed */
	HTTP_CONNECTION_SEND,
	HTTP_CONNECTION_DRIP,
	HTTP_CONNECTION_HANG,
	HTTP_CONNECTION_LINGER, /* sends nothing more and discards what arrives */
	HTTP_CONNECTION_CLOSED, /* freed by the last http_connection_leave() */
};

struct http_connection {
	struct http_server *server;
	struct http_connection *next, *previous;
	struct http_transport transport;
	struct loop_io io;
	uint32_t watched; /* the events of the loop that are asked for */
	enum http_connection_state state;
	unsigned busy;                  /* entries not yet left */
	struct loop_timer timer;        /* fires at `deadline` or earlier, so that it is rarely moved */
	int64_t deadline;               /* HTTP_NEVER: none */
	struct http_exchange *exchange; /* NULL while idle */
	struct buffer waiting;          /* bytes after the current request */
	struct buffer out;              /* the response */
	size_t out_sent;
	size_t out_head; /* bytes of the response's head */
	enum http_fault fault;
	bool close_after;     /* close after the response, */
	bool linger;          /* and linger first */
	uint64_t response_id; /* of the response, until it is sent */
	size_t charged;       /* bytes of server->body_memory used by this connection */
	uint64_t drain_left;  /* bytes that LINGER may still discard */
	char remote[HTTP_REMOTE_SIZE];
	bool is_trusted; /* a proxy of options.trusted */
};

#define HTTP_SPARE_EXCHANGES 64
#define HTTP_SPARE_BODY      (64 * 1024) /* bytes of body memory that a spare keeps */

struct http_server {
	struct loop *loop;
	struct http_server_options options;
	struct http_server_handler handler;
	struct http_server_state state;
	bool is_open; /* it listens */
	struct loop_io listen_io;
	struct loop_timer pause;
	struct http_connection *connections;
	struct http_exchange *spares;
	size_t spare_count;
	struct ssl_ctx_st *tls; /* NULL: plain */
	size_t body_memory;     /* bytes used by bodies now */
	struct buffer scratch;  /* reused memory for responses */
	int64_t date_second;    /* of the Date field that `date` has */
	char date[40];
	bool draining;
	int64_t drain_until;
	struct loop_timer drain_timer;
	char input[HTTP_INPUT_SIZE];
};

/* connection.c */
/* Takes ownership of the descriptor, also on failure. */
void http_connection_open(struct http_server *server, int fd, const struct http_address *remote);
/* Closes, with on_abandoned if the handler has the exchange, and frees unless it is between enter and leave. */
void http_connection_close(struct http_connection *connection, bool reset);
void http_connection_enter(struct http_connection *connection);
void http_connection_leave(struct http_connection *connection);
void http_connection_watch(struct http_connection *connection, uint32_t events);
void http_connection_set_deadline(struct http_connection *connection, int64_t deadline);
/* Ends the draining of a server without connections. */
void http_connection_gone(struct http_server *server);
/* Returns the exchange to the spares. */
void http_connection_end_exchange(struct http_connection *connection);

/* respond.c */
/* Ends sending, and discards what arrives for a while, so that the client can read the response. */
void http_connection_linger(struct http_connection *connection);
/* Responds with the refusal, calls on_refused, and closes unless `keep`. */
void http_connection_refuse(struct http_connection *connection, const struct http_refusal *refusal, bool keep);
/* Starts to send c->out, or the fault, after the delay. */
void http_connection_start_response(struct http_connection *connection);
/* Continues to send c->out; while it drips, by a byte. */
void http_connection_continue_response(struct http_connection *connection);

#endif
