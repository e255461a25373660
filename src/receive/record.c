/* A notification as a capture record. */
#include "receive/observer.h"
#include "receive/response.h"

#include <stdlib.h>
#include <string.h>

void record_scratch_release(struct record_scratch *scratch)
{
	free(scratch->headers);
	*scratch = (struct record_scratch){ .headers = NULL };
}

int notification_record(const struct notification *n, struct record_scratch *scratch, struct capture_record *record)
{
	const struct http_request *r = n->request;
	const char *fault = response_fault_name(n->fault);
	struct catalog_kind kind = notification_kind(n);
	struct header *headers = array_grow(scratch->headers, &scratch->capacity, r->field_count + 1, sizeof *headers);
	if (!headers)
		return -1;
	scratch->headers = headers;
	for (size_t i = 0; i < r->field_count; i++) {
		const struct http_field *f = &r->fields[i];
		headers[i] = (struct header){ { f->name, f->name_length }, { f->value, f->value_length } };
	}
	*record = (struct capture_record){
		.seq = n->seq,
		.received_us = n->received_us,
		.remote = text_of(n->remote),
		.request = { .method = { r->method, r->method_length },
		             .target = { r->target, r->target_length },
		             .headers = headers,
		             .header_count = r->field_count,
		             .body = { r->body, r->body_length } },
	};
	if (n->verdict)
		record->valid = n->verdict->valid ? CAPTURE_VALID : CAPTURE_INVALID;
	if (kind.event) {
		catalog_kind_name(kind, scratch->name);
		record->event = text_of(scratch->name);
	}
	if (fault)
		record->fault = text_of(fault);
	else
		record->status = n->status;
	return 0;
}
