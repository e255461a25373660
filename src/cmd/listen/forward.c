/*
 * --forward-to and --route: a notification goes on to another server, and that one's answer goes back.
 *
 * The request is copied, since its client may go away meanwhile; its record is made when the answer is known.
 */
#include "base/clock.h"
#include "cmd/delivery_plan.h"
#include "cmd/kind.h"
#include "cmd/listen/listen.h"
#include "config/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CONCURRENCY 256
#define ANSWER_MOST ((size_t)4 << 20) /* bytes of a target's body that are passed on */

struct forward_target {
	bool is_route;
	struct catalog_kind kind; /* of a route */
	struct delivery_options options;
	struct delivery_plan plan;
	struct deliverer *deliverer;
	char *url; /* owned: what stands behind EVENT= */
};

struct forwarder {
	struct forward_target *targets;
	size_t count;
};

/* A request on its way. */
struct forwarding {
	struct delivery delivery;
	struct ticket *ticket;
	const struct forward_target *target;
	struct buffer kept; /* the request's texts one after the other, each with a NUL */
	struct buffer lines;
	const char **headers;
	struct buffer url;
	struct http_request request;
	struct http_field *fields;
	struct http_field *answer_fields;
	char remote[64];
	int64_t received_us;
};

static void release_target(struct forward_target *t)
{
	deliverer_free(t->deliverer);
	delivery_plan_release(&t->plan);
	delivery_options_release(&t->options);
	free(t->url);
}

static int open_target(struct listener *l, struct forward_target *t, const char *url, struct error *err)
{
	const struct listen_args *a = l->args;
	delivery_options_defaults(&t->options);
	t->options.to = url;
	t->options.allow_production = a->allow_production;
	t->options.cacert = a->forward_cacert;
	t->options.insecure = a->forward_insecure;
	t->options.max_time = a->forward_timeout;
	if (t->options.connect_timeout > a->forward_timeout)
		t->options.connect_timeout = a->forward_timeout;
	t->options.concurrency = CONCURRENCY;
	if (delivery_plan_init(&t->plan, &t->options, l->context->global->config, l->context->global->no_config, err) <
	    0)
		return -1;
	t->plan.http.answer_keep = ANSWER_MOST;
	t->deliverer = deliverer_new(l->loop, &t->plan.http, err);
	return t->deliverer ? 0 : -1;
}

/* EVENT=URL */
static int open_route(struct listener *l, struct forward_target *t, const char *route, struct error *err)
{
	const char *equals = strchr(route, '=');
	if (!equals || equals == route || !equals[1]) {
		error_set(err, EXIT_CODE_USAGE, "a route is not written EVENT=URL: '%s'", route);
		return error_hint(err, "write --route bureau-alert=http://localhost:3000/alerts");
	}
	char *name = strndup(route, (size_t)(equals - route));
	t->is_route = true;
	t->url = strdup(equals + 1);
	int result = !name || !t->url ? error_no_memory(err) : kind_find(name, &t->kind, err);
	free(name);
	return result < 0 ? -1 : open_target(l, t, t->url, err);
}

int listen_forward_open(struct listener *l, struct error *err)
{
	const struct listen_args *a = l->args;
	size_t count = a->routes.count + (a->forward_to != NULL);
	if (count == 0)
		return 0;
	if (count > 2 * LOOP_TURN_ENDS / 3)
		return error_set(err, EXIT_CODE_USAGE, "so many --route are not possible: %zu", count);
	l->forwarder = calloc(1, sizeof *l->forwarder);
	struct forward_target *targets = l->forwarder ? calloc(count, sizeof *targets) : NULL;
	if (!targets)
		return error_no_memory(err);
	l->forwarder->targets = targets;
	for (size_t i = 0; i < a->routes.count; i++) {
		l->forwarder->count++;
		if (open_route(l, &targets[i], a->routes.items[i], err) < 0)
			return -1;
	}
	if (!a->forward_to)
		return 0;
	l->forwarder->count++;
	return open_target(l, &targets[count - 1], a->forward_to, err);
}

