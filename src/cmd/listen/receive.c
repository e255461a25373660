/* Taking requests in: the doors, the verdict, the record, and the answer once the record is on disk. */
#include "base/clock.h"
#include "cmd/listen/listen.h"
#include "ui/finding_report.h"

#include <stdlib.h>
#include <string.h>

static const struct http_field allowed_methods[] = { HTTP_FIELD("Allow", "POST, GET, HEAD") };

static bool method_is(const struct http_request *request, const char *method)
{
	return strcmp(request->method, method) == 0;
}

/* The path of a target in origin-form or absolute-form: what stands before '?'. */
static bool path_is(const struct http_request *request, const char *path)
{
	const char *target = request->target;
	const char *scheme = strstr(target, "://");
	if (target[0] != '/' && scheme) {
		target = scheme + 3 + strcspn(scheme + 3, "/?");
		if (*target != '/')
			target = "/";
	}
	size_t length = strcspn(target, "?");
	return strlen(path) == length && memcmp(target, path, length) == 0;
}

bool listen_on_head(void *context, const struct http_request *request, struct http_refusal *refusal)
{
	struct listener *l = context;
	if (l->args->path && !path_is(request, l->args->path)) {
		refusal->status = 404;
		refusal->reason = "notifications are taken at another path";
		return false;
	}
	if (method_is(request, "POST") || method_is(request, "GET") || method_is(request, "HEAD"))
		return true;
	refusal->status = 405;
	refusal->reason = "a notification is a POST";
	refusal->fields = allowed_methods;
	refusal->field_count = 1;
	return false;
}

void listen_on_refused(void *context, const char *remote, int status, const char *reason)
{
	struct listener *l = context;
	l->refused++;
	listen_tell_refused(l, remote, status, reason);
}

/* GET and HEAD are how a person asks whether somebody is there. */
static void answer_with_help(struct http_exchange *exchange)
{
	static const char help[] = "This is credhook listen. Send notifications by POST with Content-Type: "
	                           "application/json.\n";
	struct http_response response = {
		.status = 200, .content_type = "text/plain; charset=utf-8", .body = help, .body_length = strlen(help)
	};
	http_exchange_respond(exchange, &response);
}

static const char *content_type_of(const struct http_request *request)
{
	const struct http_field *field = http_request_find(request, "Content-Type");
	return field ? field->value : NULL;
}

static void remember_failure(struct listener *l, const struct error *err)
{
	if (l->write_failed)
		return;
	l->write_failed = true;
	l->failure = *err;
	struct error told = *err;
	if (!told.hint[0])
		error_hint(&told, "nothing is accepted any more: senders get %d",
		           l->writer ? capture_writer_status(l->writer) : 503);
	terminal_error(l->context->terminal, &told);
}

/* The record of a request, and its number: of the record, or counted here where nothing is captured. */
static uint64_t add_record(struct listener *l, const struct arrival *a, struct http_exchange *exchange)
{
	const struct http_request *r = http_exchange_request(exchange);
	struct capture_header *headers = calloc(r->field_count + 1, sizeof *headers);
	char name[CATALOG_KIND_NAME_SIZE];
	struct error err;
	if (!headers) {
		error_no_memory(&err);
		remember_failure(l, &err);
		return 0;
	}
	for (size_t i = 0; i < r->field_count; i++) {
		headers[i].name = (struct capture_text){ r->fields[i].name, r->fields[i].name_length };
		headers[i].value = (struct capture_text){ r->fields[i].value, r->fields[i].value_length };
	}
	struct capture_record record = {
		.received_us = a->received_us,
		.remote = { a->remote, strlen(a->remote) },
		.method = { r->method, r->method_length },
		.target = { r->target, r->target_length },
		.headers = headers,
		.header_count = r->field_count,
		.body = { r->body, r->body_length },
		.status = a->status,
	};
	if (a->verdict) {
		record.valid = a->verdict->valid ? CAPTURE_VALID : CAPTURE_INVALID;
		if (a->verdict->kind.event) {
			catalog_kind_name(a->verdict->kind, name);
			record.event = (struct capture_text){ name, strlen(name) };
		}
	}
	uint64_t seq = capture_writer_add(l->writer, &record);
	free(headers);
	return seq;
}

static void append_findings(const struct verdict *verdict, const struct http_request *request, struct buffer *out)
{
	struct payload_origin origin = { "body", 1, request->body, request->body_length, NULL, NULL };
	finding_report_json(verdict, &origin, out);
}

