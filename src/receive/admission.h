/* Which requests are notifications. Pure. */
#ifndef CREDHOOK_RECEIVE_ADMISSION_H
#define CREDHOOK_RECEIVE_ADMISSION_H

#include "receive/observer.h"
#include "receive/policy.h"

#include <stdbool.h>

/* Whether the head may pass; else *refusal says how to refuse it. */
bool admission_of_head(const struct receive_policy *policy, const struct http_request *request,
                       struct http_refusal *refusal);
/* POST; what else passed the head asks whether somebody is there. */
bool admission_is_notification(const struct http_request *request);
/* Which reason the server's refusal with this status stands for. */
enum receive_refusal admission_reason(int status);

#endif
