/*
 * Bytes to an HTTP server as they are, for requests that libcurl does not send: broken framing, pieces, several at
 * once, an end of writing. The connection is libcurl's (CURLOPT_CONNECT_ONLY), so that TLS, proxies and
 * --connect-to work as in http/deliver.h; a proxy is asked for a tunnel. One that passes on what http:// asks for need
 * not give any (RFC 9110 9.3.6: it should for port 443 alone): that is DELIVER_NO_TUNNEL.
 *
 * raw_exchange() blocks its thread, within the time given. Of responses little more is kept than a delivery keeps.
 */
#ifndef CREDHOOK_HTTP_RAW_H
#define CREDHOOK_HTTP_RAW_H

#include "base/signals.h"
#include "http/chunked.h"
#include "http/deliver.h"

#define RAW_STEPS_MAX 80

/* Bytes that go out together. */
struct raw_step {
	size_t end;       /* of them in the script's text; they begin where the step before ends */
	int64_t pause_ns; /* before them */
	unsigned after;   /* how many responses are read before them */
};

/* Zero-initialise; release `text`. */
struct raw_script {
	struct buffer text;
	struct raw_step steps[RAW_STEPS_MAX];
	size_t step_count;
	bool end_writing;    /* behind the last step */
	unsigned responses;  /* final ones to wait for; 0: 1 */
	bool without_body;   /* they are to HEAD */
	int64_t max_time_ns; /* of the whole exchange; 0: the options' */
};

/* Fills the results of the delivery as a deliverer does: of several responses the first that is not 2xx, else the last;
 * DELIVER_UNKNOWN where one is missing. Its response is the caller's to release. The options' `max_time_ns` and
 * `connect_timeout_ns` hold. A signal that waits at signals->fd (NULL: none does) ends it, and is not taken. -1: the
 * options are wrong, or no memory. */
int raw_exchange(const struct deliver_options *options, const struct raw_script *script, const struct signals *signals,
                 struct exchange *exchange, struct error *err);

/* Whether the server takes a connection within the time, tried once; if not, the delivery says why. A signal that waits
 * at signals->fd (NULL: none does) ends it. Behind a proxy that gives no tunnel nobody can see that: it is taken for
 * granted, here and in raw_wait(). */
bool raw_look(const struct deliver_options *options, int64_t most_ns, const struct signals *signals,
              struct exchange *exchange);

/* Whether the server takes a connection within the time; tried again and again. 0: it does not, and the delivery says
 * why; -1: a signal waits at signals->fd, which is looked at while a connection is made, too. */
int raw_wait(const struct deliver_options *options, int64_t most_ns, const struct signals *signals,
             struct exchange *exchange);

/* Makes a connection, and finds until when the server's certificate holds: seconds since 1970, or 0 where none was seen
 * or its time cannot be read. The options' times hold. 0: there is no connection, and the delivery says why; -1: a
 * signal waits, as in raw_wait(). */
int raw_certificate_end(const struct deliver_options *options, const struct signals *signals, struct exchange *exchange,
                        int64_t *end);

/* Responses read from a stream of bytes, one after the other: where each ends. For raw_exchange(); pure.
 * Zero-initialise, set `delivery` and `without_body`; release `head`. */
struct raw_reader {
	struct exchange *exchange; /* gets what is kept */
	bool without_body;
	unsigned responses; /* whole final ones so far */
	bool refused;       /* what came is not HTTP */
	bool closes;        /* a response said that no other follows on this connection */
	/* The rest is the reader's own. */
	struct buffer head; /* of the response under way, until it is whole */
	int state;
	int status;
	bool keeps; /* of this response the body is kept */
	uint64_t left;
	struct http_chunked chunked;
};

void raw_reader_feed(struct raw_reader *reader, const char *bytes, size_t length);
/* The stream is at its end: a body without a length is, too. */
void raw_reader_end(struct raw_reader *reader);
/* Whether a response was begun and is not whole. */
bool raw_reader_is_within(const struct raw_reader *reader);

#endif
