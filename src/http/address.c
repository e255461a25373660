#include "http/address.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Adds the likely reason as a hint. The address is between `at` and `end`, its port at `port`. */
static int refuse_address(struct error *err, const char *text, const char *at, const char *end, const char *port)
{
	const char *slash = memchr(at, '/', (size_t)(end - at));
	error_set(err, EXIT_CODE_USAGE, "'%s' is not an address to listen on", text);
	error_hint(err, "write [ADDRESS:]PORT, such as 8080, 0.0.0.0:8080 or [::1]:0");
	if (slash && (at > text || slash == at || memchr(at, ':', (size_t)(slash - at))))
		return error_hint(err, "leave out the path; --path '%.*s' accepts notifications only there",
		                  (int)(end - slash), slash);
	bool is_host = strcmp(text, "localhost") == 0 || inet_pton(AF_INET, text, &(struct in_addr){ 0 }) == 1;
	if (is_host || (at > text && port == at))
		return error_hint(err, "write the port too, as in %s:8080", text);
	if (end - port >= 5 && strspn(port, "0123456789") >= (size_t)(end - port))
		return error_hint(err, "the highest port is 65535");
	return -1;
}

/* The URL that a listener prints is accepted as an address too. */
static const char *skip_scheme(const char *text)
{
	static const char *const schemes[] = { "http://", "https://" };
	for (size_t i = 0; i < 2; i++)
		if (strncasecmp(text, schemes[i], strlen(schemes[i])) == 0)
			return text + strlen(schemes[i]);
	return text;
}

bool http_address_has_scheme(const char *text, const char *scheme)
{
	size_t length = strlen(scheme);
	return skip_scheme(text) == text + length + strlen("://") && strncasecmp(text, scheme, length) == 0;
}

int http_address_parse(const char *text, struct http_address *address, struct error *err)
{
	const char *at = skip_scheme(text), *end = at + strlen(at);
	if (at > text && end > at && end[-1] == '/')
		end--;
	const char *colon = memrchr(at, ':', (size_t)(end - at)), *port = colon ? colon + 1 : at;
	size_t host_length = colon ? (size_t)(colon - at) : 0, port_length = (size_t)(end - port);
	bool missing_port = at > text && !colon; /* in a URL a number alone is a host */
	*address = (struct http_address){ .host = { .kind = HOST_IPV4, .text = "127.0.0.1" } };
	bool is_read =
	        !missing_port && ((port_length == 1 && *port == '0') || !port_parse(port, port_length, &address->port));
	if (is_read && host_length > 0)
		is_read = !host_parse(at, host_length, &address->host) && address->host.kind != HOST_NON_ASCII;
	return is_read ? 0 : refuse_address(err, text, at, end, port);
}

void http_address_format_host(const struct sockaddr *address, char out[HTTP_REMOTE_SIZE])
{
	const struct in6_addr *in6 = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
	if (address->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)address)->sin_addr, out,
		          HTTP_REMOTE_SIZE);
	else if (address->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(in6))
		inet_ntop(AF_INET, in6->s6_addr + 12, out, HTTP_REMOTE_SIZE);
	else if (address->sa_family == AF_INET6)
		inet_ntop(AF_INET6, in6, out, HTTP_REMOTE_SIZE);
	else
		strcpy(out, "unknown");
}

void http_address_format(const struct sockaddr *address, char out[HTTP_REMOTE_SIZE])
{
	char host[HTTP_REMOTE_SIZE];
	http_address_format_host(address, host);
	in_port_t port = address->sa_family == AF_INET
	                         ? ((const struct sockaddr_in *)(const void *)address)->sin_port
	                         : ((const struct sockaddr_in6 *)(const void *)address)->sin6_port;
	if (address->sa_family == AF_INET || address->sa_family == AF_INET6)
		snprintf(out, HTTP_REMOTE_SIZE, strchr(host, ':') ? "[%.45s]:%u" : "%.45s:%u", host, ntohs(port));
	else
		strcpy(out, host);
}

static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };

static int refuse_network(struct error *err, const char *text)
{
	error_set(err, EXIT_CODE_USAGE, "'%s' is not an address or network", text);
	return error_hint(err, "write 10.0.0.0/8, 192.0.2.7, 2001:db8::/32 or ::1");
}

/* One to three digits, up to `most`. */
static bool read_prefix(const char *text, unsigned most, unsigned *prefix)
{
	size_t length = strlen(text);
	*prefix = 0;
	if (length == 0 || length > 3 || strspn(text, "0123456789") != length)
		return false;
	for (const char *c = text; *c; c++)
		*prefix = *prefix * 10 + (unsigned)(*c - '0');
	return *prefix <= most;
}

int http_network_parse(const char *text, struct http_network *network, struct error *err)
{
	char host[INET6_ADDRSTRLEN];
	struct http_network read = { .is_ipv4 = true };
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	if (length >= sizeof host)
		return refuse_network(err, text);
	memcpy(host, text, length);
	host[length] = '\0';
	if (inet_pton(AF_INET, host, read.bytes) != 1) {
		read.is_ipv4 = false;
		if (inet_pton(AF_INET6, host, read.bytes) != 1)
			return refuse_network(err, text);
	}
	read.prefix = read.is_ipv4 ? 32 : 128;
	if (slash && !read_prefix(slash + 1, read.prefix, &read.prefix))
		return refuse_network(err, text);
	if (!read.is_ipv4 && memcmp(read.bytes, mapped, sizeof mapped) == 0) {
		if (read.prefix < 96)
			return refuse_network(err, text); /* a mix of IPv4 and IPv6 */
		read.is_ipv4 = true;
		read.prefix -= 96;
		memmove(read.bytes, read.bytes + 12, 4);
	}
	*network = read;
	return 0;
}

bool http_network_bytes(const struct sockaddr *address, unsigned char bytes[16])
{
	if (address->sa_family == AF_INET) {
		memcpy(bytes, mapped, sizeof mapped);
		memcpy(bytes + 12, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
		return true;
	}
	if (address->sa_family == AF_INET6)
		memcpy(bytes, &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr, 16);
	return address->sa_family == AF_INET6;
}

bool http_network_contains(const struct http_network *network, const struct sockaddr *address)
{
	unsigned char bytes[16];
	if (!http_network_bytes(address, bytes))
		return false;
	bool is_ipv4 = memcmp(bytes, mapped, sizeof mapped) == 0;
	if (is_ipv4 != network->is_ipv4)
		return false;
	const unsigned char *from = is_ipv4 ? bytes + 12 : bytes;
	unsigned whole = network->prefix / 8, rest = network->prefix % 8;
	if (memcmp(from, network->bytes, whole) != 0)
		return false;
	return rest == 0 || ((from[whole] ^ network->bytes[whole]) >> (8 - rest)) == 0;
}

bool http_networks_contain(const struct http_networks *networks, const struct sockaddr *address)
{
	for (size_t i = 0; i < networks->count; i++)
		if (http_network_contains(&networks->list[i], address))
			return true;
	return false;
}
