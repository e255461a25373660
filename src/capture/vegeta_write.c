/* Records as JSON targets of vegeta: a line each, without a time. */
#include "capture/base64.h"
#include "capture/format_rows.h"
#include "http/syntax.h"

/* Values of a name are collected by comparing all names. */
#define HEADERS_MAX 1000

static bool is_same(struct capture_text a, struct capture_text b)
{
	return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static bool is_writable(const struct capture_header *h)
{
	return http_is_token(h->name.text, h->name.length) && format_is_line(h->value) && format_is_utf8(h->value);
}

static bool came_before(const struct capture_record *record, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (is_same(record->headers[i].name, record->headers[index].name))
			return true;
	return false;
}

/* The name, and all its values. */
static void append_values(struct buffer *out, const struct capture_record *record, size_t first)
{
	struct capture_text name = record->headers[first].name;
	const char *separator = ":[";
	json_append_string(out, name.text, name.length);
	for (size_t i = first; i < record->header_count; i++) {
		const struct capture_header *h = &record->headers[i];
		if (!is_same(h->name, name) || !is_writable(h))
			continue;
		buffer_append_text(out, separator);
		json_append_string(out, h->value.text, h->value.length);
		separator = ",";
	}
	buffer_append_text(out, separator[0] == ':' ? ":[]" : "]");
}

static void append_headers(struct buffer *out, const struct capture_record *record, struct format_written *written)
{
	const char *separator = "";
	for (size_t i = 0; i < record->header_count; i++) {
		const struct capture_header *h = &record->headers[i];
		if (!is_writable(h)) {
			written->losses[FORMAT_LOSS_HEADER]++;
		} else if (!came_before(record, i)) {
			buffer_append_text(out, separator);
			append_values(out, record, i);
			separator = ",";
		}
	}
}

static const char *append_target(const struct capture_record *record, struct format_written *written,
                                 struct buffer *out)
{
	LOCAL_BUFFER url = BUFFER_INIT;
	struct capture_text method = format_method(record);
	if (!format_is_utf8(record->target) || !format_is_request(record))
		return "a method or target that HTTP does not allow";
	if (record->header_count > HEADERS_MAX)
		return "more than 1000 headers";
	format_append_url(record, &url);
	buffer_append_text(out, "{\"method\":");
	json_append_string(out, method.text, method.length);
	buffer_append_text(out, ",\"url\":");
	json_append_string(out, buffer_text(&url), url.length);
	buffer_append_text(out, ",\"header\":{");
	append_headers(out, record, written);
	buffer_append_text(out, "},\"body\":\"");
	base64_append(out, record->body.text, record->body.length);
	buffer_append_text(out, "\"}\n");
	out->failed |= url.failed;
	return NULL;
}

const struct format_writer format_vegeta_writer = {
	.begin = "",
	.separator = "",
	.end = "",
	.append = append_target,
	.keeps_no = FORMAT_REQUESTS_ONLY,
};
