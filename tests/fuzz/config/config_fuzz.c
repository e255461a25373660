/*
 * Any configuration, and behind a byte 0xFF (which no JSON holds) any --to, --connect-to and proxy, one per
 * line: an error says what is wrong, what is read is written so that it is read again as the same, libcurl reads the
 * URL and the proxy as we do, and what the guard lets through is not the protected place.
 */
#include "../fuzz.h"
#include "base/url.h"
#include "config/config.h"
#include "config/destination.h"

#include <curl/curl.h>
#include <locale.h>

static void require_error(const struct error *err)
{
	require(err->code == EXIT_CODE_USAGE && err->message[0] != '\0');
}

static void mask(const char *url)
{
	struct buffer masked = BUFFER_INIT;
	url_append_masked(&masked, url);
	require(!masked.failed);
	buffer_release(&masked);
}

/* libcurl's reading of what it gets. */
static void require_same_reading(const char *text)
{
	CURLU *handle = curl_url();
	char *host = NULL, *port = NULL, *scheme = NULL;
	struct url url;
	struct buffer ours = BUFFER_INIT;
	require(url_parse(text, &url) == NULL);
	host_append(&ours, &url.host);
	require(curl_url_set(handle, CURLUPART_URL, text, CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS) == CURLUE_OK);
	require(curl_url_get(handle, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK && strcmp(scheme, url.scheme) == 0);
	require(curl_url_get(handle, CURLUPART_HOST, &host, 0) == CURLUE_OK && strcmp(host, buffer_text(&ours)) == 0);
	bool has_port = curl_url_get(handle, CURLUPART_PORT, &port, 0) == CURLUE_OK;
	require(has_port ? strtoul(port, NULL, 10) == url.port : url.port == 0);
	curl_free(host);
	curl_free(port);
	curl_free(scheme);
	curl_url_cleanup(handle);
	buffer_release(&ours);
}

static void require_read_again(int (*read)(struct detours *, const char *, struct error *), const char *text)
{
	struct detours again = { .count = 0 };
	struct error err;
	require(read(&again, text, &err) == 0);
	if (again.proxy) {
		require(strcmp(again.proxy, text) == 0);
		require_same_reading(text);
	} else {
		require(strcmp(again.connect_to.list.items[0], text) == 0);
	}
	detours_release(&again);
}

static void read_detours(struct detours *d, const char *connect_to, const char *proxy)
{
	struct error err = { 0 };
	if (connect_to && detours_add_connect_to(d, connect_to, &err) == 0)
		require_read_again(detours_add_connect_to, d->connect_to.list.items[0]);
	else
		require(!connect_to || err.code == EXIT_CODE_USAGE);
	if (proxy && detours_set_proxy(d, proxy, &err) == 0)
		require_read_again(detours_set_proxy, d->proxy);
	else
		require(!proxy || err.code == EXIT_CODE_USAGE);
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
	require(host_is_equal(&target.host, &destination.address.host) && target.port == destination.address.port);
	require_same_reading(buffer_text(&destination.url));
	bool let_through = guard_check(config, &destination, detours, false, &err) == 0;
	for (size_t i = 0; i < config->environment_count; i++) {
		const struct config_environment *e = &config->environments[i];
		require(address_of_url(e->url, &guarded, &err) == 0);
		require(host_is_equal(&guarded.host, &e->address.host) && guarded.port == e->address.port);
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
	setlocale(LC_CTYPE, "C.UTF-8"); /* as main() does: names outside ASCII depend on it */
	const uint8_t *split = size > 0 ? memchr(data, 0xFF, size) : NULL;
	size_t length = split ? (size_t)(split - data) : size;
	struct config config;
	struct error err = { 0 };
	if (config_read_text(&config, "fuzz", (const char *)data, length, &err) < 0) {
		require_error(&err);
		require(config.path == NULL && config.environment_count == 0 && config.default_count == 0);
	}
	char *lines = split ? strndup((const char *)split + 1, size - length - 1) : NULL, *rest = lines;
	const char *where = take_line(&rest), *connect_to = take_line(&rest);
	struct detours detours = { .count = 0 };
	read_detours(&detours, connect_to, take_line(&rest));
	go(&config, where, &detours);
	for (size_t i = 0; i < config.environment_count; i++)
		go(&config, config.environments[i].name, NULL);
	detours_release(&detours);
	free(lines);
	config_release(&config);
	return 0;
}
