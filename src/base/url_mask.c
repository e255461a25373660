#include "base/url_mask.h"

#include "base/url.h"

#include <string.h>

#define SCHEME_BYTES "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."

/* What follows SCHEME:// and any further slashes (libcurl reads http:///me:secret@host as if it had two); NULL when
 * the URL does not begin with SCHEME://. */
static const char *after_scheme(const char *url)
{
	size_t scheme = strspn(url, SCHEME_BYTES);
	if (scheme == 0 || strncmp(url + scheme, "://", 3) != 0)
		return NULL;
	return url + scheme + 1 + strspn(url + scheme + 1, "/");
}

/* Masks the values of a query and the fragment. A part of the query without '=' may be a token. */
static void append_masked_values(struct buffer *out, const char *part)
{
	while (*part && *part != '#') {
		if (*part == '?' || *part == '&')
			buffer_append_byte(out, *part++);
		size_t name = strcspn(part, "=&#"), whole = strcspn(part, "&#");
		if (name < whole)
			buffer_append(out, part, name + 1);
		if (whole > 0)
			buffer_append_text(out, "***");
		part += whole;
	}
	if (*part)
		buffer_append_text(out, part[1] ? "#***" : "#");
}

/* The password ends at the last '@' of the `length` bytes at `authority`. */
static void append_masked(struct buffer *out, const char *url, const char *authority, size_t length)
{
	const char *at = memrchr(authority, '@', length), *rest = at ? at : authority;
	buffer_append(out, url, (size_t)(authority - url));
	if (at) {
		size_t user = strcspn(authority, ":@/?#");
		if (authority[user] == ':')
			buffer_append(out, authority, user + 1);
		buffer_append_text(out, "***");
	}
	bool in_query = at && memchr(authority, '?', (size_t)(at - authority));
	const char *query = rest + strcspn(rest, in_query ? "?&=#" : "?#");
	buffer_append(out, rest, (size_t)(query - rest));
	append_masked_values(out, query);
}

void url_append_masked_unparsed(struct buffer *out, const char *text)
{
	const char *authority = after_scheme(text);
	if (!authority)
		authority = text;
	append_masked(out, text, authority, strlen(authority));
}

void url_append_masked(struct buffer *out, const char *url)
{
	const char *authority = after_scheme(url);
	if (authority)
		append_masked(out, url, authority, strcspn(authority, "/?#"));
	else
		url_append_masked_unparsed(out, url);
}

bool url_is_secret(const char *url)
{
	LOCAL_BUFFER masked = BUFFER_INIT;
	url_append_masked(&masked, url);
	return strcmp(buffer_text(&masked), url) != 0;
}

void url_append_masked_reference(struct buffer *out, const char *reference)
{
	size_t slashes = strspn(reference, "/");
	const char *begin = reference + slashes;
	if (slashes == 0)
		url_append_masked(out, reference);
	else
		append_masked(out, reference, begin, slashes > 1 ? strcspn(begin, "/?#") : 0);
}

void url_append_masked_text(struct buffer *out, const char *text, size_t length)
{
	const char *colon = memmem(text, length, "://", 3), *begin = colon;
	while (begin && begin > text && strchr(SCHEME_BYTES, begin[-1]))
		begin--;
	if (!begin) {
		buffer_append(out, text, length);
		return;
	}
	LOCAL_BUFFER url = BUFFER_INIT;
	struct url parts;
	buffer_append(out, text, (size_t)(begin - text));
	buffer_append(&url, begin, length - (size_t)(begin - text));
	if (!url.failed && url_parse(url.data, &parts) == NULL)
		url_append_masked(out, url.data);
	else
		url_append_masked_unparsed(out, buffer_text(&url));
	out->failed |= url.failed;
}
