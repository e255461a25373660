/* How each format is recognised: by a document, or the beginning of one, or by its first bytes. */
#include "capture/format.h"
#include "capture/format_rows.h"

#include <string.h>

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
bool format_is_har(const struct json_doc *doc)
{
	uint32_t log = member(doc, first_of(doc, 0), "log"), entry = json_element(doc, member(doc, log, "entries"), 0);
	return (has(doc, log, "version", JSON_STRING) && has(doc, log, "creator", JSON_OBJECT)) ||
	       has(doc, entry, "startedDateTime", JSON_STRING) || has(doc, entry, "request", JSON_OBJECT);
}

/* A line of `vegeta attack -format json`. */
bool format_is_vegeta(const struct json_doc *doc)
{
	static const char *const keys[] = { "method", "url", "header", "body", NULL };
	uint32_t target = first_of(doc, 0);
	return has_only(doc, target, keys) && has(doc, target, "method", JSON_STRING) &&
	       contains(doc, target, "url", "://");
}

/* Events of API Gateway (both versions), function URLs, load balancers and queues: one, an array, or one per line. */
bool format_is_aws(const struct json_doc *doc)
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
bool format_is_ngrok(const struct json_doc *doc)
{
	return contains(doc, 0, "uri", "/api/requests/http") &&
	       (has(doc, 0, "requests", JSON_ARRAY) || has(doc, 0, "tunnel_name", JSON_STRING));
}

bool format_is_webhook_site(const struct json_doc *doc)
{
	uint32_t data = member(doc, 0, "data"), request = first_of(doc, data != JSON_NONE ? data : 0);
	return has(doc, request, "uuid", JSON_STRING) && has(doc, request, "token_id", JSON_STRING);
}

bool format_is_postman(const struct json_doc *doc)
{
	uint32_t info = member(doc, 0, "info");
	return has(doc, info, "_postman_id", JSON_STRING) || contains(doc, info, "schema", "schema.getpostman.com");
}

/* A line of --results. */
bool format_is_results(const struct json_doc *doc)
{
	return member(doc, 0, "input") != JSON_NONE && has(doc, 0, "record", JSON_NUMBER) &&
	       has(doc, 0, "attempt", JSON_NUMBER);
}

bool format_is_schema(const struct json_doc *doc)
{
	return contains(doc, 0, "$schema", "json-schema.org");
}

bool format_is_api(const struct json_doc *doc)
{
	return has(doc, 0, "info", JSON_OBJECT) &&
	       (has(doc, 0, "openapi", JSON_STRING) || has(doc, 0, "asyncapi", JSON_STRING) ||
	        has(doc, 0, "swagger", JSON_STRING));
}

bool format_is_config(const struct json_doc *doc)
{
	static const char *const keys[] = { "clientId", "environments", "defaults", NULL };
	return has_only(doc, 0, keys);
}

bool format_is_sarif(const struct json_doc *doc)
{
	return has(doc, 0, "runs", JSON_ARRAY) && has(doc, 0, "version", JSON_STRING);
}

/* The output of `validate`, `explain` and `config` with --json. */
bool format_is_output(const struct json_doc *doc)
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
bool format_is_goreplay(const char *bytes, size_t length)
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
bool format_is_mitmproxy(const char *bytes, size_t length)
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
bool format_is_pcap(const char *bytes, size_t length)
{
	static const char magic[][5] = { "\xA1\xB2\xC3\xD4", "\xD4\xC3\xB2\xA1", "\xA1\xB2\x3C\x4D",
		                         "\x4D\x3C\xB2\xA1" };
	for (size_t i = 0; length >= 4 && i < sizeof magic / sizeof magic[0]; i++)
		if (memcmp(bytes, magic[i], 4) == 0)
			return true;
	return length >= 12 && memcmp(bytes, "\x0A\x0D\x0D\x0A", 4) == 0 &&
	       (memcmp(bytes + 8, "\x1A\x2B\x3C\x4D", 4) == 0 || memcmp(bytes + 8, "\x4D\x3C\x2B\x1A", 4) == 0);
}

bool format_is_notification(const struct json_doc *doc, uint32_t token)
{
	return json_member(doc, token, "service", 7) != JSON_NONE || json_member(doc, token, "details", 7) != JSON_NONE;
}

bool format_text_is_notification(const char *text, size_t length)
{
	static const char service[] = "\"service\"", details[] = "\"details\"";
	return memmem(text, length, service, sizeof service - 1) || memmem(text, length, details, sizeof details - 1);
}
