#include "config/address.h"

#include "base/nearest.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_this_machine(const char *host)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "::1", "0.0.0.0", "::" };
	static const char below[] = ".localhost"; /* RFC 6761; libcurl resolves these itself */
	size_t length = strlen(host);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(host, names[i]) == 0)
			return true;
	return length >= strlen(below) && strcmp(host + length - strlen(below), below) == 0;
}

/* One spelling per host: addresses as inet_ntop() writes them, an IPv4-mapped one as IPv4, names in lower case, and
 * 127.0.0.1 for all that connects to this machine's loopback. */
static void normalise_host(const char *host, char out[ADDRESS_HOST_SIZE])
{
	size_t length = strlen(host);
	char plain[ADDRESS_HOST_SIZE];
	if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
		host++;
		length -= 2;
	}
	snprintf(plain, sizeof plain, "%.*s", (int)(length < sizeof plain ? length : sizeof plain - 1), host);
	length = strlen(plain);
	while (length > 1 && plain[length - 1] == '.')
		plain[--length] = '\0';
	for (size_t i = 0; i < length; i++)
		if (plain[i] >= 'A' && plain[i] <= 'Z')
			plain[i] = (char)(plain[i] - 'A' + 'a');
	struct in6_addr v6;
	struct in_addr v4;
	if (inet_pton(AF_INET6, plain, &v6) == 1) {
		if (IN6_IS_ADDR_V4MAPPED(&v6))
			inet_ntop(AF_INET, v6.s6_addr + 12, out, ADDRESS_HOST_SIZE);
		else
			inet_ntop(AF_INET6, &v6, out, ADDRESS_HOST_SIZE);
	} else if (inet_aton(plain, &v4)) { /* 127.1 and 0x7f000001 reach the same host as 127.0.0.1 */
		inet_ntop(AF_INET, &v4, out, ADDRESS_HOST_SIZE);
	} else {
		memcpy(out, plain, length + 1);
	}
	if (is_this_machine(out))
		memcpy(out, "127.0.0.1", sizeof "127.0.0.1");
}

/* A part of the URL in a fixed array; false: it is absent or too long. */
static bool copy_part(CURLU *handle, CURLUPart part, unsigned flags, char *out, size_t size)
{
	char *text = NULL;
	bool copied = curl_url_get(handle, part, &text, flags) == CURLUE_OK && strlen(text) < size;
	if (copied)
		memcpy(out, text, strlen(text) + 1);
	curl_free(text);
	return copied;
}

/* The host in its one spelling. A name outside ASCII is what the connection makes of it, an IDN, which may even turn
 * out to be an address written in full-width digits. */
static bool copy_host(CURLU *handle, char out[ADDRESS_HOST_SIZE])
{
	char host[ADDRESS_HOST_SIZE];
	bool copied = false;
#ifdef CURLU_PUNYCODE /* libcurl 7.88 */
	copied = copy_part(handle, CURLUPART_HOST, CURLU_PUNYCODE, host, sizeof host);
#endif
	if (!copied && !copy_part(handle, CURLUPART_HOST, 0, host, sizeof host))
		return false;
	normalise_host(host, out);
	return true;
}

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

/* Of what is no URL, all may be a password up to the last '@'. */
static void append_masked_unread(struct buffer *out, const char *text)
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
		append_masked_unread(out, url);
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

static int no_url(const char *url, const char *why, struct error *err)
{
	struct buffer masked = BUFFER_INIT;
	append_masked_unread(&masked, url);
	error_set(err, EXIT_CODE_USAGE, "'%s' is no URL that credhook can send to: %s", buffer_text(&masked), why);
	buffer_release(&masked);
	return error_hint(err,
	                  "write http://HOST:PORT/PATH or https://..., localhost:3000/hook, :3000, or an environment's "
	                  "name");
}

/* How many stand behind the scheme. libcurl takes one or three of them for two. */
static size_t slashes_of(const char *url)
{
	const char *colon = strchr(url, ':');
	return colon ? strspn(colon + 1, "/") : 0;
}

int address_of_url(const char *url, struct address *address, struct error *err)
{
	CURLU *handle = curl_url();
	char port[16];
	if (!handle)
		return error_no_memory(err);
	CURLUcode code = curl_url_set(handle, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME);
	bool parts = code == CURLUE_OK &&
	             copy_part(handle, CURLUPART_SCHEME, 0, address->scheme, sizeof address->scheme) &&
	             copy_host(handle, address->host) &&
	             copy_part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT, port, sizeof port);
	char scheme[16] = "";
	if (code == CURLUE_OK)
		copy_part(handle, CURLUPART_SCHEME, 0, scheme, sizeof scheme);
	curl_url_cleanup(handle);
	if (code != CURLUE_OK)
		return no_url(url, curl_url_strerror(code), err);
	if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
		return no_url(url, "the scheme is neither http nor https", err);
	if (slashes_of(url) != 2)
		return no_url(url, "exactly '://' belongs between its scheme and its host", err);
	if (!parts)
		return no_url(url, "its host is missing or too long", err);
	address->port = (unsigned)strtoul(port, NULL, 10);
	return 0;
}

