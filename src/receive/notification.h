/* What a receiver reports: whole facts, each once, from the thread of its loop. Everything is borrowed for the call. */
#ifndef CREDHOOK_RECEIVE_NOTIFICATION_H
#define CREDHOOK_RECEIVE_NOTIFICATION_H

#include "base/error.h"
#include "capture/record.h"
#include "capture/writer.h"
#include "http/deliver.h"
#include "http/request_parser.h"
#include "http/server.h"
#include "payload/check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a body was received before, byte for byte. */
struct repeat {
	uint64_t nth;     /* how often it was repeated, this time included; 0: it is new */
	uint64_t of;      /* the number of the first one */
	int64_t after_us; /* since that one; 0: not known */
};

/* Hashes of the last bodies, no bodies: beyond REPEATS_MOST different ones those not received for longest are
 * forgotten. */
#define REPEATS_MOST 65536
struct repeats;
/* For free(). NULL: no memory. */
struct repeats *repeats_new(void);
/* Notes the body under its number. */
struct repeat repeats_note(struct repeats *repeats, const struct text *body, uint64_t seq, int64_t now_us);

/* A notification and its response, about to leave: its record is on disk, if there is a capture. */
struct notification {
	uint64_t seq; /* of its record; without a capture they are counted from policy.first_number */
	const struct message *request;
	const char *remote; /* as in struct http_exchange, and: */
	const char *via;    /* NULL: none */
	bool is_https;
	int64_t received_us;
	const struct verdict *verdict; /* NULL: not checked. Of a payload without findings it has no tokens */
	struct repeat repeat;
	const struct exchange *forwarded; /* with the target's response; NULL: not forwarded. Nothing in it is masked */
	const struct deliver_options *target; /* whose secrets no line shows; where it is forwarded */
	int status;                           /* of the response */
	enum http_fault fault;                /* instead of it; HTTP_FAULT_NONE: none */
	/* Content-Type and beginning of the body, masked, as they are recorded, of a response that is not 2xx, and the
	 * target's or of policy.body; absent: neither, or it has a Content-Encoding. */
	struct text response_type, response_text;
	bool is_refused; /* its record could not be written: it does not count */
};

/* Its kind; event NULL: unknown, or not checked. */
static inline struct catalog_kind notification_kind(const struct notification *n)
{
	return n->verdict ? n->verdict->kind : (struct catalog_kind){ NULL, NULL };
}

/* The capture record of it. Borrows from both. */
void notification_record(const struct notification *n, char name[CATALOG_KIND_NAME_SIZE],
                         struct capture_record *record);
/* Appends what the target of a forwarded one says went wrong (http/words.h), or why it did not respond; hostile
 * bytes, but secrets are masked. Nothing where all is well, or it was not forwarded. */
void notification_append_error(const struct notification *n, struct buffer *out);

/* A notification as it is listed, wherever it is kept. The texts are borrowed; hostile bytes. */
struct arrival {
	uint64_t seq;
	int64_t received_us;
	struct catalog_kind kind; /* event NULL: unknown, or not checked */
	bool is_checked;
	bool is_valid;
	size_t warnings;    /* findings of that severity */
	struct text method; /* of the request; absent: a payload of a file has none; or it is shown elsewhere */
	struct text target;
	int status;        /* of the response; 0: none is recorded */
	const char *fault; /* instead of it; NULL: none */
	bool is_forwarded;
	int64_t latency_ns; /* of the target */
	const char *error;  /* what the target says went wrong, or why there is no response; "": nothing */
	struct repeat repeat;
};
/* Makes one of a record, and of what its body is; NULL: not checked. Borrows from both. */
struct arrival arrival_of(const struct capture_record *record, const struct verdict *verdict);
/* Makes one of a notification; *error gets the text of `error`. */
struct arrival notification_arrival(const struct notification *n, struct buffer *error);

/* Why a request was refused. */
enum receive_refusal {
	REFUSED_NETWORK,    /* not in --allow: closed before a byte is read, and only counted, */
	REFUSED_CONNECTION, /* as those beyond the most are */
	REFUSED_PATH,       /* 404 */
	REFUSED_METHOD,     /* 405 */
	REFUSED_SENDER,     /* 403: behind a trusted proxy, and not known or not allowed */
	REFUSED_BODY,       /* 413 */
	REFUSED_HEAD,       /* 414, 431 */
	REFUSED_TIME,       /* 408 */
	REFUSED_MEMORY,     /* 503: too many large bodies at once */
	REFUSED_TLS,        /* no handshake */
	REFUSED_LATE,       /* more than policy.limit, while it ends */
	REFUSED_FORM,       /* not an acceptable request: whatever else the server refuses */
	RECEIVE_REFUSALS,
};

struct refusal {
	enum receive_refusal why;
	int status; /* 0: REFUSED_TLS, without a response */
	const char *remote;
	const char *reason; /* as in its response, or why there is no TLS; NULL: none */
	const char *target; /* REFUSED_PATH: of the request; else NULL */
};

enum receive_notice_type {
	NOTICE_CAPTURE_OPENED,     /* see `opened` */
	NOTICE_CAPTURE_REOPENED,   /* by its name, on requirement */
	NOTICE_REOPEN_FAILED,      /* error; still writing to the old file; tried again */
	NOTICE_CAPTURE_REPLACED,   /* deleted or replaced; `number` records are lost, 0: none. See is_reopened */
	NOTICE_CAPTURE_FAILED,     /* error; from now on senders get `status`, 0: at the end */
	NOTICE_UNSENT,             /* #number: its client disconnected before the full response */
	NOTICE_CERTIFICATE_READ,   /* again */
	NOTICE_CERTIFICATE_FAILED, /* error; the old one stays */
};

struct receive_notice {
	enum receive_notice_type type;
	uint64_t number;
	int status;
	bool is_reopened;
	const struct capture_opened *opened;
	const struct error *error;
};

/* Each gets `context`. */
struct receive_observer {
	void *context;
	/* May call receiver_finish(). */
	void (*notification)(void *context, const struct notification *notification);
	void (*refused)(void *context, const struct refusal *refusal);
	void (*notice)(void *context, const struct receive_notice *notice);
	void (*ended)(void *context); /* shut down, open requests are finished */
};

#endif
