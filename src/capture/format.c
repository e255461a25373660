#include "capture/format.h"

#include "base/text.h"
#include "capture/entry_draft.h"
#include "json/elements.h"

#include <stdio.h>
#include <string.h>

#define BYTES_ENOUGH ((size_t)256) /* to recognise a format that is not JSON */
#define POINTER_SIZE 64

/* A capture of another tool that is not read. */
#define REFUSED(tool, what, ...)                                                                                       \
	{                                                                                                              \
		.name = (tool), .words = what ", a capture of another tool; credhook reads HAR",                       \
		.hint = "export it as HAR, or let its tool send it to 'credhook listen --capture FILE'",               \
		.is_data = true, __VA_ARGS__                                                                           \
	}

/* Whether a member is as the rest of its condition says, see is_as(). */
static bool is_member(const struct json_doc *doc, uint32_t token, const char *sign, size_t length)
{
	if (token == JSON_NONE || length == 0)
		return token != JSON_NONE;
	const struct json_token *t = &doc->tokens[token];
	if (sign[0] == '~')
		return t->type == JSON_STRING &&
		       memmem(doc->text + t->start, t->end - t->start, sign + 1, length - 1) != NULL;
	return t->type == (sign[1] == 's'   ? JSON_STRING
	                   : sign[1] == 'n' ? JSON_NUMBER
	                   : sign[1] == 'a' ? JSON_ARRAY
	                                    : JSON_OBJECT);
}

/* Whether a document, or the first element of an array, is as the signs say: alternatives with | between two, each of
 * conditions with a blank between two. A condition is the JSON Pointer of a member, alone, or with a type (:s string,
 * :n number, :a array, :o object), or with a text that is in the string (~TEXT, escapes not resolved). */
static bool is_as(const struct json_doc *doc, const char *signs)
{
	bool holds = true;
	const char *first = doc->tokens[0].type == JSON_ARRAY ? "/0" : "";
	for (const char *at = signs; *at; at += *at != '\0') {
		char pointer[POINTER_SIZE];
		size_t path = strcspn(at, ":~ |"), length = strcspn(at, " |");
		snprintf(pointer, sizeof pointer, "%s%.*s", first, (int)path, at);
		holds = holds && is_member(doc, json_resolve(doc, pointer), at + path, length - path);
		at += length;
		if (*at != '|')
			continue;
		if (holds)
			return true;
		holds = true;
	}
	return holds;
}

/* Whether a document, or the first element of an array, has members, all of them listed. */
static bool has_only(const struct json_doc *doc, const char *const *keys)
{
	uint32_t object = doc->tokens[0].type == JSON_ARRAY ? json_element(doc, 0, 0) : 0;
	if (object == JSON_NONE || doc->tokens[object].type != JSON_OBJECT || doc->tokens[object].next == object + 1)
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

static const char *append_record(const struct capture_record *record, struct format_written *written,
                                 struct buffer *out)
{
	(void)written;
	capture_record_append(record, out);
	return NULL;
}

static const struct format_writer record_writer = { "", "", "", append_record };

const struct format capture_formats[] = {
	{ .name = FORMAT_RECORD, .words = "is a capture", .is_data = true, .writer = &record_writer },
	{ .name = "har",
	  .words = "is a HAR file",
	  .is_data = true,
	  .signs = "/log/version:s /log/creator:o|/log/entries/0/startedDateTime:s|/log/entries/0/request:o",
	  .reader = &format_har_reader,
	  .writer = &format_har_writer },
	{ .name = "aws",
	  .words = "is a file of AWS events",
	  .is_data = true,
	  .signs = "/httpMethod:s /requestContext:o|/httpMethod:s /isBase64Encoded|/httpMethod:s /multiValueHeaders|"
	           "/rawPath:s /requestContext:o|/rawPath:s /isBase64Encoded|/rawPath:s /multiValueHeaders|"
	           "/Records/0/eventSource~aws:|/Records/0/EventSource~aws:",
	  .reader = &format_aws_reader },
	REFUSED("gor", "is a GoReplay file", .is_bytes = is_goreplay),
	/* a line of `vegeta attack -format json` */
	REFUSED("vegeta", "is a file of vegeta targets", .signs = "/method:s /url~://",
	        .only = (const char *const[]){ "method", "url", "header", "body", NULL }),
	/* the response of http://127.0.0.1:4040/api/requests/http, or one request of it */
	REFUSED("ngrok", "is a file of ngrok requests",
	        .signs = "/uri~/api/requests/http /requests:a|/uri~/api/requests/http /tunnel_name:s"),
	REFUSED("webhook.site", "is a webhook.site export",
	        .signs = "/uuid:s /token_id:s|/data/uuid:s /data/token_id:s|/data/0/uuid:s /data/0/token_id:s"),
	REFUSED("mitmproxy", "is a file of mitmproxy flows", .is_bytes = is_mitmproxy),
	REFUSED("pcap", "is a packet capture (pcap)", .is_bytes = is_pcap),
	REFUSED("postman", "is a Postman collection",
	        .signs = "/info/_postman_id:s|/info/schema~schema.getpostman.com"),
	{ .name = "results",
	  .words = "is a results file, not a capture: use --resume or --failed-only",
	  .is_data = true,
	  .signs = "/input /record:n /attempt:n" },
	{ .name = "json-schema", .words = "is a JSON Schema, not a payload", .signs = "/$schema~json-schema.org" },
	{ .name = "api",
	  .words = "is a description of an API (OpenAPI or AsyncAPI), not a payload",
	  .signs = "/info:o /openapi:s|/info:o /asyncapi:s|/info:o /swagger:s" },
	{ .name = "config",
	  .words = "is a configuration of credhook, not a payload: use --config",
	  .is_data = true,
	  .signs = "",
	  .only = (const char *const[]){ "clientId", "environments", "defaults", NULL } },
	{ .name = "sarif", .words = "is a SARIF report, not a payload", .signs = "/runs:a /version:s" },
	/* of `validate`, `explain` and `config` with --json */
	{ .name = "output",
	  .words = "is output of credhook, not a payload",
	  .signs = "/findings:a /file /valid|/kind:s /topic:s|/environments:a /chosen_by" },
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
		if (capture_formats[i].signs && is_as(doc, capture_formats[i].signs) &&
		    (!capture_formats[i].only || has_only(doc, capture_formats[i].only)))
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

void format_write(const struct format *format, const struct capture_record *record, struct format_written *written,
                  struct buffer *out)
{
	const struct format_writer *writer = format->writer;
	size_t before = out->length;
	const char *why = NULL;
	if (written->records > 0)
		buffer_append_text(out, writer->separator);
	/* An empty body in its place would be sent as one. Only a capture can say that there was another. */
	if (writer != &record_writer && capture_record_is_withheld(record))
		why = "a body that redaction withheld";
	else
		why = writer->append(record, written, out);
	if (why) {
		buffer_consume_end(out, out->length - before);
		written->left_out++;
		written->why = written->why ? written->why : why;
		return;
	}
	written->records++;
	written->undated += record->received_us == 0;
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
	if (written->senders > 0 || written->faults > 0)
		buffer_printf(out, "%s keeps %s%s%s", format->name, written->senders > 0 ? "no sender" : "",
		              written->senders > 0 && written->faults > 0 ? ", " : "",
		              written->faults > 0 ? "no fault" : "");
	append_count(out, written->headers, "header left out", "headers left out");
	append_count(out, written->left_out, "record left out", "records left out");
	if (written->why)
		buffer_printf(out, ": %s", written->why);
	append_count(out, written->undated, "record has no time: 1970-01-01", "records have no time: 1970-01-01");
}
