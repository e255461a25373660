#include "config/config.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST(nothing_is_required)
{
	static const char *const texts[] = { "{}", " {\n} ", "{\"environments\":{}}", "{\"defaults\":{}}",
		                             "{\"clientId\":\"\"}" };
	for (size_t i = 0; i < COUNT(texts); i++) {
		RELEASED(config) config;
		struct error err;
		if (read_text(&config, texts[i], &err) != 0)
			fail_msg("%s: %s", texts[i], err.message);
		assert_int_equal(config.environment_count, 0);
		assert_int_equal(config.default_count, 0);
	}
}

TEST(what_is_wrong_is_told_with_its_place)
{
	static const struct {
		const char *text, *said, *hint;
	} rows[] = {
		{ "", "c.json:1:1: the configuration is not JSON", "" },
		{ "{\n\"clientId\":\"a\",}", "c.json:2:16: the configuration is not JSON", "" },
		{ "\xEF\xBB\xBF{}", "c.json:1:1: the configuration is not JSON", "" },
		{ "[]", "c.json:1:1: expected an object", "" },
		{ "null", "c.json:1:1: expected an object", "" },
		{ "{\"clientID\":\"\"}", "c.json:1:2: unknown key 'clientID'", "did you mean clientId?" },
		{ "{\"x\":1}", "c.json:1:2: unknown key 'x'", "valid keys are clientId, environments and defaults" },
		{ "{\"clientId\":null}", "c.json:1:13: expected a string for 'clientId'", "" },
		{ "{\"clientId\":\"\\u0000\"}", "c.json:1:13: NUL character in 'clientId'", "" },
		{ "{\"a\\u0000b\":1}", "c.json:1:2: NUL character in 'key'", "" },
		{ "{\"defaults\":{\"details\\u002eappKey\":1,\"details.appKey\":2}}",
		  "c.json:1:38: duplicate key 'details.appKey'; first at line 1", "" },
		{ "{\"environments\":{\"a\":{\"url\":\"http://a\",\"\\u0075rl\":\"http://b\"}}}",
		  "c.json:1:40: duplicate key 'url'; first at line 1", "" },
		{ "{\"environments\":{\"a\":{\"url\":\"http://a\"},\"b\":{\"url\":\"gopher://b\"}}}",
		  "c.json:1:52: cannot send to 'gopher://b'", "" },
		{ "{\"environments\":{\"a\":{\"headers\":{}}}}",
		  "c.json:1:22: missing key 'url' in the environment 'a'", "" },
		{ "{\"environments\":{\"a\":{\"url\":\"http://a\",\"headers\":{\"A\\u007f\":\"\"}}}}",
		  "c.json:1:51: invalid character in the header", "" },
		{ "{\"environments\":{\"a\":{\"url\":\"http://a\",\"headers\":{\"A\":\"\\u0000\"}}}}",
		  "c.json:1:55: NUL character in 'A'", "" },
		{ "{\"defaults\":{\"a\":1,\"b=\":1}}", "c.json:1:20: not a field path: (not shown",
		  "write it like details.appKey" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct config config;
		struct error err = { 0 };
		if (read_text(&config, rows[i].text, &err) == 0)
			fail_msg("%s was read", rows[i].text);
		assert_int_equal(err.code, EXIT_CODE_USAGE);
		if (strncmp(err.message, rows[i].said, strlen(rows[i].said)) != 0 ||
		    strncmp(err.hint, rows[i].hint, strlen(rows[i].hint)) != 0)
			fail_msg("%s: %s (%s)", rows[i].text, err.message, err.hint);
		assert_null(config.path);
		assert_int_equal(config.environment_count, 0);
	}
}

struct folder {
	char path[64];
};

static void write_file(const struct folder *folder, const char *name, const char *text, char path[256])
{
	snprintf(path, 256, "%s/%s", folder->path, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
	struct folder *folder = calloc(1, sizeof *folder);
	if (!folder)
		return -1;
	snprintf(folder->path, sizeof folder->path, "/tmp/credhook-config.XXXXXX");
	*state = folder;
	unsetenv("CREDHOOK_CONFIG");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	return mkdtemp(folder->path) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct folder *folder = *state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", folder->path);
	int result = system(command);
	free(folder);
	return result;
}

TEST_WITH(one_file_wins, set_up, tear_down)
{
	const struct folder *folder = *state;
	struct config config;
	struct error err;
	char path[256], other[256], below[300];
	assert_int_equal(config_load(&config, NULL, false, &err), 0);
	assert_null(config.path);
	snprintf(below, sizeof below, "%s/.config", folder->path);
	assert_int_equal(mkdir(below, 0700), 0);
	snprintf(below, sizeof below, "%s/.config/credhook", folder->path);
	assert_int_equal(mkdir(below, 0700), 0);
	write_file(folder, ".config/credhook/config.json", "{\"clientId\":\"home\"}", path);
	setenv("HOME", folder->path, 1);
	assert_int_equal(config_load(&config, NULL, false, &err), 0);
	assert_string_equal(config.client_id, "home");
	assert_string_equal(config.path, path);
	config_release(&config);
	write_file(folder, "other.json", "{\"clientId\":\"other\"}", other);
	setenv("CREDHOOK_CONFIG", other, 1);
	assert_int_equal(config_load(&config, NULL, false, &err), 0);
	assert_string_equal(config.client_id, "other");
	config_release(&config);
	assert_int_equal(config_load(&config, path, false, &err), 0);
	assert_string_equal(config.client_id, "home");
	config_release(&config);
	assert_int_equal(config_load(&config, path, true, &err), 0);
	assert_null(config.client_id);
	assert_null(config.path);
	unlink(other);
	assert_int_equal(config_load(&config, NULL, false, &err), -1);
	assert_int_equal(err.code, EXIT_CODE_IO);
	assert_int_equal(config_load(&config, folder->path, false, &err), -1);
	assert_int_equal(err.code, EXIT_CODE_IO);
}

/* A FIFO that nobody writes to is empty, and not waited for. */
TEST_WITH(a_fifo_without_a_writer_is_not_waited_for, set_up, tear_down)
{
	const struct folder *folder = *state;
	struct config config;
	struct error err;
	char path[256];
	snprintf(path, sizeof path, "%s/fifo", folder->path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(config_load(&config, path, false, &err), -1);
	assert_int_equal(err.code, EXIT_CODE_USAGE);
}
