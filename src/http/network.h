/* CIDR networks for an allow-list: 10.0.0.0/8, 2001:db8::/32, 192.0.2.7, ::ffff:10.0.0.0/104. */
#ifndef CREDHOOK_HTTP_NETWORK_H
#define CREDHOOK_HTTP_NETWORK_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/socket.h>

/* IPv4 and IPv6 are separate: ::/0 contains no IPv4 address. An IPv4-mapped IPv6 address counts as IPv4. */
struct http_network {
	bool is_ipv4;
	unsigned prefix; /* bits; up to 32 or 128 */
	unsigned char bytes[16];
};

/* Reads ADDRESS[/PREFIX]; bits after the prefix are ignored. EXIT_CODE_USAGE: it is not one. */
int http_network_parse(const char *text, struct http_network *network, struct error *err);
/* False also for an address of another family, as a unix socket. */
bool http_network_contains(const struct http_network *network, const struct sockaddr *address);

/* The address as 16 bytes, IPv4 mapped into IPv6. False: neither IPv4 nor IPv6. */
bool http_network_bytes(const struct sockaddr *address, unsigned char bytes[16]);

#endif
