/* Tickets: one per notification under way, with memory that is used again. */
#include "cmd/listen/listen.h"

#include <stdlib.h>
#include <string.h>

#define SPARE_TICKETS 256
#define KEPT_TEXT     4096 /* what a spare keeps of a long text's memory */

struct ticket *listen_ticket_new(struct listener *l, struct http_exchange *exchange)
{
	struct ticket *t = l->spare_tickets;
	if (t) {
		l->spare_tickets = t->next;
		l->spare_count--;
	} else {
		t = calloc(1, sizeof *t);
		if (!t)
			return NULL;
	}
	struct buffer body = t->body, told = t->told;
	buffer_clear(&body);
	buffer_clear(&told);
	*t = (struct ticket){ .listener = l, .exchange = exchange, .body = body, .told = told };
	http_exchange_set_user(exchange, t);
	return t;
}

static void trim(struct buffer *b)
{
	if (b->capacity > KEPT_TEXT)
		buffer_release(b);
}

static void discard(struct ticket *t)
{
	listen_forward_forget(t);
	buffer_release(&t->body);
	buffer_release(&t->told);
	free(t);
}

void listen_ticket_free(struct ticket *t)
{
	struct listener *l = t->listener;
	listen_forward_forget(t);
	if (l->spare_count == SPARE_TICKETS) {
		discard(t);
		return;
	}
	trim(&t->body);
	trim(&t->told);
	t->next = l->spare_tickets;
	l->spare_tickets = t;
	l->spare_count++;
}

void listen_tickets_release(struct listener *l)
{
	struct ticket *t;
	while ((t = listen_ticket_pop(&l->waiting)) != NULL)
		discard(t);
	while ((t = l->spare_tickets) != NULL) {
		l->spare_tickets = t->next;
		discard(t);
	}
}

void listen_ticket_push(struct ticket_list *list, struct ticket *ticket)
{
	ticket->next = NULL;
	if (list->last)
		list->last->next = ticket;
	else
		list->first = ticket;
	list->last = ticket;
}

struct ticket *listen_ticket_pop(struct ticket_list *list)
{
	struct ticket *ticket = list->first;
	if (!ticket)
		return NULL;
	list->first = ticket->next;
	if (!list->first)
		list->last = NULL;
	return ticket;
}

int listen_make_record(const struct ticket *t, const struct arrival *a, char name[CATALOG_KIND_NAME_SIZE],
                       struct capture_record *record)
{
	struct listener *l = t->listener;
	const struct http_request *r = a->request;
	struct capture_header *grown =
	        array_grow(l->headers, &l->header_capacity, r->field_count + 1, sizeof(struct capture_header));
	if (!grown)
		return -1;
	l->headers = grown;
	for (size_t i = 0; i < r->field_count; i++) {
		const struct http_field *f = &r->fields[i];
		grown[i] = (struct capture_header){ { f->name, f->name_length }, { f->value, f->value_length } };
	}
	*record = (struct capture_record){
		.seq = t->seq,
		.received_us = a->received_us,
		.remote = { a->remote, strlen(a->remote) },
		.method = { r->method, r->method_length },
		.target = { r->target, r->target_length },
		.headers = grown,
		.header_count = r->field_count,
		.body = { r->body, r->body_length },
	};
	if (t->judged)
		record->valid = t->valid ? CAPTURE_VALID : CAPTURE_INVALID;
	if (t->kind.event) {
		catalog_kind_name(t->kind, name);
		record->event = (struct capture_text){ name, strlen(name) };
	}
	return 0;
}
