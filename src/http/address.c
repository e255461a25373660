#include "http/address.h"

#include "base/ascii.h"
#include "base/text.h"
#include "http/head.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define HINT_PATH_MOST 100 /* bytes of a path that is repeated */

static bool read_address(const char *text, struct http_address *address)
{
	const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
	*address = (struct http_address){ .host = { .type = HOST_IPV4, .text = "127.0.0.1" } };
	bool is_read = strcmp(port, "0") == 0 || !port_parse(port, strlen(port), &address->port);
	if (is_read && colon && colon > text)
		is_read = !host_parse(text, (size_t)(colon - text), &address->host) &&
		          address->host.type != HOST_NON_ASCII;
	return is_read;
}

/* A URL, a host without a port, * for all: what is meant by it. */
static int hint_address(const char *text, struct error *err)
{
	const char *scheme = strstr(text, "://"), *host = scheme ? scheme + 3 : text;
	char meant[HTTP_REMOTE_SIZE];
	struct http_address unused;
	int length = (int)strcspn(host, "/");
	const char *path = host + length;
	size_t path_length = strcspn(path, "?#"); /* a query may be secret */
	bool is_any = host[0] == '*';
	snprintf(meant, sizeof meant, "%s%.*s%s", is_any ? "0.0.0.0" : "", length - is_any, host + is_any,
	         !memchr(host, ':', (size_t)length) && !ascii_is_digit(host[0]) ? ":8080" : "");
	bool is_other = strcmp(meant, text) != 0 && length > 0;
	if (is_other && (scheme || path[0] || is_any || strcmp(text, "localhost") == 0) &&
	    path_length <= HINT_PATH_MOST && read_address(meant, &unused))
		return error_hint(err, "write %s%s%.*s", meant, path_length > 1 ? " --path " : "",
		                  path_length > 1 ? (int)path_length : 0, path);
	return error_hint(err, "write [ADDRESS:]PORT, such as 8080, 0.0.0.0:8080 or [::1]:0; a path goes to --path");
}

int http_address_parse(const char *text, struct http_address *address, struct error *err)
{
	if (read_address(text, address))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' is not an address to listen on", text);
	return hint_address(text, err);
}

void http_address_read(const struct sockaddr *from, struct http_address *address)
{
	const struct sockaddr_in *in = (const void *)from;
	const struct sockaddr_in6 *in6 = (const void *)from;
	bool is_ipv4 = from->sa_family == AF_INET;
	char text[INET6_ADDRSTRLEN] = "";
	inet_ntop(from->sa_family, is_ipv4 ? (const void *)&in->sin_addr : &in6->sin6_addr, text, sizeof text);
	host_parse_address(text, strlen(text), &address->host);
	address->port = ntohs(is_ipv4 ? in->sin_port : in6->sin6_port);
}

void http_address_format(const struct http_address *address, char out[HTTP_REMOTE_SIZE])
{
	snprintf(out, HTTP_REMOTE_SIZE, address->host.type == HOST_IPV6 ? "[%.45s]:%u" : "%.45s:%u", address->host.text,
	         address->port);
}

static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };

static bool host_bytes(const struct host *host, unsigned char bytes[16])
{
	memcpy(bytes, mapped, sizeof mapped);
	return host->type == HOST_IPV4 ? inet_pton(AF_INET, host->text, bytes + sizeof mapped) == 1
	                               : inet_pton(AF_INET6, host->text, bytes) == 1;
}

int http_network_parse(const char *text, struct http_network *network, struct error *err)
{
	struct host host;
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	bool is_read = !host_parse_address(text, length, &host) && host_bytes(&host, network->bytes);
	uint64_t bits = host.type == HOST_IPV4 ? 32 : 128, prefix = bits;
	if (is_read && slash) /* of mapped addresses it would be that of IPv6 */
		is_read = count_read(slash + 1, bits, &prefix) && (bits == 128 || !memchr(text, ':', length));
	network->prefix = (unsigned)(128 - bits + prefix);
	if (is_read)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' is not an address or network", text);
	return error_hint(err, "write 10.0.0.0/8, 192.0.2.7, 2001:db8::/32 or ::1");
}

bool http_networks_contain(const struct http_networks *networks, const struct host *host)
{
	unsigned char bytes[16];
	if (networks->count == 0 || !host_bytes(host, bytes))
		return false;
	for (size_t i = 0; i < networks->count; i++) {
		const struct http_network *n = &networks->list[i];
		unsigned whole = n->prefix / 8, rest = n->prefix % 8;
		if (n->prefix < 96 && memcmp(bytes, mapped, sizeof mapped) == 0)
			continue;
		if (memcmp(bytes, n->bytes, whole) == 0 &&
		    (rest == 0 || ((bytes[whole] ^ n->bytes[whole]) >> (8 - rest)) == 0))
			return true;
	}
	return false;
}

/* What one of the headers says, as far as it was read. */
struct header_parse {
	bool is_there;
	const char *why; /* there is no sender; NULL: there is */
	struct host sender;
};