/* Keeps the exchange until the end of the turn; false: no memory. */
static bool hold(struct listener *l, struct http_exchange *exchange, const struct arrival *a)
{
	struct waiting *grown =
	        array_grow(l->waiting, &l->waiting_capacity, l->waiting_count + 1, sizeof(struct waiting));
	if (!grown)
		return false;
	l->waiting = grown;
	struct waiting *w = &l->waiting[l->waiting_count++];
	*w = (struct waiting){ .exchange = exchange, .status = a->status };
	if (a->status == 422 && a->verdict) {
		struct buffer findings = BUFFER_INIT;
		append_findings(a->verdict, a->request, &findings);
		w->findings = findings.data;
		w->findings_length = findings.length;
	}
	return true;
}

static void count(struct listener *l, const struct verdict *verdict)
{
	l->received++;
	if (!verdict)
		return;
	if (verdict->valid)
		l->valid++;
	else
		l->invalid++;
	if (verdict->kind.event)
		l->by_kind[catalog_kind_index(verdict->kind)]++;
	else
		l->unknown++;
	if (verdict->valid)
		listen_count_expected(&l->args->expected, verdict->kind);
}

static void refuse_without_memory(struct http_exchange *exchange)
{
	http_exchange_respond(exchange, &(struct http_response){ .status = 503, .close = true });
}

void listen_on_request(void *context, struct http_exchange *exchange)
{
	struct listener *l = context;
	const struct http_request *request = http_exchange_request(exchange);
	struct error err;
	if (!method_is(request, "POST")) {
		answer_with_help(exchange);
		return;
	}
	struct arrival a = { .request = request,
		             .remote = http_exchange_remote(exchange),
		             .received_us = http_exchange_arrived_us(exchange),
		             .status = (int)l->args->status };
	if (l->args->validate != LISTEN_OFF) {
		struct check_options options = { .judge_content_type = true, .content_type = content_type_of(request) };
		a.verdict = check_payload(l->checker, request->body, request->body_length, &options, &err);
		if (!a.verdict) {
			refuse_without_memory(exchange);
			return;
		}
		if (l->args->validate == LISTEN_REJECT && !a.verdict->valid)
			a.status = 422;
	}
	if (l->write_failed)
		a.status = capture_writer_status(l->writer);
	else
		a.seq = l->writer ? add_record(l, &a, exchange) : l->received + 1;
	if (!hold(l, exchange, &a)) {
		refuse_without_memory(exchange);
		return;
	}
	count(l, a.verdict);
	listen_tell_arrival(l, &a);
	if (l->args->max_events > 0 && l->received >= l->args->max_events)
		l->ending = true;
	if (l->args->expected.count > 0 && l->args->max_events == 0 && listen_expectations_met(&l->args->expected))
		l->ending = true;
}

void listen_on_abandoned(void *context, struct http_exchange *exchange)
{
	struct listener *l = context;
	for (size_t i = 0; i < l->waiting_count; i++)
		if (l->waiting[i].exchange == exchange)
			l->waiting[i].exchange = NULL;
}

static void answer(struct listener *l, struct waiting *w, int status)
{
	struct http_response response = { .status = status, .fields = l->fields, .field_count = l->field_count };
	if (w->findings) {
		response.content_type = "application/json";
		response.body = w->findings;
		response.body_length = w->findings_length;
	} else if (status == w->status) {
		response.content_type = l->body.length > 0 ? "application/json" : NULL;
		response.body = buffer_text(&l->body);
		response.body_length = l->body.length;
	}
	if (w->exchange)
		http_exchange_respond(w->exchange, &response);
	free(w->findings);
}

/* Answering may bring the next request of a pipelined connection: it gathers in the other array. */
static void answer_batch(struct listener *l)
{
	struct waiting *batch = l->waiting;
	size_t count = l->waiting_count, capacity = l->waiting_capacity;
	l->waiting = l->answering;
	l->waiting_capacity = l->answering_capacity;
	l->waiting_count = 0;
	l->answering = batch;
	l->answering_capacity = capacity;
	for (size_t i = 0; i < count; i++)
		answer(l, &batch[i], l->write_failed ? capture_writer_status(l->writer) : batch[i].status);
}

void listen_commit(void *context)
{
	struct listener *l = context;
	struct error err;
	bool answered = l->waiting_count > 0;
	while (l->waiting_count > 0) {
		if (l->writer && !l->write_failed && capture_writer_commit(l->writer, &err) < 0)
			remember_failure(l, &err);
		answer_batch(l);
	}
	if (answered)
		terminal_flush(l->context->terminal);
	if (l->ending)
		listen_end(l);
}

void listen_end(struct listener *l)
{
	struct error err;
	l->ending = false;
	if (http_server_drain(l->server, clock_monotonic_ns() + l->args->drain, &err) < 0)
		loop_stop(l->loop);
}
