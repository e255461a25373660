#include "config/typed_address.h"

#include "base/ascii.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char around[] = "'\"<>";

/* The colon of a port that ends it, behind a path. */
static const char *port_behind(const char *host)
{
	const char *colon = strrchr(host, ':'), *slash = strchr(host, '/');
	bool is_port = colon && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0';
	return is_port && slash && slash < colon && !strpbrk(host, "?#") && strchr(host, ':') == colon ? colon : NULL;
}

bool typed_address_has_port_behind(const char *where)
{
	return !strstr(where, "://") && port_behind(where) != NULL;
}

/* How long the scheme is, with what follows it: http:/ and http// count, too. */
static size_t scheme_length(const char *at, const char **scheme)
{
	static const char *const names[] = { "https", "http" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		size_t length = strlen(names[i]);
		*scheme = names[i];
		if (strncasecmp(at, names[i], length) == 0 && strchr(":/", at[length]) && at[length])
			return length + strspn(at + length, ":/");
	}
	return 0;
}

bool typed_address(const char *where, struct buffer *out)
{
	LOCAL_BUFFER host = BUFFER_INIT;
	const char *scheme, *at = where + strspn(where, around);
	size_t before = scheme_length(at, &scheme), length = strlen(at);
	while (length > before && strchr(around, at[length - 1]))
		length--;
	buffer_append(&host, at + before, length - before);
	const char *text = buffer_text(&host), *port = port_behind(text), *first = strchr(text, ':');
	size_t digits = first ? strspn(first + 1, "0123456789") : 0;
	buffer_printf(out, "%s%s", before > 0 ? scheme : "", before > 0 ? "://" : "");
	if (port) {
		size_t name = strcspn(text, "/");
		buffer_printf(out, "%.*s%s%.*s", (int)name, text, port, (int)(port - text - (ptrdiff_t)name),
		              text + name);
	} else if (digits > 0 && first[1 + digits] == ':' && ascii_is_letter(first[2 + digits])) {
		buffer_printf(out, "%.*s/%s", (int)(first + 1 + digits - text), text, first + 2 + digits);
	} else {
		buffer_append_text(out, text);
	}
	return strcmp(buffer_text(out), where) != 0;
}
