#include "capture/record.h"

#include "base/clock.h"
#include "base/find.h"
#include "base/utf8.h"
#include "http/head.h"

#include <string.h>

/* A body whose string would be longer than twice its bytes plus this is written as base64, which is shorter. */
#define STRING_EXTRA 1024

bool capture_text_is_utf8(struct text text)
{
	return utf8_first_invalid(text.text, text.length) == text.length;
}

static void append_text(struct buffer *out, struct text text)
{
	if (capture_text_is_utf8(text)) {
		json_append_string(out, text.text, text.length);
		return;
	}
	buffer_append_text(out, "{\"base64\":\"");
	buffer_append_base64(out, text.text, text.length);
	buffer_append_text(out, "\"}");
}

static void append_headers(struct buffer *out, const struct capture_record *record)
{
	buffer_append_byte(out, '[');
	for (size_t i = 0; i < record->request.header_count; i++) {
		buffer_append_text(out, i ? ",[" : "[");
		append_text(out, record->request.headers[i].name);
		buffer_append_byte(out, ',');
		append_text(out, record->request.headers[i].value);
		buffer_append_byte(out, ']');
	}
	buffer_append_byte(out, ']');
}

static void append_body(struct buffer *out, struct text body)
{
	size_t before = out->length;
	if (capture_text_is_utf8(body)) {
		buffer_append_text(out, "\"body\":");
		json_append_string(out, body.text, body.length);
		if (out->failed || (out->length - before) / 2 <= body.length + STRING_EXTRA)
			return;
		out->length = before;
	}
	buffer_append_text(out, "\"body_base64\":\"");
	buffer_append_base64(out, body.text, body.length);
	buffer_append_byte(out, '"');
}

struct text capture_response_cut(struct text text)
{
	if (text.length <= CAPTURE_RESPONSE_MOST)
		return text;
	size_t whole = utf8_begin_of(text.text, CAPTURE_RESPONSE_MOST);
	bool is_text = utf8_first_invalid(text.text, whole) == whole;
	return (struct text){ text.text, is_text ? whole : CAPTURE_RESPONSE_MOST };
}

void capture_response_append(const struct capture_record *record, struct buffer *out)
{
	if (record->response_type.text) {
		buffer_append_text(out, ",\"type\":");
		append_text(out, record->response_type);
	}
	if (record->response_text.text && capture_text_is_utf8(record->response_text)) {
		buffer_append_text(out, ",\"text\":");
		append_text(out, record->response_text);
	} else if (record->response_text.text) {
		buffer_append_text(out, ",\"text_base64\":\"");
		buffer_append_base64(out, record->response_text.text, record->response_text.length);
		buffer_append_byte(out, '"');
	}
}

static void append_response(struct buffer *out, const struct capture_record *record)
{
	if (!record->status && !record->fault.text) {
		buffer_append_text(out, "null");
		return;
	}
	buffer_append_byte(out, '{');
	if (record->status) {
		buffer_append_text(out, "\"status\":");
		buffer_append_number(out, (uint64_t)record->status);
		capture_response_append(record, out);
		buffer_append_text(out, record->fault.text ? "," : "");
	}
	if (record->fault.text) {
		buffer_append_text(out, "\"fault\":");
		append_text(out, record->fault);
	}
	buffer_append_byte(out, '}');
}

void capture_record_append_members(const struct capture_record *record, bool with_body, struct buffer *out)
{
	static const char *const verdicts[] = {
		[CAPTURE_UNCHECKED] = "null",
		[CAPTURE_INVALID] = "false",
		[CAPTURE_VALID] = "true",
	};
	struct text stamp = record->received_at.text ? record->received_at : text_of(STAMP_TEXT(record->received_us));
	buffer_append_text(out, "\"v\":1,\"seq\":");
	buffer_append_number(out, record->seq);
	buffer_append_text(out, ",\"received_at\":");
	json_append_string(out, stamp.text, stamp.length);
	buffer_append_text(out, ",\"remote\":");
	append_text(out, record->remote);
	if (record->via.text) {
		buffer_append_text(out, ",\"via\":");
		append_text(out, record->via);
	}
	if (record->is_https)
		buffer_append_text(out, ",\"scheme\":\"https\"");
	buffer_append_text(out, ",\"method\":");
	append_text(out, record->request.method);
	buffer_append_text(out, ",\"target\":");
	append_text(out, record->request.target);
	buffer_append_text(out, ",\"headers\":");
	append_headers(out, record);
	buffer_append_byte(out, ',');
	if (with_body) {
		append_body(out, record->request.body);
		buffer_append_byte(out, ',');
	}
	buffer_append_text(out, "\"event\":");
	if (record->event.text)
		append_text(out, record->event);
	else
		buffer_append_text(out, "null");
	buffer_append_text(out, ",\"valid\":");
	buffer_append_text(out, verdicts[record->valid]);
	if (record->redacted.text) {
		buffer_append_text(out, ",\"redacted\":");
		buffer_append(out, record->redacted.text, record->redacted.length);
	}
}

void capture_record_append(const struct capture_record *record, struct buffer *out)
{
	buffer_append_byte(out, '{');
	capture_record_append_members(record, true, out);
	buffer_append_text(out, ",\"response\":");
	append_response(out, record);
	buffer_append_text(out, "}\n");
}

bool capture_record_is_withheld(const struct capture_record *record)
{
	static const char key[] = "\"withheld\"";
	return record->redacted.text &&
	       find_text(record->redacted.text, record->redacted.length, key, sizeof key - 1) != NULL;
}

bool capture_is_host(const struct text *host)
{
	return host && host->length > 0 && http_is_host(host->text, host->length);
}

/* A proxy that ends the TLS says so in a header. */
static bool is_sent_by_https(const struct capture_record *record)
{
	const struct text *scheme = message_header(&record->request, "X-Forwarded-Proto");
	return record->is_https || (scheme && http_is_word(scheme->text, scheme->length, "https"));
}

void capture_record_append_url(const struct capture_record *record, struct buffer *out)
{
	const struct text *host = message_header(&record->request, "Host");
	struct text target = record->request.target.length > 0 ? record->request.target : (struct text){ "/", 1 };
	bool is_absolute = find_text(target.text, target.length, "://", 3) && target.text[0] != '/';
	if (!is_absolute) {
		buffer_append_text(out, is_sent_by_https(record) ? "https://" : "http://");
		if (capture_is_host(host))
			buffer_append(out, host->text, host->length);
		else
			buffer_append_text(out, host ? CAPTURE_NO_HOST : "127.0.0.1");
		if (target.text[0] != '/')
			buffer_append_byte(out, '/');
	}
	buffer_append(out, target.text, target.length);
}
