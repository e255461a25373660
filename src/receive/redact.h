/* Checking a notification, and redacting it: from then on nothing of the request as it came is in it. */
#ifndef CREDHOOK_RECEIVE_REDACT_H
#define CREDHOOK_RECEIVE_REDACT_H

#include "receive/observer.h"
#include "receive/policy.h"
#include "receive/ticket.h"

/* Checks the request of the ticket, which keeps the verdict; where there are findings it keeps the checker, and
 * *checker is another one. The result is valid until that checks again. NULL: no memory. */
const struct verdict *check_ticket(struct checker **checker, struct ticket *ticket);

/* Makes the redacted record of the notification, and redacts the notification itself; its verdict becomes that on the
 * redacted body, since messages quote values. The result is that of redaction->record(); at -1 the notification has no
 * request any more. */
int redact_ticket(const struct receive_redaction *redaction, struct checker **checker, struct record_scratch *scratch,
                  struct ticket *ticket, struct capture_record *record, struct error *err);
/* The address and the target; valid until the next record. Nothing without a redaction. */
void redact_refusal(const struct receive_redaction *redaction, struct refusal *refusal);

#endif
