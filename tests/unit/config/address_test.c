#include "base/url.h"
#include "config/destination.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void configure(struct config *config, const char *text)
{
	struct error err;
	if (config_read_text(config, "test.json", text, strlen(text), &err) != 0)
		fail_msg("%s: %s", text, err.message);
}

/* A configuration whose production is at the URL. */
static void configure_production(struct config *config, const char *url)
{
	char text[512];
	snprintf(text, sizeof text,
	         "{\"environments\":{\"sandbox\":{\"url\":\"http://sandbox.example/hook\"},"
	         "\"production\":{\"url\":\"%s\"}}}",
	         url);
	configure(config, text);
}

TEST(a_url_is_read_into_one_spelling)
{
	static const struct {
		const char *url, *scheme, *host;
		unsigned port;
	} rows[] = {
		{ "http://example.com", "http", "example.com", 80 },
		{ "HTTP://Example.COM/", "http", "example.com", 80 },
		{ "https://example.com./hook?x#y", "https", "example.com", 443 },
		{ "https://example.com:8443", "https", "example.com", 8443 },
		{ "http://user:pass@example.com:81/", "http", "example.com", 81 },
		{ "http://93.184.216.34", "http", "93.184.216.34", 80 },
		{ "http://[2001:DB8:0:0::1]/", "http", "2001:db8::1", 80 },
		{ "http://[::ffff:93.184.216.34]/", "http", "93.184.216.34", 80 },
		{ "http://[::ffff:5db8:d822]/", "http", "93.184.216.34", 80 },
		{ "http://B\xC3\xBC"
		  "cher.example/",
		  "http", "xn--bcher-kva.example", 80 },
		{ "http://\xEF\xBC\x99\xEF\xBC\x93.184.216.34/", "http", "93.184.216.34", 80 },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct address address;
		struct error err;
		if (address_of_url(rows[i].url, &address, &err) != 0)
			fail_msg("%s: %s", rows[i].url, err.message);
		if (strcmp(address.scheme, rows[i].scheme) != 0 || strcmp(address.host.text, rows[i].host) != 0 ||
		    address.port != rows[i].port)
			fail_msg("%s: %s %s %u", rows[i].url, address.scheme, address.host.text, address.port);
	}
}

TEST(what_is_no_url_is_refused_without_its_secrets)
{
	char long_host[400] = "http://";
	memset(long_host + 7, 'a', sizeof long_host - 8);
	const char *const urls[] = {
		"",
		"example.com",
		"localhost:3000",
		"http://",
		"http:///",
		"ftp://user:secret@example.com/",
		"file:///etc/passwd?secret=secret",
		"unix:///run/secret.sock?a=secret",
		"http://user:secret@example.com:99999/",
		"http://user:secret@exa mple.com/",
		"http://example.com:x/?key=secret",
		"http://[::1/?key=secret",
		"http://bob:secret/secret@example.com/",
		"http://bob:secret#:secret@example.com/",
		"http://bob:secret?:secret@example.com/?key=secret",
		"http://example.com:x/?a=b@c&key=secret",
		"http:/bob:secret@example.com:99999/",
		"http://example.com:x?key=secret:x@y",
		"http:/127.0.0.1:3000",
		"http:///127.0.0.1:3000/",
		"http:///me:secret@example.com/?a=secret",
		"HTTPS:/me:secret@example.com",
		"http://me:sec ret@example.com/",
		"http://me:secret@secret@example.com/",
		"http://127.1/?a=secret",
		"http://example.com:/?a=secret",
		"http://example.com:0080/?a=secret",
		"http://ex\xEF\xBC\x9A"
		"ample.com/",
		"http://ex\xFF"
		"ample.com/",
		long_host,
	};
	for (size_t i = 0; i < COUNT(urls); i++) {
		struct address address;
		struct error err = { 0 };
		if (address_of_url(urls[i], &address, &err) == 0)
			fail_msg("%s was read", urls[i]);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		if (strstr(err.message, ":secret") || strstr(err.message, "=secret"))
			fail_msg("%s", err.message);
	}
}

