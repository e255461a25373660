/* The address to listen on, as given on the command line, the addresses of clients and of those behind proxies, and
 * networks. Nothing is resolved. */
#ifndef CREDHOOK_HTTP_ADDRESS_H
#define CREDHOOK_HTTP_ADDRESS_H

#include "base/error.h"
#include "base/url.h"
#include "http/message.h"

#include <sys/socket.h>

struct http_address {
	struct host host;
	unsigned port; /* to listen on: 0 is any free port */
};

/* Reads HOST:PORT, [IPV6]:PORT, :PORT or PORT (both on 127.0.0.1). EXIT_CODE_USAGE: not an address. */
int http_address_parse(const char *text, struct http_address *address, struct error *err);
/* That of an end of a TCP connection. IPv4 over an IPv6 socket is IPv4. */
void http_address_read(const struct sockaddr *from, struct http_address *address);

#define HTTP_REMOTE_SIZE 56 /* [, at most 45 characters, ]:65535 and a NUL */
/* Writes 127.0.0.1:5123 or [::1]:5123; what was read by http_address_read(). */
void http_address_format(const struct http_address *address, char out[HTTP_REMOTE_SIZE]);

/* A CIDR network for an allow-list: 10.0.0.0/8, 2001:db8::/32, 192.0.2.7. IPv4 and IPv6 are separate: ::/0 contains no
 * IPv4 address. An IPv4-mapped IPv6 address counts as IPv4. */
struct http_network {
	unsigned prefix;         /* bits; up to 128 */
	unsigned char bytes[16]; /* IPv4 is mapped into IPv6 */
};

/* Reads ADDRESS[/PREFIX]; bits after the prefix are ignored. EXIT_CODE_USAGE: it is not one. */
int http_network_parse(const char *text, struct http_network *network, struct error *err);

struct http_networks {
	const struct http_network *list;
	size_t count;
};
/* Whether one of them does; a name is in none. */
bool http_networks_contain(const struct http_networks *networks, const struct host *host);

/* The sender of a request that came through proxies: X-Forwarded-For, or Forwarded (RFC 7239). Both are read as one
 * list over all their lines, in order; each proxy adds the address that it saw at the end. Whatever stands before the
 * sender may be invented by it, and counts for nothing.
 *
 * It is the last address that is not one of `trusted`. A port, also an obfuscated one, and brackets are dropped.
 * Returns NULL, or why there is no sender, a constant text: no such header; one whose element in this place is empty,
 * obfuscated, unknown or anything else that is not an address; trusted addresses only; both headers, and they differ.
 * It is never taken for one of the proxies. */
const char *http_sender_find(const struct message *request, const struct http_networks *trusted, struct host *sender);
/* Two of its texts. */
#define HTTP_SENDER_IS_TRUSTED "the sender is itself trusted"
#define HTTP_SENDER_MISSING    "the sender is not known: there is neither X-Forwarded-For nor Forwarded"

#endif
