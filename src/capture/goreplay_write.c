/* Records as GoReplay writes them: the request, and if it is known its response, which has the same ID. */
#include "capture/format_rows.h"
#include "capture/goreplay.h"
#include "http/status.h"
#include "http/syntax.h"

#include <inttypes.h>

static void append_line(struct buffer *out, char type, const struct capture_record *record, uint64_t number)
{
	buffer_printf(out, "%c %024" PRIx64 " %" PRIu64 "000 0\n", type, number,
	              record->received_us > 0 ? (uint64_t)record->received_us : 0);
}

static bool is_framing(const struct capture_header *h)
{
	return http_is_word(h->name.text, h->name.length, "Content-Length") ||
	       http_is_word(h->name.text, h->name.length, "Transfer-Encoding");
}

/* The headers as they are, but for those that frame the body, which was decoded. */
static void append_headers(struct buffer *out, const struct capture_record *record, struct format_written *written)
{
	for (size_t i = 0; i < record->header_count; i++) {
		const struct capture_header *h = &record->headers[i];
		if (is_framing(h))
			continue;
		if (!http_is_token(h->name.text, h->name.length) || !format_is_line(h->value)) {
			written->losses[FORMAT_LOSS_HEADER]++;
			continue;
		}
		buffer_append(out, h->name.text, h->name.length);
		buffer_append_text(out, ": ");
		buffer_append(out, h->value.text, h->value.length);
		buffer_append_text(out, "\r\n");
	}
	buffer_printf(out, "Content-Length: %zu\r\n\r\n", record->body.length);
}

static const char *append_messages(const struct capture_record *record, struct format_written *written,
                                   struct buffer *out)
{
	struct capture_text method = format_method(record), target = format_target(record);
	uint64_t number = written->records + 1;
	if (!format_is_request(record))
		return "a method or target that HTTP does not allow";
	if (record->received_us >= INT64_MAX / 1000)
		return "a time beyond those of GoReplay";
	append_line(out, '1', record, number);
	buffer_append(out, method.text, method.length);
	buffer_append_byte(out, ' ');
	buffer_append(out, target.text, target.length);
	buffer_append_text(out, " HTTP/1.1\r\n");
	append_headers(out, record, written);
	buffer_append(out, record->body.text, record->body.length);
	buffer_append_text(out, GOREPLAY_SEPARATOR);
	if (record->status == 0)
		return NULL;
	append_line(out, '2', record, number);
	buffer_printf(out, "HTTP/1.1 %d %s\r\nContent-Length: 0\r\n\r\n", record->status,
	              http_status_phrase(record->status));
	buffer_append_text(out, GOREPLAY_SEPARATOR);
	return NULL;
}

const struct format_writer format_goreplay_writer = {
	.begin = "",
	.separator = "",
	.end = "",
	.append = append_messages,
	.keeps_no = 1u << FORMAT_LOSS_SENDER | 1u << FORMAT_LOSS_FAULT,
	.needs_time = true,
};
