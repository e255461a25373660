#include "config/address.h"

#include "base/nearest.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One spelling per host: addresses as inet_ntop() writes them, an IPv4-mapped one as IPv4, names in lower case. */
static void normalise_host(const char *host, char out[256])
{
	size_t length = strlen(host);
	char plain[256];
	if (length >= 2 && host[0] == '[' && host[length - 1] == ']') {
		host++;
		length -= 2;
	}
	snprintf(plain, sizeof plain, "%.*s", (int)(length < 255 ? length : 255), host);
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
			inet_ntop(AF_INET, v6.s6_addr + 12, out, 256);
		else
			inet_ntop(AF_INET6, &v6, out, 256);
	} else if (inet_aton(plain, &v4)) { /* 127.1 and 0x7f000001 reach the same host as 127.0.0.1 */
		inet_ntop(AF_INET, &v4, out, 256);
	} else {
		memcpy(out, plain, length + 1);
	}
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

static int no_url(const char *url, const char *why, struct error *err)
{
	struct buffer masked = BUFFER_INIT;
	address_append_masked(&masked, url);
	error_set(err, EXIT_CODE_USAGE, "'%s' is no URL that credhook can send to: %s", buffer_text(&masked), why);
	buffer_release(&masked);
	return error_hint(err,
	                  "write http://HOST:PORT/PATH or https://..., localhost:3000/hook, :3000, or an environment's "
	                  "name");
}

int address_of_url(const char *url, struct address *address, struct error *err)
{
	CURLU *handle = curl_url();
	char host[256], port[16];
	if (!handle)
		return error_no_memory(err);
	CURLUcode code = curl_url_set(handle, CURLUPART_URL, url, CURLU_NON_SUPPORT_SCHEME);
	bool parts = code == CURLUE_OK &&
	             copy_part(handle, CURLUPART_SCHEME, 0, address->scheme, sizeof address->scheme) &&
	             copy_part(handle, CURLUPART_HOST, 0, host, sizeof host) &&
	             copy_part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT, port, sizeof port);
	char scheme[16] = "";
	if (code == CURLUE_OK)
		copy_part(handle, CURLUPART_SCHEME, 0, scheme, sizeof scheme);
	curl_url_cleanup(handle);
	if (code != CURLUE_OK)
		return no_url(url, curl_url_strerror(code), err);
	if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
		return no_url(url, "the scheme is neither http nor https", err);
	if (!parts)
		return no_url(url, "its host is missing or too long", err);
	normalise_host(host, address->host);
	address->port = (unsigned)strtoul(port, NULL, 10);
	return 0;
}

bool address_equal(const struct address *a, const struct address *b)
{
	return strcmp(a->scheme, b->scheme) == 0 && strcmp(a->host, b->host) == 0 && a->port == b->port;
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
	size_t host = strcspn(where, ":/?");
	if (where[host] == ':')
		return where[host + 1] >= '0' && where[host + 1] <= '9';
	return strncmp(where, "localhost", host) == 0 || where[0] == '[' ||
	       (host > 0 && memchr(where, '.', host) != NULL);
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
	                  config->path ? config->path : "a file given by --config");
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

static int refuse(const char *what, const struct config_environment *protector, struct error *err)
{
	error_set(err, EXIT_CODE_USAGE, "%s leads to the protected environment '%s'", what, protector->name);
	return error_hint(err, "nothing was sent; add --allow-production if you mean it");
}

/* "HOST:PORT" at the end of a detour; an IPv6 address stands in brackets. Empty parts mean those of the URL. */
static void read_host_port(const char *text, const struct address *fallback, struct address *out)
{
	*out = *fallback;
	const char *colon = strrchr(text, ':');
	const char *bracket = strrchr(text, ']');
	if (colon && bracket && bracket > colon)
		colon = NULL;
	size_t length = colon ? (size_t)(colon - text) : strlen(text);
	char host[256];
	snprintf(host, sizeof host, "%.*s", (int)(length < 255 ? length : 255), text);
	if (host[0])
		normalise_host(host, out->host);
	if (colon && colon[1])
		out->port = (unsigned)strtoul(colon + 1, NULL, 10);
}

