/*
 * Forwards notifications to another server and returns its responses.
 *
 * The request is copied, since its client may disconnect meanwhile; its record is made when the response is known.
 */
#ifndef CREDHOOK_RECEIVE_FORWARD_H
#define CREDHOOK_RECEIVE_FORWARD_H

#include "base/error.h"
#include "base/loop.h"
#include "receive/receiver.h"
#include "receive/ticket.h"

#include <stdbool.h>

struct forwarder;

struct forwarder_owner {
	void *context;
	/* The target has responded, or never will: the ticket's response is decided. Also from forwarder_take(). */
	void (*forwarded)(void *context, struct ticket *ticket);
};

/* policy->forward is the target; borrowed. */
struct forwarder *forwarder_new(struct loop *loop, const struct receive_policy *policy,
                                const struct forwarder_owner *owner, struct error *err);
/* Aborts all, which are reported as forwarded. NULL is allowed. */
void forwarder_free(struct forwarder *forwarder);
/* False: nothing is forwarded, or no memory; it gets a response here. */
bool forwarder_take(struct forwarder *forwarder, struct ticket *ticket);
/* The ticket's; NULL is allowed. */
void forwarding_free(struct forwarding *forwarding);

#endif
