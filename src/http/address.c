#include "http/address.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

int http_address_parse(const char *text, struct http_address *address, struct error *err)
{
	const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
	*address = (struct http_address){ .host = { .kind = HOST_IPV4, .text = "127.0.0.1" } };
	bool is_read = strcmp(port, "0") == 0 || !port_parse(port, strlen(port), &address->port);
	if (is_read && colon && colon > text)
		is_read = !host_parse(text, (size_t)(colon - text), &address->host) &&
		          address->host.kind != HOST_NON_ASCII;
	if (is_read)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' is not an address to listen on", text);
	return error_hint(err, "write [ADDRESS:]PORT, such as 8080, 0.0.0.0:8080 or [::1]:0; a path goes to --path");
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
	snprintf(out, HTTP_REMOTE_SIZE, address->host.kind == HOST_IPV6 ? "[%.45s]:%u" : "%.45s:%u", address->host.text,
	         address->port);
}

static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };

static bool host_bytes(const struct host *host, unsigned char bytes[16])
{
	memcpy(bytes, mapped, sizeof mapped);
	return host->kind == HOST_IPV4 ? inet_pton(AF_INET, host->text, bytes + sizeof mapped) == 1
	                               : inet_pton(AF_INET6, host->text, bytes) == 1;
}

int http_network_parse(const char *text, struct http_network *network, struct error *err)
{
	struct host host;
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	bool is_read = !host_parse_address(text, length, &host) && host_bytes(&host, network->bytes);
	uint64_t bits = host.kind == HOST_IPV4 ? 32 : 128, prefix = bits;
	if (is_read && slash) /* of mapped addresses it would be that of IPv6 */
		is_read = count_read(slash + 1, bits, &prefix) && (bits == 128 || !memchr(text, ':', length));
	network->prefix = (unsigned)(128 - bits + prefix);
	if (is_read)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "'%s' is not an address or network", text);
	return error_hint(err, "write 10.0.0.0/8, 192.0.2.7, 2001:db8::/32 or ::1");
}

static bool contains(const struct http_network *network, const unsigned char bytes[16])
{
	unsigned whole = network->prefix / 8, rest = network->prefix % 8;
	if (network->prefix < 96 && memcmp(bytes, mapped, sizeof mapped) == 0)
		return false;
	return memcmp(bytes, network->bytes, whole) == 0 &&
	       (rest == 0 || ((bytes[whole] ^ network->bytes[whole]) >> (8 - rest)) == 0);
}

bool http_networks_contain(const struct http_networks *networks, const struct host *host)
{
	unsigned char bytes[16];
	if (networks->count == 0 || !host_bytes(host, bytes))
		return false;
	for (size_t i = 0; i < networks->count; i++)
		if (contains(&networks->list[i], bytes))
			return true;
	return false;
}
