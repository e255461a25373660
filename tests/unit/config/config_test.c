/* Beside tests/cli/config*: what a shell does not write easily. */
#include "config/config.h"
#include "test.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int read_text(struct config *config, const char *text, struct error *err)
{
	return config_read_text(config, "c.json", text, strlen(text), err);
}

TEST(everything_is_read)
{
	struct config config;
	struct error err;
	static const char text[] =
	        "{\"clientId\":\"caf\\u00e9\",\"environments\":{\"sandbox\":{\"url\":\"http://localhost:3000/hook\","
	        "\"headers\":{\"X-Key\":\"a\\tb\",\"Empty\":\"\"}},\"production\":{\"protected\":false,"
	        "\"url\":\"https://example.com\"},\"staging\":{\"url\":\"http://"
	        "s\",\"protected\":true,\"headers\":{}}},"
	        "\n \"defaults\":{\"details.appKey\":\"text\",\n\"/details/ttlInMinutes\": "
	        "15,\"details.x\":{\"a\":[1]}}}";
	assert_int_equal(read_text(&config, text, &err), 0);
	assert_string_equal(config.path, "c.json");
	assert_string_equal(config.client_id, "caf\xC3\xA9");
	assert_int_equal(config.environment_count, 3);
	const struct config_environment *sandbox = config_environment_named(&config, "sandbox");
	assert_string_equal(sandbox->url, "http://localhost:3000/hook");
	assert_false(sandbox->is_protected);
	assert_int_equal(sandbox->header_count, 2);
	assert_string_equal(sandbox->headers[0].name, "X-Key");
	assert_string_equal(sandbox->headers[0].value, "a\tb");
	assert_string_equal(sandbox->headers[1].value, "");
	assert_true(config_environment_named(&config, "production")->is_protected);
	assert_true(config_environment_named(&config, "staging")->is_protected);
	assert_null(config_environment_named(&config, "Sandbox"));
	assert_int_equal(config.default_count, 3);
	const struct config_default *defaults = config.defaults;
	assert_true(defaults[0].is_text);
	assert_string_equal(defaults[0].path, "details.appKey");
	assert_string_equal(defaults[0].text, "text");
	assert_string_equal(defaults[0].value, "\"text\"");
	assert_int_equal(defaults[0].place.line, 2);
	assert_int_equal(defaults[0].place.column, 14);
	assert_false(defaults[1].is_text);
	assert_string_equal(defaults[1].value, "15");
	assert_int_equal(defaults[1].place.line, 3);
	assert_int_equal(defaults[1].place.column, 1);
	assert_string_equal(defaults[2].value, "{\"a\":[1]}");
	assert_int_equal(defaults[2].place.column, 29);
	config_release(&config);
	assert_null(config.path);
	config_release(&config);
}

TEST(what_is_wrong_is_told_with_its_place)
{
	static const struct {
		const char *text, *said;
	} rows[] = {
		{ "{\"a\\u0000b\":1}", "c.json:1:2: NUL character in 'key'" },
		{ "{\"defaults\":{\"details\\u002eappKey\":1,\"details.appKey\":2}}",
		  "c.json:1:38: duplicate key 'details.appKey'" },
		{ "{\"environments\":{\"a\":{\"url\":\"http://a\",\"\\u0075rl\":\"http://b\"}}}",
		  "c.json:1:40: duplicate key 'url'" },
		{ "{\"environments\":{\"a\":{\"url\":\"http://a\",\"headers\":{\"A\\u007f\":\"\"}}}}",
		  "c.json:1:51: invalid character in the header (not shown: it may be a secret)" },
		{ "{\"environments\":{\"a\":{\"url\":\"http://a\",\"headers\":{\"A\":\"\\u0000\"}}}}",
		  "c.json:1:55: NUL character in 'A'" },
		{ "{\"environments\":{\"a\":{\"url\":\"http://"
		  "a\",\"headers\":{\"X-A\":\"\",\"B\":\"\",\"x-a\":\"\"}}}}",
		  "c.json:1:67: duplicate header 'x-a'" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct config config;
		struct error err = { 0 };
		if (read_text(&config, rows[i].text, &err) == 0)
			fail_msg("%s was read", rows[i].text);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		assert_string_equal(err.message, rows[i].said);
		assert_null(config.path);
		assert_int_equal(config.environment_count, 0);
	}
}
