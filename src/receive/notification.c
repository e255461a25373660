/* One notification: under way (its ticket), whether its body came before, and as a record and a line of a list. */
#include "receive/notification.h"

#include "base/random.h"
#include "http/secrets.h"
#include "http/words.h"
#include "receive/ticket.h"

#include <stdlib.h>
#include <string.h>

#define WAYS 8
#define SETS (REPEATS_MOST / WAYS)

struct ticket *ticket_new(struct http_exchange *exchange)
{
	struct ticket *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->exchange = exchange;
	t->notification = (struct notification){ .request = exchange->request,
		                                 .remote = exchange->remote,
		                                 .via = exchange->via,
		                                 .is_https = exchange->is_https,
		                                 .received_us = exchange->arrived_us };
	exchange->user = t;
	return t;
}

void ticket_free(struct ticket *t)
{
	checker_free(t->checker);
	buffer_release(&t->body);
	buffer_release(&t->texts);
	buffer_release(&t->recorded);
	free(t->headers);
	free(t);
}

bool ticket_keep_request(struct ticket *t)
{
	struct notification *n = &t->notification;
	const struct message *r = n->request;
	struct text remote = text_of(n->remote), via = text_of(n->via);
	if (t->headers)
		return true;
	/* Makes room for all of it first, so that nothing moves. */
	size_t size = r->method.length + r->target.length + r->body.length + remote.length + via.length + 5;
	for (size_t i = 0; i < r->header_count; i++)
		size += r->headers[i].name.length + r->headers[i].value.length + 2;
	struct header *headers = calloc(r->header_count + 1, sizeof *headers);
	if (!headers || !buffer_reserve(&t->texts, size)) {
		free(headers);
		return false;
	}
	for (size_t i = 0; i < r->header_count; i++)
		headers[i] = (struct header){ text_copy(r->headers[i].name, &t->texts),
			                      text_copy(r->headers[i].value, &t->texts) };
	t->headers = headers;
	t->request = (struct message){ .method = text_copy(r->method, &t->texts),
		                       .target = text_copy(r->target, &t->texts),
		                       .headers = headers,
		                       .header_count = r->header_count,
		                       .body = text_copy(r->body, &t->texts) };
	n->request = &t->request;
	n->remote = text_copy(remote, &t->texts).text;
	if (n->via)
		n->via = text_copy(via, &t->texts).text;
	if (t->checker)
		checker_moved(t->checker, t->request.body.text);
	return true;
}

struct seen {
	uint64_t hash; /* 0: free */
	uint64_t of;
	uint64_t nth;
	int64_t first_us, last_us;
};

struct repeats {
	uint64_t keys[4]; /* so that nobody can choose bodies whose hashes meet */
	struct seen seen[SETS][WAYS];
};

struct repeats *repeats_new(void)
{
	struct repeats *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	struct random random;
	random_seed_fresh(&random);
	for (size_t i = 0; i < 4; i++)
		r->keys[i] = random_next(&random) | 1;
	return r;
}

/* The product's two halves, one upon the other. */
static uint64_t fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Never 0. */
static uint64_t hash_body(const struct repeats *r, const struct text *body)
{
	uint64_t hash = r->keys[0], words[2];
	for (size_t at = 0; at < body->length; at += sizeof words) {
		size_t left = body->length - at;
		words[0] = words[1] = 0;
		memcpy(words, body->text + at, left < sizeof words ? left : sizeof words);
		hash = fold(words[0] ^ r->keys[1], words[1] ^ hash);
	}
	hash = fold(hash ^ r->keys[2], body->length ^ r->keys[3]);
	return hash ? hash : 1;
}

struct repeat repeats_note(struct repeats *r, const struct text *body, uint64_t seq, int64_t now_us)
{
	uint64_t hash = hash_body(r, body);
	struct seen *set = r->seen[hash % SETS], *oldest = set;
	for (struct seen *s = set; s < set + WAYS; s++) {
		if (s->hash == hash) {
			struct repeat repeat = { ++s->nth, s->of, now_us - s->first_us };
			if (repeat.after_us < 0 || repeat.after_us > INT64_MAX / 1000)
				repeat.after_us = 0;
			s->last_us = now_us;
			return repeat;
		}
		if (s->last_us < oldest->last_us)
			oldest = s;
	}
	*oldest = (struct seen){ hash, seq, 0, now_us, now_us };
	return (struct repeat){ .nth = 0 };
}

