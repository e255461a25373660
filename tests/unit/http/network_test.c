/* Who is in a CIDR network and who is not. */
#include "http/address.h"
#include "test.h"

#include <string.h>

static bool holds(const char *network, const char *address)
{
	struct http_network parsed;
	struct error err;
	struct host host;
	assert_int_equal(http_network_parse(network, &parsed, &err), 0);
	assert_null(host_parse_address(address, strlen(address), &host));
	return http_networks_contain(&(struct http_networks){ &parsed, 1 }, &host);
}

TEST(each_network_and_its_borders)
{
	static const struct {
		const char *network, *inside, *outside;
	} rows[] = {
		{ "10.0.0.0/8", "10.255.255.255", "11.0.0.0" },
		{ "10.0.0.0/8", "10.0.0.0", "9.255.255.255" },
		{ "10.1.2.3/8", "10.9.9.9", "11.1.2.3" },
		{ "192.0.2.7", "192.0.2.7", "192.0.2.6" },
		{ "::ffff:192.0.2.7", "192.0.2.7", "192.0.2.6" },
		{ "192.0.2.128/25", "192.0.2.255", "192.0.2.127" },
		{ "192.0.2.0/31", "192.0.2.1", "192.0.2.2" },
		{ "0.0.0.0/0", "203.0.113.9", "2001:db8::1" },
		{ "10.0.0.0/8", "::ffff:10.1.1.1", "::ffff:11.1.1.1" },
		{ "::1", "::1", "::2" },
		{ "2001:db8::/32", "2001:db8:ffff::1", "2001:db9::" },
		{ "2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::" },
		{ "::/0", "2001:db8::1", "10.0.0.1" },
		{ "::/0", "::1", "::ffff:10.0.0.1" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (!holds(rows[i].network, rows[i].inside) || holds(rows[i].network, rows[i].outside))
			fail_msg("%s: %s, %s", rows[i].network, rows[i].inside, rows[i].outside);
	}
}

TEST(what_is_no_network_is_refused)
{
	static const char *const rows[] = {
		"",       "10.0.0.0/",    "10.0.0.0/33",  "10.0.0.0/-1", "10.0.0.0/+8",         "10/8",
		"::/129", "10.0.0.0/8 ",  "::1%lo",       "localhost",   "::ffff:10.0.0.0/104", "/8",
		"[::1",   "10.0.0.0/0x8", "10.0.0.0/8/8", "1.2.3.4.5",   "::ffff:10.0.0.0/8",
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct http_network network;
		struct error err = { .code = EXIT_CODE_OK };
		if (http_network_parse(rows[i], &network, &err) == 0 || err.code != EXIT_CODE_USAGE || !err.hint[0])
			fail_msg("'%s' was taken", rows[i]);
	}
}
