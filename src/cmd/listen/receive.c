/* Taking requests in: the doors, the verdict, and which answer it will be. */
#include "base/clock.h"
#include "cmd/listen/listen.h"
#include "report/finding_report.h"

#include <string.h>

#define SHOWN_TARGET 100 /* bytes of one that is refused */

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
		l->elsewhere = request;
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

static enum listen_door door_of(int status)
{
	switch (status) {
	case 0:
		return LISTEN_DOOR_TLS;
	case 404:
		return LISTEN_DOOR_PATH;
	case 405:
		return LISTEN_DOOR_METHOD;
	case 408:
		return LISTEN_DOOR_TIME;
	case 413:
		return LISTEN_DOOR_BODY;
	case 414:
	case 431:
		return LISTEN_DOOR_HEAD;
	case 503:
		return LISTEN_DOOR_MEMORY;
	default:
		return LISTEN_DOOR_FORM;
	}
}

/* To the user both paths are told; to the sender only that it is another one. */
static void tell_elsewhere(struct listener *l, const char *remote, const struct http_request *request)
{
	struct buffer reason = BUFFER_INIT;
	size_t length = strcspn(request->target, "?");
	buffer_printf(&reason, "'%.*s%s' was asked for, and notifications are taken at '%s'",
	              (int)(length < SHOWN_TARGET ? length : SHOWN_TARGET), request->target,
	              length < SHOWN_TARGET ? "" : "...", l->args->path);
	listen_tell_refused(l, remote, 404, buffer_text(&reason));
	buffer_release(&reason);
}

void listen_on_refused(void *context, const char *remote, int status, const char *reason)
{
	struct listener *l = context;
	l->refused++;
	l->by_door[door_of(status)]++;
	if (l->elsewhere)
		tell_elsewhere(l, remote, l->elsewhere);
	else
		listen_tell_refused(l, remote, status, reason);
	l->elsewhere = NULL;
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

static void refuse_late(struct listener *l, struct http_exchange *exchange)
{
	static const char reason[] = "all that was waited for has come";
	static const char body[] = "all that was waited for has come\n";
	l->refused++;
	l->by_door[LISTEN_DOOR_LATE]++;
	listen_tell_refused(l, http_exchange_remote(exchange), 503, reason);
	struct http_response response = { .status = 503,
		                          .content_type = "text/plain; charset=utf-8",
		                          .body = body,
		                          .body_length = sizeof body - 1,
		                          .close = true };
	http_exchange_respond(exchange, &response);
}

static void refuse_without_memory(struct http_exchange *exchange)
{
	http_exchange_respond(exchange, &(struct http_response){ .status = 503, .close = true });
}

/* -1: no memory. */
static int judge(struct listener *l, struct ticket *t, struct arrival *a)
{
	const struct http_request *r = a->request;
	struct check_options options = { .judge_content_type = true, .content_type = content_type_of(r) };
	struct error err;
	if (l->args->validate == LISTEN_OFF)
		return 0;
	a->verdict = check_payload(l->checker, r->body, r->body_length, &options, &err);
	if (!a->verdict)
		return -1;
	t->judged = true;
	t->valid = a->verdict->valid;
	t->kind = a->verdict->kind;
	return 0;
}

static void choose_answer(struct listener *l, struct ticket *t, const struct arrival *a)
{
	bool rejected = l->args->validate == LISTEN_REJECT && !t->valid;
	responder_choose(&l->answers, t->kind, t->valid, rejected, &t->answer);
	if (!rejected || t->answer.status != 422)
		return;
	struct payload_origin origin = { "body", 1, a->request->body, a->request->body_length, NULL, NULL };
	finding_report_json(a->verdict, &origin, &t->body);
	t->body_type = "application/json";
}

void listen_on_request(void *context, struct http_exchange *exchange)
{
	struct listener *l = context;
	struct arrival a = { .request = http_exchange_request(exchange),
		             .remote = http_exchange_remote(exchange),
		             .received_us = http_exchange_arrived_us(exchange) };
	if (!method_is(a.request, "POST")) {
		answer_with_help(exchange);
		return;
	}
	if (l->args->max_events > 0 && l->taken >= l->args->max_events && !l->write_failed) {
		refuse_late(l, exchange);
		return;
	}
	struct ticket *t = listen_ticket_new(l, exchange);
	if (!t || judge(l, t, &a) < 0) {
		if (t)
			listen_ticket_free(t);
		refuse_without_memory(exchange);
		return;
	}
	t->seq = ++l->taken; /* where nothing is captured; else its record's number takes its place */
	choose_answer(l, t, &a);
	if (t->answer.is_own || t->body_type || l->write_failed || !listen_forward(t, &a))
		listen_record(t, &a);
}

void listen_record(struct ticket *t, struct arrival *a)
{
	struct listener *l = t->listener;
	/* The verdict on what was forwarded is gone: others were judged meanwhile. */
	if (!a->verdict && t->judged && judge(l, t, a) < 0)
		t->answer = (struct response){ .status = 503 };
	listen_take_in(t, a);
	a->repeat = repeats_note(l->repeats, a->request->body, a->request->body_length,
	                         a->verdict ? a->verdict->doc : NULL, t->seq, a->received_us);
	l->repeated += a->repeat.nth > 0;
	listen_tell_begin(t, a);
}

void listen_on_abandoned(void *context, struct http_exchange *exchange)
{
	struct ticket *t = http_exchange_user(exchange);
	(void)context;
	if (t)
		t->exchange = NULL; /* its record is made all the same; then listen_on_unsent() */
}

void listen_on_unsent(void *context, uint64_t seq)
{
	struct listener *l = context;
	l->unanswered++;
	if (l->interrupted || (l->draining && clock_monotonic_ns() >= l->drain_until))
		l->cut_off++; /* told together, with the summary */
	else
		terminal_note(l->context->terminal,
		              "#%llu got no whole answer: its client went away, or did not take it",
		              (unsigned long long)seq);
}
