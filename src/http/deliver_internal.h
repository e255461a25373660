/*
 * Private to src/http/deliver*.c.
 *
 *   deliver.c          libcurl's easy handles: options checked and set, callbacks, what one attempt saw, its end
 *   deliver_engine.c   libcurl's multi handles on our loop: sockets, timers, when to run
 *   exchange.c         the headers of a request, and what is kept of a response
 *   deliver_explain.c  the end of an attempt in words, and what OpenSSL sees of a handshake
 *   raw.c              one connection without requests of libcurl's, for http/raw.h
 */
#ifndef CREDHOOK_HTTP_DELIVER_INTERNAL_H
#define CREDHOOK_HTTP_DELIVER_INTERNAL_H

#include "http/deliver.h"
#include "http/secrets.h"

#include <curl/curl.h>

/* Connections per multi handle. libcurl visits all connections of a handle for each request: with one handle for 1,000
 * connections, replay reaches 0.20 of wrk's rate instead of 0.35 (tests/bench/deliver.sh). */
#define MULTI_WIDTH 128

/* Bodies over this size get an `Expect:` line, since libcurl adds Expect: 100-continue to those over 1 MiB. */
#define EXPECT_ABOVE (64u * 1024)

/* One multi handle. */
struct multi {
	struct deliverer *deliverer;
	CURLM *handle;
	struct loop_timer timer;
	int64_t due; /* when libcurl must be called; the timer may fire earlier; 0: never */
	bool kicked; /* libcurl must be called at once */
	unsigned in_flight;
	struct attempt *free; /* pooled handles, linked by next */
};

/* A socket of libcurl in our loop, one per descriptor number. Changes are applied at the end of a turn, since most
 * connections are released and reused within one. */
struct watch {
	struct loop_io io;
	struct deliverer *deliverer;
	struct multi *multi;
	uint32_t wanted;  /* events of the loop; 0: none */
	uint32_t applied; /* those that it watches; 0: not in it */
	bool dirty;
	bool settled; /* a kept connection: libcurl calls engine_close_socket() first, so its removal can wait too */
	struct watch *next_dirty;
};

/* One easy handle, reused for many deliveries. */
struct attempt {
	CURL *easy;
	struct multi *multi;
	struct attempt *next;
	struct attempt *previous;   /* in the list of attempts in flight */
	struct curl_slist *headers; /* of this delivery; NULL: those of the deliverer */
	struct buffer line;         /* a header, while they are made */
	bool own_url;               /* the URL of the handle differs from that of the options */
	bool own_method;
	struct exchange *exchange; /* NULL: pooled. All below is zeroed for each */
	bool connecting;           /* it opened a socket */
	bool going_out;            /* sending has begun; never a second time */
	bool refused;              /* libcurl was about to send the request again */
	bool forbidden;            /* may_connect() refused the address */
	bool lost;                 /* libcurl, out of memory, would not end it */
	long size_before;          /* CURLINFO_REQUEST_SIZE when sending began: the CONNECT of a proxy counts too */
	int socket_errno;          /* of socket(2); 0: none */
	size_t head_bytes;         /* of the response, interim ones included */
	bool head_ended;           /* of the final response */
	/* The next ones are unused if libcurl's TLS library is not OpenSSL. */
	bool handshake; /* the TLS handshake has begun */
	int alert;      /* SSL_AD_... that the server sent; 0: none */
	int alert_sent;
	bool is_not_tls; /* what it sent is something else */
	char error[CURL_ERROR_SIZE];
};

struct deliverer {
	struct loop *loop;
	const struct deliver_options *options;
	unsigned concurrency;
	size_t response_keep;
	size_t response_most;           /* bytes of a body that are read, so that the connection can be reused */
	bool has_authorities;           /* of certificates, that are trusted */
	struct echoes echoes;           /* of the options */
	CURLU *url;                     /* of the options, parsed once */
	struct curl_slist *headers;     /* of a delivery without headers of its own */
	struct curl_slist *headers_big; /* the same for a body over EXPECT_ABOVE */
	struct curl_slist *connect_to;
	bool curl_ready;
	CURLSH *share; /* the DNS cache of all multis */
	struct multi *multis;
	unsigned multi_count;
	struct watch **watches; /* by descriptor; NULL: never used */
	size_t watch_count;
	size_t watch_capacity;
	struct watch *dirty;
	struct loop_timer wake; /* for multis that are kicked outside of a turn */
	struct attempt *live;
	unsigned in_flight;
	bool warm;  /* the first delivery is connected, or has ended */
	bool ready; /* and the options' ready() was called */
	bool aborted;
	bool has_response; /* one came: the scheme is right */
};

/* deliver.c */
int make_list(const struct text_list *list, struct curl_slist **out); /* for libcurl. -1: out of memory */
void attempt_free(struct attempt *attempt);
/* Where to and how, for any handle; the lists must stay. */
void attempt_set_route(CURL *easy, const struct deliver_options *options, struct curl_slist *connect_to);
void deliver_finish(struct attempt *attempt, CURLcode code); /* sets the result, calls done(), frees the attempt */

/* deliver_engine.c */
int engine_init(struct deliverer *d, struct error *err);
void engine_release(struct deliverer *d);
curl_socket_t engine_open_socket(struct deliverer *d, int family, int type, int protocol);
int engine_close_socket(void *deliverer, curl_socket_t fd); /* a curl_closesocket_callback */
void engine_settle(struct deliverer *d, curl_socket_t fd);

/* exchange.c */
/* Keeps a field of the response, if it is wanted. */
void exchange_keep_field(struct exchange *exchange, const struct header *field);
/* Counts bytes of the body, and keeps them up to `most` in all. */
void exchange_keep_body(struct exchange *exchange, const char *bytes, size_t length, size_t most);
/* At the end: the response is what was kept. */
void exchange_set_response(struct exchange *exchange);

/* deliver_explain.c */
void tls_watch(struct attempt *attempt);              /* lets handshakes set what the attempt has of them */
void explain(struct attempt *attempt, CURLcode code); /* sets the message and hint of a failed delivery */

#endif