/* 127.0.0.1 and 127.0.0.2: somebody else may listen at the other address. */
static bool are_two_listeners(const struct address *a, const struct address *b)
{
	static const char any[] = "0.0.0.0";
	return a->host.kind == HOST_IPV4 && b->host.kind == HOST_IPV4 && strcmp(a->host.text, any) != 0 &&
	       strcmp(b->host.text, any) != 0 && strcmp(a->host.text, b->host.text) != 0;
}

int listen_forward_check(struct listener *l, struct error *err)
{
	struct address own, there;
	struct error ignored;
	if (!l->forwarder || address_of_url(http_server_url(l->server), &own, &ignored) < 0) /* unix:PATH */
		return 0;
	for (size_t i = 0; i < l->forwarder->count; i++) {
		const struct forward_target *t = &l->forwarder->targets[i];
		if (address_of_url(t->plan.http.url, &there, err) < 0)
			return -1;
		/* For the guard 80 and 443 are one place, and so are all addresses of the loopback; here they are not.
		 */
		if (own.port != there.port || !address_same_place(&own, &there) || are_two_listeners(&own, &there))
			continue;
		error_set(err, EXIT_CODE_USAGE,
		          "'%s' is where this one listens: it would pass each request on to itself",
		          buffer_text(&t->plan.masked_url));
		return error_hint(err, "%s names another place",
		                  t->is_route ? "--route EVENT=WHERE" : "--forward-to WHERE");
	}
	return 0;
}

void listen_forward_close(struct listener *l)
{
	struct forwarder *f = l->forwarder;
	if (!f)
		return;
	for (size_t i = 0; i < f->count; i++) {
		if (f->targets[i].deliverer)
			deliverer_abort_all(f->targets[i].deliverer);
		release_target(&f->targets[i]);
	}
	free(f->targets);
	free(f);
	l->forwarder = NULL;
}

/* The first route of its kind, else where all goes; NULL: nowhere. */
static const struct forward_target *target_of(const struct listener *l, struct catalog_kind kind)
{
	for (size_t i = 0; l->forwarder && i < l->forwarder->count; i++) {
		const struct forward_target *t = &l->forwarder->targets[i];
		if (!t->is_route)
			return t;
		if (kind.event == t->kind.event && (!t->kind.element || t->kind.element == kind.element))
			return t;
	}
	return NULL;
}

static void forwarding_free(struct forwarding *f)
{
	if (!f)
		return;
	delivery_release(&f->delivery);
	buffer_release(&f->kept);
	buffer_release(&f->lines);
	buffer_release(&f->url);
	free(f->headers);
	free(f->fields);
	free(f->answer_fields);
	free(f);
}

void listen_forward_forget(struct ticket *ticket)
{
	forwarding_free(ticket->forwarding);
	ticket->forwarding = NULL;
}

static const char *keep(struct buffer *kept, const char *bytes, size_t length)
{
	const char *at = kept->data + kept->length;
	buffer_append(kept, bytes, length);
	buffer_append_byte(kept, '\0');
	return at;
}

/* Room for all of it is made first, so that nothing moves. */
static bool keep_request(struct forwarding *f, const struct http_request *r)
{
	size_t size = r->method_length + r->target_length + r->body_length + 3;
	for (size_t i = 0; i < r->field_count; i++)
		size += r->fields[i].name_length + r->fields[i].value_length + 2;
	f->fields = calloc(r->field_count + 1, sizeof *f->fields);
	if (!f->fields || !buffer_reserve(&f->kept, size))
		return false;
	f->request = *r;
	f->request.method = keep(&f->kept, r->method, r->method_length);
	f->request.target = keep(&f->kept, r->target, r->target_length);
	f->request.body = keep(&f->kept, r->body, r->body_length);
	for (size_t i = 0; i < r->field_count; i++) {
		const struct http_field *from = &r->fields[i];
		f->fields[i] =
		        (struct http_field){ keep(&f->kept, from->name, from->name_length), from->name_length,
			                     keep(&f->kept, from->value, from->value_length), from->value_length };
	}
	f->request.fields = f->fields;
	return !f->kept.failed;
}

