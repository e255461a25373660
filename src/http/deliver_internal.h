/*
 * What the parts of the deliverer share; for src/http/deliver*.c only.
 *
 *   deliver.c          the public face: queue, concurrency, results, end
 *   deliver_engine.c   libcurl's multi handles on our loop: sockets, timers, when to run
 *   deliver_attempt.c  libcurl's easy handles: options, callbacks, what one attempt saw
 *   deliver_check.c    options and header lines, checked and made into what libcurl takes
 *   deliver_explain.c  the end of an attempt in words
 *   deliver_certificate.c  what the server's certificate says of itself
 */
#ifndef CREDHOOK_HTTP_DELIVER_INTERNAL_H
#define CREDHOOK_HTTP_DELIVER_INTERNAL_H

#include "http/deliver.h"

#include <curl/curl.h>

/* libcurl walks all connections of a multi handle at each request, so many are spread over several handles: with one
 * for 1,000 connections replay reaches 0.20 of wrk's rate instead of 0.35 (tests/bench/deliver.sh). */
#define MULTI_WIDTH 128

/* Bytes of a body from which on libcurl is told not to ask with Expect: 100-continue. It does so above 1 MiB. */
#define EXPECT_ABOVE (64u * 1024)

/* One multi handle. */
struct multi {
	struct deliverer *deliverer;
	CURLM *handle;
	struct loop_timer timer;
	int64_t due; /* when libcurl wants to be called; the timer may ring before; 0: never */
	bool kicked; /* libcurl wants to be called at once */
	unsigned in_flight;
	struct attempt *free; /* pooled handles, linked by next */
};

/* A socket of libcurl's in our loop, one per descriptor number. Changes are applied at the end of a turn: a connection
 * is mostly given back and taken again within one. */
struct watch {
	struct loop_io io;
	struct deliverer *deliverer;
	struct multi *multi;
	uint32_t wanted;  /* epoll events; 0: none */
	uint32_t applied; /* what the loop has; 0: not in it */
	bool dirty;
	bool settled; /* a kept connection: libcurl tells before it closes it, so removal may wait as well */
	struct watch *next_dirty;
};

/* One easy handle, used for one delivery after the other. */
struct attempt {
	CURL *easy;
	struct multi *multi;
	struct delivery *delivery;  /* NULL: pooled */
	struct curl_slist *headers; /* of this delivery alone; NULL: the deliverer's */
	bool own_url;               /* the handle is set to something else than the options say */
	bool own_method;
	bool connecting;   /* a socket of its own was opened */
	bool going_out;    /* the request was begun: no second time */
	bool refused;      /* libcurl wanted to send it again */
	bool forbidden;    /* may_connect() did not let it */
	long size_before;  /* CURLINFO_REQUEST_SIZE when it was begun; a proxy's CONNECT counts too */
	int socket_errno;  /* no socket could be had */
	size_t head_bytes; /* of the answer, interim ones included */
	bool head_ended;   /* that of the final answer */
	char error[CURL_ERROR_SIZE];
	/* The next two stay as they are where libcurl's TLS is not OpenSSL's. */
	bool handshake;        /* TLS was begun */
	char certificate[192]; /* what the server's says of itself, cut to fit; empty: none was seen. Hostile bytes */
	struct attempt *next;
	struct attempt *previous; /* in the list of what is in flight */
};

struct deliverer {
	struct loop *loop;
	const struct deliver_options *options;
	unsigned concurrency;
	size_t response_keep;
	CURLU *url;                     /* of the options; parsed once, not at each request */
	struct curl_slist *headers;     /* of a delivery that says nothing itself */
	struct curl_slist *headers_big; /* the same for a body over EXPECT_ABOVE */
	struct curl_slist *connect_to;
	struct curl_slist *resolve;
	bool curl_ready;
	CURLSH *share; /* names looked up are known to all multis */
	struct multi *multis;
	unsigned multi_count;
	struct watch **watches; /* by descriptor; NULL: never seen */
	size_t watch_count;
	size_t watch_capacity;
	struct watch *dirty;
	struct loop_timer wake; /* runs what was kicked outside of a turn */
	bool at_turn_end;
	struct delivery *queue_head;
	struct delivery *queue_tail;
	size_t queued;
	struct delivery *failed_early; /* ended before libcurl got it; done() is still to be called */
	struct attempt *live;
	unsigned in_flight;
	bool warm; /* the first delivery is connected, or has ended */
	bool aborted;
};

/* deliver.c */
void deliver_finish(struct attempt *attempt, CURLcode code); /* the attempt ended: results, done(), back to the pool */
void deliver_start_queued(struct deliverer *d);              /* starts what may start */
void deliver_fail_early(struct deliverer *d);

/* deliver_engine.c */
int engine_init(struct deliverer *d, struct error *err);
void engine_release(struct deliverer *d);
int engine_add(struct attempt *attempt); /* -1: libcurl does not take it */
void engine_remove(struct attempt *attempt);
void engine_wake(struct deliverer *d); /* something is to be done before the loop sleeps again */
curl_socket_t engine_open_socket(struct deliverer *d, int family, int type, int protocol);
int engine_close_socket(void *deliverer, curl_socket_t fd); /* a curl_closesocket_callback */
void engine_settle(struct deliverer *d, curl_socket_t fd);

/* deliver_attempt.c */
struct attempt *attempt_new(struct multi *multi);
void attempt_free(struct attempt *attempt);
int attempt_prepare(struct attempt *attempt, struct delivery *delivery); /* -1: no memory */
bool attempt_sent(const struct attempt *attempt);                        /* any byte of the request */

/* deliver_check.c */
int check_options(const struct deliver_options *options, struct error *err);
int check_delivery(const struct deliver_options *options, const struct delivery *delivery, struct error *err);
CURLU *parse_url(const char *url, struct error *err); /* http or https; the caller cleans it up */
/* All headers of a delivery; of one that says nothing where it is NULL. `big`: for a body over EXPECT_ABOVE. NULL: no
 * memory. */
struct curl_slist *make_headers(const struct deliver_options *options, const struct delivery *delivery, bool big);
int make_list(const struct deliver_list *list, struct curl_slist **out); /* -1: no memory */
bool has_own_headers(const struct delivery *delivery);

/* deliver_certificate.c */
void certificate_watch(struct attempt *attempt); /* the handle's handshakes fill in `handshake` and `certificate` */

/* deliver_explain.c */
void explain(struct attempt *attempt, CURLcode code); /* message and hint of an ended delivery */

#endif
