#include "redact/redact_public.h"

#include "catalog/catalog.h"

#include <string.h>
#include <strings.h>

static const char *const methods[] = { "POST", "GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", NULL };
static const char *const headers[] = {
	"Accept",
	"Accept-Encoding",
	"Accept-Language",
	"Authorization",
	"Cache-Control",
	"Connection",
	"Content-Encoding",
	"Content-Length",
	"Content-Type",
	"Cookie",
	"Date",
	"Expect",
	"Forwarded",
	"Host",
	"Idempotency-Key",
	"Keep-Alive",
	"Origin",
	"Pragma",
	"Proxy-Authorization",
	"Referer",
	"TE",
	"traceparent",
	"tracestate",
	"Trailer",
	"Transfer-Encoding",
	"Upgrade",
	"User-Agent",
	"Via",
	"X-Api-Key",
	"X-Correlation-Id",
	"X-Forwarded-For",
	"X-Forwarded-Host",
	"X-Forwarded-Port",
	"X-Forwarded-Proto",
	"X-Real-Ip",
	"X-Request-Id",
	NULL,
};
static const char *const values[] = {
	"*/*",        "application/json",
	"text/plain", "charset",
	"utf-8",      "gzip",
	"deflate",    "br",
	"zstd",       "identity",
	"chunked",    "close",
	"keep-alive", "no-cache",
	"no-store",   "100-continue",
	"http",       "https",
	"q",          "0.5",
	"0.8",        "0.9",
	"trailers",   NULL,
};
static const char *const members[] = {
	"received_at",
	"remote",
	"method",
	"target",
	"headers",
	"body_base64",
	"redacted",
	"withheld",
	"not-json",
	"not-utf8",
	"not-proven",
	"response",
	"application/json; charset=utf-8",
	"transfer-encoding: chunked",
	NULL,
};
static const char *const *const words[REDACT_KINDS] = {
	[REDACT_METHODS] = methods,
	[REDACT_HEADERS] = headers,
	[REDACT_VALUES] = values,
	[REDACT_MEMBERS] = members,
};

bool redact_is_public(enum redact_words_kind kind, const char *text, size_t length)
{
	for (const char *const *word = words[kind]; *word; word++)
		if (strlen(*word) == length && strncasecmp(*word, text, length) == 0)
			return true;
	return false;
}

bool redact_is_part(const char *word, const char *text, size_t length)
{
	size_t all = word ? strlen(word) : 0;
	for (size_t i = 0; length > 0 && i + length <= all; i++)
		if (strncasecmp(word + i, text, length) == 0)
			return true;
	return false;
}

static bool is_in_catalogue(const char *text, size_t length)
{
	for (size_t i = 0; i < catalog_event_count; i++) {
		const struct catalog_event *e = &catalog_events[i];
		if (redact_is_part(e->name, text, length) || redact_is_part(e->path, text, length) ||
		    redact_is_part(e->service, text, length))
			return true;
	}
	for (size_t i = 0; i < catalog_field_count; i++)
		if (redact_is_part(catalog_fields[i]->name, text, length) ||
		    redact_is_part(catalog_fields[i]->example, text, length))
			return true;
	for (size_t i = 0; i < catalog_envelope_count; i++)
		if (redact_is_part(catalog_envelope[i]->name, text, length))
			return true;
	for (size_t i = 0; i < catalog_element_count; i++)
		if (redact_is_part(catalog_elements[i].path, text, length))
			return true;
	for (size_t i = 0; i < catalog_dispute_status_count; i++)
		if (redact_is_part(catalog_dispute_statuses[i].name, text, length))
			return true;
	return false;
}

bool redact_is_common(const char *text, size_t length)
{
	for (int kind = 0; kind < REDACT_KINDS; kind++)
		for (const char *const *word = words[kind]; *word; word++)
			if (redact_is_part(*word, text, length))
				return true;
	return is_in_catalogue(text, length);
}
