/*
 * Any configuration, and behind a byte 0xFF (which no JSON holds) any --to, --connect-to, --resolve and proxy, one per
 * line: an error says what is wrong, and what the guard lets through is not the protected place.
 */
#include "config/address.h"
#include "config/config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void require_error(const struct error *err)
{
	require(err->code == EXIT_CODE_USAGE && err->message[0] != '\0');
}

static void mask(const char *url)
{
	struct buffer masked = BUFFER_INIT;
	address_append_masked(&masked, url);
	require(!masked.failed);
	buffer_release(&masked);
}

static void go(const struct config *config, const char *where, const struct detours *detours)
{
	struct destination destination;
	struct error err = { 0 };
	mask(where ? where : "");
	if (destination_resolve(config, where, &destination, &err) < 0) {
		require_error(&err);
		destination_release(&destination);
		return;
	}
	require(guard_check(config, &destination, detours, true, &err) == 0);
	struct address target, guarded;
	require(address_of_url(buffer_text(&destination.url), &target, &err) == 0);
	bool let_through = guard_check(config, &destination, detours, false, &err) == 0;
	for (size_t i = 0; i < config->environment_count; i++) {
		const struct config_environment *e = &config->environments[i];
		require(address_of_url(e->url, &guarded, &err) == 0);
		require(!let_through || !e->is_protected || !address_same_place(&target, &guarded));
	}
	destination_release(&destination);
}

/* Takes the next line off the text; NULL where there is none. */
static char *take_line(char **text)
{
	char *line = *text;
	if (!line)
		return NULL;
	char *end = strchr(line, '\n');
	*text = end ? end + 1 : NULL;
	if (end)
		*end = '\0';
	return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *split = size > 0 ? memchr(data, 0xFF, size) : NULL;
	size_t length = split ? (size_t)(split - data) : size;
	struct config config;
	struct error err = { 0 };
	if (config_read_text(&config, "fuzz", (const char *)data, length, &err) < 0) {
		require_error(&err);
		require(config.path == NULL && config.environment_count == 0 && config.default_count == 0);
	}
	char *lines = split ? strndup((const char *)split + 1, size - length - 1) : NULL, *rest = lines;
	const char *where = take_line(&rest), *connect_to = take_line(&rest), *resolve = take_line(&rest);
	struct detours detours = { &connect_to, connect_to ? 1 : 0, &resolve, resolve ? 1 : 0, take_line(&rest) };
	go(&config, where, &detours);
	for (size_t i = 0; i < config.environment_count; i++)
		go(&config, config.environments[i].name, NULL);
	free(lines);
	config_release(&config);
	return 0;
}
