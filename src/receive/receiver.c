#include "receive/receiver.h"

#include "base/clock.h"
#include "base/file.h"
#include "http/address.h"
#include "receive/committer.h"
#include "receive/forward.h"
#include "receive/ticket.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct receiver {
	const struct receive_policy *policy;
	struct receive_observer observer;
	struct loop *loop;
	struct http_server *server;
	struct ssl_ctx_st *tls; /* NULL: plain */
	struct checker *checker;
	struct responder responder;
	struct repeats *repeats;
	struct forwarder *forwarder; /* NULL: nothing is forwarded */
	struct committer *committer;
	uint64_t admitted;
	const struct message *elsewhere; /* being refused, since it has another path */
	bool ends_soon;                  /* at the end of this turn */
	bool is_closed;                  /* the loop has ended */
	int64_t drain_until;
	int64_t held_until; /* the last delayed response goes out */
	struct receiver_state state;
};

static void notify(const struct receiver *r, struct receive_notice notice)
{
	r->observer.notice(r->observer.context, &notice);
}

static bool on_head(void *context, const struct message *request, struct http_refusal *refusal)
{
	struct receiver *r = context;
	bool passes = admission_of_head(r->policy->path, request, refusal);
	r->elsewhere = !passes && refusal->status == 404 ? request : NULL;
	return passes;
}

static void report_refusal(struct receiver *r, struct refusal refusal)
{
	r->state.counts.refused++;
	r->state.counts.by_refusal[refusal.why]++;
	r->observer.refused(r->observer.context, &refusal);
}

static void on_refused(void *context, const char *remote, int status, const char *reason)
{
	struct receiver *r = context;
	struct refusal refusal = { admission_reason(status), status, remote, reason,
		                   r->elsewhere ? r->elsewhere->target.text : NULL };
	r->elsewhere = NULL;
	report_refusal(r, refusal);
}

static void respond_text(struct http_exchange *exchange, int status, const char *text)
{
	struct http_response response = { .status = status,
		                          .content_type = "text/plain; charset=utf-8",
		                          .body = text,
		                          .body_length = strlen(text),
		                          .close = status >= 300 };
	http_exchange_respond(exchange, &response);
}

/* Keeps a verdict, without findings, beyond its checker's next payload. */
static void keep_summary(struct ticket *t, const struct verdict *verdict)
{
	static const struct json_doc none = { .text = "" };
	t->verdict = (struct verdict){ .doc = &none, .kind = verdict->kind, .valid = verdict->valid };
	t->notification.verdict = &t->verdict;
}

/* Keeps the verdict beyond the next payload: where it has findings, the ticket keeps the whole checker. */
static bool keep_verdict(struct receiver *r, struct ticket *t, const struct verdict *verdict)
{
	struct error err;
	if (verdict->finding_count == 0) {
		keep_summary(t, verdict);
		return true;
	}
	struct checker *next = t->checker ? t->checker : checker_new(&err);
	if (!next)
		return false;
	t->checker = r->checker;
	r->checker = next;
	t->notification.verdict = verdict;
	return true;
}

/* Puts the verdict and the response into the ticket. -1: no memory. */
static int check(struct receiver *r, struct ticket *t)
{
	const struct receive_policy *p = r->policy;
	const struct message *q = t->notification.request;
	const struct verdict *v = NULL;
	bool is_rejected = false;
	if (p->validate != RECEIVE_OFF) {
		const struct text *type = message_header(q, "Content-Type");
		const struct text *coding = message_header(q, "Content-Encoding");
		struct check_options options = { .checks_content_type = true,
			                         .content_type = type ? type->text : NULL,
			                         .content_encoding = coding ? coding->text : NULL };
		struct error err;
		v = check_payload(r->checker, q->body.text, q->body.length, &options, &err);
		if (!v || !keep_verdict(r, t, v))
			return -1;
		is_rejected = p->validate == RECEIVE_REJECT && !v->valid;
	}
	t->response = responder_choose(&r->responder, notification_kind(&t->notification), v && v->valid, is_rejected);
	if (is_rejected && t->response.status == 422) {
		p->append_rejection(v, q->body.text, q->body.length, &t->body);
		t->body_type = "application/json";
	}
	return 0;
}

