#include "capture/format_write.h"

#include "base/text.h"
#include "base/utf8.h"

#include <string.h>

static const char *const loss_names[FORMAT_LOSSES] = {
	[FORMAT_LOSS_SENDER] = "no sender",
	[FORMAT_LOSS_FAULT] = "no fault",
};

void format_write_begin(const struct format *format, struct buffer *out)
{
	buffer_append_text(out, format->writer->begin);
}

void format_write_end(const struct format *format, struct buffer *out)
{
	buffer_append_text(out, format->writer->end);
}

static void count_losses(const struct format_writer *writer, const struct capture_record *record,
                         struct format_written *written)
{
	const bool has[FORMAT_LOSSES] = {
		[FORMAT_LOSS_SENDER] = record->remote.length > 0,
		[FORMAT_LOSS_FAULT] = record->fault.length > 0,
	};
	for (unsigned i = 0; i < FORMAT_LOSSES; i++)
		written->losses[i] += has[i] && (writer->keeps_no & 1u << i) != 0;
	written->undated += writer->needs_time && record->received_us == 0;
}

bool format_is_utf8(struct text text)
{
	return text.length == 0 || utf8_first_invalid(text.text, text.length) == text.length;
}

/* An empty body in its place would be sent as one. Only a capture can say that there was another. */
static const char *refuse_withheld(const struct format_writer *writer, const struct capture_record *record)
{
	bool is_capture = writer == &format_record_writer;
	return !is_capture && capture_record_is_withheld(record) ? "a body that redaction withheld" : NULL;
}

void format_write(const struct format *format, const struct capture_record *record, struct format_written *written,
                  struct buffer *out)
{
	const struct format_writer *writer = format->writer;
	size_t before = out->length;
	if (written->records > 0)
		buffer_append_text(out, writer->separator);
	const char *why = refuse_withheld(writer, record);
	if (!why)
		why = writer->append(record, written, out);
	if (!why) {
		written->records++;
		count_losses(writer, record, written);
		return;
	}
	buffer_consume_end(out, out->length - before);
	written->left_out++;
	if (!format_is_utf8(record->request.body))
		written->not_utf8++;
	else if (!written->why)
		written->why = why;
}

static void append_count(struct buffer *out, uint64_t count, const char *one, const char *many)
{
	char text[COUNT_SIZE];
	if (count > 0)
		buffer_printf(out, "%s%s %s", out->length > 0 ? "; " : "", count_text(count, text),
		              count == 1 ? one : many);
}

void format_append_losses(const struct format *format, const struct format_written *written, struct buffer *out)
{
	LOCAL_BUFFER words = BUFFER_INIT;
	for (size_t i = 0; i < FORMAT_LOSSES; i++)
		if (written->losses[i] > 0 && loss_names[i])
			buffer_printf(&words, "%s%s", words.length > 0 ? ", " : "", loss_names[i]);
	if (words.length > 0)
		buffer_printf(out, "%s keeps %s", format->name, buffer_text(&words));
	append_count(out, written->losses[FORMAT_LOSS_HEADER], "header left out", "headers left out");
	append_count(out, written->not_utf8, "record left out: its body is not UTF-8",
	             "records left out: their bodies are not UTF-8");
	append_count(out, written->left_out - written->not_utf8, "record left out", "records left out");
	if (written->why)
		buffer_printf(out, ": %s", written->why);
	append_count(out, written->undated, "record has no time: 1970-01-01", "records have no time: 1970-01-01");
}

static const char *append_record(const struct capture_record *record, struct format_written *written,
                                 struct buffer *out)
{
	(void)written;
	capture_record_append(record, out);
	return NULL;
}

const struct format_writer format_record_writer = {
	.begin = "",
	.separator = "",
	.end = "",
	.append = append_record,
	.needs_time = true,
};