/* The target unchanged, behind the URL's path where it has one: http://h/api and /hook?x=1 give http://h/api/hook?x=1.
 */
static bool make_url(struct forwarding *f, const char *base)
{
	const char *target = f->request.target;
	const char *scheme = target[0] == '/' ? NULL : strstr(target, "://");
	if (scheme)
		target = scheme + 3 + strcspn(scheme + 3, "/?");
	size_t length = strcspn(base, "?#");
	const char *path = strchr(strstr(base, "://") + 3, '/');
	bool has_path = path && (size_t)(path + 1 - base) < length;
	if (length > 0 && base[length - 1] == '/')
		length--;
	buffer_append(&f->url, base, length);
	/* What is sent to "/" goes to exactly the path that was named. */
	if (target[0] == '/' && has_path && (target[1] == '\0' || target[1] == '?'))
		target++;
	buffer_append_text(&f->url, target);
	return !f->url.failed;
}

/* Whether one of the names in a Connection field is this one's. */
static bool is_listed(const struct http_field *connection, const struct http_field *field)
{
	const char *at = connection->value;
	while (*at) {
		at += strspn(at, " \t,");
		size_t length = strcspn(at, " \t,");
		if (length == field->name_length && strncasecmp(at, field->name, length) == 0)
			return true;
		at += length;
	}
	return false;
}

static bool is_named(const struct http_field *field, const char *name)
{
	return strlen(name) == field->name_length && strncasecmp(field->name, name, field->name_length) == 0;
}

static bool is_of_one_connection(const struct http_request *r, const struct http_field *field)
{
	for (size_t i = 0; i < r->field_count; i++)
		if (is_named(&r->fields[i], "Connection") && is_listed(&r->fields[i], field))
			return true;
	return false;
}

/* "Name: value" of each that goes on; the deliverer leaves out what every connection has of its own. */
static bool make_headers(struct forwarding *f)
{
	const struct http_request *r = &f->request;
	size_t count = 0, size = 1;
	bool has_type = false;
	f->headers = calloc(r->field_count + 1, sizeof *f->headers);
	for (size_t i = 0; i < r->field_count; i++)
		size += r->fields[i].name_length + r->fields[i].value_length + 3;
	if (!f->headers || !buffer_reserve(&f->lines, size))
		return false;
	for (size_t i = 0; i < r->field_count; i++) {
		const struct http_field *field = &r->fields[i];
		if (is_of_one_connection(r, field))
			continue;
		has_type = has_type || is_named(field, "Content-Type");
		f->headers[count++] = f->lines.data + f->lines.length;
		buffer_append(&f->lines, field->name, field->name_length);
		buffer_append(&f->lines, ": ", 2);
		buffer_append(&f->lines, field->value, field->value_length);
		buffer_append_byte(&f->lines, '\0');
	}
	f->delivery.headers = (struct deliver_list){ f->headers, count };
	f->delivery.content_type = has_type ? NULL : "";
	return !f->lines.failed;
}

/* Nothing useful came: the client gets 504 for what took too long, else 502. */
static void fail(struct forwarding *f, bool timed_out)
{
	struct ticket *t = f->ticket;
	t->answer.status = timed_out ? 504 : 502;
	t->body_type = "text/plain; charset=utf-8";
	buffer_clear(&t->body);
	buffer_append_text(&t->body, timed_out ? "the target did not answer in time\n" : "the target gave no answer\n");
}