/* What is recorded of the response: that of the target, or of --body. One of ours says only what the record says. */
static void keep_response(const struct receiver *r, struct ticket *t)
{
	const struct receive_policy *p = r->policy;
	const struct message fields = { .headers = t->fields ? t->fields : p->fields,
		                        .header_count = t->fields ? t->field_count : p->field_count };
	bool is_good = t->response.status >= 200 && t->response.status < 300;
	bool is_ours = t->body_type ? !t->notification.forwarded : !p->body || p->body_length == 0;
	if (is_good || is_ours || t->response.fault != HTTP_FAULT_NONE || message_header(&fields, "Content-Encoding"))
		return;
	if (t->body_type)
		ticket_keep_response(t, t->body_type, (struct text){ buffer_text(&t->body), t->body.length });
	else
		ticket_keep_response(t, "application/json", (struct text){ p->body, p->body_length });
}

/* Makes the record once the response is decided; the ticket waits until it is on disk. */
static void record(void *context, struct ticket *t)
{
	struct receiver *r = context;
	struct notification *n = &t->notification;
	struct capture_record made;
	char name[CATALOG_KIND_NAME_SIZE];
	bool writes = committer_writes(r->committer);
	n->status = t->response.status;
	n->fault = t->response.fault;
	keep_response(r, t);
	if (writes)
		notification_record(n, name, &made);
	committer_enqueue(r->committer, &t->entry, writes ? &made : NULL);
	n->seq = t->entry.seq;
	if (writes && n->seq == 0)
		t->response = (struct response){ .status = 503 };
	n->repeat = repeats_note(r->repeats, &n->request->body, n->seq, n->received_us);
	r->state.counts.repeated += n->repeat.nth > 0;
}

static void on_request(void *context, struct http_exchange *exchange)
{
	struct receiver *r = context;
	const struct receive_policy *p = r->policy;
	if (!message_method_is(exchange->request, "POST")) {
		respond_text(exchange, 200,
		             "This is credhook listen. Send notifications by POST with Content-Type: "
		             "application/json.\n");
		return;
	}
	bool failed = committer_failed(r->committer);
	if (p->limit > 0 && r->admitted >= p->limit && !failed) {
		static const char reason[] = "all expected notifications have arrived";
		report_refusal(r, (struct refusal){ REFUSED_LATE, 503, exchange->remote, reason, NULL });
		respond_text(exchange, 503, "all expected notifications have arrived\n");
		return;
	}
	struct ticket *t = ticket_new(exchange);
	if (!t || check(r, t) < 0) {
		if (t)
			ticket_free(t);
		http_exchange_respond(exchange, &(struct http_response){ .status = 503, .close = true });
		return;
	}
	/* Without a capture; else the number of its record. */
	t->entry.seq = (p->first_number > 0 ? p->first_number : 1) + r->admitted++;
	bool is_ours = t->response.is_own || t->body_type || failed || !r->forwarder;
	if (!is_ours && forwarder_take(r->forwarder, t))
		return;
	if (!is_ours)
		t->response = (struct response){ .status = 503 }; /* no memory: the target has not seen it */
	record(r, t);
}

/* The record is still made; then on_unsent(). */
static void on_abandoned(void *context, struct http_exchange *exchange)
{
	/* Without memory for a copy nothing of the request is reported, nor of what was found in it. */
	static const struct message none = { .method = TEXT(""), .target = TEXT(""), .body = TEXT("") };
	struct ticket *t = exchange->user;
	(void)context;
	if (!t)
		return;
	t->exchange = NULL;
	if (ticket_keep_request(t))
		return;
	t->notification.request = &none;
	t->notification.remote = "";
	t->notification.via = NULL;
	if (t->notification.verdict)
		keep_summary(t, t->notification.verdict);
}

static void on_unsent(void *context, uint64_t seq)
{
	struct receiver *r = context;
	r->state.counts.unanswered++;
	if (r->is_closed || (r->state.is_ending && clock_monotonic_ns() >= r->drain_until))
		r->state.counts.cut_off++; /* reported as a whole */
	else
		notify(r, (struct receive_notice){ .type = NOTICE_UNSENT, .number = seq });
}

