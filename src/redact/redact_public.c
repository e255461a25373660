#include "redact/redact_public.h"

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
static const char *const *const words[REDACT_KINDS] = {
	[REDACT_METHODS] = methods,
	[REDACT_HEADERS] = headers,
	[REDACT_VALUES] = values,
};

bool redact_is_public(enum redact_words_kind kind, const char *text, size_t length)
{
	for (const char *const *word = words[kind]; *word; word++)
		if (strlen(*word) == length && strncasecmp(*word, text, length) == 0)
			return true;
	return false;
}
