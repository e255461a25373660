#include "http/secrets.h"

#include <string.h>
#include <strings.h>

/* Headers about the format and the sender of a message, and identifiers for logs. */
static const char *const harmless[] = {
	"Accept",
	"Accept-Charset",
	"Accept-Encoding",
	"Accept-Language",
	"Cache-Control",
	"Connection",
	"Content-Encoding",
	"Content-Language",
	"Content-Length",
	"Content-Type",
	"Date",
	"Expect",
	"Host",
	"Keep-Alive",
	"Pragma",
	"Retry-After",
	"Server",
	"TE",
	"Trailer",
	"traceparent",
	"Transfer-Encoding",
	"Upgrade",
	"User-Agent",
	"X-Correlation-Id",
	"X-Request-Id",
};

bool secret_is_header(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
		if (strlen(harmless[i]) == length && strncasecmp(harmless[i], name, length) == 0)
			return false;
	return true;
}

const char *secret_of_header_line(const char *line)
{
	size_t length = strcspn(line, ":;");
	if (line[length] == '\0')
		return line;
	const char *value = line + length + 1 + strspn(line + length + 1, " \t");
	return *value != '\0' && secret_is_header(line, length) ? value : NULL;
}
