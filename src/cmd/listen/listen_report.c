/* What listen prints of what the receiver reports: lines for people or NDJSON on stdout, notes on stderr. */
#include "base/clock.h"
#include "base/url.h"
#include "cmd/listen/listen.h"
#include "http/secrets.h"
#include "json/json_line.h"
#include "report/finding_report.h"

#include <string.h>

static void append_text(struct listen *l, const struct notification *n)
{
	const struct terminal *t = l->context->terminal;
	LOCAL_BUFFER error = BUFFER_INIT;
	struct arrival arrival = notification_arrival(n, &error);
	if (t->verbose)
		arrival.method = NULL; /* its head has it */
	l->style.color = t->color_out;
	l->style.utf8 = t->utf8;
	l->style.forwards = l->setup.policy.forward != NULL;
	l->style.width = terminal_out_width(t);
	arrival_append(&arrival, &l->style, &l->out);
	if (n->verdict)
		arrival_append_findings(&l->style, &n->request->body, n->verdict, 0, &l->out);
	if (t->verbose)
		arrival_append_request(n->request, &l->out);
}

/* As many headers, of which those that may be secrets have no value. */
static bool mask_headers(struct listen *l, struct message *request)
{
	if (!ARRAY_ROOM(l->masked, l->masked_capacity, request->header_count + 1))
		return false;
	for (size_t i = 0; i < request->header_count; i++) {
		l->masked[i] = request->headers[i];
		if (secret_is_header(l->masked[i].name.text, l->masked[i].name.length))
			l->masked[i].value = text_of(SECRET_MASK);
	}
	request->headers = l->masked;
	return true;
}

/* The line has the members of the record. With -v it is one, so that it can be replayed: with the body, and headers
 * are as they came. Without, it is for reading, and secrets are masked. */
static void append_record(struct listen *l, const struct notification *n, struct buffer *out)
{
	bool whole = l->context->terminal->verbose;
	struct capture_record record;
	char name[CATALOG_KIND_NAME_SIZE];
	LOCAL_BUFFER members = BUFFER_FOR(out), target = BUFFER_FOR(out);
	notification_record(n, name, &record);
	if (!whole && !mask_headers(l, &record.request)) {
		buffer_fail_if(out, true);
		return;
	}
	if (!whole && strpbrk(n->request->target.text, "?#@")) {
		url_append_masked_reference(&target, n->request->target.text);
		record.request.target = (struct text){ buffer_text(&target), target.length };
	}
	capture_record_append_members(&record, whole, &members);
	json_line_comma(out);
	json_line_members(out, buffer_text(&members), members.length);
}

static void append_repeat_json(struct buffer *out, const struct repeat *repeat)
{
	if (repeat->nth == 0)
		return;
	json_line_object(out, "repeat");
	json_line_number(out, "nth", (int64_t)repeat->nth);
	json_line_number(out, "of", (int64_t)repeat->of);
	json_line_decimal(out, "after_ms", (double)repeat->after_us / 1000);
	json_line_end(out);
}

static void append_forwarded_json(struct buffer *out, const struct notification *n)
{
	const struct exchange *d = n->forwarded;
	LOCAL_BUFFER place = BUFFER_FOR(out), error = BUFFER_FOR(out);
	if (!d)
		return;
	url_append_masked(&place, d->request.target.text);
	json_line_object(out, "forwarded");
	json_line_text(out, "to", buffer_text(&place));
	json_line_decimal(out, "latency_ms", (double)d->latency_ns / CLOCK_NS_PER_MS);
	if (d->message[0] != '\0') {
		notification_append_error(n, &error);
		json_line_text(out, "error", buffer_text(&error));
	}
	json_line_end(out);
}

static void append_json(struct listen *l, const struct notification *n)
{
	struct buffer *out = &l->out;
	struct payload_origin origin = { "body", 1, n->request->body.text, n->request->body.length, NULL, NULL, 1 };
	json_line_begin_type(out, "event");
	append_record(l, n, out);
	if (n->verdict)
		finding_report_json_findings(n->verdict, &origin, out);
	append_repeat_json(out, &n->repeat);
	append_forwarded_json(out, n);
	const char *fault = response_fault_name(n->fault);
	json_line_object(out, "response");
	if (fault)
		json_line_text(out, "fault", fault);
	else
		json_line_number(out, "status", n->status);
	json_line_end(out);
	json_line_finish(out);
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
	terminal_offer(t, &l->out);
}

void listen_report_refused(void *context, const struct refusal *r)
{
	struct listen *l = context;
	struct receive_words words;
	receive_words_of_refusal(&words, r, &l->args->receive);
	receive_print_words(l->context->terminal, &words);
}

void listen_report_notice(void *context, const struct receive_notice *n)
{
	struct listen *l = context;
	struct receive_words words;
	receive_words_of_notice(&words, n, &l->args->receive);
	receive_print_words(l->context->terminal, &words);
}
