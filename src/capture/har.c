/* HAR 1.2: read as browsers, proxies and test tools write it; written with the members that it requires even where
 * their values are not known. */
#include "base/clock.h"
#include "base/find.h"
#include "capture/entry.h"
#include "http/head.h"
#include "http/status.h"

#include <string.h>

/* {"name":N,"value":V} or [N,V]; names that begin with a colon are HTTP/2's, and not headers. */
static void read_headers(struct entry *e, uint32_t headers)
{
	const struct json_doc *doc = e->doc;
	if (!json_is(e->doc, headers, JSON_ARRAY)) {
		if (headers != JSON_NONE)
			entry_fail(e, "its headers are not an array");
		return;
	}
	for (uint32_t at = headers + 1; at < doc->tokens[headers].next; at = doc->tokens[at].next) {
		bool is_pair = json_is(e->doc, at, JSON_ARRAY);
		struct text name = entry_text(e, is_pair ? json_element(doc, at, 0) : entry_find(e, at, "name"));
		uint32_t value = is_pair ? json_element(doc, at, 1) : entry_find(e, at, "value");
		if (!name.text || name.text[0] != ':')
			entry_header(e, name, entry_text(e, value));
	}
}

/* Sets the target, and the Host if no header has it. Where another Host was sent, the target is the whole URL: the
 * production guard has to know both. */
static void read_url(struct entry *e, struct text url)
{
	struct buffer *bytes = &e->scratch->bytes;
	size_t start = bytes->length;
	if (!url.text)
		return;
	const struct text *host = message_header(e->request, "Host");
	const char *end = url.text + strcspn(url.text, "#"), *target = url.text;
	const char *scheme = find_text(url.text, (size_t)(end - url.text), "://", 3);
	e->record->is_https = scheme && http_is_word(url.text, (size_t)(scheme - url.text), "https");
	if (scheme && url.text[0] != '/') {
		const char *authority = scheme + 3;
		target = authority + strcspn(authority, "/?#");
		for (const char *at; (at = memchr(authority, '@', (size_t)(target - authority))) != NULL;)
			authority = at + 1; /* not the password */
		size_t length = (size_t)(target - authority);
		bool is_known = capture_is_host(host) || !http_is_word(authority, length, CAPTURE_NO_HOST);
		if (!host && is_known && length > 0) {
			buffer_append(bytes, authority, length);
			entry_header(e, text_of("Host"), capture_scratch_since(e->scratch, start));
			start = bytes->length;
		} else if (is_known && host && host->text && !http_is_word(authority, length, host->text)) {
			buffer_append(bytes, url.text, (size_t)(scheme + 3 - url.text));
			buffer_append(bytes, authority, length);
		}
	}
	if (target == end || *target != '/')
		buffer_append_byte(bytes, '/');
	buffer_append(bytes, target, (size_t)(end - target));
	e->request->target = capture_scratch_since(e->scratch, start);
	if (strlen(url.text) != url.length)
		entry_fail(e, "its URL contains a space or a control character");
}