TEST(where_is_a_url_or_short_for_one)
{
	static const struct {
		const char *where, *url;
	} rows[] = {
		{ "http://example.com/hook", "http://example.com/hook" },
		{ "HTTPS://Example.com:8443/A?b#c", "https://example.com:8443/A?b#c" },
		{ "http://me:pw@[::1]?x", "http://me:pw@[::1]?x" },
		{ "http://example.com./", "http://example.com./" },
		{ "localhost:3000/hook", "http://localhost:3000/hook" },
		{ "localhost", "http://localhost" },
		{ "LOCALHOST/hook", "http://localhost/hook" },
		{ ":3000", "http://127.0.0.1:3000" },
		{ ":3000/a?b", "http://127.0.0.1:3000/a?b" },
		{ "3000", "http://127.0.0.1:3000" },
		{ "3000/hook", "http://127.0.0.1:3000/hook" },
		{ "3000?x=1", "http://127.0.0.1:3000?x=1" },
		{ "10.0.0.1", "http://10.0.0.1" },
		{ "10.0.0.1:3000/x", "http://10.0.0.1:3000/x" },
		{ "hooks.example/x", "http://hooks.example/x" },
		{ "web:8080", "http://web:8080" },
		{ "[::1]:3000/hook", "http://[::1]:3000/hook" },
		{ "[::1]", "http://[::1]" },
		{ "sandbox", "http://sandbox.example/hook" },
		{ "production", "https://prod.example/hook" },
		{ NULL, "http://sandbox.example/hook" },
	};
	RELEASED(config) config;
	configure_production(&config, "https://prod.example/hook");
	for (size_t i = 0; i < COUNT(rows); i++) {
		RELEASED(destination) destination;
		struct error err;
		if (destination_resolve(&config, rows[i].where, &destination, &err) != 0)
			fail_msg("%s: %s", rows[i].where ? rows[i].where : "(none)", err.message);
		assert_string_equal(buffer_text(&destination.url), rows[i].url);
	}
}

TEST(where_that_leads_nowhere_is_a_usage_error)
{
	static const struct {
		const char *where, *said;
	} rows[] = {
		{ "", "not a URL or a configured" },
		{ "l", "not a URL or a configured" },
		{ "local", "not a URL or a configured" },
		{ "localhosts", "not a URL or a configured" },
		{ ":", "not a URL or a configured" },
		{ ":x", "not a URL or a configured" },
		{ "/hook", "not a URL or a configured" },
		{ "123456", "not a URL or a configured" },
		{ "sandbx", "not a URL or a configured" },
		{ "mailto:me", "not a URL or a configured" },
		{ "user:secret@host/hook", "'user:***@host/hook' is not a URL or" },
		{ "99999", "cannot send to" },
		{ ":99999", "cannot send to" },
		{ "ftp://example.com", "not http or https" },
		{ "file:///etc/passwd", "not http or https" },
		{ "http://", "cannot send to" },
		{ "https:///prod.example/", "the scheme must be followed by '://'" },
	};
	struct config config;
	configure_production(&config, "https://prod.example/hook");
	for (size_t i = 0; i < COUNT(rows); i++) {
		RELEASED(destination) destination;
		struct error err;
		if (destination_resolve(&config, rows[i].where, &destination, &err) == 0)
			fail_msg("%s led to %s", rows[i].where, buffer_text(&destination.url));
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		if (!strstr(err.message, rows[i].said))
			fail_msg("%s: %s (%s)", rows[i].where, err.message, err.hint);
		if (strcmp(rows[i].where, "sandbx") == 0)
			assert_string_equal(err.hint, "did you mean sandbox?");
	}
	config_release(&config);
	RELEASED(destination) destination;
	struct error err;
	struct config none = CONFIG_INIT;
	assert_int_equal(destination_resolve(&none, NULL, &destination, &err), -1);
	assert_int_equal(err.code, EXIT_CODE_USAGE);
	assert_non_null(strstr(err.hint, "--to"));
}

/* Whether the guard refuses, and that nothing but the guard does. */
static bool refused(const char *production, const char *where)
{
	struct config config;
	struct destination destination;
	struct error err;
	configure_production(&config, production);
	if (destination_resolve(&config, where, &destination, &err) != 0)
		fail_msg("%s: %s", where, err.message);
	bool stopped = guard_check(&config, &destination, NULL, false, &err) < 0;
	if (stopped) {
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		assert_non_null(strstr(err.message, "leads to the protected environment 'production'"));
		assert_non_null(strstr(err.hint, "--allow-production"));
	}
	assert_int_equal(guard_check(&config, &destination, NULL, true, &err), 0);
	destination_release(&destination);
	config_release(&config);
	return stopped;
}

