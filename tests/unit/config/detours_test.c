#include "config/destination.h"
#include "test.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef int reader(struct detours *, const char *, struct error *);

/* What libcurl gets; NULL: it is refused. */
static const char *written(struct detours *d, reader *read, const char *text, struct error *err)
{
	if (read(d, text, err) < 0) {
		assert_int_equal(err->code, EXIT_CODE_USAGE);
		assert_true(err->message[0] != '\0');
		return NULL;
	}
	if (read == detours_add_connect_to)
		return d->connect_to.list.items[d->connect_to.list.count - 1];
	return d->proxy;
}

TEST(what_is_read_is_written_anew)
{
	static const struct {
		reader *read;
		const char *text, *anew;
	} rows[] = {
		{ detours_add_connect_to, "A.example:80:B.Example:8080", "a.example:80:b.example:8080" },
		{ detours_add_connect_to, "::127.0.0.1:8080", "::127.0.0.1:8080" },
		{ detours_add_connect_to, ":::8080", ":::8080" },
		{ detours_add_connect_to, ":80:b:", ":80:b:" },
		{ detours_add_connect_to, ":::", ":::" },
		{ detours_add_connect_to, "[2001:DB8:0::1]:80:[0:0::1]:81", "[2001:db8::1]:80:[::1]:81" },
		{ detours_add_connect_to, "::[::ffff:10.1.2.3]:8080", "::10.1.2.3:8080" },
		{ detours_add_connect_to, "::web_1.:8080", "::web_1.:8080" },
		{ detours_add_connect_to,
		  "::b\xC3\xBC"
		  "cher.example:8080",
		  "::xn--bcher-kva.example:8080" },
		{ detours_set_proxy, "Proxy.Example", "http://proxy.example:1080" },
		{ detours_set_proxy, "proxy.example:3128", "http://proxy.example:3128" },
		{ detours_set_proxy, "HTTP://me:p%40w@proxy.example:3128/", "http://me:p%40w@proxy.example:3128" },
		{ detours_set_proxy, "https://proxy.example", "https://proxy.example:443" },
		{ detours_set_proxy, "socks4://10.0.0.1", "socks4://10.0.0.1:1080" },
		{ detours_set_proxy, "socks4a://proxy", "socks4a://proxy:1080" },
		{ detours_set_proxy, "socks5://[::1]:9050", "socks5://[::1]:9050" },
		{ detours_set_proxy, "socks5h://localhost:9050", "socks5h://localhost:9050" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		RELEASED(detours) d = { .count = 0 };
		struct error err;
		const char *anew = written(&d, rows[i].read, rows[i].text, &err);
		if (!anew)
			fail_msg("%s: %s", rows[i].text, err.message);
		assert_string_equal(anew, rows[i].anew);
		/* And what was written is read as the same. */
		RELEASED(detours) again = { .count = 0 };
		assert_string_equal(written(&again, rows[i].read, rows[i].anew, &err), rows[i].anew);
	}
}

TEST(what_is_outside_of_the_grammar_is_refused)
{
	static const struct {
		reader *read;
		const char *text;
	} rows[] = {
		{ detours_add_connect_to, "" },
		{ detours_add_connect_to, "::" },
		{ detours_add_connect_to, "::b" },
		{ detours_add_connect_to, "::b:1:2" },
		{ detours_add_connect_to, "::b:+80" },
		{ detours_add_connect_to, ":+80:b:80" },
		{ detours_add_connect_to, "::b: 80" },
		{ detours_add_connect_to, "::b:\t80" },
		{ detours_add_connect_to, "::b:80 " },
		{ detours_add_connect_to, "::b:080" },
		{ detours_add_connect_to, "::b:0x50" },
		{ detours_add_connect_to, "::b:0" },
		{ detours_add_connect_to, "::b:-1" },
		{ detours_add_connect_to, "::b:65536" },
		{ detours_add_connect_to, "::b:4294967376" },
		{ detours_add_connect_to, ":: b:80" },
		{ detours_add_connect_to, "::b%20:80" },
		{ detours_add_connect_to, "::[10.0.0.1]:80" },
		{ detours_add_connect_to, "::[10.1]:80" },
		{ detours_add_connect_to, "::[0]:80" },
		{ detours_add_connect_to, "::[b]:80" },
		{ detours_add_connect_to, "::[::1]x:80" },
		{ detours_add_connect_to, "::[::1:80" },
		{ detours_add_connect_to, "::[]:80" },
		{ detours_add_connect_to, "::[fe80::1%25eth0]:80" },
		{ detours_add_connect_to, "::10.1:80" },
		{ detours_add_connect_to, "::0x0a000001:80" },
		{ detours_add_connect_to, "::167772161:80" },
		{ detours_add_connect_to, "::010.0.0.1:80" },
		{ detours_add_connect_to, "::me@b:80" },
		{ detours_add_connect_to, "http://b:80" },
		{ detours_set_proxy, "" },
		{ detours_set_proxy, "http:/b:80" },
		{ detours_set_proxy, "http:b:80" },
		{ detours_set_proxy, "http:///b:80" },
		{ detours_set_proxy, "//b:80" },
		{ detours_set_proxy, "://b:80" },
		{ detours_set_proxy, "ftp://b:80" },
		{ detours_set_proxy, "http://b:80/path" },
		{ detours_set_proxy, "http://b:80?x" },
		{ detours_set_proxy, "http://b:80#x" },
		{ detours_set_proxy, "socks5h://localhost/run/socket" },
		{ detours_set_proxy, "http://b: 80" },
		{ detours_set_proxy, "http://b:" },
		{ detours_set_proxy, "http://me:p w@b:80" },
		{ detours_set_proxy, "http://a@b@c:80" },
		{ detours_set_proxy, " http://b:80" },
		{ detours_set_proxy, "http://b:80\n" },
		{ detours_set_proxy, "127.1:80" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		RELEASED(detours) d = { .count = 0 };
		struct error err;
		if (written(&d, rows[i].read, rows[i].text, &err))
			fail_msg("'%s' was read", rows[i].text);
	}
}

TEST(a_secret_of_a_proxy_is_not_told)
{
	static const char *const texts[] = { "http://me:secret@b:x", "gopher://me:secret@b", "me:secret@b c",
		                             "http://me:sec/secret@b:80", "http:/me:secret@b:80" };
	for (size_t i = 0; i < COUNT(texts); i++) {
		RELEASED(detours) d = { .count = 0 };
		struct error err;
		assert_int_equal(detours_set_proxy(&d, texts[i], &err), -1);
		if (strstr(err.message, "secret"))
			fail_msg("%s", err.message);
	}
}

TEST(a_host_header_is_a_host_and_perhaps_a_port)
{
	static const char *const rows[] = { "",        "  ",        "a b",       "prod.example,b", "prod.example/",
		                            "me@host", "host:0x50", "host:",     "host:+80",       "127.1",
		                            "[::1",    "http://h",  "host:80 b", "[127.0.0.1]",    "%70rod.example" };
	for (size_t i = 0; i < COUNT(rows); i++) {
		RELEASED(detours) d = { .count = 0 };
		struct error err;
		if (detours_add_host_header(&d, text_of(rows[i]), &err) == 0)
			fail_msg("'%s' was read", rows[i]);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
	}
}

struct production {
	struct config config;
	struct destination destination;
};

static void begin(struct production *p, const char *url, const char *where)
{
	char text[256];
	struct error err;
	snprintf(text, sizeof text, "{\"environments\":{\"production\":{\"url\":\"%s\"}}}", url);
	if (config_read_text(&p->config, "test.json", text, strlen(text), &err) < 0 ||
	    destination_resolve(&p->config, where, &p->destination, &err) < 0)
		fail_msg("%s, %s: %s", url, where, err.message);
}

static void end(struct production *p)
{
	destination_release(&p->destination);
	config_release(&p->config);
}

/* What the guard says leads to production; "": nothing does. */
static const char *way(const struct production *p, const struct detours *d)
{
	struct guarded found;
	struct error err;
	bool is_found = guard_find(&p->config, &p->destination, d, &found);
	assert_int_equal(guard_check(&p->config, &p->destination, d, false, &err), is_found ? -1 : 0);
	assert_int_equal(guard_check(&p->config, &p->destination, d, true, &err), 0);
	return is_found ? found.option_name : "";
}

TEST(detours_lead_to_production)
{
	static const struct {
		const char *production, *where, *connect_to, *proxy, *host, *option_name;
	} rows[] = {
#define PROD "https://prod.example:8443/hook"
		{ PROD, "http://a.example", "a.example:80:prod.example:8443", .option_name = "--connect-to" },
		{ PROD, "http://a.example", "::PROD.example.:8443", .option_name = "--connect-to" },
		{ PROD, "http://a.example:8443", "::prod.example:", .option_name = "--connect-to" },
		{ PROD, "http://prod.example", ":::8443", .option_name = "--connect-to" },
		{ PROD, "http://a.example", "[::1]:80:prod.example:8443", .option_name = "--connect-to" },
		{ PROD, "http://a.example", "::prod.example:80", .option_name = "" },
		{ PROD, "http://a.example", "::b.example:8443", .option_name = "" },
		{ PROD, "http://a.example", ":::", .option_name = "" },
		{ PROD, "http://a.example", .proxy = "prod.example:8443", .option_name = "the proxy" },
		{ PROD, "http://a.example", .proxy = "http://me:pw@prod.example:8443", .option_name = "the proxy" },
		{ PROD, "http://a.example", .proxy = "socks5h://prod.example:8443", .option_name = "the proxy" },
		{ PROD, "http://a.example", .proxy = "prod.example", .option_name = "" },
		{ PROD, "http://a.example", .proxy = "proxy.example:8443", .option_name = "" },
		{ "http://prod.example:1080", "http://a.example", .proxy = "prod.example", .option_name = "the proxy" },
		{ "http://prod.example", "http://a.example", .proxy = "https://prod.example",
		  .option_name = "the proxy" },
		{ PROD, "http://prod.example:8080", .option_name = "" },
		{ "http://127.0.0.1:8099", "http://localhost", .option_name = "" },
		{ "http://127.0.0.1:8099", "http://localhost:8099", .option_name = "the destination" },
		/* A server with several names goes by the header. */
		{ PROD, "http://a.example", .host = "Prod.Example.", .option_name = "the Host header" },
		{ PROD, "http://10.0.0.1:81", .host = "prod.example:9000", .option_name = "the Host header" },
		{ PROD, "http://a.example", .host = "prod.example:8443", .option_name = "the Host header" },
		{ PROD, "http://a.example", .host = "b.example", .option_name = "" },
		{ "http://10.1.2.3/", "http://a.example", .host = "[::ffff:10.1.2.3]",
		  .option_name = "the Host header" },
		{ "http://127.0.0.1:8099", "http://localhost", .host = "localhost", .option_name = "" },
		{ "http://127.0.0.1:8099", "http://localhost", .host = "x.localhost:8099",
		  .option_name = "the Host header" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct production p;
		struct detours d = { .count = 0 };
		struct error err;
		begin(&p, rows[i].production, rows[i].where);
		if ((rows[i].connect_to && detours_add_connect_to(&d, rows[i].connect_to, &err) < 0) ||
		    (rows[i].proxy && detours_set_proxy(&d, rows[i].proxy, &err) < 0) ||
		    (rows[i].host && detours_add_host_header(&d, text_of(rows[i].host), &err) < 0))
			fail_msg("row %zu: %s", i, err.message);
		if (strcmp(way(&p, &d), rows[i].option_name) != 0)
			fail_msg("row %zu: %s", i, way(&p, &d));
		detours_release(&d);
		end(&p);
	}
}

TEST(a_name_may_turn_out_to_be_production)
{
	static const struct {
		const char *production, *address;
		uint16_t port;
		bool lets;
	} rows[] = {
		{ "http://127.0.0.1:8099", "127.0.0.1", 8099, false },
		{ "http://127.0.0.1:8099", "127.0.1.1", 8099, false },
		{ "http://localhost:8099", "127.0.1.1", 8099, false },
		{ "http://127.0.0.1:8099", "127.0.0.1", 8098, true },
		{ "http://10.0.0.7", "10.0.0.7", 443, false },
		{ "http://10.0.0.7", "10.0.0.8", 80, true },
		{ "http://prod.example", "10.0.0.7", 80, true },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct production p;
		struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(rows[i].port) };
		begin(&p, rows[i].production, "http://a.example");
		assert_int_equal(inet_pton(AF_INET, rows[i].address, &to.sin_addr), 1);
		if (guard_allows_address(&p.config, (const struct sockaddr *)(const void *)&to) != rows[i].lets)
			fail_msg("row %zu", i);
		struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_port = htons(rows[i].port) };
		to6.sin6_addr.s6_addr[10] = to6.sin6_addr.s6_addr[11] = 0xFF;
		memcpy(to6.sin6_addr.s6_addr + 12, &to.sin_addr, 4);
		if (guard_allows_address(&p.config, (const struct sockaddr *)(const void *)&to6) != rows[i].lets)
			fail_msg("row %zu, mapped", i);
		struct sockaddr_un local = { .sun_family = AF_UNIX };
		assert_true(guard_allows_address(&p.config, (const struct sockaddr *)(const void *)&local));
		end(&p);
	}
}
