/* What --to accepts. */
#include "base/text.h"
#include "base/url.h"
#include "config/address.h"

#include <string.h>
#include <strings.h>

void destination_release(struct destination *destination)
{
	buffer_release(&destination->url);
	destination->environment = NULL;
}

/* Digits, then the end or a path: 3000, 3000/hook. */
static bool begins_with_port(const char *where)
{
	size_t digits = strspn(where, "0123456789");
	return digits > 0 && digits <= 5 && (where[digits] == '\0' || where[digits] == '/' || where[digits] == '?');
}

static bool looks_like_host(const char *where)
{
	static const char local[] = "localhost";
	size_t host = strcspn(where, ":/?");
	if (where[0] == '[')
		return true;
	if (where[host] == ':')
		return host > 0 && where[host + 1] >= '0' && where[host + 1] <= '9';
	return (host == strlen(local) && strncasecmp(where, local, host) == 0) || memchr(where, '.', host) != NULL;
}

static int unknown_environment(const struct config *config, const char *where, struct error *err)
{
	struct nearest near;
	nearest_init(&near, where, strlen(where));
	for (size_t i = 0; i < config->environment_count; i++)
		nearest_offer(&near, config->environments[i].name);
	LOCAL_BUFFER masked = BUFFER_INIT;
	url_append_masked(&masked, where);
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a URL or a configured environment", buffer_text(&masked));
	if (nearest_result(&near))
		return error_hint(err, "did you mean %s?", nearest_result(&near));
	return error_hint(err,
	                  "write http://HOST:PORT/PATH, localhost:3000/hook, :3000, or configure the environment in %s",
	                  config->path     ? config->path
	                  : config->absent ? config->absent
	                                   : "a file given by --config");
}

/* Appends the URL that WHERE stands for, not yet checked. */
static int expand(const struct config *config, const char *where, struct destination *destination, struct buffer *url,
                  struct error *err)
{
	destination->environment = config_environment_named(config, where ? where : "sandbox");
	if (destination->environment) {
		buffer_append_text(url, destination->environment->url);
	} else if (!where) {
		error_set(err, EXIT_CODE_USAGE, "missing --to: no environment 'sandbox' is configured");
		return error_hint(err,
		                  "write --to http://HOST:PORT/PATH, or --to :8080 for a listener on this machine");
	} else if (strstr(where, "://")) {
		buffer_append_text(url, where);
	} else if (where[0] == ':' && begins_with_port(where + 1)) {
		buffer_printf(url, "http://127.0.0.1%s", where);
	} else if (begins_with_port(where)) {
		buffer_printf(url, "http://127.0.0.1:%s", where);
	} else if (looks_like_host(where)) {
		buffer_printf(url, "http://%s", where);
	} else {
		return unknown_environment(config, where, err);
	}
	return url->failed ? error_no_memory(err) : 0;
}

int destination_resolve(const struct config *config, const char *where, struct destination *destination,
                        struct error *err)
{
	LOCAL_BUFFER text = BUFFER_INIT;
	struct url url;
	*destination = (struct destination){ .url = BUFFER_INIT };
	int result = expand(config, where, destination, &text, err);
	if (result == 0)
		result = address_of_url(buffer_text(&text), &destination->address, err);
	if (result == 0) {
		url_parse(buffer_text(&text), &url);
		url.host = destination->address.host;
		url_append_origin(&destination->url, &url);
		buffer_append_text(&destination->url, url.rest);
		result = destination->url.failed ? error_no_memory(err) : 0;
	}
	return result;
}
