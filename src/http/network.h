/* CIDR networks for an allow-list: 10.0.0.0/8, 2001:db8::/32, 192.0.2.7, ::ffff:10.0.0.0/104. Pure. */
#ifndef CREDHOOK_HTTP_NETWORK_H
#define CREDHOOK_HTTP_NETWORK_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/socket.h>

/* IPv4 and IPv6 stay apart, so that ::/0 lets no IPv4 in; IPv4 that is mapped into IPv6 counts as IPv4. */
struct http_network {
	bool is_ipv4;
	unsigned prefix; /* bits; up to 32 or 128 */
	unsigned char bytes[16];
};

/* Without /PREFIX it is the one address; bits behind the prefix are ignored. Error: EXIT_CODE_USAGE, with a hint. */
int http_network_parse(const char *text, struct http_network *network, struct error *err);
/* False for an address of another family, a unix socket say. */
bool http_network_contains(const struct http_network *network, const struct sockaddr *address);

/* An address as 16 bytes, IPv4 mapped into IPv6; false: it is neither. */
bool http_network_bytes(const struct sockaddr *address, unsigned char bytes[16]);

#endif