TEST(production_is_refused_however_it_is_spelled)
{
	static const struct {
		const char *production, *where;
		bool stopped;
	} rows[] = {
		{ "https://prod.example/hook", "production", true },
		{ "https://prod.example/hook", "https://prod.example/hook", true },
		{ "https://prod.example/hook", "https://prod.example/other?x=1#y", true },
		{ "https://prod.example/hook", "HTTPS://PROD.Example", true },
		{ "https://prod.example/hook", "https://prod.example:443/", true },
		{ "https://prod.example/hook", "https://prod.example./", true },
		{ "https://prod.example/hook", "https://me:pw@prod.example/", true },
		{ "https://prod.example/hook", "https://sandbox.example@prod.example/", true },
		{ "https://PROD.example.:443/hook", "https://prod.example", true },
		{ "https://prod.example/hook", "https://\xEF\xBD\x90rod.example/", true },
		{ "https://prod.example/hook",
		  "https://prod\xE3\x80\x82"
		  "example/",
		  true },
		{ "https://b\\u00fccher.example/hook", "https://xn--bcher-kva.example/", true },
		{ "https://xn--bcher-kva.example/hook",
		  "https://B\xC3\x9C"
		  "CHER.example/",
		  true },
		{ "http://127.0.0.1:3000/hook", "3000", true },
		{ "http://127.0.0.1:3000/hook", ":3000/hook", true },
		{ "http://127.0.0.1:3000/hook", "localhost:3000", true },
		{ "http://localhost:3000/hook", "127.0.0.1:3000", true },
		{ "http://localhost:3000/hook", "[::1]:3000", true },
		{ "http://127.0.0.1:3000/hook", "http://[::ffff:127.0.0.1]:3000", true },
		{ "http://127.0.0.1:3000/hook", "http://0.0.0.0:3000", true },
		{ "http://127.0.0.1:3000/hook", "http://127.0.0.2:3000", true },
		{ "http://127.0.0.1:3000/hook", "http://127.255.255.254:3000", true },
		{ "http://127.0.0.1:3000/hook", "http://[::ffff:127.0.0.9]:3000", true },
		{ "http://127.0.0.1:3000/hook", "http://[::]:3000", true },
		{ "http://127.0.0.1:3000/hook", "http://hooks.LocalHost.:3000", true },
		{ "http://127.0.0.9:3000/hook", ":3000", true },
		{ "http://127.0.0.1:3000/hook", "http://128.0.0.1:3000", false },
		{ "http://127.0.0.1:3000/hook",
		  "http://127\xE3\x80\x82"
		  "0\xE3\x80\x82"
		  "0\xE3\x80\x82"
		  "1:3000",
		  true },
		{ "http://[2001:db8::1]/", "http://[2001:0DB8:0:0:0:0:0:1]", true },
		{ "https://prod.example/hook", "sandbox", false },
		{ "https://prod.example/hook", "http://prod.example/hook", true },
		{ "https://prod.example/hook", "prod.example/hook", true },
		{ "https://127.0.0.1:3000/hook", "127.0.0.1:3000/hook", true },
		{ "http://prod.example:8080/hook", "http://prod.example/hook", false },
		{ "https://prod.example/hook", "https://prod.example:444/hook", false },
		{ "https://prod.example/hook", "https://prod.example.org/hook", false },
		{ "https://prod.example/hook", "https://xprod.example/hook", false },
		{ "https://prod.example/hook", "https://prod.example@sandbox.example/", false },
		{ "http://127.0.0.1:3000/hook", "127.0.0.1:3001", false },
	};
	for (size_t i = 0; i < COUNT(rows); i++)
		if (refused(rows[i].production, rows[i].where) != rows[i].stopped)
			fail_msg("%s is production: %s is %s", rows[i].production, rows[i].where,
			         rows[i].stopped ? "let through" : "refused");
}

