#include "capture/format.h"

#include "base/buffer.h"
#include "capture/format_rows.h"
#include "json/beginning.h"

#include <string.h>

#define BYTES_ENOUGH ((size_t)256) /* to recognise a format that is not JSON */

#define CANNOT_READ "; credhook cannot read it"

const struct format capture_formats[] = {
	{ "har", "is a HAR file", NULL, true, format_is_har, NULL, &format_har_reader },
	{ "gor", "is a GoReplay file" CANNOT_READ, NULL, true, NULL, format_is_goreplay, NULL },
	{ "vegeta", "is a file of vegeta targets" CANNOT_READ, NULL, true, format_is_vegeta, NULL, NULL },
	{ "aws", "is a file of AWS events" CANNOT_READ, NULL, true, format_is_aws, NULL, NULL },
	{ "ngrok", "is a file of ngrok requests" CANNOT_READ,
	  "replay them in ngrok to 'credhook listen --capture FILE'", true, format_is_ngrok, NULL, NULL },
	{ "webhook.site", "is a webhook.site export" CANNOT_READ,
	  "let webhook.site forward to 'credhook listen --capture FILE'", true, format_is_webhook_site, NULL, NULL },
	{ "mitmproxy", "is a file of mitmproxy flows" CANNOT_READ,
	  "'mitmdump -n -r FLOWS --set hardump=OUT.har' makes a HAR", true, NULL, format_is_mitmproxy, NULL },
	{ "pcap", "is a packet capture (pcap)" CANNOT_READ,
	  "'gor --input-raw FILE:PORT --input-raw-engine pcap_file --output-file OUT.gor' makes a GoReplay file", true,
	  NULL, format_is_pcap, NULL },
	{ "postman", "is a Postman collection" CANNOT_READ, "send it from Postman to 'credhook listen --capture FILE'",
	  false, format_is_postman, NULL, NULL },
	{ "results", "is a results file, not a capture: use --resume or --failed-only", NULL, true, format_is_results,
	  NULL, NULL },
	{ "json-schema", "is a JSON Schema, not a payload", NULL, false, format_is_schema, NULL, NULL },
	{ "api", "is a description of an API (OpenAPI or AsyncAPI), not a payload", NULL, false, format_is_api, NULL,
	  NULL },
	{ "config", "is a configuration of credhook, not a payload: use --config", NULL, true, format_is_config, NULL,
	  NULL },
	{ "sarif", "is a SARIF report, not a payload", NULL, false, format_is_sarif, NULL, NULL },
	{ "output", "is output of credhook, not a payload", NULL, false, format_is_output, NULL, NULL },
};
const size_t capture_format_count = sizeof capture_formats / sizeof capture_formats[0];

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
	const struct format *found = NULL;
	struct buffer beginning = BUFFER_INIT;
	struct json_doc doc;
	struct json_fault fault;
	json_doc_init(&doc);
	*is_whole_document = json_append_beginning(&beginning, text, length);
	bool is_read = !beginning.failed && json_read(&doc, buffer_text(&beginning), beginning.length, &fault);
	if (!is_read && !beginning.failed && fault.offset > 0) {
		/* A broken file is known by what comes before the defect. */
		length = fault.offset;
		buffer_clear(&beginning);
		json_append_beginning(&beginning, text, length);
		is_read = !beginning.failed && json_read(&doc, buffer_text(&beginning), beginning.length, &fault);
	}
	if (is_read)
		found = format_of_document(&doc);
	json_doc_release(&doc);
	buffer_release(&beginning);
	return found;
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
