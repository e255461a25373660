#include "capture/format.h"

#include "base/buffer.h"
#include "capture/format_rows.h"
#include "json/beginning.h"

#include <string.h>

#define BYTES_ENOUGH ((size_t)256) /* to recognise a format that is not JSON */

/* What is said of each capture that is not read. */
#define CANNOT_READ ", a capture of another tool; credhook reads HAR"
#define AS_HAR      "export it as HAR, or let its tool send it to 'credhook listen --capture FILE'"

const struct format capture_formats[] = {
	{ .name = FORMAT_RECORD, .words = "is a capture", .is_data = true, .writer = &format_record_writer },
	{ .name = "har",
	  .words = "is a HAR file",
	  .is_data = true,
	  .is_document = format_is_har,
	  .reader = &format_har_reader,
	  .writer = &format_har_writer },
	{ .name = "aws",
	  .words = "is a file of AWS events",
	  .is_data = true,
	  .is_document = format_is_aws,
	  .reader = &format_aws_reader },
	{ .name = "gor",
	  .words = "is a GoReplay file" CANNOT_READ,
	  .hint = AS_HAR,
	  .is_data = true,
	  .is_bytes = format_is_goreplay },
	{ .name = "vegeta",
	  .words = "is a file of vegeta targets" CANNOT_READ,
	  .hint = AS_HAR,
	  .is_data = true,
	  .is_document = format_is_vegeta },
	{ .name = "ngrok",
	  .words = "is a file of ngrok requests" CANNOT_READ,
	  .hint = AS_HAR,
	  .is_data = true,
	  .is_document = format_is_ngrok },
	{ .name = "webhook.site",
	  .words = "is a webhook.site export" CANNOT_READ,
	  .hint = AS_HAR,
	  .is_data = true,
	  .is_document = format_is_webhook_site },
	{ .name = "mitmproxy",
	  .words = "is a file of mitmproxy flows" CANNOT_READ,
	  .hint = AS_HAR,
	  .is_data = true,
	  .is_bytes = format_is_mitmproxy },
	{ .name = "pcap",
	  .words = "is a packet capture (pcap)" CANNOT_READ,
	  .hint = AS_HAR,
	  .is_data = true,
	  .is_bytes = format_is_pcap },
	{ .name = "postman",
	  .words = "is a Postman collection" CANNOT_READ,
	  .hint = AS_HAR,
	  .is_document = format_is_postman },
	{ .name = "results",
	  .words = "is a results file, not a capture: use --resume or --failed-only",
	  .is_data = true,
	  .is_document = format_is_results },
	{ .name = "json-schema", .words = "is a JSON Schema, not a payload", .is_document = format_is_schema },
	{ .name = "api",
	  .words = "is a description of an API (OpenAPI or AsyncAPI), not a payload",
	  .is_document = format_is_api },
	{ .name = "config",
	  .words = "is a configuration of credhook, not a payload: use --config",
	  .is_data = true,
	  .is_document = format_is_config },
	{ .name = "sarif", .words = "is a SARIF report, not a payload", .is_document = format_is_sarif },
	{ .name = "output", .words = "is output of credhook, not a payload", .is_document = format_is_output },
};
const size_t capture_format_count = sizeof capture_formats / sizeof capture_formats[0];

const struct format *format_named(const char *name)
{
	for (size_t i = 0; i < capture_format_count; i++)
		if (strcmp(capture_formats[i].name, name) == 0)
			return &capture_formats[i];
	return NULL;
}

const struct format *format_of_document(const struct json_doc *doc)
{
	if (doc->count == 0)
		return NULL;
	uint32_t first = doc->tokens[0].type == JSON_ARRAY ? json_element(doc, 0, 0) : 0;
	if (format_is_notification(doc, first))
		return NULL;
	for (size_t i = 0; i < capture_format_count; i++)
		if (capture_formats[i].is_document && capture_formats[i].is_document(doc))
			return &capture_formats[i];
	return NULL;
}

static const struct format *of_bytes(const char *bytes, size_t length)
{
	for (size_t i = 0; i < capture_format_count; i++)
		if (capture_formats[i].is_bytes && capture_formats[i].is_bytes(bytes, length))
			return &capture_formats[i];
	return NULL;
}

/* For a text that begins with { or [. */
static const struct format *of_json(const char *text, size_t length, bool *is_whole_document)
{
	LOCAL_BUFFER beginning = BUFFER_INIT;
	LOCAL(json_doc_release) struct json_doc doc = JSON_DOC_INIT;
	struct json_fault fault;
	*is_whole_document = json_append_beginning(&beginning, text, length);
	bool is_read = !beginning.failed && json_read(&doc, buffer_text(&beginning), beginning.length, &fault);
	if (!is_read && !beginning.failed && fault.offset > 0) {
		/* A broken file is known by what comes before the defect. */
		length = fault.offset;
		buffer_clear(&beginning);
		json_append_beginning(&beginning, text, length);
		is_read = !beginning.failed && json_read(&doc, buffer_text(&beginning), beginning.length, &fault);
	}
	return is_read ? format_of_document(&doc) : NULL;
}

const struct format *format_of_beginning(const char *bytes, size_t length, bool whole, bool *more)
{
	const char *text = bytes;
	if (length > FORMAT_LOOK_MAX)
		length = FORMAT_LOOK_MAX;
	const char *end = bytes + length;
	bool is_whole_document = false, is_last = whole || length == FORMAT_LOOK_MAX;
	*more = false;
	const struct format *found = of_bytes(bytes, length);
	if (found)
		return found;
	if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
		text += 3;
	while (text < end && (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\n'))
		text++;
	if (text < end && (*text == '{' || *text == '[')) {
		/* Wait for the whole document: a later key may show that it is a payload. */
		found = of_json(text, (size_t)(end - text), &is_whole_document);
		*more = !is_whole_document && !is_last;
	} else {
		*more = !is_last && (text == end || length < BYTES_ENOUGH);
	}
	return *more ? NULL : found;
}

enum source_result format_look(struct source *source, const struct format **found, struct error *err)
{
	size_t wanted = 1;
	bool more = true;
	*found = NULL;
	while (more) {
		const char *text;
		size_t length;
		bool whole;
		enum source_result got = source_peek(source, wanted, &text, &length, &whole, err);
		if (got != SOURCE_ITEM)
			return got;
		*found = format_of_beginning(text, length, whole, &more);
		wanted = length + 1;
	}
	return SOURCE_ITEM;
}

int format_refuse(const struct format *format, const char *path, struct error *err)
{
	if (strcmp(path, "-") == 0)
		error_set(err, EXIT_CODE_IO, "standard input %s", format->words);
	else
		error_set(err, EXIT_CODE_IO, "'%s' %s", path, format->words);
	return format->hint ? error_hint(err, "%s", format->hint) : -1;
}
