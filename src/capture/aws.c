/*
 * Events that AWS hands to a function for a request: of API Gateway (REST, called 1.0 there, and HTTP, 2.0), function
 * URLs and load balancers. Events of queues and others are not requests.
 */
#include "base/url.h"
#include "capture/entry.h"

#define MS_MAX UINT64_C(253402300799999) /* the end of 9999 */

/* The next string at or behind `at` in an object of strings, or of arrays of them, and in *name its key. JSON_NONE: no
 * more. */
static uint32_t next_text(const struct entry *e, uint32_t object, uint32_t at, uint32_t *name)
{
	const struct json_token *tokens = e->doc->tokens;
	while (json_is(e->doc, object, JSON_OBJECT) && at < tokens[object].next) {
		if (tokens[at].flags & JSON_KEY)
			*name = at++;
		else if (tokens[at].type == JSON_STRING)
			return at;
		else
			at = tokens[at].type == JSON_ARRAY ? at + 1 : tokens[at].next;
	}
	return JSON_NONE;
}

static void read_headers(struct entry *e, uint32_t headers)
{
	uint32_t name = JSON_NONE;
	for (uint32_t at = headers + 1; (at = next_text(e, headers, at, &name)) != JSON_NONE; at++)
		entry_header(e, entry_text(e, name), entry_text(e, at));
}

/* A decoded name or value of a query, encoded; load balancers leave it encoded. */
static void append_encoded(struct entry *e, uint32_t token, bool is_encoded)
{
	struct buffer *bytes = &e->scratch->bytes;
	LOCAL_BUFFER plain = BUFFER_FOR(bytes);
	json_string_decode(e->doc, token, &plain);
	for (size_t i = 0; i < plain.length; i++)
		if (is_encoded)
			buffer_append_byte(bytes, plain.data[i]);
		else
			url_append_encoded(bytes, plain.data[i]);
}

static void set_time(struct entry *e, uint32_t token)
{
	uint64_t ms;
	if (json_unsigned(e->doc, token, MS_MAX, &ms))
		e->record->received_us = (int64_t)ms * 1000;
}

/* API Gateway 1.0, and load balancers. */
static void read_1(struct entry *e, uint32_t context)
{
	struct capture_record *record = e->record;
	uint32_t many = entry_find(e, 0, "multiValueHeaders"), name = JSON_NONE;
	bool is_balancer = entry_find(e, context, "elb") != JSON_NONE;
	record->request.method = entry_member(e, 0, "httpMethod");
	record->remote = entry_member(e, entry_find(e, context, "identity"), "sourceIp");
	bool has_many = json_is(e->doc, many, JSON_OBJECT) && e->doc->tokens[many].next > many + 1;
	read_headers(e, has_many ? many : entry_find(e, 0, "headers"));
	size_t start = e->scratch->bytes.length;
	json_string_decode(e->doc, entry_find(e, 0, "path"), &e->scratch->bytes);
	/* The query is an object of names with a value, or with all their values. */
	uint32_t query = entry_find(e, 0, "multiValueQueryStringParameters");
	char separator = '?';
	if (!json_is(e->doc, query, JSON_OBJECT))
		query = entry_find(e, 0, "queryStringParameters");
	for (uint32_t at = query + 1; (at = next_text(e, query, at, &name)) != JSON_NONE; at++) {
		buffer_append_byte(&e->scratch->bytes, separator);
		append_encoded(e, name, is_balancer);
		buffer_append_byte(&e->scratch->bytes, '=');
		append_encoded(e, at, is_balancer);
		separator = '&';
	}
	record->request.target = capture_scratch_since(e->scratch, start);
	set_time(e, entry_find(e, context, "requestTimeEpoch"));
}

/* API Gateway 2.0, and function URLs. */
static void read_2(struct entry *e, uint32_t context)
{
	struct capture_record *record = e->record;
	uint32_t http = entry_find(e, context, "http"), query = entry_find(e, 0, "rawQueryString");
	record->request.method = entry_member(e, http, "method");
	record->remote = entry_member(e, http, "sourceIp");
	read_headers(e, entry_find(e, 0, "headers"));
	uint32_t cookies = entry_find(e, 0, "cookies");
	for (uint32_t at = cookies + 1; json_is(e->doc, cookies, JSON_ARRAY) && at < e->doc->tokens[cookies].next;
	     at = e->doc->tokens[at].next)
		entry_header(e, text_of("Cookie"), entry_text(e, at));
	size_t start = e->scratch->bytes.length;
	json_string_decode(e->doc, entry_find(e, 0, "rawPath"), &e->scratch->bytes);
	if (json_is(e->doc, query, JSON_STRING) && !json_string_is(e->doc, query, "", 0)) {
		buffer_append_byte(&e->scratch->bytes, '?');
		json_string_decode(e->doc, query, &e->scratch->bytes);
	}
	record->request.target = capture_scratch_since(e->scratch, start);
	set_time(e, entry_find(e, context, "timeEpoch"));
}

static void read_event(struct entry *e)
{
	uint32_t context = entry_find(e, 0, "requestContext"), body = entry_find(e, 0, "body");
	if (entry_find(e, context, "http") != JSON_NONE)
		read_2(e, context);
	else
		read_1(e, context);
	/* Only some exports of logs have the headers. */
	struct text domain = entry_member(e, context, "domainName");
	if (domain.length > 0 && !message_header(e->request, "Host"))
		entry_header(e, text_of("Host"), domain);
	if (body != JSON_NONE && !json_is(e->doc, body, JSON_NULL))
		entry_body(e, body, json_is(e->doc, entry_find(e, 0, "isBase64Encoded"), JSON_TRUE));
}

static const char *const path[] = { NULL };
const struct format_reader format_aws_reader = { .path = path, .read = read_event };
