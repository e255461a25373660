#include "receive/forward.h"

#include "http/head.h"

#include <stdlib.h>
#include <string.h>

struct forwarder {
	const struct receive_policy *policy;
	void (*forwarded)(void *context, struct ticket *ticket);
	void *context;               /* of it */
	struct deliver_options http; /* the policy's */
	struct deliverer *deliverer;
	struct forwarding *first; /* waiting for room, in the order of their arrival */
	struct forwarding **last;
};

/* A request on its way. */
struct forwarding {
	struct exchange exchange;
	struct forwarder *forwarder;
	struct forwarding *next;
	struct ticket *ticket;
	struct header *headers; /* of the request */
	struct header *fields;  /* of the response */
	struct buffer url;
};

static void start_waiting(void *context);

struct forwarder *forwarder_new(struct loop *loop, const struct receive_policy *policy,
                                void (*forwarded)(void *context, struct ticket *ticket), void *context,
                                struct error *err)
{
	struct forwarder *f = calloc(1, sizeof *f);
	if (!f)
		return error_no_memory_null(err);
	*f = (struct forwarder){ .policy = policy, .forwarded = forwarded, .context = context, .last = &f->first };
	f->http = *policy->forward;
	f->http.ready = start_waiting;
	f->http.ready_context = f;
	f->deliverer = deliverer_new(loop, &f->http, err);
	if (f->deliverer)
		return f;
	free(f);
	return NULL;
}

void forwarding_free(struct forwarding *f)
{
	if (!f)
		return;
	exchange_release(&f->exchange);
	free(f->headers);
	free(f->fields);
	buffer_release(&f->url);
	free(f);
}

/* Appends the unchanged target to the URL's path, if it has one, and its query to that of the URL: http://h/api?k=v and
 * /hook?x=1 give http://h/api/hook?k=v&x=1. */
static bool make_url(struct forwarding *f, const char *target, const char *base)
{
	target = http_target_path(target);
	size_t length = strcspn(base, "?#"), asked = strcspn(target, "?");
	const char *path = strchr(strstr(base, "://") + 3, '/'), *query = base + length;
	size_t query_length = strcspn(query, "#");
	bool has_path = path && (size_t)(path + 1 - base) < length;
	if (length > 0 && base[length - 1] == '/')
		length--;
	buffer_append(&f->url, base, length);
	/* A request to "/" goes to exactly the path of the target. */
	buffer_append(&f->url, target, has_path && asked == 1 && target[0] == '/' ? 0 : asked);
	if (query_length > 1) {
		buffer_append(&f->url, query, query_length);
		buffer_append_text(&f->url, target[asked] && target[asked + 1] ? "&" : "");
		asked += target[asked] == '?';
	}
	buffer_append_text(&f->url, target + asked);
	return !f->url.failed;
}

/* By its name, or since a Connection field lists it. */
static bool is_of_one_connection(const struct message *m, const struct text *name)
{
	for (size_t i = 0; i < m->header_count; i++) {
		const struct header *field = &m->headers[i];
		if (header_is(field, "Connection") && http_list_has(field->value.text, field->value.length, name->text))
			return true;
	}
	return http_is_hop_by_hop(name->text, name->length);
}

/* The target's fields but for those of its connection, then those of --respond-header. False: no memory. */
static bool take_fields(struct forwarding *f)
{
	const struct message *response = &f->exchange.response;
	const struct receive_policy *policy = f->forwarder->policy;
	struct ticket *t = f->ticket;
	f->fields = calloc(response->header_count + policy->field_count + 1, sizeof *f->fields);
	for (size_t i = 0; f->fields && i < response->header_count; i++)
		if (!is_of_one_connection(response, &response->headers[i].name))
			f->fields[t->field_count++] = response->headers[i];
	for (size_t i = 0; f->fields && i < policy->field_count; i++)
		f->fields[t->field_count++] = policy->fields[i];
	t->fields = f->fields;
	return f->fields != NULL;
}

static void finish(struct forwarding *f)
{
	struct ticket *t = f->ticket;
	struct exchange *x = &f->exchange;
	bool responded = x->outcome == DELIVER_RESPONDED && x->status >= 200 && x->status <= 599;
	if (responded && !x->response_cut && take_fields(f)) {
		t->response.status = x->status;
		t->body_type = exchange_field(x, "Content-Type");
		buffer_append(&t->body, x->response.body.text, x->response.body.length);
	} else {
		if (x->message[0] == '\0')
			strcpy(x->message, responded ? "out of memory" : "no final response");
		bool timed_out = x->failure == DELIVER_TIMED_OUT;
		t->response.status = timed_out ? 504 : 502;
		t->body_type = "text/plain; charset=utf-8";
		buffer_append_text(&t->body, timed_out ? "the target did not respond in time\n"
		                                       : "no response from the target\n");
	}
	t->notification.forwarded = x;
	t->notification.target = f->forwarder->policy->forward;
	f->forwarder->forwarded(f->forwarder->context, t);
}

static struct forwarding *take_waiting(struct forwarder *forwarder)
{
	struct forwarding *f = forwarder->first;
	if (!f)
		return NULL;
	forwarder->first = f->next;
	if (!f->next)
		forwarder->last = &forwarder->first;
	return f;
}

/* Submits as many as there is room for. One that cannot be sent gets a response like any other. */
static void start_waiting(void *context)
{
	struct forwarder *forwarder = context;
	struct forwarding *f;
	while (deliverer_room(forwarder->deliverer) > 0 && (f = take_waiting(forwarder)) != NULL)
		if (!deliverer_submit(forwarder->deliverer, &f->exchange))
			finish(f);
}

static void on_delivered(void *context, struct exchange *x)
{
	struct forwarding *f = context;
	struct forwarder *forwarder = f->forwarder;
	(void)x;
	finish(f);
	start_waiting(forwarder);
}

void forwarder_free(struct forwarder *forwarder)
{
	if (!forwarder)
		return;
	deliverer_abort_all(forwarder->deliverer);
	for (struct forwarding *f; (f = take_waiting(forwarder)) != NULL;) {
		strcpy(f->exchange.message, "interrupted before it was sent");
		finish(f);
	}
	deliverer_free(forwarder->deliverer);
	free(forwarder);
}

bool forwarder_take(struct forwarder *forwarder, struct ticket *t)
{
	struct forwarding *f = calloc(1, sizeof *f);
	if (!f || !ticket_keep_request(t)) {
		free(f);
		return false;
	}
	const struct message *r = t->notification.request;
	f->forwarder = forwarder;
	f->ticket = t;
	f->headers = calloc(r->header_count + 1, sizeof *f->headers);
	if (!f->headers || !make_url(f, r->target.text, forwarder->policy->forward->url)) {
		forwarding_free(f);
		return false;
	}
	t->forwarding = f;
	f->exchange = (struct exchange){ .request = *r, .keep_head = true, .done = on_delivered, .context = f };
	struct message *out = &f->exchange.request;
	out->target = (struct text){ buffer_text(&f->url), f->url.length };
	out->headers = f->headers;
	out->header_count = 0;
	for (size_t i = 0; i < r->header_count; i++)
		if (!is_of_one_connection(r, &r->headers[i].name))
			f->headers[out->header_count++] = r->headers[i];
	if (!message_header(out, "Content-Type"))
		f->headers[out->header_count++] = (struct header){ TEXT("Content-Type"), { NULL, 0 } };
	*forwarder->last = f;
	forwarder->last = &f->next;
	start_waiting(forwarder);
	return true;
}
