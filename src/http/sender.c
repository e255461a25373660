#include "http/sender.h"

#include "http/head.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

typedef bool element_reader(struct text element, struct sockaddr_storage *address);

/* What one of the headers says, read up to here. */
struct reading {
	bool is_there;
	const char *why; /* there is no sender; NULL: there is */
	struct sockaddr_storage sender;
};

static bool read_address(int family, struct text text, struct sockaddr_storage *address)
{
	char host[INET6_ADDRSTRLEN];
	void *bytes = family == AF_INET ? (void *)&((struct sockaddr_in *)(void *)address)->sin_addr
	                                : (void *)&((struct sockaddr_in6 *)(void *)address)->sin6_addr;
	if (text.length >= sizeof host || memchr(text.text, '\0', text.length))
		return false;
	memcpy(host, text.text, text.length);
	host[text.length] = '\0';
	*address = (struct sockaddr_storage){ .ss_family = (sa_family_t)family };
	return inet_pton(family, host, bytes) == 1;
}

/* ":" and a number up to 65535, or, as RFC 7239 has it, "_" and a name; or nothing. */
static bool is_port(struct text text)
{
	unsigned number = 0;
	if (text.length < 2 || text.text[0] != ':')
		return text.length == 0;
	if (text.text[1] == '_')
		return text.length > 2 && http_is_token(text.text + 2, text.length - 2);
	for (size_t i = 1; i < text.length; i++) {
		if (text.text[i] < '0' || text.text[i] > '9' || number > UINT16_MAX)
			return false;
		number = number * 10 + (unsigned)(text.text[i] - '0');
	}
	return number <= UINT16_MAX;
}

/* 192.0.2.7 or [2001:db8::1], with or without a port. */
static bool read_node(struct text node, struct sockaddr_storage *address)
{
	bool has_brackets = node.length > 0 && node.text[0] == '[';
	const char *from = node.text + has_brackets, *end = node.text + node.length;
	const char *to = memchr(from, has_brackets ? ']' : ':', (size_t)(end - from));
	if (!to && has_brackets)
		return false;
	to = to ? to : end;
	const char *port = to + has_brackets;
	return is_port((struct text){ port, (size_t)(end - port) }) &&
	       read_address(has_brackets ? AF_INET6 : AF_INET, (struct text){ from, (size_t)(to - from) }, address);
}

/* An element of X-Forwarded-For: a node, or an IPv6 address without brackets. */
static bool read_listed(struct text element, struct sockaddr_storage *address)
{
	return read_node(element, address) || read_address(AF_INET6, element, address);
}

static struct text skip(struct text text, size_t length)
{
	return (struct text){ text.text + length, text.length - length };
}

/* The length of the token that the text begins with; 0: none. */
static size_t token_length(struct text text)
{
	size_t at = 0;
	while (at < text.length && http_is_token_byte(text.text[at]))
		at++;
	return at;
}

/* Of the quoted string that the text begins with; 0: it does not end. */
static size_t quoted_length(struct text text)
{
	size_t at = 1;
	while (at < text.length && text.text[at] != '"')
		at += text.text[at] == '\\' ? 2 : 1;
	return at < text.length ? at + 1 : 0;
}

/* An element of Forwarded: for=NODE;by=...;proto=..., in any order, with one `for`. A node with a colon is quoted. */
static bool read_forwarded(struct text element, struct sockaddr_storage *address)
{
	bool has_sender = false;
	for (;; element = skip(element, 1)) {
		size_t name = token_length(element);
		if (name > 0) {
			struct text value = skip(element, name);
			if (value.length < 2 || value.text[0] != '=')
				return false;
			value = skip(value, 1);
			bool is_quoted = value.text[0] == '"';
			size_t length = is_quoted ? quoted_length(value) : token_length(value);
			struct text node = { value.text + is_quoted, length - (is_quoted ? 2 : 0) };
			bool is_sender = http_is_word(element.text, name, "for");
			if (length == 0 || (is_sender && (has_sender || !read_node(node, address))))
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

static struct reading read_header(const struct message *request, const char *name, bool has_quotes,
                                  element_reader *read, const struct http_networks *trusted)
{
	struct reading reading = { .why = "the sender is not known: the proxies' header has their own addresses only" };
	for (size_t i = 0; i < request->header_count; i++) {
		if (!header_is(&request->headers[i], name))
			continue;
		reading.is_there = true;
		struct text list = request->headers[i].value;
		for (bool is_last = false; !is_last;) {
			struct sockaddr_storage address;
			size_t length = element_length(list, has_quotes);
			const char *from = list.text, *to = from + length;
			http_trim(&from, &to);
			bool is_read = read((struct text){ from, (size_t)(to - from) }, &address);
			if (!is_read)
				reading.why = "the sender is not known: the proxies' header cannot be read";
			else if (!http_networks_contain(trusted, (const struct sockaddr *)&address)) {
				reading.why = NULL;
				reading.sender = address;
			}
			is_last = length == list.length;
			list = skip(list, is_last ? length : length + 1);
		}
	}
	return reading;
}

static bool is_same(const struct sockaddr_storage *one, const struct sockaddr_storage *other)
{
	unsigned char bytes[2][16] = { { 0 } };
	http_network_bytes((const struct sockaddr *)one, bytes[0]);
	http_network_bytes((const struct sockaddr *)other, bytes[1]);
	return memcmp(bytes[0], bytes[1], sizeof bytes[0]) == 0;
}

const char *http_sender_find(const struct message *request, const struct http_networks *trusted,
                             struct sockaddr_storage *sender)
{
	struct reading listed = read_header(request, "X-Forwarded-For", false, read_listed, trusted);
	struct reading forwarded = read_header(request, "Forwarded", true, read_forwarded, trusted);
	if (!listed.is_there && !forwarded.is_there)
		return "the sender is not known: there is neither X-Forwarded-For nor Forwarded";
	*sender = listed.is_there ? listed.sender : forwarded.sender;
	if (listed.is_there && listed.why)
		return listed.why;
	if (forwarded.is_there && forwarded.why)
		return forwarded.why;
	if (listed.is_there && forwarded.is_there && !is_same(&listed.sender, &forwarded.sender))
		return "the sender is not known: X-Forwarded-For and Forwarded name different ones";
	return NULL;
}