bool address_of_detour(const char *text, struct address *address)
{
	struct buffer url = BUFFER_INIT;
	CURLU *handle = curl_url();
	char port[16];
	buffer_printf(&url, "%s%s", strstr(text, "://") ? "" : "http://", text);
	*address = (struct address){ .port = 0 };
	bool read = handle &&
	            curl_url_set(handle, CURLUPART_URL, buffer_text(&url), CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
	            copy_part(handle, CURLUPART_SCHEME, 0, address->scheme, sizeof address->scheme) &&
	            copy_host(handle, address->host);
	if (read && copy_part(handle, CURLUPART_PORT, 0, port, sizeof port))
		address->port = (unsigned)strtoul(port, NULL, 10);
	curl_url_cleanup(handle);
	buffer_release(&url);
	return read;
}

static bool is_web_port(unsigned port)
{
	return port == 80 || port == 443;
}

bool address_same_place(const struct address *a, const struct address *b)
{
	bool same_port = a->port == b->port || (is_web_port(a->port) && is_web_port(b->port));
	return same_port && strcmp(a->host, b->host) == 0;
}

void destination_release(struct destination *destination)
{
	buffer_release(&destination->url);
	destination->environment = NULL;
}

/* Digits, and then the end or a path: 3000, 3000/hook. */
static bool begins_with_port(const char *where)
{
	size_t digits = strspn(where, "0123456789");
	return digits > 0 && digits <= 5 && (where[digits] == '\0' || where[digits] == '/' || where[digits] == '?');
}

static bool looks_like_host(const char *where)
{
	static const char local[] = "localhost";
	size_t host = strcspn(where, ":/?");
	if (where[0] == '[')
		return true;
	if (where[host] == ':')
		return host > 0 && where[host + 1] >= '0' && where[host + 1] <= '9';
	return (host == strlen(local) && strncasecmp(where, local, host) == 0) || memchr(where, '.', host) != NULL;
}

static int unknown_environment(const struct config *config, const char *where, struct error *err)
{
	struct nearest near;
	nearest_init(&near, where, strlen(where));
	for (size_t i = 0; i < config->environment_count; i++)
		nearest_offer(&near, config->environments[i].name);
	struct buffer masked = BUFFER_INIT;
	address_append_masked(&masked, where);
	error_set(err, EXIT_CODE_USAGE, "'%s' is neither a URL nor a configured environment", buffer_text(&masked));
	buffer_release(&masked);
	if (nearest_result(&near))
		return error_hint(err, "did you mean '%s'?", nearest_result(&near));
	return error_hint(err,
	                  "write http://HOST:PORT/PATH, localhost:3000/hook, :3000, or configure the environment in %s",
	                  config->path     ? config->path
	                  : config->absent ? config->absent
	                                   : "a file given by --config");
}

int destination_resolve(const struct config *config, const char *where, struct destination *destination,
                        struct error *err)
{
	*destination = (struct destination){ .url = BUFFER_INIT, .environment = NULL };
	destination->environment = config_environment_named(config, where ? where : "sandbox");
	if (destination->environment) {
		buffer_append_text(&destination->url, destination->environment->url);
	} else if (!where) {
		error_set(err, EXIT_CODE_USAGE,
		          "no destination: --to is missing, and no environment 'sandbox' is configured");
		return error_hint(err,
		                  "write --to http://HOST:PORT/PATH, or --to :8080 for a listener on this machine");
	} else if (strstr(where, "://")) {
		buffer_append_text(&destination->url, where);
	} else if (where[0] == ':' && begins_with_port(where + 1)) {
		buffer_printf(&destination->url, "http://127.0.0.1%s", where);
	} else if (begins_with_port(where)) {
		buffer_printf(&destination->url, "http://127.0.0.1:%s", where);
	} else if (looks_like_host(where)) {
		buffer_printf(&destination->url, "http://%s", where);
	} else {
		return unknown_environment(config, where, err);
	}
	struct address address;
	if (destination->url.failed)
		return error_no_memory(err);
	return address_of_url(buffer_text(&destination->url), &address, err);
}