TEST(every_protected_environment_is_guarded)
{
	RELEASED(config) config;
	struct destination destination;
	struct error err;
	configure(&config, "{\"environments\":{\"a\":{\"url\":\"http://a.example\",\"protected\":true},"
	                   "\"b\":{\"url\":\"http://b.example\",\"protected\":false},"
	                   "\"c\":{\"url\":\"http://c.example\",\"protected\":true}}}");
	assert_int_equal(destination_resolve(&config, "http://c.example/x", &destination, &err), 0);
	assert_null(destination.environment);
	assert_int_equal(guard_check(&config, &destination, NULL, false, &err), -1);
	assert_non_null(strstr(err.message, "'c'"));
	destination_release(&destination);
	assert_int_equal(destination_resolve(&config, "b", &destination, &err), 0);
	assert_ptr_equal(destination.environment, config_environment_named(&config, "b"));
	assert_int_equal(guard_check(&config, &destination, NULL, false, &err), 0);
	destination_release(&destination);
}

TEST(of_several_at_one_place_the_named_one_is_told)
{
	RELEASED(config) config;
	struct destination destination;
	struct guarded found;
	struct error err;
	configure(&config, "{\"environments\":{\"a\":{\"url\":\"http://a.example/1\",\"protected\":true},"
	                   "\"b\":{\"url\":\"http://a.example/2\",\"protected\":true}}}");
	static const char *const named[][2] = { { "a", "a" }, { "b", "b" }, { "http://a.example/3", "a" } };
	for (size_t i = 0; i < COUNT(named); i++) {
		assert_int_equal(destination_resolve(&config, named[i][0], &destination, &err), 0);
		assert_true(guard_find(&config, &destination, NULL, &found));
		assert_string_equal(found.environment->name, named[i][1]);
		assert_string_equal(found.option_name, "the destination");
		destination_release(&destination);
	}
}

TEST(secrets_of_a_url_are_masked)
{
	static const struct {
		const char *url, *shown;
	} rows[] = {
		{ "http://example.com/hook", "http://example.com/hook" },
		{ "http://me:secret@example.com/", "http://me:***@example.com/" },
		{ "http://me:se:cr@et@example.com/", "http://me:***@example.com/" },
		{ "http://:secret@example.com", "http://:***@example.com" },
		{ "http://token@example.com", "http://***@example.com" },
		{ "me:secret@example.com:80/x", "me:***@example.com:80/x" },
		{ "http://example.com/a@b", "http://example.com/a@b" },
		{ "http://example.com/?key=secret", "http://example.com/?key=***" },
		{ "http://example.com?a=1&b=2&c", "http://example.com?a=***&b=***&***" },
		{ "http://example.com/?a==x=y", "http://example.com/?a=***" },
		{ "http://me:secret@example.com/?a=@:secret", "http://me:***@example.com/?a=***" },
		{ "http:///me:secret@example.com/", "http:///me:***@example.com/" },
		{ "http://///me:secret@example.com/a@b", "http://///me:***@example.com/a@b" },
		{ "http:/me:secret@example.com/", "http:***@example.com/" },
		{ "/a?key=secret&to=http://me:secret@example.com/", "***@example.com/" },
		{ "/a?key=secret&to=http://example.com/", "/a?key=***&to=***" },
		{ "me:sec://ret@example.com", "me:***@example.com" },
		{ "me:sec/re#t@example.com", "me:***@example.com" },
		{ "me:sec?re&a=t@example.com?b=secret&c=secret", "me:***@example.com?b=***&c=***" },
		{ "http://example.com/#token=secret", "http://example.com/#***" },
		{ "http://example.com/?a=1#b", "http://example.com/?a=***#***" },
		{ "http://example.com/?a=1#b=secret&c=secret", "http://example.com/?a=***#***" },
		{ "http://example.com/a#?b=secret", "http://example.com/a#***" },
		{ "http://example.com/#", "http://example.com/#" },
		{ "http://example.com/a?b?c=secret", "http://example.com/a?b?c=***" },
		{ "", "" },
		{ "://", "://" },
		{ "http://@", "http://***@" },
		{ "?", "?" },
		{ "http://example.com/?secret", "http://example.com/?***" },
		{ "http://example.com/?&secret&a=&#", "http://example.com/?&***&a=***&#" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		RELEASED(buffer) out = BUFFER_INIT;
		url_append_masked(&out, rows[i].url);
		assert_string_equal(buffer_text(&out), rows[i].shown);
	}
}
