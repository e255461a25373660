#include "receive/forward.h"

#include "http/head.h"

#include <stdlib.h>
#include <string.h>

struct forwarder {
	const struct receive_policy *policy;
	struct forwarder_owner owner;
	struct deliver_options http; /* the policy's */
	struct deliverer *deliverer; /* NULL: nothing is forwarded */
	struct forwarding *first;    /* waiting for room, in the order of their arrival */
	struct forwarding **last;
};

/* A request on its way. */
struct forwarding {
	struct exchange exchange;
	struct forwarder *forwarder;
	struct forwarding *next;
	struct ticket *ticket;
	struct header *headers;
	struct buffer url;
};

static void start_waiting(void *context);

struct forwarder *forwarder_new(struct loop *loop, const struct receive_policy *policy,
                                const struct forwarder_owner *owner, struct error *err)
{
	struct forwarder *f = calloc(1, sizeof *f);
	if (!f)
		return error_no_memory_null(err);
	*f = (struct forwarder){ .policy = policy, .owner = *owner, .last = &f->first };
	if (!policy->forward)
		return f;
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
	buffer_release(&f->url);
	free(f);
}

/* Appends the unchanged target to the URL's path, if it has one: http://h/api and /hook?x=1 give
 * http://h/api/hook?x=1. */
static bool make_url(struct forwarding *f, const char *target, const char *base)
{
	target = http_target_path(target);
	size_t length = strcspn(base, "?#");
	const char *path = strchr(strstr(base, "://") + 3, '/');
	bool has_path = path && (size_t)(path + 1 - base) < length;
	if (length > 0 && base[length - 1] == '/')
		length--;
	buffer_append(&f->url, base, length);
	/* A request to "/" goes to exactly the path of the target. */
	if (target[0] == '/' && has_path && (target[1] == '\0' || target[1] == '?'))
		target++;
	buffer_append_text(&f->url, target);
	return !f->url.failed;
}

/* Whether a Connection field lists it. */
static bool is_of_one_connection(const struct message *r, const char *name)
{
	for (size_t i = 0; i < r->header_count; i++) {
		const struct header *field = &r->headers[i];
		if (header_is(field, "Connection") && http_list_has(field->value.text, field->value.length, name))
			return true;
	}
	return false;
}

/* Copies the headers that are forwarded; the deliverer leaves out the fields of the connection. */
static bool make_headers(struct forwarding *f, const struct message *r)
{
	struct message *out = &f->exchange.request;
	f->headers = calloc(r->header_count + 1, sizeof *f->headers);
	if (!f->headers)
		return false;
	out->headers = f->headers;
	out->header_count = 0;
	for (size_t i = 0; i < r->header_count; i++)
		if (!is_of_one_connection(r, r->headers[i].name.text))
			f->headers[out->header_count++] = r->headers[i];
	if (!message_header(out, "Content-Type"))
		f->headers[out->header_count++] = (struct header){ TEXT("Content-Type"), { NULL, 0 } };
	return true;
}

/* Collects the target's fields but for those of its connection, then those of --respond-header. */
static size_t take_fields(struct exchange *x, const struct receive_policy *policy)
{
	size_t count = 0;
	if (!ARRAY_ROOM(x->fields, x->field_capacity, x->response.header_count + policy->field_count))
		return 0;
	for (size_t i = 0; i < x->response.header_count; i++)
		if (!http_is_hop_by_hop(x->fields[i].name.text, x->fields[i].name.length))
			x->fields[count++] = x->fields[i];
	for (size_t i = 0; i < policy->field_count; i++)
		x->fields[count++] = policy->fields[i];
	return count;
}

static void finish(struct forwarding *f)
{
	struct ticket *t = f->ticket;
	struct exchange *d = &f->exchange;
	bool whole = d->outcome == DELIVER_RESPONDED && !d->response_cut;
	if (whole && d->status >= 200 && d->status <= 599) {
		t->response.status = d->status;
		t->body_type = exchange_field(d, "Content-Type");
		buffer_append(&t->body, d->response.body.text, d->response.body.length);
		t->field_count = take_fields(d, f->forwarder->policy);
		t->fields = d->fields;
	} else {
		if (d->message[0] == '\0')
			strcpy(d->message, d->response_cut ? "out of memory" : "no final response");
		bool timed_out = d->failure == DELIVER_TIMED_OUT;
		t->response.status = timed_out ? 504 : 502;
		t->body_type = "text/plain; charset=utf-8";
		buffer_append_text(&t->body, timed_out ? "the target did not respond in time\n"
		                                       : "no response from the target\n");
	}
	t->notification.forwarded = d;
	t->notification.target = f->forwarder->policy->forward;
	f->forwarder->owner.forwarded(f->forwarder->owner.context, t);
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

static void on_delivered(void *context, struct exchange *d)
{
	struct forwarding *f = context;
	struct forwarder *forwarder = f->forwarder;
	(void)d;
	finish(f);
	start_waiting(forwarder);
}

void forwarder_free(struct forwarder *forwarder)
{
	if (forwarder && forwarder->deliverer) {
		deliverer_abort_all(forwarder->deliverer);
		for (struct forwarding *f; (f = take_waiting(forwarder)) != NULL;) {
			strcpy(f->exchange.message, "interrupted before it was sent");
			finish(f);
		}
		deliverer_free(forwarder->deliverer);
	}
	free(forwarder);
}

bool forwarder_take(struct forwarder *forwarder, struct ticket *t)
{
	if (!forwarder->deliverer)
		return false;
	struct forwarding *f = calloc(1, sizeof *f);
	if (!f || !ticket_keep_request(t)) {
		free(f);
		return false;
	}
	const struct message *r = t->notification.request;
	f->forwarder = forwarder;
	f->ticket = t;
	f->exchange.request = *r;
	if (!make_url(f, r->target.text, forwarder->policy->forward->url) || !make_headers(f, r)) {
		forwarding_free(f);
		return false;
	}
	t->forwarding = f;
	f->exchange.request.target = (struct text){ buffer_text(&f->url), f->url.length };
	f->exchange.keep_head = true;
	f->exchange.done = on_delivered;
	f->exchange.context = f;
	*forwarder->last = f;
	forwarder->last = &f->next;
	start_waiting(forwarder);
	return true;
}
