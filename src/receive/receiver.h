/*
 * The receiver: takes notifications in by HTTP, checks each once, records it, responds, and reports it once with its
 * response.
 *
 *   response.c      which requests are notifications, and which response each gets: pure
 *   forward.c       passes it on to another server, whose response goes back
 *   committer.c     holds responses back until the record is on disk: group commit; the file of the records
 *   notification.c  one notification: under way (its ticket), whether its body came before, its capture record
 *
 * It lives on a loop of the caller's and in that loop's thread. A 2xx response is sent only after the record is on
 * disk, and after a failure to write none at all.
 *
 * The life of a notification after its verdict: its ticket waits, for the target's response where it is forwarded, then
 * for its record to be on disk (committer.h). Then, in this order:
 *
 *   report   the observer gets it, with its response, once. It counts as received, unless its record failed
 *   respond  the server takes the response, and sends it at once, after its delay, or a fault instead
 *   release  the ticket is free; the server alone has the response now, with the number of the notification
 *   unsent   the server calls back with that number if the connection ended before the kernel had the whole response:
 *            NOTICE_UNSENT, and it counts as unanswered; during shutdown as cut off, too
 *
 * A client that closes its side (FIN) after its request still gets the response: it may only have ended its writing.
 * One that resets the connection (RST), or whose connection fails, before the response is taken abandons its ticket:
 * the record is made and the notification is reported like any other; then it is unsent, since nobody is there to
 * respond to. One that resets later is unsent when the server sees it. A fault is never unsent.
 */
#ifndef CREDHOOK_RECEIVE_RECEIVER_H
#define CREDHOOK_RECEIVE_RECEIVER_H

#include "base/error.h"
#include "base/loop.h"
#include "capture/writer.h"
#include "http/tls.h"
#include "receive/notification.h"
#include "receive/response.h"

#include <stdbool.h>
#include <stdint.h>

struct receiver;

enum receive_validate {
	RECEIVE_REPORT, /* checked and reported; the response stays as it is */
	RECEIVE_REJECT, /* 422 with the findings for a payload with an error */
	RECEIVE_OFF,
};

/* How a receiver works, as plain values: no option, no terminal. Everything is borrowed and must not change until
 * receiver_free(). Zero-initialise; `server` begins as http_server_defaults, `response.status` as 200. */
struct receive_policy {
	struct http_server_options server;
	const char *path;      /* NULL: every path */
	uint64_t limit;        /* it ends after this many notifications; 0: never */
	uint64_t first_number; /* of the first notification, without a capture; 0: 1 */
	int64_t drain;         /* nanoseconds for open requests on shutdown */
	enum receive_validate validate;
	/* RECEIVE_REJECT: appends the body of the 422, which is JSON. */
	void (*append_rejection)(const struct verdict *verdict, const char *body, size_t length, struct buffer *out);
	struct response_policy response;
	const struct header *fields; /* of every response */
	size_t field_count;
	const char *body; /* JSON; NULL with a length of 0 */
	size_t body_length;
	const char *capture;                   /* NULL: none */
	const struct deliver_options *forward; /* where notifications are forwarded; NULL: nowhere */
	struct http_tls_options tls;           /* cert NULL, and not self_signed: plain HTTP */
	bool self_signed;
};

#define RECEIVE_KINDS 64 /* catalog_kind_index() is below that */

struct receive_counts {
	uint64_t received; /* notifications that were to be responded to; the following are of these */
	uint64_t valid;
	uint64_t invalid;
	uint64_t repeated;
	uint64_t unanswered; /* no full response: the client disconnected or did not read it, or shutdown */
	uint64_t cut_off;    /* of these, by shutdown */
	uint64_t faults;
	uint64_t by_kind[RECEIVE_KINDS]; /* by catalog_kind_index() */
	uint64_t refused;                /* requests; connections only in by_refusal, after receiver_close() */
	uint64_t by_refusal[RECEIVE_REFUSALS];
	uint64_t lost_records; /* in a capture that was deleted or replaced */
	bool capture_failed;
};

/* What is known of a receiver. */
struct receiver_state {
	char url[HTTP_URL_SIZE]; /* of the server; "" before it listens */
	bool is_local;           /* only this machine can connect to it */
	bool is_ending;          /* no further requests are taken */
	/* The file of a certificate made for the session, and its SHA-256; else NULL and "". */
	char *certificate_file;
	char fingerprint[HTTP_FINGERPRINT_SIZE];
	struct receive_counts counts;
};

/* Listens at the address (as http_server_listen() takes it), and returns once it does. Policy and loop are borrowed,
 * the observer is copied. Usage errors: the address, the capture is another file, the certificate does not fit. */
struct receiver *receiver_new(struct loop *loop, const char *address, const struct receive_policy *policy,
                              const struct receive_observer *observer, struct error *err);

const struct receiver_state *receiver_state(const struct receiver *receiver); /* stays in its place */

/* Opens the capture again by its name, and reads the certificate again. */
void receiver_reload(struct receiver *receiver);
/* Accepts no further requests, finishes open ones within policy.drain, then calls `ended`. Responses that are delayed
 * longer go out at once. */
void receiver_end(struct receiver *receiver);
/* The same at the end of this turn of the loop; the time begins when the last delayed response is due. */
void receiver_finish(struct receiver *receiver);

/* After the loop: ends everything, brings all records to disk and reports the rest. The counts are final then. */
void receiver_close(struct receiver *receiver);
void receiver_free(struct receiver *receiver); /* closes too; NULL is allowed */

#endif
