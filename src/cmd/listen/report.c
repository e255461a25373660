/* What listen prints of what the receiver reports: lines for people or NDJSON on stdout, notes on stderr. */
#include "base/clock.h"
#include "base/url_mask.h"
#include "base/utf8.h"
#include "cmd/listen/listen.h"
#include "cmd/report_error.h"
#include "config/address.h"
#include "http/secrets.h"
#include "json/json_line.h"
#include "payload/build.h"
#include "report/finding_report.h"

#include <inttypes.h>
#include <string.h>

#define SHOWN_BODY   ((size_t)64 << 10) /* bytes of a body that are shown with -v */
#define SHOWN_TARGET 100                /* bytes of one that is refused */

static void append_repeat(struct buffer *out, const struct repeat *repeat)
{
	char span[CLOCK_DURATION_SIZE];
	if (repeat->nth == 0)
		return;
	clock_format_duration(repeat->after_us * 1000, span);
	buffer_append_text(out, "      repeat ");
	buffer_append_number(out, repeat->nth);
	buffer_append_text(out, " of #");
	buffer_append_number(out, repeat->of);
	buffer_append_text(out, " after ");
	buffer_append_text(out, span);
	buffer_append_text(out, repeat->is_identical ? ", identical\n" : ", changed\n");
}

/* Secrets are not in it: a target may hold a password. */
static void append_place(struct buffer *out, const struct delivery *forwarded)
{
	url_append_masked(out, forwarded->url);
}

static void append_forwarded(struct buffer *out, const struct delivery *d)
{
	char span[CLOCK_DURATION_SIZE];
	struct buffer place = BUFFER_INIT;
	if (!d)
		return;
	append_place(&place, d);
	clock_format_duration(d->latency_ns, span);
	buffer_append_text(out, "      forwarded to ");
	utf8_append_safe(out, buffer_text(&place), place.length);
	buffer_printf(out, ", %s", span);
	if (d->message[0] != '\0') {
		buffer_append_text(out, ": ");
		utf8_append_safe(out, d->message, strlen(d->message));
	}
	buffer_append_byte(out, '\n');
	buffer_release(&place);
}

/* Lines made safe, the last one ended. */
static void append_lines(struct buffer *out, const char *text, size_t length)
{
	utf8_append_safe_lines(out, text, length);
	if (length > 0 && text[length - 1] != '\n')
		buffer_append_byte(out, '\n');
}

/* The body indented where it is JSON, and as it came where it is not, or is long. */
static void append_body(struct buffer *out, const struct notification *n)
{
	const char *body = n->request->body;
	size_t length = n->request->body_length, shown = length < SHOWN_BODY ? length : SHOWN_BODY;
	struct buffer pretty = BUFFER_INIT;
	struct error ignored;
	if (n->verdict && length <= SHOWN_BODY && build_pretty(body, length, &pretty, &ignored) == 0) {
		append_lines(out, buffer_text(&pretty), pretty.length);
		buffer_release(&pretty);
		return;
	}
	buffer_release(&pretty);
	append_lines(out, body, shown);
	if (shown < length)
		buffer_printf(out, "... and %zu bytes more\n", length - shown);
}

static void append_text(struct listen *l, const struct notification *n)
{
	const struct terminal *t = l->context->terminal;
	const struct verdict *v = n->verdict;
	struct buffer *out = &l->out, origin_name = BUFFER_INIT;
	struct arrival arrival = {
		n->seq,    n->received_us, v != NULL, v && v->valid, v ? v->warnings : 0, notification_kind(n),
		n->status, n->fault
	};
	l->style.color = t->color_out;
	l->style.width = t->out_is_tty ? terminal_width() : 0;
	arrival_append(&arrival, &l->style, out);
	append_repeat(out, &n->repeat);
	append_forwarded(out, n->forwarded);
	if (v && v->finding_count > 0) {
		buffer_printf(&origin_name, "#%" PRIu64, n->seq);
		struct payload_origin origin = { buffer_text(&origin_name), 1,    n->request->body,
			                         n->request->body_length,   NULL, NULL };
		finding_report_text(v, &origin, t->color_out, terminal_width(), out);
		buffer_release(&origin_name);
	}
	if (t->verbose)
		append_body(out, n);
}

/* The line says what the record says. With -v it is one, so that it can be replayed: the body is in it, and headers
 * are as they came. Without, it is for reading, and secrets are masked. */
static void append_record(struct listen *l, const struct notification *n, struct buffer *out)
{
	bool whole = l->context->terminal->verbose;
	struct capture_record record;
	struct buffer members = BUFFER_INIT, target = BUFFER_INIT;
	if (notification_record(n, &l->scratch, &record) < 0) {
		out->failed = true;
		return;
	}
	for (size_t i = 0; !whole && i < record.header_count; i++) {
		struct capture_header *h = &l->scratch.headers[i];
		if (secret_is_header(h->name.text, h->name.length))
			h->value = (struct capture_text){ SECRET_MASK, strlen(SECRET_MASK) };
	}
	if (!whole && strpbrk(n->request->target, "?#@")) {
		url_append_masked_reference(&target, n->request->target);
		record.target = (struct capture_text){ buffer_text(&target), target.length };
	}
	capture_record_append_members(&record, whole, &members);
	json_line_comma(out);
	json_line_members(out, buffer_text(&members), members.length);
	out->failed |= members.failed || target.failed;
	buffer_release(&members);
	buffer_release(&target);
}

