#include "capture/format.h"

#include "base/buffer.h"
#include "capture/entry_draft.h"
#include "json/elements.h"

#include <string.h>

#define BYTES_ENOUGH ((size_t)256) /* to recognise a format that is not JSON */

/* A capture of another tool that is not read. */
#define REFUSED(tool, what, by)                                                                                        \
	{                                                                                                              \
		.name = (tool), .words = what ", a capture of another tool; credhook reads HAR",                       \
		.hint = "export it as HAR, or let its tool send it to 'credhook listen --capture FILE'",               \
		.is_data = true, by                                                                                    \
	}

/* How each is recognised: by a document, or the beginning of one, or by its first bytes. */

static uint32_t member(const struct json_doc *doc, uint32_t object, const char *key)
{
	return json_member(doc, object, key, strlen(key));
}

static bool is_type(const struct json_doc *doc, uint32_t token, enum json_token_type type)
{
	return token != JSON_NONE && doc->tokens[token].type == type;
}

static bool has(const struct json_doc *doc, uint32_t object, const char *key, enum json_token_type type)
{
	return is_type(doc, member(doc, object, key), type);
}

/* Whether the member is a string that contains the text, escapes not resolved. */
static bool contains(const struct json_doc *doc, uint32_t object, const char *key, const char *text)
{
	uint32_t token = member(doc, object, key);
	if (!is_type(doc, token, JSON_STRING))
		return false;
	const struct json_token *t = &doc->tokens[token];
	return memmem(doc->text + t->start, t->end - t->start, text, strlen(text)) != NULL;
}

/* Whether the object has members, all of them listed. */
static bool has_only(const struct json_doc *doc, uint32_t object, const char *const *keys)
{
	if (!is_type(doc, object, JSON_OBJECT) || doc->tokens[object].next == object + 1)
		return false;
	for (uint32_t at = object + 1; at < doc->tokens[object].next; at = doc->tokens[at + 1].next) {
		size_t i = 0;
		while (keys[i] && !json_string_is(doc, at, keys[i], strlen(keys[i])))
			i++;
		if (!keys[i])
			return false;
	}
	return true;
}

/* The first element of an array; else the token itself. */
static uint32_t first_of(const struct json_doc *doc, uint32_t token)
{
	return is_type(doc, token, JSON_ARRAY) ? json_element(doc, token, 0) : token;
}

/* HAR 1.2, or an array of those. */
static bool is_har(const struct json_doc *doc)
{
	uint32_t log = member(doc, first_of(doc, 0), "log"), entry = json_element(doc, member(doc, log, "entries"), 0);
	return (has(doc, log, "version", JSON_STRING) && has(doc, log, "creator", JSON_OBJECT)) ||
	       has(doc, entry, "startedDateTime", JSON_STRING) || has(doc, entry, "request", JSON_OBJECT);
}

/* A line of `vegeta attack -format json`. */
static bool is_vegeta(const struct json_doc *doc)
{
	static const char *const keys[] = { "method", "url", "header", "body", NULL };
	uint32_t target = first_of(doc, 0);
	return has_only(doc, target, keys) && has(doc, target, "method", JSON_STRING) &&
	       contains(doc, target, "url", "://");
}

/* Events of API Gateway (both versions), function URLs, load balancers and queues: one, an array, or one per line. */
static bool is_aws(const struct json_doc *doc)
{
	uint32_t event = first_of(doc, 0), record = json_element(doc, member(doc, event, "Records"), 0);
	bool of_gateway = has(doc, event, "requestContext", JSON_OBJECT) ||
	                  member(doc, event, "isBase64Encoded") != JSON_NONE ||
	                  member(doc, event, "multiValueHeaders") != JSON_NONE;
	return ((has(doc, event, "httpMethod", JSON_STRING) || has(doc, event, "rawPath", JSON_STRING)) &&
	        of_gateway) ||
	       contains(doc, record, "eventSource", "aws:") || contains(doc, record, "EventSource", "aws:");
}

/* The response of http://127.0.0.1:4040/api/requests/http, or one request of it. */
static bool is_ngrok(const struct json_doc *doc)
{
	return contains(doc, 0, "uri", "/api/requests/http") &&
	       (has(doc, 0, "requests", JSON_ARRAY) || has(doc, 0, "tunnel_name", JSON_STRING));
}

static bool is_webhook_site(const struct json_doc *doc)
{
	uint32_t data = member(doc, 0, "data"), request = first_of(doc, data != JSON_NONE ? data : 0);
	return has(doc, request, "uuid", JSON_STRING) && has(doc, request, "token_id", JSON_STRING);
}

static bool is_postman(const struct json_doc *doc)
{
	uint32_t info = member(doc, 0, "info");
	return has(doc, info, "_postman_id", JSON_STRING) || contains(doc, info, "schema", "schema.getpostman.com");
}

/* A line of --results. */
static bool is_results(const struct json_doc *doc)
{
	return member(doc, 0, "input") != JSON_NONE && has(doc, 0, "record", JSON_NUMBER) &&
	       has(doc, 0, "attempt", JSON_NUMBER);
}

static bool is_schema(const struct json_doc *doc)
{
	return contains(doc, 0, "$schema", "json-schema.org");
}

static bool is_api(const struct json_doc *doc)
{
	return has(doc, 0, "info", JSON_OBJECT) &&
	       (has(doc, 0, "openapi", JSON_STRING) || has(doc, 0, "asyncapi", JSON_STRING) ||
	        has(doc, 0, "swagger", JSON_STRING));
}

