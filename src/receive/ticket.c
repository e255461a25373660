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
	t->notification = (struct notification){ .request = exchange->request,
		                                 .remote = exchange->remote,
		                                 .via = exchange->via,
		                                 .received_us = exchange->arrived_us };
	exchange->user = t;
	return t;
}

static void request_copy_free(struct request_copy *copy)
{
	if (!copy)
		return;
	buffer_release(&copy->text);
	free(copy->headers);
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

static struct text keep(struct buffer *into, struct text text)
{
	const char *at = into->data + into->length;
	buffer_append(into, text.text, text.length);
	buffer_append_byte(into, '\0');
	return (struct text){ at, text.length };
}

/* Room for all of it is made first, so that nothing moves. */
static bool copy_request(struct request_copy *copy, const struct message *r)
{
	size_t size = r->method.length + r->target.length + r->body.length + 3;
	for (size_t i = 0; i < r->header_count; i++)
		size += r->headers[i].name.length + r->headers[i].value.length + 2;
	copy->headers = calloc(r->header_count + 1, sizeof *copy->headers);
	if (!copy->headers || !buffer_reserve(&copy->text, size))
		return false;
	copy->request = (struct message){ .method = keep(&copy->text, r->method),
		                          .target = keep(&copy->text, r->target),
		                          .headers = copy->headers,
		                          .header_count = r->header_count,
		                          .body = keep(&copy->text, r->body) };
	for (size_t i = 0; i < r->header_count; i++)
		copy->headers[i] = (struct header){ keep(&copy->text, r->headers[i].name),
			                            keep(&copy->text, r->headers[i].value) };
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
	if (t->notification.via) {
		snprintf(copy->via, sizeof copy->via, "%s", t->notification.via);
		t->notification.via = copy->via;
	}
	if (t->checker)
		checker_moved(t->checker, copy->request.body.text);
	return true;
}

void ticket_abandon(struct ticket *t)
{
	t->exchange = NULL;
	if (!ticket_keep_request(t)) {
		/* Nothing of the request is reported, nor of what was found in it. */
		static const struct message none = { .method = TEXT(""), .target = TEXT(""), .body = TEXT("") };
		t->notification.request = &none;
		t->notification.remote = "";
		t->notification.via = NULL;
		if (t->notification.verdict)
			ticket_keep_verdict(t, t->notification.verdict);
	}
}
