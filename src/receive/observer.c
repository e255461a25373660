#include "receive/observer.h"

#include "http/words.h"
#include "receive/response.h"

#include <string.h>

void notification_record(const struct notification *n, char name[CATALOG_KIND_NAME_SIZE], struct capture_record *record)
{
	const char *fault = response_fault_name(n->fault);
	struct catalog_kind kind = notification_kind(n);
	*record = (struct capture_record){
		.seq = n->seq,
		.received_us = n->received_us,
		.remote = text_of(n->remote),
		.via = text_of(n->via),
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

void notification_append_error(const struct notification *n, struct buffer *out)
{
	const struct delivery *d = n->forwarded;
	if (!d)
		return;
	if (d->message[0] != '\0')
		buffer_append_text(out, d->message);
	else if (d->status >= 400)
		words_append_line(out, d->response.data, d->response.length, WORDS_LINE_MAX);
}

struct arrival notification_arrival(const struct notification *n, struct buffer *error)
{
	const struct verdict *v = n->verdict;
	struct arrival a = {
		.seq = n->seq,
		.received_us = n->received_us,
		.kind = notification_kind(n),
		.is_checked = v != NULL,
		.target = n->request->target.text,
		.body_length = n->request->body.length,
		.status = n->status,
		.fault = n->fault,
		.is_forwarded = n->forwarded != NULL,
		.latency_ns = n->forwarded ? n->forwarded->latency_ns : 0,
		.repeat = n->repeat,
	};
	if (v) {
		a.is_valid = v->valid;
		a.warnings = v->warnings;
		a.findings = v->finding_count + v->unlisted;
	}
	if (v && v->finding_count > 0) {
		a.first = v->findings[0].id;
		a.severity = v->findings[0].severity;
		a.message = verdict_message(v, &v->findings[0]);
	}
	notification_append_error(n, error);
	a.error = buffer_text(error);
	return a;
}
