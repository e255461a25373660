/* Which requests are notifications. Pure. */
#ifndef CREDHOOK_RECEIVE_ADMISSION_H
#define CREDHOOK_RECEIVE_ADMISSION_H

#include "receive/observer.h"
#include "receive/policy.h"

#include <stdbool.h>

/* Whether the head is accepted; else *refusal is the response. */
bool admission_of_head(const struct receive_policy *policy, const struct message *request,
                       struct http_refusal *refusal);
/* POST; GET and HEAD only ask whether a listener is there. */
bool admission_is_notification(const struct message *request);
/* The reason of a refusal by the server with this status. */
enum receive_refusal admission_reason(int status);

#endif