/* The body is postData.text, or where that cannot hold it _content.text, of the request or of postData. */
static void read_body(struct entry *e, uint32_t request)
{
	uint32_t post = entry_find(e, request, "postData"), content = entry_find(e, request, "_content");
	if (content == JSON_NONE)
		content = entry_find(e, post, "_content");
	if (!json_unsigned(e->doc, entry_find(e, request, "bodySize"), INT64_MAX, &e->body_size))
		e->body_size = ENTRY_SIZE_UNKNOWN;
	e->type = entry_member(e, post, "mimeType");
	bool has_content = json_is(e->doc, entry_find(e, content, "text"), JSON_STRING);
	uint32_t from = has_content ? content : post, text = entry_find(e, from, "text");
	bool is_there = json_is(e->doc, text, JSON_STRING) && !json_string_is(e->doc, text, "", 0);
	/* Playwright's content: 'attach' */
	e->body_is_elsewhere = json_is(e->doc, entry_find(e, post, "_file"), JSON_STRING) ||
	                       json_is(e->doc, entry_find(e, content, "_file"), JSON_STRING);
	bool has_params = json_is(e->doc, json_element(e->doc, entry_find(e, post, "params"), 0), JSON_OBJECT);
	const struct text *length = message_header(e->request, "Content-Length");
	/* What says of itself that it is JSON has a body, unless its length says that it has none. */
	bool has_type = e->type.length > 0 || message_header(e->request, "Content-Type");
	bool is_empty = length && length->text && strcmp(length->text, "0") == 0;
	if (is_there)
		entry_body(e, text, json_string_is(e->doc, entry_find(e, from, "encoding"), "base64", 6));
	else if (e->body_size == ENTRY_SIZE_UNKNOWN)
		e->body_is_missing = has_params || e->body_is_elsewhere || (!is_empty && (length || has_type));
	else
		e->body_is_missing = has_params || e->body_is_elsewhere || e->body_size > 0;
}

static void read_entry(struct entry *e)
{
	uint32_t request = entry_find(e, 0, "request"), response = entry_find(e, 0, "response");
	struct text time = entry_member(e, 0, "startedDateTime");
	uint64_t status;
	if (!json_is(e->doc, request, JSON_OBJECT)) {
		entry_fail(e, "it has no request");
		return;
	}
	e->request->method = entry_member(e, request, "method");
	read_headers(e, entry_find(e, request, "headers"));
	read_url(e, entry_member(e, request, "url"));
	if (json_unsigned(e->doc, entry_find(e, response, "status"), 999, &status) && status >= 100)
		e->record->status = (int)status;
	if (time.text && (strlen(time.text) != time.length || !clock_parse_stamp(time.text, &e->record->received_us)))
		entry_fail(e, "its startedDateTime is not a time");
	else
		read_body(e, request);
}

static const char *const path[] = { "log", "entries", NULL };
const struct format_reader format_har_reader = { .path = path, .read = read_entry };

static void append_string(struct buffer *out, const char *key, struct text text)
{
	buffer_printf(out, "\"%s\":", key);
	json_append_string(out, text.text, text.length);
}

static void append_pair(struct buffer *out, struct text name, struct text value)
{
	if (buffer_text(out)[out->length - 1] != '[')
		buffer_append_byte(out, ',');
	buffer_append_byte(out, '{');
	append_string(out, "name", name);
	buffer_append_byte(out, ',');
	append_string(out, "value", value);
	buffer_append_byte(out, '}');
}

static void append_headers(struct buffer *out, const struct capture_record *record, struct format_written *written)
{
	buffer_append_text(out, ",\"headers\":[");
	for (size_t i = 0; i < record->request.header_count; i++) {
		const struct header *h = &record->request.headers[i];
		if (capture_text_is_utf8(h->name) && capture_text_is_utf8(h->value))
			append_pair(out, h->name, h->value);
		else
			written->headers++;
	}
	buffer_append_byte(out, ']');
}

/* Its target, or / where there is none. */
static struct text target_of(const struct capture_record *record)
{
	return record->request.target.length > 0 ? record->request.target : (struct text){ "/", 1 };
}

/* The pairs of the query, percent-encoded as they are. */
static void append_query(struct buffer *out, struct text target)
{
	const char *end = target.text + target.length, *at = memchr(target.text, '?', target.length);
	buffer_append_text(out, ",\"queryString\":[");
	for (at = at ? at + 1 : end; at < end;) {
		const char *next = memchr(at, '&', (size_t)(end - at)), *stop = next ? next : end;
		const char *equals = memchr(at, '=', (size_t)(stop - at)), *name_end = equals ? equals : stop;
		const char *value = equals ? equals + 1 : stop;
		append_pair(out, (struct text){ at, (size_t)(name_end - at) },
		            (struct text){ value, (size_t)(stop - value) });
		at = stop + 1;
	}
	buffer_append_byte(out, ']');
}