static void respond(struct receiver *r, struct ticket *t)
{
	const struct receive_policy *p = r->policy;
	bool is_refused = t->notification.is_refused;
	struct http_response response = {
		.status = t->response.status,
		.fields = t->fields ? t->fields : p->fields,
		.field_count = t->fields ? t->field_count : p->field_count,
		.fault = t->response.fault,
		.delay_ns = t->response.delay_ns,
		.response_id = is_refused ? 0 : t->notification.seq,
		.close = p->limit > 0 && r->state.counts.received >= p->limit,
	};
	if (t->body_type) {
		response.content_type = t->body_type;
		response.body = buffer_text(&t->body);
		response.body_length = t->body.length;
	} else if (!is_refused) {
		response.content_type = "application/json";
		response.body = p->body;
		response.body_length = p->body_length;
	}
	http_exchange_respond(t->exchange, &response);
	if (t->response.delay_ns > 0) {
		int64_t due = clock_monotonic_ns() + t->response.delay_ns; /* a moment after it is */
		r->held_until = due > r->held_until ? due : r->held_until;
	}
}

static void on_complete(void *context, struct commit_entry *entry, int status)
{
	struct receiver *r = context;
	struct ticket *t = (struct ticket *)(void *)entry;
	struct notification *n = &t->notification;
	struct receive_counts *counts = &r->state.counts;
	if (status != 0) {
		t->response = (struct response){ .status = status };
		t->body_type = NULL;
		t->fields = NULL;
		n->response_type = n->response_text = (struct text){ NULL, 0 };
		n->is_refused = true;
	}
	n->status = t->response.status;
	n->fault = t->response.fault;
	if (!n->is_refused) {
		counts->received++;
		counts->valid += n->verdict && n->verdict->valid;
		counts->invalid += n->verdict && !n->verdict->valid;
		if (notification_kind(n).event)
			counts->by_kind[catalog_kind_index(notification_kind(n))]++;
		counts->faults += t->response.is_faulty;
	}
	r->observer.notification(r->observer.context, n);
	if (t->exchange)
		respond(r, t);
	else if (!n->is_refused && n->fault == HTTP_FAULT_NONE)
		on_unsent(r, n->seq);
	forwarding_free(t->forwarding);
	ticket_free(t);
	if (r->policy->limit > 0 && counts->received >= r->policy->limit)
		r->ends_soon = true;
}

static void on_drained(void *context)
{
	struct receiver *r = context;
	r->observer.ended(r->observer.context);
}

/* waits_for_held: for delayed responses too. */
static void end(struct receiver *r, bool waits_for_held)
{
	int64_t from = clock_monotonic_ns();
	r->ends_soon = false;
	if (waits_for_held && r->held_until > from)
		from = r->held_until;
	if (r->state.is_ending && r->drain_until <= from + r->policy->drain)
		return;
	r->state.is_ending = true;
	r->drain_until = from + r->policy->drain;
	http_server_drain(r->server, r->drain_until);
}

static void at_turn_end(void *context)
{
	struct receiver *r = context;
	committer_turn(r->committer);
	if (r->ends_soon)
		end(r, true);
}

static int use_certificate(struct receiver *r, const char *address, struct error *err)
{
	const struct receive_policy *policy = r->policy;
	LOCAL_BUFFER pem = BUFFER_INIT, path = BUFFER_INIT;
	struct http_address parsed;
	if (!policy->tls.cert && !policy->self_signed)
		return 0;
	if (http_address_parse(address, &parsed, err) < 0)
		return -1;
	struct http_tls_options options = policy->tls;
	options.host = &parsed.host; /* for one that is made */
	r->tls = http_tls_new(&options, err);
	if (!r->tls)
		return -1;
	http_server_use_tls(r->server, r->tls);
	if (!policy->self_signed)
		return 0;
	/* The certificate goes to a file of its own, for --cacert. */
	http_tls_fingerprint(r->tls, r->state.fingerprint);
	http_tls_append_certificate(r->tls, &pem);
	if (pem.failed)
		return error_no_memory(err);
	if (file_write_temporary(&path, ".pem", 0644, pem.data, pem.length, err) < 0)
		return -1;
	r->state.certificate_file = path.data; /* its memory goes to the receiver */
	path = (struct buffer)BUFFER_INIT;
	return 0;
}

