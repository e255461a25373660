#include "base/url.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEN          "1234567890"

TEST(a_url_is_read_and_written_anew)
{
	static const struct {
		const char *text, *origin, *rest;
		enum host_type type;
		unsigned port;
	} rows[] = {
		{ "http://a", "http://a", "", HOST_NAME, 0 },
		{ "HTTP://A.Example.:81/B?c=D#e", "http://a.example.:81", "/B?c=D#e", HOST_NAME, 81 },
		{ "socks5h://_a-b.c9:65535?x", "socks5h://_a-b.c9:65535", "?x", HOST_NAME, 65535 },
		{ "http://me:p%40%3aw@a#x", "http://me:p%40%3aw@a", "#x", HOST_NAME, 0 },
		{ "http://@a/", "http://@a", "/", HOST_NAME, 0 },
		{ "http://1.2.3.4:5", "http://1.2.3.4:5", "", HOST_IPV4, 5 },
		{ "http://1.2.3.4a", "http://1.2.3.4a", "", HOST_NAME, 0 },
		{ "http://[::FFFF:1.2.3.4]:5/", "http://1.2.3.4:5", "/", HOST_IPV4, 5 },
		{ "http://[0:0::1]", "http://[::1]", "", HOST_IPV6, 0 },
		{ "http://[2001:DB8::1]:5", "http://[2001:db8::1]:5", "", HOST_IPV6, 5 },
		{ "http://b\xC3\xBC"
		  "cher:5",
		  "http://b\xC3\xBC"
		  "cher:5",
		  "", HOST_NON_ASCII, 5 },
		{ "http://a/\xFF@://", "http://a", "/\xFF@://", HOST_NAME, 0 },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct url url;
		RELEASED(buffer) out = BUFFER_INIT;
		const char *why = url_parse(rows[i].text, &url);
		if (why)
			fail_msg("%s: %s", rows[i].text, why);
		url_append_origin(&out, &url);
		assert_string_equal(buffer_text(&out), rows[i].origin);
		assert_string_equal(url.rest, rows[i].rest);
		assert_int_equal(url.host.type, rows[i].type);
		assert_int_equal(url.port, rows[i].port);
	}
}

TEST(what_is_no_url_is_told_why)
{
	static const char label63[] = TEN TEN TEN TEN TEN TEN "abc";
	char long_label[80], long_name[300] = "http://", most[300] = "http://";
	snprintf(long_label, sizeof long_label, "http://x%s/", label63);
	for (int i = 0; i < 4; i++)
		snprintf(long_name + strlen(long_name), 70, "%s%s", i ? "." : "", label63);
	snprintf(most + strlen(most), 290, "%s.%s.%s.%.61s", label63, label63, label63, label63);
	const char *const texts[] = {
		"",
		"http://",
		"http:///a",
		"http:/a",
		"//a",
		"://a",
		" http://a",
		"1http://a",
		"ht-tp://a",
		"http+unix://a",
		"verylong://a",
		"http://a b",
		"http://a\n",
		"http://a/\x7f",
		"http://:80",
		"http://me@:80",
		"http://a:",
		"http://a:0",
		"http://a:080",
		"http://a:+80",
		"http://a:80 ",
		"http://a:65536",
		"http://a:4294967376",
		"http://a:80:80",
		"http://a@b@c",
		"http://m e@a",
		"http://me:[x]@a",
		"http://me:%4@a",
		"http://me:%zz@a",
		"http://m\xC3\xA9@a",
		"http://.",
		"http://a..",
		"http://-a",
		"http://a-.b",
		"http://a%61",
		"http://a\\b",
		"http://1.2.3",
		"http://1.2.3.256",
		"http://1.2.3.04",
		"http://1.2.3.4.",
		"http://1",
		"http://0x1",
		"http://0X",
		"http://a.0x1f",
		"http://a.1.",
		"http://0x7f.0.0.1a.0",
		"http://[",
		"http://[]",
		"http://[a]",
		"http://[1.2.3.4]",
		"http://[::1",
		"http://[::1]x",
		"http://[::1]:",
		"http://[::1]]",
		"http://[[::1]]",
		"http://x[::1]",
		"http://[::1%25lo]",
		"http://[1:2:3:4:5:6:7:8:9]",
		"http://::1",
		"http://a]:80",
		"http://\xFF",
		"http://b\xC3(",
		"http://b\xC3\xBC*",
		long_label,
		long_name,
	};
	struct url url;
	for (size_t i = 0; i < COUNT(texts); i++) {
		const char *why = url_parse(texts[i], &url);
		if (!why)
			fail_msg("'%s' was read", texts[i]);
		assert_true(why[0] != '\0');
	}
	assert_null(url_parse(most, &url));
	assert_int_equal(strlen(url.host.text), 253);
}

TEST(all_of_the_loopback_is_one_machine)
{
	static const struct {
		const char *text;
		bool loopback;
	} rows[] = {
		{ "localhost", true },     { "LocalHost.", true },
		{ "a.b.localhost", true }, { "127.0.0.1", true },
		{ "127.0.0.2", true },     { "127.255.255.255", true },
		{ "0.0.0.0", true },       { "[::1]", true },
		{ "[::]", true },          { "[::ffff:127.9.9.9]", true },
		{ "[::ffff:0:0]", true },  { "128.0.0.1", false },
		{ "126.0.0.1", false },    { "0.0.0.1", false },
		{ "[::2]", false },        { "notlocalhost", false },
		{ "localhost.a", false },  { "a127.0.0.x", false },
		{ "127.example", false },  { "1270.example", false },
	};
	struct host one;
	assert_null(host_parse("127.0.0.1", 9, &one));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host host;
		const char *why = host_parse(rows[i].text, strlen(rows[i].text), &host);
		if (why)
			fail_msg("%s: %s", rows[i].text, why);
		if (host_is_loopback(&host) != rows[i].loopback || host_is_same(&one, &host) != rows[i].loopback)
			fail_msg("%s", rows[i].text);
	}
}

TEST(hosts_are_compared_in_their_one_spelling)
{
	static const struct {
		const char *a, *b;
		bool same, equal;
	} rows[] = {
		{ "a.example", "A.Example", true, true },
		{ "a.example", "a.example.", true, false },
		{ "a", "b", false, false },
		{ "1.2.3.4", "[::ffff:102:304]", true, true },
		{ "[1::0:2]", "[1:0::2]", true, true },
		{ "127.0.0.1", "[::1]", true, false },
		{ "localhost", "127.0.0.1", true, false },
		{ "1.2.3.4", "1.2.3.5", false, false },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct host a, b;
		assert_null(host_parse(rows[i].a, strlen(rows[i].a), &a));
		assert_null(host_parse(rows[i].b, strlen(rows[i].b), &b));
		if (host_is_same(&a, &b) != rows[i].same || host_is_equal(&a, &b) != rows[i].equal)
			fail_msg("%s, %s", rows[i].a, rows[i].b);
	}
}

TEST(an_address_may_stand_without_brackets)
{
	static const char *const good[] = { "1.2.3.4", "::1", "[::1]", "1::2:3", "::ffff:1.2.3.4" };
	static const char *const bad[] = { "", "a", "1.2.3", "[1.2.3.4]", "::1]", "[::1", "::1%lo", ":", "1.2.3.4 " };
	struct host host;
	for (size_t i = 0; i < COUNT(good); i++)
		assert_null(host_parse_address(good[i], strlen(good[i]), &host));
	for (size_t i = 0; i < COUNT(bad); i++)
		if (!host_parse_address(bad[i], strlen(bad[i]), &host))
			fail_msg("'%s' was read", bad[i]);
}