/* The target's fields but for those of its connection, as fields of ours; then those of --header. */
static size_t take_fields(struct forwarding *f)
{
	static const char *const left_out[] = { "Connection",        "Keep-Alive", "Proxy-Authenticate",
		                                "Proxy-Connection",  "TE",         "Trailer",
		                                "Transfer-Encoding", "Upgrade",    "Content-Length" };
	const struct listener *l = f->ticket->listener;
	const char *at = buffer_text(&f->delivery.answer_head);
	const char *end = at + f->delivery.answer_head.length;
	size_t lines = l->field_count, count = 0;
	for (const char *c = at; c < end; c++)
		lines += *c == '\n';
	f->answer_fields = calloc(lines + 2, sizeof *f->answer_fields);
	while (f->answer_fields && at < end) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		size_t length = lf ? (size_t)(lf - at) : (size_t)(end - at);
		const char *colon = memchr(at, ':', length);
		struct http_field field = { .name = at, .name_length = colon ? (size_t)(colon - at) : 0 };
		bool passes = colon != NULL;
		for (size_t i = 0; passes && i < sizeof left_out / sizeof left_out[0]; i++)
			passes = !is_named(&field, left_out[i]);
		if (passes) {
			const char *value = colon + 1, *stop = at + length;
			while (value < stop && (*value == ' ' || *value == '\t'))
				value++;
			while (stop > value && (stop[-1] == '\r' || stop[-1] == ' ' || stop[-1] == '\t'))
				stop--;
			field.value = value;
			field.value_length = (size_t)(stop - value);
			f->answer_fields[count++] = field;
		}
		at += length + (lf != NULL);
	}
	for (size_t i = 0; f->answer_fields && i < l->field_count; i++)
		f->answer_fields[count++] = l->fields[i];
	return f->answer_fields ? count : 0;
}

static void forwarded(void *context, struct delivery *d)
{
	struct forwarding *f = context;
	struct ticket *t = f->ticket;
	bool whole = d->outcome == DELIVER_ANSWERED && !d->answer_cut;
	if (whole && d->status >= 200 && d->status <= 599) {
		t->answer.status = d->status;
		t->body_type = d->answer_type;
		buffer_append(&t->body, d->answer.data, d->answer.length);
		t->field_count = take_fields(f);
		t->fields = f->answer_fields;
	} else {
		if (d->message[0] == '\0')
			strcpy(d->message, d->answer_cut ? "the target's answer is too long" : "no final answer came");
		fail(f, d->timed_out);
	}
	struct buffer masked = BUFFER_INIT;
	address_append_masked(&masked, buffer_text(&f->url));
	struct arrival a = { .request = &f->request,
		             .remote = f->remote,
		             .received_us = f->received_us,
		             .forwarded = d,
		             .forwarded_to = buffer_text(&masked) };
	listen_record(t, &a);
	buffer_release(&masked);
}

bool listen_forward(struct ticket *t, const struct arrival *a)
{
	struct listener *l = t->listener;
	const struct forward_target *target = target_of(l, t->kind);
	if (!target)
		return false;
	struct error err;
	struct forwarding *f = calloc(1, sizeof *f);
	t->forwarding = f;
	if (!f)
		return false;
	f->ticket = t;
	f->target = target;
	f->received_us = a->received_us;
	snprintf(f->remote, sizeof f->remote, "%s", a->remote);
	if (!keep_request(f, a->request) || !make_url(f, target->plan.http.url) || !make_headers(f)) {
		listen_forward_forget(t);
		return false;
	}
	f->delivery.body = f->request.body;
	f->delivery.body_length = f->request.body_length;
	f->delivery.url = buffer_text(&f->url);
	f->delivery.method = f->request.method;
	f->delivery.keep_head = true;
	f->delivery.done = forwarded;
	f->delivery.context = f;
	if (deliverer_submit(target->deliverer, &f->delivery, &err) < 0) {
		/* A target that makes no URL, say. The ticket is answered like any other. */
		snprintf(f->delivery.message, sizeof f->delivery.message, "%.300s", err.message);
		f->delivery.outcome = DELIVER_FAILED;
		forwarded(f, &f->delivery);
	}
	return true;
}