static int listen_at(struct receiver *r, const char *address, struct error *err)
{
	struct http_server_handler handler = {
		.context = r,
		.on_head = on_head,
		.on_request = on_request,
		.on_abandoned = on_abandoned,
		.on_unsent = on_unsent,
		.on_refused = on_refused,
		.on_drained = on_drained,
	};
	r->server = http_server_new(r->loop, &r->policy->server, &handler, err);
	if (!r->server || use_certificate(r, address, err) < 0 || http_server_listen(r->server, address, err) < 0)
		return -1;
	const struct http_server_state *state = http_server_state(r->server);
	memcpy(r->state.url, state->url, sizeof state->url);
	r->state.is_local = state->is_local;
	return 0;
}

struct receiver *receiver_new(struct loop *loop, const char *address, const struct receive_policy *policy,
                              const struct receive_observer *observer, struct error *err)
{
	struct receiver *r = calloc(1, sizeof *r);
	if (!r)
		return error_no_memory_null(err);
	r->policy = policy;
	r->observer = *observer;
	r->loop = loop;
	r->repeats = repeats_new();
	if (!r->repeats)
		error_no_memory(err);
	/* Where the address is taken, no capture is begun. */
	else if (responder_init(&r->responder, &policy->response, err) == 0 && (r->checker = checker_new(err)) &&
	         listen_at(r, address, err) == 0 &&
	         (r->committer = committer_new(loop, policy->capture, &r->observer, on_complete, r, err)) &&
	         (!policy->forward || (r->forwarder = forwarder_new(loop, policy, record, r, err))) &&
	         loop_at_turn_end(loop, at_turn_end, r, err) == 0)
		return r;
	receiver_free(r);
	return NULL;
}

const struct receiver_state *receiver_state(const struct receiver *r)
{
	return &r->state;
}

void receiver_reload(struct receiver *r)
{
	struct error err;
	committer_reopen(r->committer);
	if (!r->policy->tls.cert)
		return;
	struct ssl_ctx_st *tls = http_tls_new(&r->policy->tls, &err);
	if (!tls) {
		notify(r, (struct receive_notice){ .type = NOTICE_CERTIFICATE_FAILED, .error = &err });
		return;
	}
	http_server_use_tls(r->server, tls);
	http_tls_free(r->tls);
	r->tls = tls;
	notify(r, (struct receive_notice){ .type = NOTICE_CERTIFICATE_READ });
}

void receiver_end(struct receiver *r)
{
	end(r, false);
}

void receiver_finish(struct receiver *r)
{
	r->ends_soon = true;
}

void receiver_close(struct receiver *r)
{
	if (r->is_closed)
		return;
	r->is_closed = true;
	loop_cancel_turn_end(r->loop, at_turn_end, r);
	if (r->server) {
		const struct http_server_state *state = http_server_state(r->server);
		r->state.counts.by_refusal[REFUSED_NETWORK] = state->not_allowed;
		r->state.counts.by_refusal[REFUSED_CONNECTION] = state->turned_away;
	}
	http_server_free(r->server);
	r->server = NULL;
	forwarder_free(r->forwarder);
	r->forwarder = NULL;
	if (r->state.certificate_file)
		unlink(r->state.certificate_file);
	http_tls_free(r->tls);
	r->tls = NULL;
	if (!r->committer)
		return;
	committer_close(r->committer);
	r->state.counts.lost_records = committer_lost_records(r->committer);
	r->state.counts.capture_failed = committer_failed(r->committer);
}

void receiver_free(struct receiver *r)
{
	if (!r)
		return;
	receiver_close(r);
	committer_free(r->committer);
	responder_release(&r->responder);
	checker_free(r->checker);
	free(r->repeats);
	free(r->state.certificate_file);
	free(r);
}
