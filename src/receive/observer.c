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

struct arrival arrival_of(const struct capture_record *record, const struct verdict *v)
{
	struct arrival a = {
		.seq = record->seq,
		.received_us = record->received_us,
		.is_checked = v != NULL,
		.target = record->request.target.text ? record->request.target.text : "/",
		.pointer = "",
		.status = record->status,
		.fault = record->fault.text,
		.error = "",
	};
	if (v) {
		a.kind = v->kind;
		a.is_valid = v->valid;
		a.warnings = v->warnings;
		a.findings = v->finding_count + v->unlisted;
	}
	if (v && v->finding_count > 0) {
		a.first = v->findings[0].id;
		a.severity = v->findings[0].severity;
		a.message = verdict_message(v, &v->findings[0]);
	}
	return a;
}

struct arrival notification_arrival(const struct notification *n, struct buffer *error)
{
	struct capture_record record;
	char name[CATALOG_KIND_NAME_SIZE];
	notification_record(n, name, &record);
	struct arrival a = arrival_of(&record, n->verdict);
	a.is_forwarded = n->forwarded != NULL;
	a.latency_ns = n->forwarded ? n->forwarded->latency_ns : 0;
	a.repeat = n->repeat;
	notification_append_error(n, error);
	a.error = buffer_text(error);
	return a;
}
