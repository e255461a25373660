/* Addresses to listen on are read as people write them, and nothing else is; peers are shown as people read them. */
#include "http/address.h"
#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>

TEST(addresses_are_read)
{
	static const struct {
		const char *text;
		const char *host;
		unsigned port;
	} rows[] = {
		{ "8080", "127.0.0.1", 8080 },
		{ ":8080", "127.0.0.1", 8080 },
		{ "0", "127.0.0.1", 0 },
		{ "127.0.0.1:65535", "127.0.0.1", 65535 },
		{ "0.0.0.0:80", "0.0.0.0", 80 },
		{ "[::1]:0", "::1", 0 },
		{ "[::]:8080", "::", 8080 },
		{ "localhost:3000", "localhost", 3000 },
		{ "my-host.example:1", "my-host.example", 1 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct http_address address;
		struct error err;
		if (http_address_parse(rows[i].text, &address, &err) < 0)
			fail_msg("%s: %s", rows[i].text, err.message);
		assert_string_equal(address.host.text, rows[i].host);
		assert_int_equal(address.port, rows[i].port);
	}
}

TEST(what_is_no_address_is_refused)
{
	static const char *const texts[] = {
		"",
		"localhost",
		"a:",
		":",
		"65536",
		"-1",
		"+1",
		" 80",
		"80 ",
		"a:80x",
		"::1:80",
		"[::1]",
		"[::1:80",
		"[]:80",
		"[::g]:80",
		"::1]:80",
		"a b:80",
		"a/b:80",
		"u@h:80",
		"a:000080",
		"1.2.3.4",
		"unix:/run/socket",
		"[fe80::1%eth0]:80",
		"http://a",
		"http://a:80",
	};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct http_address address;
		struct error err;
		if (http_address_parse(texts[i], &address, &err) == 0)
			fail_msg("'%s' was read", texts[i]);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
	}
}

static void assert_shown(const void *from, const char *expected)
{
	char text[HTTP_REMOTE_SIZE];
	struct http_address address;
	http_address_read(from, &address);
	http_address_format(&address, text);
	assert_string_equal(text, expected);
}

TEST(peers_are_shown)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(5123) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(65535) };
	inet_pton(AF_INET, "255.255.255.255", &in.sin_addr);
	assert_shown(&in, "255.255.255.255:5123");
	inet_pton(AF_INET6, "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", &in6.sin6_addr);
	assert_shown(&in6, "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535");
	inet_pton(AF_INET6, "::ffff:1.2.3.4", &in6.sin6_addr);
	assert_shown(&in6, "1.2.3.4:65535");
}