void notification_record(const struct notification *n, char name[CATALOG_KIND_NAME_SIZE], struct capture_record *record)
{
	const char *fault = response_fault_name(n->fault);
	struct catalog_kind kind = notification_kind(n);
	*record = (struct capture_record){
		.seq = n->seq,
		.received_us = n->received_us,
		.remote = text_of(n->remote),
		.via = text_of(n->via),
		.is_https = n->is_https,
		.request = *n->request,
	};
	if (n->verdict)
		record->valid = n->verdict->valid ? CAPTURE_VALID : CAPTURE_INVALID;
	if (kind.event) {
		catalog_kind_name(kind, name);
		record->event = text_of(name);
	}
	if (fault) {
		record->fault = text_of(fault);
	} else {
		record->status = n->status;
		record->response_type = n->response_type;
		record->response_text = n->response_text;
	}
}

/* The longest Content-Type that is recorded, and bytes of a body that are searched: a secret is as long as most of it.
 */
#define TYPE_MOST   ((size_t)100)
#define SEARCH_MOST ((size_t)4096)

void ticket_keep_response(struct ticket *t, const char *type, struct text body)
{
	struct notification *n = &t->notification;
	size_t read = body.length < SEARCH_MOST ? body.length : SEARCH_MOST;
	LOCAL_BUFFER masked = BUFFER_INIT, masked_type = BUFFER_INIT;
	LOCAL(echoes_release) struct echoes secrets = { .spellings = BUFFER_INIT };
	if (n->target)
		echoes_collect(n->target, &secrets);
	echoes_add_message(&secrets, n->request);
	buffer_append(&masked, body.text, read);
	echoes_mask(&secrets, &masked, read < body.length ? ECHOES_CUT_BEHIND : 0);
	if (strlen(type) <= TYPE_MOST)
		buffer_append_text(&masked_type, type);
	echoes_mask(&secrets, &masked_type, 0);
	struct text text = capture_response_cut((struct text){ buffer_text(&masked), masked.length });
	buffer_clear(&t->recorded);
	if (masked.failed || masked_type.failed || text.length == 0 ||
	    !buffer_reserve(&t->recorded, text.length + masked_type.length + 2))
		return;
	n->response_text = text_copy(text, &t->recorded);
	if (masked_type.length > 0)
		n->response_type =
		        text_copy((struct text){ buffer_text(&masked_type), masked_type.length }, &t->recorded);
}

void notification_append_error(const struct notification *n, struct buffer *out)
{
	const struct exchange *x = n->forwarded;
	if (!x || (x->message[0] == '\0' && x->status < 400))
		return;
	LOCAL_BUFFER said = BUFFER_FOR(out);
	LOCAL(echoes_release) struct echoes secrets = { .spellings = BUFFER_FOR(out) };
	size_t length = x->response.body.length, read = length < WORDS_READ_MAX ? length : WORDS_READ_MAX;
	if (x->message[0] != '\0')
		buffer_append_text(&said, x->message);
	else
		buffer_append(&said, x->response.body.text, read);
	echoes_collect(n->target, &secrets);
	echoes_add_message(&secrets, n->request);
	echoes_mask(&secrets, &said, read < length ? ECHOES_CUT_BEHIND : 0);
	if (x->message[0] != '\0')
		buffer_append(out, buffer_text(&said), said.length);
	else
		words_append_line(out, buffer_text(&said), said.length, WORDS_LINE_MAX);
}

struct arrival arrival_of(const struct capture_record *record, const struct verdict *v)
{
	struct arrival a = {
		.seq = record->seq,
		.received_us = record->received_us,
		.is_checked = v != NULL,
		.method = record->received_us == 0 ? (struct text){ NULL, 0 } : record->request.method,
		.target = record->request.target.text ? record->request.target : (struct text)TEXT("/"),
		.status = record->status,
		.fault = record->fault.text,
		.error = "",
	};
	if (v) {
		a.kind = v->kind;
		a.is_valid = v->valid;
		a.warnings = v->warnings;
	}
	return a;
}

struct arrival notification_arrival(const struct notification *n, struct buffer *error)
{
	struct capture_record record;
	char name[CATALOG_KIND_NAME_SIZE];
	notification_record(n, name, &record);
	struct arrival a = arrival_of(&record, n->verdict);
	a.is_forwarded = n->forwarded != NULL;
	a.latency_ns = n->forwarded ? n->forwarded->latency_ns : 0;
	a.repeat = n->repeat;
	notification_append_error(n, error);
	a.error = buffer_text(error);
	return a;
}
