#include "config/destination.h"

#include "base/ascii.h"
#include "base/text.h"

#include <arpa/inet.h>
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
		return host > 0 && ascii_is_digit(where[host + 1]);
	return (host == strlen(local) && strncasecmp(where, local, host) == 0) || memchr(where, '.', host) != NULL;
}

static const char forms[] = "http://HOST:PORT/PATH, localhost:3000/hook or :3000";

static int unknown_environment(const struct config *config, const char *where, struct error *err)
{
	struct nearest near;
	nearest_init(&near, where, strlen(where));
	for (size_t i = 0; i < config->environment_count; i++)
		nearest_offer(&near, config->environments[i].name);
	LOCAL_BUFFER masked = BUFFER_INIT;
	url_append_masked(&masked, where); /* what is before an '@' is a secret here */
	error_set(err, EXIT_CODE_USAGE, "'%s' is not a URL or a configured environment", buffer_text(&masked));
	if (nearest_result(&near))
		return error_ask(err, "%s", nearest_result(&near));
	return error_hint(err, "write %s, or configure the environment in %s", forms,
	                  config->path     ? config->path
	                  : config->absent ? config->absent
	                                   : "a file given by --config");
}

/* A port behind the path, localhost/hook:3000, which would be part of that. */
static bool has_port_behind(const char *where)
{
	const char *colon = strchr(where, ':'), *slash = strchr(where, '/');
	return colon && slash && slash < colon && colon[1] && colon[1 + strspn(colon + 1, "0123456789")] == '\0' &&
	       !strpbrk(where, "?#");
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
		destination->is_bare_port = true;
		buffer_printf(url, "http://127.0.0.1%s", where);
	} else if (begins_with_port(where)) {
		destination->is_bare_port = true;
		buffer_printf(url, "http://127.0.0.1:%s", where);
	} else if (has_port_behind(where)) {
		return unknown_environment(config, where, err);
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
	if (result < 0 && where && !destination->environment && err->code == EXIT_CODE_USAGE && !err->hint[0])
		error_hint(err, "write %s", forms);
	if (result == 0) {
		url_parse(buffer_text(&text), &url);
		url.host = destination->address.host;
		url_append_origin(&destination->url, &url);
		buffer_append_text(&destination->url, url.rest);
		result = destination->url.failed ? error_no_memory(err) : 0;
	}
	return result;
}

/* Whether the detour leads a delivery to `target` to the guarded address. */
static bool reaches(const struct detour *detour, const struct address *target, const struct address *guarded)
{
	struct address reached = *target;
	if (detour->is_header && !host_is_loopback(&guarded->host))
		return host_is_same(&detour->host, &guarded->host);
	if (detour->host.text[0])
		reached.host = detour->host;
	if (detour->port > 0)
		reached.port = detour->port;
	return address_same_place(&reached, guarded);
}

bool guard_find(const struct config *config, const struct destination *destination, const struct detours *detours,
                struct guarded *found)
{
	*found = (struct guarded){ NULL, NULL };
	for (size_t i = 0; i < config->environment_count; i++) {
		const struct config_environment *e = &config->environments[i];
		const char *leads_there = NULL;
		bool is_named = e == destination->environment;
		if (!e->is_protected)
			continue;
		if (is_named || address_same_place(&destination->address, &e->address))
			leads_there = "the destination";
		for (size_t d = 0; !leads_there && detours && d < detours->count; d++)
			if (reaches(&detours->list[d], &destination->address, &e->address))
				leads_there = detours->list[d].option_name;
		/* Where several environments have this address, report the one that was named. */
		if (leads_there && (!found->environment || is_named))
			*found = (struct guarded){ e, leads_there };
	}
	return found->environment != NULL;
}

int guard_check(const struct config *config, const struct destination *destination, const struct detours *detours,
                bool allowed, struct error *err)
{
	struct guarded found;
	if (allowed || !guard_find(config, destination, detours, &found))
		return 0;
	error_set(err, EXIT_CODE_USAGE, "%s leads to the protected environment '%s'", found.option_name,
	          found.environment->name);
	return error_hint(err, "nothing was sent; add --allow-production if you mean it");
}

static bool is_origin(const struct address *guarded, const char *text, size_t length)
{
	struct host host;
	unsigned port;
	if (host_port_parse(text, length, &host, &port) || host_to_ascii(&host)) {
		size_t wanted = strlen(guarded->host.text);
		for (size_t i = 0; i + wanted <= length; i++)
			if (strncasecmp(text + i, guarded->host.text, wanted) == 0)
				return true;
		return false;
	}
	/* All servers of this machine have the loopback's names. */
	if (!host_is_loopback(&guarded->host))
		return host_is_same(&host, &guarded->host);
	const struct address origin = { .host = host, .port = port > 0 ? port : 80 };
	return address_same_place(&origin, guarded);
}

const struct config_environment *guard_of_origin(const struct config *config, const struct destination *destination,
                                                 const char *host, size_t length)
{
	for (size_t i = 0; i < config->environment_count; i++) {
		const struct config_environment *e = &config->environments[i];
		if (e->is_protected && !address_same_place(&destination->address, &e->address) &&
		    is_origin(&e->address, host, length))
			return e;
	}
	return NULL;
}

bool guard_allows_address(const void *context, const struct sockaddr *to)
{
	const struct config *config = context;
	char text[INET6_ADDRSTRLEN] = "";
	struct address place = { .port = 0 };
	if (to->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const void *)to;
		inet_ntop(AF_INET, &in->sin_addr, text, sizeof text);
		place.port = ntohs(in->sin_port);
	} else if (to->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const void *)to;
		inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof text);
		place.port = ntohs(in6->sin6_port);
	}
	bool is_internet = !host_parse_address(text, strlen(text), &place.host);
	for (size_t i = 0; is_internet && i < config->environment_count; i++) {
		const struct config_environment *e = &config->environments[i];
		if (e->is_protected && address_same_place(&place, &e->address))
			return false;
	}
	return true;
}

bool guard_is_set(const struct config *config)
{
	for (size_t i = 0; i < config->environment_count; i++)
		if (config->environments[i].is_protected)
			return true;
	return false;
}
