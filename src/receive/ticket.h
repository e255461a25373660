/* Tickets: one per notification under way. */
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

struct ticket {
	struct commit_entry entry;        /* first: the committer hands this back */
	struct notification notification; /* what is reported */
	struct http_exchange *exchange;   /* NULL: its client disconnected */
	/* A copy of the exchange's request, since its client may disconnect before it is reported. */
	struct message request;
	struct header *headers;  /* of it; owned. NULL: there is no copy */
	struct buffer texts;     /* of it, and the addresses, one after the other, each with a NUL */
	struct verdict verdict;  /* of a payload without findings; else */
	struct checker *checker; /* holds it. Owned; NULL: none yet */
	struct response response;
	struct buffer body;          /* of the response, */
	const char *body_type;       /* NULL: policy.body is used */
	const struct header *fields; /* of the response; NULL: policy.fields */
	size_t field_count;
	struct buffer recorded;        /* of the response: its type and text, each with a NUL */
	struct forwarding *forwarding; /* of forward.c, and gone before the ticket; NULL: it is not forwarded */
};

struct ticket *ticket_new(struct http_exchange *exchange); /* the exchange's. NULL: no memory */
void ticket_free(struct ticket *ticket);
/* From here on the ticket does not need the request of its exchange. False: no memory. */
bool ticket_keep_request(struct ticket *ticket);
/* What the record keeps of the response, which is not 2xx: its Content-Type and the beginning of its body, without the
 * secrets of the request and of the target, which may echo them. Without memory nothing is kept. */
void ticket_keep_response(struct ticket *ticket, const char *type, struct text body);

#endif