static void append_repeat_json(struct buffer *out, const struct repeat *repeat)
{
	if (repeat->nth == 0)
		return;
	json_line_key(out, "repeat");
	json_line_begin(out);
	json_line_number(out, "nth", (int64_t)repeat->nth);
	json_line_number(out, "of", (int64_t)repeat->of);
	json_line_decimal(out, "after_ms", (double)repeat->after_us / 1000);
	json_line_bool(out, "identical", repeat->is_identical);
	json_line_end(out);
}

static void append_forwarded_json(struct buffer *out, const struct delivery *d)
{
	struct buffer place = BUFFER_INIT;
	if (!d)
		return;
	append_place(&place, d);
	json_line_key(out, "forwarded");
	json_line_begin(out);
	json_line_text(out, "to", buffer_text(&place));
	json_line_decimal(out, "latency_ms", (double)d->latency_ns / CLOCK_NS_PER_MS);
	if (d->message[0] != '\0')
		json_line_text(out, "error", d->message);
	json_line_end(out);
	buffer_release(&place);
}

static void append_response_json(struct buffer *out, const struct notification *n)
{
	const char *fault = response_fault_name(n->fault);
	json_line_key(out, "response");
	json_line_begin(out);
	if (fault)
		json_line_text(out, "fault", fault);
	else
		json_line_number(out, "status", n->status);
	json_line_end(out);
}

static void append_json(struct listen *l, const struct notification *n)
{
	struct buffer *out = &l->out;
	struct payload_origin origin = { "body", 1, n->request->body, n->request->body_length, NULL, NULL };
	json_line_begin(out);
	json_line_text(out, "type", "event");
	append_record(l, n, out);
	if (n->verdict)
		finding_report_json_findings(n->verdict, &origin, out);
	append_repeat_json(out, &n->repeat);
	append_forwarded_json(out, n->forwarded);
	append_response_json(out, n);
	json_line_end(out);
	buffer_append_byte(out, '\n');
}

void listen_report_notification(struct listen *l, const struct notification *n)
{
	struct terminal *t = l->context->terminal;
	bool json = l->context->global->json;
	if (terminal_is_closed(t) || (!json && t->quiet))
		return;
	buffer_clear(&l->out);
	if (json)
		append_json(l, n);
	else
		append_text(l, n);
	terminal_offer(t, buffer_text(&l->out), l->out.length);
}

/* The user is told both paths, the sender only that it is another one. */
static void note_elsewhere(struct listen *l, const struct refusal *r)
{
	size_t length = strcspn(r->target, "?");
	terminal_note(l->context->terminal,
	              "refused %s: %d '%.*s%s' was asked for, and notifications are taken at '%s'", r->remote,
	              r->status, (int)(length < SHOWN_TARGET ? length : SHOWN_TARGET), r->target,
	              length < SHOWN_TARGET ? "" : "...", l->args->receive.path);
}

void listen_report_refused(struct listen *l, const struct refusal *r)
{
	const char *reason = r->reason ? r->reason : "";
	if (r->target)
		note_elsewhere(l, r);
	else if (r->status == 0)
		terminal_note(l->context->terminal, "refused %s: no TLS: %s", r->remote, reason);
	else
		terminal_note(l->context->terminal, "refused %s: %d %s", r->remote, r->status, reason);
}

static void report_opened(struct listen *l, const struct capture_opened *found)
{
	struct terminal *t = l->context->terminal;
	const char *path = l->args->receive.capture;
	if (found->torn_bytes > 0)
		terminal_warn(t, "'%s' ended in %" PRIu64 " bytes that are no whole record; they were moved to '%s'",
		              path, found->torn_bytes, found->torn_path);
	else if (found->last_seq > 0)
		terminal_note(t, "appending to '%s' (last record %" PRIu64 ")", path, found->last_seq);
}

static void report_replaced(struct listen *l, const struct receive_notice *n)
{
	struct terminal *t = l->context->terminal;
	const char *path = l->args->receive.capture, *what = n->is_reopened ? "; opened it again" : "";
	if (n->number > 0)
		terminal_warn(t, "'%s' was deleted or replaced%s; records lost with the old file: %" PRIu64, path, what,
		              n->number);
	else
		terminal_note(t, "'%s' was deleted or replaced%s", path, what);
}

static void report_failed(struct listen *l, const struct receive_notice *n)
{
	struct error err = *n->error;
	if (!err.hint[0] && n->status > 0)
		error_hint(&err, "nothing is accepted any more: senders get %d", n->status);
	report_error(l->context->terminal, &err);
}

void listen_report_notice(struct listen *l, const struct receive_notice *n)
{
	struct terminal *t = l->context->terminal;
	const struct receive_args *a = &l->args->receive;
	switch (n->kind) {
	case NOTICE_CAPTURE_OPENED:
		report_opened(l, n->opened);
		break;
	case NOTICE_CAPTURE_REOPENED:
		terminal_note(t, "reopened '%s'", a->capture);
		break;
	case NOTICE_REOPEN_FAILED:
		terminal_warn(t, "%s; still writing to the old file", n->error->message);
		break;
	case NOTICE_CAPTURE_REPLACED:
		report_replaced(l, n);
		break;
	case NOTICE_ROTATION_FAILED:
		terminal_warn(t, "%s; it goes on growing, and the next try is %" PRIu64 " bytes later",
		              n->error->message, n->number);
		break;
	case NOTICE_CAPTURE_FAILED:
		report_failed(l, n);
		break;
	case NOTICE_UNSENT:
		terminal_note(t, "#%" PRIu64 " got no whole answer: its client went away, or did not take it",
		              n->number);
		break;
	case NOTICE_CERTIFICATE_READ:
		terminal_note(t, "read the certificate '%s' again", a->tls_cert);
		break;
	case NOTICE_CERTIFICATE_FAILED:
		terminal_warn(t, "%s; going on with the certificate it was", n->error->message);
		break;
	}
}
