/* A notification as a capture record. */
#include "receive/observer.h"
#include "receive/response.h"

void notification_record(const struct notification *n, char name[CATALOG_KIND_NAME_SIZE], struct capture_record *record)
{
	const char *fault = response_fault_name(n->fault);
	struct catalog_kind kind = notification_kind(n);
	*record = (struct capture_record){
		.seq = n->seq,
		.received_us = n->received_us,
		.remote = text_of(n->remote),
		.request = *n->request,
	};
	if (n->verdict)
		record->valid = n->verdict->valid ? CAPTURE_VALID : CAPTURE_INVALID;
	if (kind.event) {
		catalog_kind_name(kind, name);
		record->event = text_of(name);
	}
	if (fault)
		record->fault = text_of(fault);
	else
		record->status = n->status;
}
