/* HAR 1.2: read as browsers, proxies and test tools write it; written with the members that it requires even where
 * their values are not known. */
#include "base/clock.h"
#include "capture/entry_draft.h"
#include "http/head.h"
#include "http/status.h"

#include <string.h>

/* {"name":N,"value":V} or [N,V]; names that begin with a colon are HTTP/2's, and not headers. */
static void read_headers(struct entry_draft *d, uint32_t headers)
{
	const struct json_doc *doc = &d->scratch->doc;
	if (!entry_draft_is(d, headers, JSON_ARRAY)) {
		if (headers != JSON_NONE)
			entry_draft_fail(d, "its headers are not an array");
		return;
	}
	for (uint32_t at = headers + 1; at < doc->tokens[headers].next; at = doc->tokens[at].next) {
		bool is_pair = entry_draft_is(d, at, JSON_ARRAY);
		struct text name =
		        entry_draft_text(d, is_pair ? json_element(doc, at, 0) : entry_draft_find(d, at, "name"));
		uint32_t value = is_pair ? json_element(doc, at, 1) : entry_draft_find(d, at, "value");
		if (!name.text || name.text[0] != ':')
			entry_draft_header(d, name, entry_draft_text(d, value));
	}
}

/* The body is postData.text, or where that cannot hold it _content.text, of the request or of postData. */
static void read_body(struct entry_draft *d, uint32_t request)
{
	uint32_t post = entry_draft_find(d, request, "postData"), content = entry_draft_find(d, request, "_content");
	uint64_t size;
	if (content == JSON_NONE)
		content = entry_draft_find(d, post, "_content");
	if (capture_number(&d->scratch->doc, entry_draft_find(d, request, "bodySize"), INT64_MAX, &size))
		d->body_size = (int64_t)size;
	d->type = entry_draft_member(d, post, "mimeType");
	bool has_content = entry_draft_is(d, entry_draft_find(d, content, "text"), JSON_STRING);
	uint32_t from = has_content ? content : post, text = entry_draft_find(d, from, "text");
	if (entry_draft_is(d, text, JSON_STRING) &&
	    d->scratch->doc.tokens[text].end - d->scratch->doc.tokens[text].start > 2)
		entry_draft_body(d, text,
		                 json_string_is(&d->scratch->doc, entry_draft_find(d, from, "encoding"), "base64", 6));
	else if (d->body_size > 0 ||
	         entry_draft_is(d, json_element(&d->scratch->doc, entry_draft_find(d, post, "params"), 0), JSON_OBJECT))
		d->body_is_missing = true;
	else if (d->body_size < 0)
		d->body_is_missing = message_header(&d->entry->record.request, "Content-Length") != NULL;
}

static bool read_time(struct entry_draft *d)
{
	struct text time = entry_draft_member(d, 0, "startedDateTime");
	if (!time.text || d->scratch->bytes.failed)
		return true;
	return (strlen(time.text) == time.length && clock_parse_stamp(time.text, &d->entry->record.received_us)) ||
	       entry_draft_fail(d, "its startedDateTime is not a time");
}

static void read_entry(struct entry_draft *d)
{
	struct capture_record *record = &d->entry->record;
	uint32_t request = entry_draft_find(d, 0, "request");
	uint64_t status;
	if (!entry_draft_is(d, request, JSON_OBJECT)) {
		entry_draft_fail(d, "it has no request");
		return;
	}
	record->request.method = entry_draft_member(d, request, "method");
	read_headers(d, entry_draft_find(d, request, "headers"));
	entry_draft_url(d, entry_draft_member(d, request, "url"));
	if (capture_number(&d->scratch->doc, entry_draft_find(d, entry_draft_find(d, 0, "response"), "status"), 999,
	                   &status) &&
	    status >= 100)
		record->status = (int)status;
	if (read_time(d))
		read_body(d, request);
}

static const char *const path[] = { "log", "entries", NULL };
const struct format_reader format_har_reader = { .path = path, .read = read_entry };

static void append_string(struct buffer *out, const char *key, struct text text)
{
	buffer_printf(out, "\"%s\":", key);
	json_append_string(out, text.length > 0 ? text.text : "", text.length);
}

static void append_pair(struct buffer *out, struct text name, struct text value)
{
	buffer_append_byte(out, '{');
	append_string(out, "name", name);
	buffer_append_byte(out, ',');
	append_string(out, "value", value);
	buffer_append_byte(out, '}');
}

