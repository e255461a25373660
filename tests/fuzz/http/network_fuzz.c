/* Any text is refused with a reason or gives a network that holds its own address and not one that differs in the last
 * bit of its prefix; and the bits behind the prefix do not matter. */
#include "../fuzz.h"
#include "http/address.h"

#include <arpa/inet.h>

static const unsigned char mapped[12] = { [10] = 0xFF, 0xFF };

static bool holds(const struct http_network *network, const unsigned char *bytes)
{
	struct host host = { .type = memcmp(bytes, mapped, 12) == 0 ? HOST_IPV4 : HOST_IPV6 };
	bool is_ipv4 = host.type == HOST_IPV4;
	inet_ntop(is_ipv4 ? AF_INET : AF_INET6, bytes + (is_ipv4 ? 12 : 0), host.text, sizeof host.text);
	return http_networks_contain(&(struct http_networks){ network, 1 }, &host);
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
		bool is_ipv4 = network.prefix >= 96 && memcmp(network.bytes, mapped, 12) == 0;
		unsigned char other[16];
		require(network.prefix <= 128 && holds(&network, network.bytes));
		memcpy(other, network.bytes, 16);
		for (unsigned bit = network.prefix; bit < 128; bit++)
			other[bit / 8] ^= (unsigned char)(0x80 >> bit % 8);
		/* Mapped addresses are IPv4 and no business of an IPv6 network. */
		if (is_ipv4 || memcmp(other, mapped, 12) != 0)
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
