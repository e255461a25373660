/* Addresses to listen on are read as people write them, and nothing else is; peers are shown as people read them. */
#include "http/address.h"
#include "test.h"

#include <arpa/inet.h>
#include <string.h>

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
		{ "http://127.0.0.1:18997", "127.0.0.1", 18997 },
		{ "https://[::1]:0/", "::1", 0 },
		{ "HTTP://127.0.0.1:80", "127.0.0.1", 80 },
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

TEST(a_scheme_is_told)
{
	assert_true(http_address_has_scheme("https://a:1", "https"));
	assert_true(http_address_has_scheme("HTTPS://a:1", "https"));
	assert_true(http_address_has_scheme("http://a:1", "http"));
	assert_false(http_address_has_scheme("https://a:1", "http"));
	assert_false(http_address_has_scheme("http://a:1", "https"));
	assert_false(http_address_has_scheme("https:1", "https"));
	assert_false(http_address_has_scheme("8080", "http"));
}

TEST(what_is_no_address_is_refused_with_a_hint)
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
		"http://a",
		"u@h:80",
		"[fe80::1%eth0]:80",
		"a:000080",
		"unix:/run/socket",
		"1.2.3.4",
		"http://",
		"http:///",
		"http://a:80/hook",
		"http://8080",
		"http://a:80//",
		"http://unix:",
	};
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct http_address address;
		struct error err;
		if (http_address_parse(texts[i], &address, &err) == 0)
			fail_msg("'%s' was read", texts[i]);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		assert_true(err.hint[0] != '\0');
	}
}

TEST(peers_are_shown)
{
	char text[HTTP_REMOTE_SIZE];
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(5123) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(65535) };
	inet_pton(AF_INET, "255.255.255.255", &in.sin_addr);
	http_address_format((struct sockaddr *)&in, text);
	assert_string_equal(text, "255.255.255.255:5123");
	inet_pton(AF_INET6, "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", &in6.sin6_addr);
	http_address_format((struct sockaddr *)&in6, text);
	assert_string_equal(text, "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535");
	inet_pton(AF_INET6, "::ffff:1.2.3.4", &in6.sin6_addr);
	http_address_format((struct sockaddr *)&in6, text);
	assert_string_equal(text, "1.2.3.4:65535");
}
