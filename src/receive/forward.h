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

/* policy->forward is the target; borrowed. `forwarded` is called once the target has responded, or never will, and the
 * ticket's response is decided; also from forwarder_take(). */
struct forwarder *forwarder_new(struct loop *loop, const struct receive_policy *policy,
                                void (*forwarded)(void *context, struct ticket *ticket), void *context,
                                struct error *err);
/* Aborts all, which are reported as forwarded. NULL is allowed. */
void forwarder_free(struct forwarder *forwarder);
/* False: no memory; the target does not get it. */
bool forwarder_take(struct forwarder *forwarder, struct ticket *ticket);
/* The ticket's; NULL is allowed. */
void forwarding_free(struct forwarding *forwarding);

#endif