/* The part of HOST1:PORT1:REST behind its second colon outside brackets; NULL: there is none. */
static const char *behind_two_colons(const char *text)
{
	int colons = 0;
	bool in_brackets = false;
	for (; *text; text++) {
		if (*text == '[')
			in_brackets = true;
		else if (*text == ']')
			in_brackets = false;
		else if (*text == ':' && !in_brackets && ++colons == 2)
			return text + 1;
	}
	return NULL;
}

/* A detour reaches a machine whatever scheme the URL has. */
static bool same_place(const struct address *a, const struct address *b)
{
	return strcmp(a->host, b->host) == 0 && a->port == b->port;
}

static bool connect_to_reaches(const struct detours *detours, const struct address *target,
                               const struct address *guarded)
{
	for (size_t i = 0; i < detours->connect_to_count; i++) {
		const char *end = behind_two_colons(detours->connect_to[i]);
		struct address reached;
		if (!end)
			continue;
		read_host_port(end, target, &reached);
		if (same_place(&reached, guarded))
			return true;
	}
	return false;
}

/* HOST:PORT:ADDRESS[,ADDRESS]...: the port stays, the addresses are what is reached. */
static bool resolve_reaches(const struct detours *detours, const struct address *target, const struct address *guarded)
{
	for (size_t i = 0; i < detours->resolve_count; i++) {
		const char *list = behind_two_colons(detours->resolve[i]);
		while (list && *list) {
			size_t length = strcspn(list, ",");
			struct address reached = *target;
			char host[256];
			snprintf(host, sizeof host, "%.*s", (int)(length < 255 ? length : 255), list);
			normalise_host(host, reached.host);
			if (same_place(&reached, guarded))
				return true;
			list += length + (list[length] == ',');
		}
	}
	return false;
}

static bool proxy_reaches(const char *proxy, const struct address *guarded)
{
	struct buffer url = BUFFER_INIT;
	struct address reached;
	struct error ignored;
	if (!proxy || !*proxy)
		return false;
	buffer_printf(&url, "%s%s", strstr(proxy, "://") ? "" : "http://", proxy);
	bool reaches = address_of_url(buffer_text(&url), &reached, &ignored) == 0 && same_place(&reached, guarded);
	buffer_release(&url);
	return reaches;
}

int guard_check(const struct config *config, const struct destination *destination, const struct detours *detours,
                bool allowed, struct error *err)
{
	static const struct detours none = { NULL, 0, NULL, 0, NULL };
	struct address target;
	if (!detours)
		detours = &none;
	if (address_of_url(buffer_text(&destination->url), &target, err) < 0)
		return -1;
	for (size_t i = 0; i < config->environment_count; i++) {
		const struct config_environment *e = &config->environments[i];
		struct address guarded;
		if (!e->is_protected)
			continue;
		if (address_of_url(e->url, &guarded, err) < 0)
			return -1;
		if (allowed)
			continue;
		if (destination->environment == e || address_equal(&target, &guarded))
			return refuse("the destination", e, err);
		if (connect_to_reaches(detours, &target, &guarded))
			return refuse("--connect-to", e, err);
		if (resolve_reaches(detours, &target, &guarded))
			return refuse("--resolve", e, err);
		if (proxy_reaches(detours->proxy, &guarded))
			return refuse("the proxy", e, err);
	}
	return 0;
}

void address_append_masked(struct buffer *out, const char *url)
{
	const char *authority = strstr(url, "://");
	/* Of what is no URL, all may be a password up to the last '@'. */
	const char *ends = authority ? "/?#" : "?#";
	authority = authority ? authority + 3 : url;
	size_t length = strcspn(authority, ends);
	const char *at = NULL;
	for (size_t i = 0; i < length; i++)
		if (authority[i] == '@')
			at = authority + i;
	buffer_append(out, url, (size_t)(authority - url));
	if (at) {
		size_t user = strcspn(authority, ":@");
		buffer_append(out, authority, user);
		if (authority + user < at)
			buffer_append_text(out, ":***");
		authority = at;
	}
	const char *query = strchr(authority, '?');
	if (!query) {
		buffer_append_text(out, authority);
		return;
	}
	buffer_append(out, authority, (size_t)(query - authority));
	for (const char *part = query; *part && *part != '#';) {
		size_t name = strcspn(part, "=&#");
		buffer_append(out, part, name);
		part += name;
		if (*part == '=') {
			buffer_append_text(out, "=***");
			part += strcspn(part, "&#");
		}
		if (*part == '&')
			buffer_append_byte(out, *part++);
	}
}
