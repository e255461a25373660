/* Any text is refused with a reason or gives a network that holds its own address and not one that differs in the last
 * bit of its prefix; and the bits behind the prefix do not matter. */
#include "../fuzz.h"
#include "http/address.h"

#include <netinet/in.h>

static bool holds(const struct http_network *network, const unsigned char *bytes)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };
	memcpy(&in.sin_addr, bytes, 4);
	memcpy(&in6.sin6_addr, bytes, 16);
	const void *address = network->is_ipv4 ? (const void *)&in : (const void *)&in6;
	return http_network_contains(network, address);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct http_network network;
	struct error err = { .message = "" };
	char *text = malloc(size + 1);
	require(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	if (http_network_parse(text, &network, &err) < 0) {
		require(err.code == EXIT_CODE_USAGE && err.message[0] != '\0');
	} else {
		unsigned bits = network.is_ipv4 ? 32 : 128;
		unsigned char other[16];
		require(network.prefix <= bits && holds(&network, network.bytes));
		memcpy(other, network.bytes, 16);
		for (unsigned bit = network.prefix; bit < bits; bit++)
			other[bit / 8] ^= (unsigned char)(0x80 >> bit % 8);
		/* Mapped addresses are IPv4 and no business of an IPv6 network. */
		static const unsigned char mapped[12] = { [10] = 0xFF, [11] = 0xFF };
		if (network.is_ipv4 || memcmp(other, mapped, 12) != 0)
			require(holds(&network, other));
		if (network.prefix > 0) {
			unsigned bit = network.prefix - 1;
			other[bit / 8] ^= (unsigned char)(0x80 >> bit % 8);
			require(!holds(&network, other));
		}
	}
	free(text);
	return 0;
}
