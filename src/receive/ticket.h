/* Tickets: one per notification under way. They and their memory are used again. */
#ifndef CREDHOOK_RECEIVE_TICKET_H
#define CREDHOOK_RECEIVE_TICKET_H

#include "base/buffer.h"
#include "http/server.h"
#include "payload/check.h"
#include "receive/committer.h"
#include "receive/notification.h"
#include "receive/response.h"

#include <stdbool.h>
#include <stddef.h>

struct forwarding;

/* A copy of a request, since its client may disconnect before it is reported. */
struct request_copy {
	struct message request;
	struct header *headers;
	struct buffer text; /* its texts one after the other, each with a NUL */
	char remote[HTTP_REMOTE_SIZE];
	char via[HTTP_REMOTE_SIZE];
};

struct ticket {
	struct commit_entry entry;        /* first: the committer hands this back */
	struct ticket *next;              /* of the spares */
	struct notification notification; /* what is reported */
	struct http_exchange *exchange;   /* NULL: its client disconnected */
	struct request_copy *copy;        /* what `notification` borrows from; owned. NULL: it is the exchange's */
	struct verdict verdict;           /* of a payload without findings; else */
	struct checker *checker;          /* holds it. Owned; NULL: none yet */
	struct response response;
	struct buffer body;          /* of the response, */
	const char *body_type;       /* NULL: policy.body is used */
	const struct header *fields; /* of the response; NULL: policy.fields */
	size_t field_count;
	struct forwarding *forwarding; /* of forward.c, and gone before the ticket; NULL: it is not forwarded */
};

struct ticket_pool {
	struct ticket *spare;
	size_t count;
};

/* The exchange's ticket. NULL: no memory. */
struct ticket *ticket_new(struct ticket_pool *pool, struct http_exchange *exchange);
void ticket_free(struct ticket_pool *pool, struct ticket *ticket); /* to the spares */
void ticket_pool_release(struct ticket_pool *pool);
/* Keeps a verdict, without findings, beyond its checker's next payload. */
void ticket_keep_verdict(struct ticket *ticket, const struct verdict *verdict);
/* From here on the ticket does not need the request of its exchange. False: no memory. */
bool ticket_keep_request(struct ticket *ticket);
/* The exchange is gone. Without memory for a copy, the request is reported as empty. */
void ticket_abandon(struct ticket *ticket);

#endif