/* Writes it as text if it is UTF-8, else beside postData in base64, as HTTP Toolkit does. */
static void append_body(struct buffer *out, const struct capture_record *record)
{
	const struct text *type = message_header(&record->request, "Content-Type");
	struct text body = record->request.body;
	buffer_append_text(out, ",\"postData\":{");
	append_string(out, "mimeType", type && capture_text_is_utf8(*type) ? *type : (struct text){ "", 0 });
	buffer_append_text(out, ",\"params\":[],");
	if (capture_text_is_utf8(body)) {
		append_string(out, "text", body);
		buffer_append_byte(out, '}');
		return;
	}
	buffer_printf(out, "\"text\":\"\"},\"_content\":{\"size\":%zu,\"encoding\":\"base64\",\"text\":\"",
	              body.length);
	buffer_append_base64(out, body.text, body.length);
	buffer_append_text(out, "\"}");
}

/* What is recorded of the response's body; its size is not known. */
static void append_content(struct buffer *out, const struct capture_record *record)
{
	struct text type = record->response_type, text = record->response_text;
	bool is_text = !text.text || capture_text_is_utf8(text);
	buffer_printf(out, "\"content\":{\"size\":%zu,", text.length);
	append_string(out, "mimeType", type.text && capture_text_is_utf8(type) ? type : (struct text){ "", 0 });
	if (text.text && is_text) {
		buffer_append_byte(out, ',');
		append_string(out, "text", text);
	} else if (text.text) {
		buffer_append_text(out, ",\"encoding\":\"base64\",\"text\":\"");
		buffer_append_base64(out, text.text, text.length);
		buffer_append_byte(out, '"');
	}
	buffer_append_byte(out, '}');
}

static const char *append_entry(const struct capture_record *record, struct format_written *written, struct buffer *out)
{
	LOCAL_BUFFER url = BUFFER_FOR(out);
	struct text method = record->request.method, target = target_of(record);
	if (method.length == 0)
		method = text_of("POST");
	bool is_request = http_is_token(method.text, method.length) && capture_text_is_utf8(target);
	for (size_t i = 0; i < target.length; i++)
		is_request &= (unsigned char)target.text[i] > ' ' && target.text[i] != 0x7F;
	if (!is_request)
		return "a method or target that HTTP does not allow";
	capture_record_append_url(record, &url);
	buffer_printf(out, "{\"startedDateTime\":\"%s\",\"time\":0,\"request\":{", STAMP_TEXT(record->received_us));
	append_string(out, "method", method);
	buffer_append_byte(out, ',');
	append_string(out, "url", (struct text){ buffer_text(&url), url.length });
	buffer_append_text(out, ",\"httpVersion\":\"HTTP/1.1\",\"cookies\":[]");
	append_headers(out, record, written);
	append_query(out, target);
	append_body(out, record);
	buffer_printf(out, ",\"headersSize\":-1,\"bodySize\":%zu}", record->request.body.length);
	buffer_printf(out, ",\"response\":{\"status\":%d,\"statusText\":\"%s\"", record->status,
	              record->status > 0 ? http_status_phrase(record->status) : "");
	buffer_append_text(out, ",\"httpVersion\":\"HTTP/1.1\",\"cookies\":[],\"headers\":[],");
	append_content(out, record);
	buffer_append_text(out, ",\"redirectURL\":\"\",\"headersSize\":-1,\"bodySize\":-1}");
	buffer_append_text(out, ",\"cache\":{},\"timings\":{\"send\":0,\"wait\":0,\"receive\":0}}");
	written->senders += record->remote.length > 0;
	written->faults += record->fault.length > 0;
	return NULL;
}

const struct format_writer format_har_writer = {
	.begin = "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"credhook\",\"version\":\"" CREDHOOK_VERSION
	         "\"},\"entries\":[\n",
	.separator = ",\n",
	.end = "\n]}}\n",
	.append = append_entry,
};
