#include "config/detours.h"

#include "config/url_address.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A text that could not be parsed may contain a password. */
static int refuse_value(const char *text, const char *what, const char *why, struct error *err)
{
	LOCAL_BUFFER masked = BUFFER_INIT;
	url_append_masked_unparsed(&masked, text);
	return error_set(err, EXIT_CODE_USAGE, "'%s' is not %s: %s", buffer_text(&masked), what, why);
}

static int add_detour(struct detours *d, const char *option_name, const struct host *host, unsigned port,
                      struct error *err)
{
	if (!ARRAY_ROOM(d->list, d->capacity, d->count + 1))
		return error_no_memory(err);
	d->list[d->count++] = (struct detour){ option_name, *host, port, false };
	return 0;
}

/* Moves *text past the part and its colon. False: there is no colon. */
static bool next_part(const char **text, const char **part, size_t *length)
{
	*part = *text;
	/* The length of the next part, up to a colon outside brackets or the end. */
	size_t bracket = (*text)[0] == '[' ? strcspn(*text, "]") : 0;
	*length = bracket + strcspn(*text + bracket, ":");
	*text += *length;
	if (**text != ':')
		return false;
	++*text;
	return true;
}

/* Both may be empty. */
static const char *read_pair(const char *host_text, size_t host_length, const char *port_text, size_t port_length,
                             struct host *host, unsigned *port)
{
	const char *why = NULL;
	*host = (struct host){ .type = HOST_NAME };
	*port = 0;
	if (host_length > 0)
		why = host_parse(host_text, host_length, host);
	if (!why)
		why = host_to_ascii(host);
	if (!why && port_length > 0)
		why = port_parse(port_text, port_length, port);
	return why;
}

static void append_pair(struct buffer *out, const struct host *host, unsigned port)
{
	host_append(out, host);
	buffer_append_byte(out, ':');
	if (port > 0)
		buffer_printf(out, "%u", port);
}

int detours_add_connect_to(struct detours *d, const char *text, struct error *err)
{
	const char *at = text, *part[4], *why = "expected four parts";
	size_t length[4];
	struct host from, to;
	unsigned from_port, to_port;
	bool four = next_part(&at, &part[0], &length[0]) && next_part(&at, &part[1], &length[1]) &&
	            next_part(&at, &part[2], &length[2]) && !next_part(&at, &part[3], &length[3]);
	if (four)
		why = read_pair(part[0], length[0], part[1], length[1], &from, &from_port);
	if (four && !why)
		why = read_pair(part[2], length[2], part[3], length[3], &to, &to_port);
	if (why) {
		refuse_value(text, "a HOST1:PORT1:HOST2:PORT2", why, err);
		return error_hint(err,
		                  "for example, --connect-to ::localhost:8080 connects to port 8080 of this machine");
	}
	struct buffer written = BUFFER_INIT;
	append_pair(&written, &from, from_port);
	buffer_append_byte(&written, ':');
	append_pair(&written, &to, to_port);
	if (written.failed)
		buffer_release(&written);
	if (owned_texts_add(&d->connect_to, written.data, err) < 0)
		return -1;
	return add_detour(d, "--connect-to", &to, to_port, err);
}

static const char *read_proxy(const char *text, struct url *url)
{
	static const struct {
		const char *scheme;
		unsigned port; /* libcurl's default */
	} known[] = { { "http", 1080 },    { "https", 443 },   { "socks4", 1080 },
		      { "socks4a", 1080 }, { "socks5", 1080 }, { "socks5h", 1080 } };
	const char *why = url_parse(text, url);
	size_t i = 0, count = sizeof known / sizeof known[0];
	while (i < count && !why && strcmp(known[i].scheme, url->scheme) != 0)
		i++;
	if (!why && i == count)
		why = "the scheme is not http, https, socks4, socks4a, socks5 or socks5h";
	if (!why && strcmp(url->rest, "") != 0 && strcmp(url->rest, "/") != 0)
		why = "it has a path";
	if (!why)
		why = host_to_ascii(&url->host);
	if (!why && url->port == 0)
		url->port = known[i].port;
	return why;
}

int detours_set_proxy(struct detours *d, const char *text, struct error *err)
{
	LOCAL_BUFFER whole = BUFFER_INIT;
	struct buffer written = BUFFER_INIT;
	struct url url;
	buffer_printf(&whole, "%s%s", strstr(text, "://") ? "" : "http://", text);
	const char *why = read_proxy(buffer_text(&whole), &url);
	if (whole.failed)
		return error_no_memory(err);
	if (why) {
		refuse_value(text, "a proxy", why, err);
		return error_hint(err, "write http://HOST:PORT or socks5://HOST:PORT");
	}
	url_append_origin(&written, &url);
	free(d->proxy);
	d->proxy = written.data;
	return written.failed ? error_no_memory(err) : add_detour(d, "the proxy", &url.host, url.port, err);
}

int detours_add_host_header(struct detours *d, struct text value, struct error *err)
{
	struct host host;
	unsigned port;
	if (!value.text)
		value = text_of(""); /* a Host that is left out leads nowhere that is known */
	const char *why = host_port_parse(value.text, value.length, &host, &port);
	if (!why)
		why = host_to_ascii(&host);
	if (why) {
		error_set(err, EXIT_CODE_USAGE, "the Host header '%.*s' is not HOST[:PORT]: %s", (int)value.length,
		          value.text, why);
		return error_hint(err,
		                  "the production guard needs to know the host; --allow-production sends any Host");
	}
	if (add_detour(d, "the Host header", &host, port, err) < 0)
		return -1;
	d->list[d->count - 1].is_header = true;
	return 0;
}

void detours_release(struct detours *d)
{
	owned_texts_release(&d->connect_to);
	free(d->proxy);
	free(d->list);
	*d = (struct detours){ .count = 0 };
}
