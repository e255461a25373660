/*
 * Events that AWS hands to a function for a request: of API Gateway (REST, called 1.0 there, and HTTP, 2.0), function
 * URLs and load balancers. Events of queues and others are not requests.
 */
#include "base/url.h"
#include "capture/entry_draft.h"
#include "http/head.h"

#define MS_MAX UINT64_C(253402300799999) /* the end of 9999 */

static void read_headers(struct entry_draft *d, uint32_t headers)
{
	const struct json_doc *doc = &d->scratch->doc;
	if (!entry_draft_is(d, headers, JSON_OBJECT))
		return;
	for (uint32_t at = headers + 1; at < doc->tokens[headers].next; at = doc->tokens[at + 1].next) {
		uint32_t value = at + 1;
		struct text name = entry_draft_text(d, at);
		if (entry_draft_is(d, value, JSON_STRING))
			entry_draft_header(d, name, entry_draft_text(d, value));
		for (uint32_t i = value + 1; entry_draft_is(d, value, JSON_ARRAY) && i < doc->tokens[value].next;
		     i = doc->tokens[i].next)
			entry_draft_header(d, name, entry_draft_text(d, i));
	}
}

/* A decoded name or value of a query, encoded; load balancers leave it encoded. */
static void append_encoded(struct entry_draft *d, uint32_t token, bool is_encoded)
{
	struct buffer *bytes = &d->scratch->bytes;
	LOCAL_BUFFER plain = BUFFER_INIT;
	json_string_decode(&d->scratch->doc, token, &plain);
	for (size_t i = 0; i < plain.length; i++)
		if (is_encoded)
			buffer_append_byte(bytes, plain.data[i]);
		else
			url_append_encoded(bytes, plain.data[i]);
	bytes->failed |= plain.failed;
}

static void append_pair(struct entry_draft *d, uint32_t name, uint32_t value, char *separator, bool is_encoded)
{
	buffer_append_byte(&d->scratch->bytes, *separator);
	*separator = '&';
	append_encoded(d, name, is_encoded);
	buffer_append_byte(&d->scratch->bytes, '=');
	append_encoded(d, value, is_encoded);
}

/* The query of 1.0 is an object of names with a value, or with all their values. */
static void append_query(struct entry_draft *d, bool is_encoded)
{
	const struct json_doc *doc = &d->scratch->doc;
	uint32_t query = entry_draft_find(d, 0, "multiValueQueryStringParameters");
	char separator = '?';
	if (!entry_draft_is(d, query, JSON_OBJECT))
		query = entry_draft_find(d, 0, "queryStringParameters");
	if (!entry_draft_is(d, query, JSON_OBJECT))
		return;
	for (uint32_t at = query + 1; at < doc->tokens[query].next; at = doc->tokens[at + 1].next) {
		uint32_t value = at + 1;
		if (entry_draft_is(d, value, JSON_STRING))
			append_pair(d, at, value, &separator, is_encoded);
		for (uint32_t i = value + 1; entry_draft_is(d, value, JSON_ARRAY) && i < doc->tokens[value].next;
		     i = doc->tokens[i].next)
			append_pair(d, at, i, &separator, is_encoded);
	}
}

static void set_time(struct entry_draft *d, uint32_t token)
{
	uint64_t ms;
	if (capture_number(&d->scratch->doc, token, MS_MAX, &ms))
		d->entry->record.received_us = (int64_t)ms * 1000;
}

/* API Gateway 1.0, and load balancers. */
static void read_1(struct entry_draft *d, uint32_t context)
{
	struct capture_record *record = &d->entry->record;
	uint32_t many = entry_draft_find(d, 0, "multiValueHeaders");
	bool is_balancer = entry_draft_find(d, context, "elb") != JSON_NONE;
	record->request.method = entry_draft_member(d, 0, "httpMethod");
	record->remote = entry_draft_member(d, entry_draft_find(d, context, "identity"), "sourceIp");
	bool has_many = entry_draft_is(d, many, JSON_OBJECT) && d->scratch->doc.tokens[many].next > many + 1;
	read_headers(d, has_many ? many : entry_draft_find(d, 0, "headers"));
	size_t start = d->scratch->bytes.length;
	json_string_decode(&d->scratch->doc, entry_draft_find(d, 0, "path"), &d->scratch->bytes);
	append_query(d, is_balancer);
	record->request.target = capture_scratch_since(d->scratch, start);
	set_time(d, entry_draft_find(d, context, "requestTimeEpoch"));
}

/* API Gateway 2.0, and function URLs. */
static void read_2(struct entry_draft *d, uint32_t context)
{
	struct capture_record *record = &d->entry->record;
	uint32_t http = entry_draft_find(d, context, "http"), query = entry_draft_find(d, 0, "rawQueryString");
	record->request.method = entry_draft_member(d, http, "method");
	record->remote = entry_draft_member(d, http, "sourceIp");
	read_headers(d, entry_draft_find(d, 0, "headers"));
	/* Of 2.0: {"cookies":["a=1","b=2"]}. */
	static const struct text name = { "Cookie", 6 };
	const struct json_doc *doc = &d->scratch->doc;
	uint32_t cookies = entry_draft_find(d, 0, "cookies");
	for (uint32_t at = cookies + 1; entry_draft_is(d, cookies, JSON_ARRAY) && at < doc->tokens[cookies].next;
	     at = doc->tokens[at].next)
		entry_draft_header(d, name, entry_draft_text(d, at));
	size_t start = d->scratch->bytes.length;
	json_string_decode(&d->scratch->doc, entry_draft_find(d, 0, "rawPath"), &d->scratch->bytes);
	if (entry_draft_is(d, query, JSON_STRING) && !json_string_is(&d->scratch->doc, query, "", 0)) {
		buffer_append_byte(&d->scratch->bytes, '?');
		json_string_decode(&d->scratch->doc, query, &d->scratch->bytes);
	}
	record->request.target = capture_scratch_since(d->scratch, start);
	set_time(d, entry_draft_find(d, context, "timeEpoch"));
}

static void read_event(struct entry_draft *d)
{
	uint32_t context = entry_draft_find(d, 0, "requestContext"), body = entry_draft_find(d, 0, "body");
	if (entry_draft_find(d, context, "http") != JSON_NONE)
		read_2(d, context);
	else
		read_1(d, context);
	/* Of which only some log exports have the headers. */
	static const struct text name = { "Host", 4 };
	struct text domain = entry_draft_member(d, context, "domainName");
	if (domain.length > 0 && !message_header(&d->entry->record.request, "Host"))
		entry_draft_header(d, name, domain);
	if (body != JSON_NONE && !entry_draft_is(d, body, JSON_NULL))
		entry_draft_body(d, body, entry_draft_is(d, entry_draft_find(d, 0, "isBase64Encoded"), JSON_TRUE));
}

static const char *const path[] = { NULL };
const struct format_reader format_aws_reader = { .path = path, .read = read_event };
