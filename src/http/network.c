#include "http/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static const unsigned char mapped[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF };

static int refuse(struct error *err, const char *text)
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
		return refuse(err, text);
	memcpy(host, text, length);
	host[length] = '\0';
	if (inet_pton(AF_INET, host, read.bytes) != 1) {
		read.is_ipv4 = false;
		if (inet_pton(AF_INET6, host, read.bytes) != 1)
			return refuse(err, text);
	}
	read.prefix = read.is_ipv4 ? 32 : 128;
	if (slash && !read_prefix(slash + 1, read.prefix, &read.prefix))
		return refuse(err, text);
	if (!read.is_ipv4 && memcmp(read.bytes, mapped, sizeof mapped) == 0) {
		if (read.prefix < 96)
			return refuse(err, text); /* a mix of IPv4 and IPv6 */
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
