#include "config/address.h"

#include "config/idn.h"

#include <string.h>

/* What follows the scheme, :// and further slashes: libcurl reads http:///me:secret@host as if it had two. NULL: there
 * is no scheme, or no :// behind it. */
static const char *after_scheme(const char *url)
{
	size_t scheme = strspn(url, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
	if (scheme == 0 || strncmp(url + scheme, "://", 3) != 0)
		return NULL;
	return url + scheme + 1 + strspn(url + scheme + 1, "/");
}

/* The values of a query, and a fragment, which may be nothing but a token. */
static void append_masked_values(struct buffer *out, const char *part)
{
	while (*part && *part != '#') {
		if (*part == '?' || *part == '&')
			buffer_append_byte(out, *part++);
		size_t name = strcspn(part, "=&#");
		buffer_append(out, part, name);
		part += name;
		if (*part == '=') {
			buffer_append_text(out, "=***");
			part += strcspn(part, "&#");
		}
	}
	if (*part)
		buffer_append_text(out, part[1] ? "#***" : "#");
}

/* The password ends at the last '@' of the `length` bytes from `authority` on. */
static void append_masked(struct buffer *out, const char *url, const char *authority, size_t length)
{
	const char *at = memrchr(authority, '@', length), *rest = at ? at : authority;
	buffer_append(out, url, (size_t)(authority - url));
	if (at) {
		size_t user = strcspn(authority, ":@/?#"); /* without a password the user is likely to be a token */
		if (authority[user] == ':')
			buffer_append(out, authority, user + 1);
		buffer_append_text(out, "***");
	}
	bool in_query = at && memchr(authority, '?', (size_t)(at - authority));
	const char *query = in_query ? rest : rest + strcspn(rest, "?#");
	buffer_append(out, rest, (size_t)(query - rest));
	append_masked_values(out, query);
}

void address_append_masked_unread(struct buffer *out, const char *text)
{
	const char *authority = after_scheme(text);
	if (!authority)
		authority = text;
	append_masked(out, text, authority, strlen(authority));
}

void address_append_masked(struct buffer *out, const char *url)
{
	const char *authority = after_scheme(url);
	if (authority)
		append_masked(out, url, authority, strcspn(authority, "/?#"));
	else
		address_append_masked_unread(out, url);
}

bool address_is_secret(const char *url)
{
	struct buffer masked = BUFFER_INIT;
	address_append_masked(&masked, url);
	bool is_secret = strcmp(buffer_text(&masked), url) != 0;
	buffer_release(&masked);
	return is_secret;
}

void address_append_masked_reference(struct buffer *out, const char *reference)
{
	size_t slashes = strspn(reference, "/");
	const char *begin = reference + slashes;
	if (slashes == 0)
		address_append_masked(out, reference);
	else
		append_masked(out, reference, begin, slashes > 1 ? strcspn(begin, "/?#") : 0);
}

static int refuse_url(const char *url, const char *why, struct error *err)
{
	struct buffer masked = BUFFER_INIT;
	address_append_masked_unread(&masked, url);
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a URL that credhook can send to: %s", buffer_text(&masked), why);
	buffer_release(&masked);
	return error_hint(err,
	                  "write http://HOST:PORT/PATH or https://..., localhost:3000/hook, :3000, or an environment's "
	                  "name");
}

int address_of_url(const char *text, struct address *address, struct error *err)
{
	struct url url;
	const char *why = url_parse(text, &url);
	bool secure = strcmp(url.scheme, "https") == 0;
	if (url.scheme[0] && !secure && strcmp(url.scheme, "http") != 0)
		why = "the scheme is neither http nor https";
	if (!why)
		why = host_to_ascii(&url.host);
	if (why)
		return refuse_url(text, why, err);
	address->host = url.host;
	address->port = url.port > 0 ? url.port : secure ? 443 : 80;
	memcpy(address->scheme, url.scheme, sizeof address->scheme);
	return 0;
}

static bool is_web_port(unsigned port)
{
	return port == 80 || port == 443;
}

bool address_same_place(const struct address *a, const struct address *b)
{
	bool same_port = a->port == b->port || (is_web_port(a->port) && is_web_port(b->port));
	return same_port && host_is_same(&a->host, &b->host);
}
