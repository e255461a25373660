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
	struct header *headers;
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

static void finish(struct forwarding *f)
{
	struct ticket *t = f->ticket;
	struct exchange *x = &f->exchange;
	const struct receive_policy *policy = f->forwarder->policy;
	size_t theirs = x->response.header_count;
	bool whole = x->outcome == DELIVER_RESPONDED && !x->response_cut;
	if (whole && x->status >= 200 && x->status <= 599) {
		t->response.status = x->status;
		t->body_type = exchange_field(x, "Content-Type");
		buffer_append(&t->body, x->response.body.text, x->response.body.length);
		/* The target's fields but for those of its connection, then those of --respond-header. */
		bool has_room = ARRAY_ROOM(x->fields, x->field_capacity, theirs + policy->field_count);
		for (size_t i = 0; has_room && i < theirs; i++)
			if (!http_is_hop_by_hop(x->fields[i].name.text, x->fields[i].name.length))
				x->fields[t->field_count++] = x->fields[i];
		for (size_t i = 0; has_room && i < policy->field_count; i++)
			x->fields[t->field_count++] = policy->fields[i];
		t->fields = x->fields;
	} else {
		if (x->message[0] == '\0')
			strcpy(x->message, x->response_cut ? "out of memory" : "no final response");
		bool timed_out = x->failure == DELIVER_TIMED_OUT;
		t->response.status = timed_out ? 504 : 502;
		t->body_type = "text/plain; charset=utf-8";
		buffer_append_text(&t->body, timed_out ? "the target did not respond in time\n"
		                                       : "no response from the target\n");
	}
	t->notification.forwarded = x;
	t->notification.target = policy->forward;
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
	/* The deliverer leaves out the fields of the connection, but for those that it lists. */
	for (size_t i = 0; i < r->header_count; i++)
		if (!is_of_one_connection(r, r->headers[i].name.text))
			f->headers[out->header_count++] = r->headers[i];
	if (!message_header(out, "Content-Type"))
		f->headers[out->header_count++] = (struct header){ TEXT("Content-Type"), { NULL, 0 } };
	*forwarder->last = f;
	forwarder->last = &f->next;
	start_waiting(forwarder);
	return true;
}
