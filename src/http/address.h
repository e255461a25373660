/* The address to listen on, as given on the command line, and the address of a client as text. Nothing is resolved. */
#ifndef CREDHOOK_HTTP_ADDRESS_H
#define CREDHOOK_HTTP_ADDRESS_H

#include "base/error.h"
#include "base/url.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct http_address {
	struct host host;
	unsigned port; /* 0: any free port */
};

/* Reads HOST:PORT, [IPV6]:PORT, :PORT or PORT (both on 127.0.0.1). A URL without a path means its host
 * and port; its scheme is left to the caller. EXIT_CODE_USAGE: not an address. */
int http_address_parse(const char *text, struct http_address *address, struct error *err);
/* Whether the text is a URL with this scheme ("http", "https"), in any case. */
bool http_address_has_scheme(const char *text, const char *scheme);

#define HTTP_REMOTE_SIZE 56 /* [, at most 45 characters, ]:65535 and a NUL */
/* Writes 127.0.0.1:5123 or [::1]:5123. An IPv4 client of an IPv6 socket is written as IPv4. */
void http_address_format(const struct sockaddr *address, char out[HTTP_REMOTE_SIZE]);
/* The same without port and brackets. */
void http_address_format_host(const struct sockaddr *address, char out[HTTP_REMOTE_SIZE]);

/* CIDR networks for an allow-list: 10.0.0.0/8, 2001:db8::/32, 192.0.2.7, ::ffff:10.0.0.0/104.
 * IPv4 and IPv6 are separate: ::/0 contains no IPv4 address. An IPv4-mapped IPv6 address counts as IPv4. */
struct http_network {
	bool is_ipv4;
	unsigned prefix; /* bits; up to 32 or 128 */
	unsigned char bytes[16];
};

/* Reads ADDRESS[/PREFIX]; bits after the prefix are ignored. EXIT_CODE_USAGE: it is not one. */
int http_network_parse(const char *text, struct http_network *network, struct error *err);
/* False also for an address of another family. */
bool http_network_contains(const struct http_network *network, const struct sockaddr *address);

struct http_networks {
	const struct http_network *list;
	size_t count;
};
bool http_networks_contain(const struct http_networks *networks, const struct sockaddr *address); /* one of them */

/* The address as 16 bytes, IPv4 mapped into IPv6. False: neither IPv4 nor IPv6. */
bool http_network_bytes(const struct sockaddr *address, unsigned char bytes[16]);

#endif