static bool is_node_port(const char *text, size_t length)
{
	if (length < 2 || text[0] != ':')
		return length == 0;
	if (text[1] == '_')
		return length > 2 && http_is_token(text + 2, length - 2);
	unsigned number = 0;
	for (size_t i = 1; i < length && number <= UINT16_MAX; i++)
		number = ascii_is_digit(text[i]) ? number * 10 + (unsigned)(text[i] - '0') : UINT_MAX;
	return number <= UINT16_MAX;
}

/* 192.0.2.7 or [2001:db8::1]; a port behind it is dropped, also one that is hidden (RFC 7239, section 6.2). */
static bool read_node(struct text node, struct host *host)
{
	bool has_brackets = node.length > 0 && node.text[0] == '[';
	const char *end = node.text + node.length, *to = memchr(node.text, has_brackets ? ']' : ':', node.length);
	to = to ? to + has_brackets : end;
	return is_node_port(to, (size_t)(end - to)) && !host_parse_address(node.text, (size_t)(to - node.text), host);
}

static struct text skip(struct text text, size_t length)
{
	return (struct text){ text.text + length, text.length - length };
}

/* The length of the quoted string that the text begins with; 0: it does not end. */
static size_t quoted_length(struct text text)
{
	size_t at = 1;
	while (at < text.length && text.text[at] != '"')
		at += text.text[at] == '\\' ? 2 : 1;
	return at < text.length ? at + 1 : 0;
}

/* An element of Forwarded: for=NODE;by=...;proto=..., in any order, with one `for`. A node with a colon is quoted. */
static bool read_forwarded(struct text element, struct host *host)
{
	bool has_sender = false;
	for (;; element = skip(element, 1)) {
		size_t name = http_token_length(element.text, element.length);
		if (name > 0) {
			struct text value = skip(element, name);
			if (value.length < 2 || value.text[0] != '=')
				return false;
			value = skip(value, 1);
			bool is_quoted = value.text[0] == '"';
			size_t length = is_quoted ? quoted_length(value) : http_token_length(value.text, value.length);
			struct text node = { value.text + is_quoted, length - (is_quoted ? 2 : 0) };
			bool is_sender = http_is_word(element.text, name, "for");
			if (length == 0 || (is_sender && (has_sender || !read_node(node, host))))
				return false;
			has_sender = has_sender || is_sender;
			element = skip(value, length);
		}
		if (element.length == 0)
			return has_sender;
		if (element.text[0] != ';')
			return false;
	}
}

/* Up to the next comma, or, where strings are quoted, the next one outside of them. */
static size_t element_length(struct text list, bool has_quotes)
{
	size_t at = 0;
	while (at < list.length && list.text[at] != ',') {
		size_t quoted = has_quotes && list.text[at] == '"' ? quoted_length(skip(list, at)) : 1;
		at = quoted > 0 ? at + quoted : list.length;
	}
	return at;
}

static struct header_parse read_header(const struct message *request, bool is_forwarded,
                                       const struct http_networks *trusted)
{
	struct header_parse parse = { .why = HTTP_SENDER_IS_TRUSTED };
	for (size_t i = 0; i < request->header_count; i++) {
		if (!header_is(&request->headers[i], is_forwarded ? "Forwarded" : "X-Forwarded-For"))
			continue;
		parse.is_there = true;
		struct text list = request->headers[i].value;
		for (bool is_last = false; !is_last;) {
			struct host host;
			size_t length = element_length(list, is_forwarded);
			const char *from = list.text, *to = from + length;
			http_trim(&from, &to);
			struct text element = { from, (size_t)(to - from) };
			/* An element of X-Forwarded-For may also be an IPv6 address without brackets. */
			bool is_read = is_forwarded ? read_forwarded(element, &host)
			                            : read_node(element, &host) ||
			                                      !host_parse_address(from, element.length, &host);
			if (!is_read)
				parse.why = "the sender is not known: the proxies' header cannot be read";
			else if (!http_networks_contain(trusted, &host)) {
				parse.why = NULL;
				parse.sender = host;
			}
			is_last = length == list.length;
			list = skip(list, is_last ? length : length + 1);
		}
	}
	return parse;
}

const char *http_sender_find(const struct message *request, const struct http_networks *trusted, struct host *sender)
{
	struct header_parse listed = read_header(request, false, trusted);
	struct header_parse forwarded = read_header(request, true, trusted);
	if (!listed.is_there && !forwarded.is_there)
		return HTTP_SENDER_MISSING;
	*sender = listed.is_there ? listed.sender : forwarded.sender;
	if (listed.is_there && listed.why)
		return listed.why;
	if (forwarded.is_there && forwarded.why)
		return forwarded.why;
	if (listed.is_there && forwarded.is_there && !host_is_equal(&listed.sender, &forwarded.sender))
		return "the sender is not known: X-Forwarded-For and Forwarded name different ones";
	return NULL;
}