static bool is_config(const struct json_doc *doc)
{
	static const char *const keys[] = { "clientId", "environments", "defaults", NULL };
	return has_only(doc, 0, keys);
}

static bool is_sarif(const struct json_doc *doc)
{
	return has(doc, 0, "runs", JSON_ARRAY) && has(doc, 0, "version", JSON_STRING);
}

/* The output of `validate`, `explain` and `config` with --json. */
static bool is_output(const struct json_doc *doc)
{
	bool of_validate = has(doc, 0, "findings", JSON_ARRAY) && member(doc, 0, "file") != JSON_NONE &&
	                   member(doc, 0, "valid") != JSON_NONE;
	bool of_explain = has(doc, 0, "kind", JSON_STRING) && has(doc, 0, "topic", JSON_STRING);
	bool of_config = has(doc, 0, "environments", JSON_ARRAY) && member(doc, 0, "chosen_by") != JSON_NONE;
	return of_validate || of_explain || of_config;
}

static size_t span(const char *bytes, size_t length, const char *set)
{
	size_t at = 0;
	while (at < length && bytes[at] != '\0' && strchr(set, bytes[at]))
		at++;
	return at;
}

/* The line before each message: TYPE ID NANOSECONDS[ LATENCY]. */
static bool is_goreplay(const char *bytes, size_t length)
{
	if (length < 2 || bytes[0] < '1' || bytes[0] > '3' || bytes[1] != ' ')
		return false;
	size_t id = span(bytes + 2, length - 2, "0123456789abcdef"), at = 2 + id;
	if (id < 16 || at == length || bytes[at] != ' ')
		return false;
	size_t time = span(bytes + at + 1, length - at - 1, "0123456789");
	at += 1 + time;
	at += span(bytes + at, length - at, " -0123456789\r");
	return time > 0 && at < length && bytes[at] == '\n';
}

/* Flows are dictionaries as tnetstrings: LENGTH:LENGTH:KEY;... */
static bool is_mitmproxy(const char *bytes, size_t length)
{
	size_t digits = span(bytes, length, "0123456789"), at = digits + 1, key = 0;
	if (digits == 0 || digits > 12 || digits == length || bytes[digits] != ':')
		return false;
	for (; at < length && key < 100 && bytes[at] >= '0' && bytes[at] <= '9'; at++)
		key = key * 10 + (size_t)(bytes[at] - '0');
	if (key == 0 || at == length || bytes[at] != ':' || length - at - 1 <= key)
		return false;
	return span(bytes + at + 1, key, "abcdefghijklmnopqrstuvwxyz_") == key &&
	       (bytes[at + 1 + key] == ';' || bytes[at + 1 + key] == ',');
}

/* pcap of micro- and nanoseconds, and pcapng, each in both byte orders. */
static bool is_pcap(const char *bytes, size_t length)
{
	static const char magic[][5] = { "\xA1\xB2\xC3\xD4", "\xD4\xC3\xB2\xA1", "\xA1\xB2\x3C\x4D",
		                         "\x4D\x3C\xB2\xA1" };
	for (size_t i = 0; length >= 4 && i < sizeof magic / sizeof magic[0]; i++)
		if (memcmp(bytes, magic[i], 4) == 0)
			return true;
	return length >= 12 && memcmp(bytes, "\x0A\x0D\x0D\x0A", 4) == 0 &&
	       (memcmp(bytes + 8, "\x1A\x2B\x3C\x4D", 4) == 0 || memcmp(bytes + 8, "\x4D\x3C\x2B\x1A", 4) == 0);
}

const struct format capture_formats[] = {
	{ .name = FORMAT_RECORD, .words = "is a capture", .is_data = true, .writer = &format_record_writer },
	{ .name = "har",
	  .words = "is a HAR file",
	  .is_data = true,
	  .is_document = is_har,
	  .reader = &format_har_reader,
	  .writer = &format_har_writer },
	{ .name = "aws",
	  .words = "is a file of AWS events",
	  .is_data = true,
	  .is_document = is_aws,
	  .reader = &format_aws_reader },
	REFUSED("gor", "is a GoReplay file", .is_bytes = is_goreplay),
	REFUSED("vegeta", "is a file of vegeta targets", .is_document = is_vegeta),
	REFUSED("ngrok", "is a file of ngrok requests", .is_document = is_ngrok),
	REFUSED("webhook.site", "is a webhook.site export", .is_document = is_webhook_site),
	REFUSED("mitmproxy", "is a file of mitmproxy flows", .is_bytes = is_mitmproxy),
	REFUSED("pcap", "is a packet capture (pcap)", .is_bytes = is_pcap),
	REFUSED("postman", "is a Postman collection", .is_document = is_postman),
	{ .name = "results",
	  .words = "is a results file, not a capture: use --resume or --failed-only",
	  .is_data = true,
	  .is_document = is_results },
	{ .name = "json-schema", .words = "is a JSON Schema, not a payload", .is_document = is_schema },
	{ .name = "api",
	  .words = "is a description of an API (OpenAPI or AsyncAPI), not a payload",
	  .is_document = is_api },
	{ .name = "config",
	  .words = "is a configuration of credhook, not a payload: use --config",
	  .is_data = true,
	  .is_document = is_config },
	{ .name = "sarif", .words = "is a SARIF report, not a payload", .is_document = is_sarif },
	{ .name = "output", .words = "is output of credhook, not a payload", .is_document = is_output },
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
	if (entry_is_notification(doc, first))
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
