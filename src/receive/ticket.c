#include "receive/ticket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARE_TICKETS 256
#define KEPT_BODY     4096 /* bytes of a response's body that a spare keeps */

struct ticket *ticket_new(struct ticket_pool *pool, struct http_exchange *exchange)
{
	struct ticket *t = pool->spare;
	if (t) {
		pool->spare = t->next;
		pool->count--;
	} else {
		t = calloc(1, sizeof *t);
		if (!t)
			return NULL;
	}
	struct buffer body = t->body;
	struct checker *checker = t->checker;
	buffer_clear(&body);
	*t = (struct ticket){ .exchange = exchange, .body = body, .checker = checker };
	t->notification = (struct notification){ .request = http_exchange_request(exchange),
		                                 .remote = http_exchange_remote(exchange),
		                                 .received_us = http_exchange_arrived_us(exchange) };
	http_exchange_set_user(exchange, t);
	return t;
}

static void request_copy_free(struct request_copy *copy)
{
	if (!copy)
		return;
	buffer_release(&copy->text);
	free(copy->fields);
	free(copy);
}

static void discard(struct ticket *t)
{
	checker_free(t->checker);
	buffer_release(&t->body);
	free(t);
}

void ticket_free(struct ticket_pool *pool, struct ticket *t)
{
	request_copy_free(t->copy);
	t->copy = NULL;
	if (pool->count == SPARE_TICKETS) {
		discard(t);
		return;
	}
	if (t->checker)
		checker_trim(t->checker);
	if (t->body.capacity > KEPT_BODY)
		buffer_release(&t->body);
	t->next = pool->spare;
	pool->spare = t;
	pool->count++;
}

void ticket_pool_release(struct ticket_pool *pool)
{
	for (struct ticket *t; (t = pool->spare) != NULL;) {
		pool->spare = t->next;
		discard(t);
	}
}

static const char *keep(struct buffer *text, const char *bytes, size_t length)
{
	const char *at = text->data + text->length;
	buffer_append(text, bytes, length);
	buffer_append_byte(text, '\0');
	return at;
}

/* Room for all of it is made first, so that nothing moves. */
static bool copy_request(struct request_copy *copy, const struct http_request *r)
{
	size_t size = r->method_length + r->target_length + r->body_length + 3;
	for (size_t i = 0; i < r->field_count; i++)
		size += r->fields[i].name_length + r->fields[i].value_length + 2;
	copy->fields = calloc(r->field_count + 1, sizeof *copy->fields);
	if (!copy->fields || !buffer_reserve(&copy->text, size))
		return false;
	copy->request = *r;
	copy->request.method = keep(&copy->text, r->method, r->method_length);
	copy->request.target = keep(&copy->text, r->target, r->target_length);
	copy->request.body = keep(&copy->text, r->body, r->body_length);
	for (size_t i = 0; i < r->field_count; i++) {
		const struct http_field *from = &r->fields[i];
		copy->fields[i] =
		        (struct http_field){ keep(&copy->text, from->name, from->name_length), from->name_length,
			                     keep(&copy->text, from->value, from->value_length), from->value_length };
	}
	copy->request.fields = copy->fields;
	return true;
}

void ticket_keep_verdict(struct ticket *t, const struct verdict *verdict)
{
	static const struct json_doc none = { .text = "" };
	t->verdict = (struct verdict){ .doc = &none, .kind = verdict->kind, .valid = verdict->valid };
	t->notification.verdict = &t->verdict;
}

bool ticket_keep_request(struct ticket *t)
{
	if (t->copy)
		return true;
	struct request_copy *copy = calloc(1, sizeof *copy);
	if (!copy || !copy_request(copy, t->notification.request)) {
		request_copy_free(copy);
		return false;
	}
	snprintf(copy->remote, sizeof copy->remote, "%s", t->notification.remote);
	t->copy = copy;
	t->notification.request = &copy->request;
	t->notification.remote = copy->remote;
	if (t->checker)
		checker_moved(t->checker, copy->request.body);
	return true;
}

/* Nothing of the request is reported, nor of what was found in it. */
static void ticket_drop_request(struct ticket *t)
{
	static const struct http_request none = { .method = "", .target = "", .body = "" };
	t->notification.request = &none;
	t->notification.remote = "";
	if (t->notification.verdict)
		ticket_keep_verdict(t, t->notification.verdict);
}

void ticket_abandon(struct ticket *t)
{
	t->exchange = NULL;
	if (!ticket_keep_request(t))
		ticket_drop_request(t);
}
