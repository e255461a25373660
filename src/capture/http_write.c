/*
 * Records as requests of a .http file, which editors send: all to {{target}}, with the path of the first of them.
 *
 * Editors read more into such a file than HTTP has: lines that begin with ### part requests, `<` includes a file, `>`
 * runs a script, {{ }} is a variable. What would be read so is left out.
 */
#include "base/hash.h"
#include "capture/format_rows.h"
#include "http/syntax.h"

/* What belongs to a connection or is made by the editor. */
static bool is_of_connection(struct capture_text name)
{
	static const char *const names[] = { "Host",   "Content-Length", "Transfer-Encoding", "Connection",
		                             "Expect", "Keep-Alive",     "Accept-Encoding" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (http_is_word(name.text, name.length, names[i]))
			return true;
	return false;
}

static bool has_variable(struct capture_text text)
{
	return text.length > 1 && memmem(text.text, text.length, "{{", 2) != NULL;
}

static bool is_plain_line(const char *line, size_t length)
{
	static const char special[] = "#<>@";
	return length == 0 || (!strchr(special, line[0]) && !(length > 1 && line[0] == '/' && line[1] == '/'));
}

/* Why the body cannot be held; NULL: it can. */
static const char *refuse_body(struct capture_text body)
{
	if (!format_is_utf8(body))
		return "a body that is not UTF-8";
	if (has_variable(body))
		return "a body with {{, which editors replace";
	const char *end = body.text + body.length;
	for (const char *at = body.text; at && at < end;) {
		const char *lf = memchr(at, '\n', (size_t)(end - at)), *stop = lf ? lf : end;
		if (!is_plain_line(at, (size_t)(stop - at)))
			return "a body with a line that editors do not send";
		at = stop + 1;
	}
	for (const char *at = body.text; at && at < end; at++)
		if ((unsigned char)*at < ' ' && *at != '\n' && *at != '\t')
			return "a body with control characters";
	if (body.length > 0 && (strchr(" \t\n", body.text[0]) || strchr(" \t\n", end[-1])))
		return "a body that begins or ends with white space";
	return NULL;
}

static void append_headers(struct buffer *out, const struct capture_record *record, struct format_written *written)
{
	for (size_t i = 0; i < record->header_count; i++) {
		const struct capture_header *h = &record->headers[i];
		if (is_of_connection(h->name))
			continue;
		if (!http_is_token(h->name.text, h->name.length) || !is_plain_line(h->name.text, h->name.length) ||
		    !format_is_line(h->value) || !format_is_utf8(h->value) || has_variable(h->value)) {
			written->losses[FORMAT_LOSS_HEADER]++;
			continue;
		}
		buffer_append(out, h->name.text, h->name.length);
		buffer_append_text(out, ": ");
		buffer_append(out, h->value.text, h->value.length);
		buffer_append_byte(out, '\n');
	}
}

static const char *append_request(const struct capture_record *record, struct format_written *written,
                                  struct buffer *out)
{
	struct capture_text target = format_target(record);
	const char *why = refuse_body(record->body);
	if (why)
		return why;
	if (!format_is_request(record) || !format_is_utf8(target) || has_variable(target) || target.text[0] != '/' ||
	    !http_is_word(format_method(record).text, format_method(record).length, "POST"))
		return "a method or target that is not a notification's";
	if (written->records == 0) {
		buffer_append_text(out, "@target = http://127.0.0.1:8080");
		buffer_append(out, target.text, target.length);
		buffer_append_byte(out, '\n');
		written->target_hash = hash_bytes(target.text, target.length);
	}
	written->losses[FORMAT_LOSS_TARGET] += hash_bytes(target.text, target.length) != written->target_hash;
	buffer_append_text(out, "\n### ");
	buffer_append_number(out, written->records + 1);
	if (record->event.length > 0 && format_is_line(record->event) && format_is_utf8(record->event)) {
		buffer_append_byte(out, ' ');
		buffer_append(out, record->event.text, record->event.length);
	}
	buffer_append_text(out, "\nPOST {{target}}\n");
	append_headers(out, record, written);
	buffer_append_byte(out, '\n');
	buffer_append(out, record->body.text, record->body.length);
	buffer_append_byte(out, '\n');
	return NULL;
}

const struct format_writer format_http_writer = {
	.begin = "",
	.separator = "",
	.end = "",
	.append = append_request,
	.keeps_no = FORMAT_REQUESTS_ONLY,
};