static void append_headers(struct buffer *out, const struct capture_record *record, struct format_written *written)
{
	const char *separator = "";
	buffer_append_text(out, ",\"headers\":[");
	for (size_t i = 0; i < record->request.header_count; i++) {
		const struct header *h = &record->request.headers[i];
		if (!capture_text_is_utf8(h->name) || !capture_text_is_utf8(h->value)) {
			written->headers++;
			continue;
		}
		buffer_append_text(out, separator);
		append_pair(out, h->name, h->value);
		separator = ",";
	}
	buffer_append_byte(out, ']');
}

/* The bytes without a NULL: POST where there is no method, / where there is no target. */
static struct text method_of(const struct capture_record *record)
{
	return record->request.method.length > 0 ? record->request.method : (struct text){ "POST", 4 };
}

static struct text target_of(const struct capture_record *record)
{
	return record->request.target.length > 0 ? record->request.target : (struct text){ "/", 1 };
}

/* Whether method and target can be a request line. */
static bool is_request(const struct capture_record *record)
{
	struct text method = method_of(record), target = target_of(record);
	for (size_t i = 0; i < target.length; i++)
		if ((unsigned char)target.text[i] <= ' ' || target.text[i] == 0x7F)
			return false;
	return http_is_token(method.text, method.length) && capture_text_is_utf8(target);
}

void format_append_url(const struct capture_record *record, struct buffer *out)
{
	const struct text *host = message_header(&record->request, "Host");
	struct text target = target_of(record);
	bool is_absolute = memmem(target.text, target.length, "://", 3) && target.text[0] != '/';
	if (!is_absolute) {
		buffer_append_text(out, "http://");
		if (host && host->length > 0 && http_is_host(host->text, host->length))
			buffer_append(out, host->text, host->length);
		else
			buffer_append_text(out, "127.0.0.1");
		if (target.text[0] != '/')
			buffer_append_byte(out, '/');
	}
	buffer_append(out, target.text, target.length);
}

/* The pairs of the query, percent-encoded as they are. */
static void append_query(struct buffer *out, struct text target)
{
	const char *end = target.text + target.length, *at = memchr(target.text, '?', target.length);
	const char *separator = "";
	buffer_append_text(out, ",\"queryString\":[");
	for (at = at ? at + 1 : end; at < end;) {
		const char *next = memchr(at, '&', (size_t)(end - at));
		size_t length = (size_t)((next ? next : end) - at);
		const char *equals = memchr(at, '=', length);
		size_t name = equals ? (size_t)(equals - at) : length, value = equals ? name + 1 : length;
		buffer_append_text(out, separator);
		append_pair(out, (struct text){ at, name }, (struct text){ at + value, length - value });
		separator = ",";
		at += length + 1;
	}
	buffer_append_byte(out, ']');
}

/* As text if it is UTF-8, else beside postData in base64, as HTTP Toolkit writes it. */
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

static const char *append_entry(const struct capture_record *record, struct format_written *written, struct buffer *out)
{
	char stamp[CLOCK_STAMP_SIZE];
	LOCAL_BUFFER url = BUFFER_INIT;
	if (!is_request(record))
		return "a method or target that HTTP does not allow";
	clock_format_stamp(record->received_us, stamp);
	format_append_url(record, &url);
	buffer_printf(out, "{\"startedDateTime\":\"%s\",\"time\":0,\"request\":{", stamp);
	append_string(out, "method", method_of(record));
	buffer_append_byte(out, ',');
	append_string(out, "url", (struct text){ buffer_text(&url), url.length });
	buffer_append_text(out, ",\"httpVersion\":\"HTTP/1.1\",\"cookies\":[]");
	append_headers(out, record, written);
	append_query(out, target_of(record));
	append_body(out, record);
	buffer_printf(out, ",\"headersSize\":-1,\"bodySize\":%zu}", record->request.body.length);
	buffer_printf(out, ",\"response\":{\"status\":%d,\"statusText\":\"%s\"", record->status,
	              record->status > 0 ? http_status_phrase(record->status) : "");
	buffer_append_text(out, ",\"httpVersion\":\"HTTP/1.1\",\"cookies\":[],\"headers\":[],\"content\":{\"size\":0,"
	                        "\"mimeType\":\"\"},\"redirectURL\":\"\",\"headersSize\":-1,\"bodySize\":-1}");
	buffer_append_text(out, ",\"cache\":{},\"timings\":{\"send\":0,\"wait\":0,\"receive\":0}}");
	out->failed |= url.failed;
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
