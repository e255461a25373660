#include "cmd/args/route.h"

#include "base/file.h"
#include "base/shell_text.h"
#include "base/url.h"
#include "capture/source_files.h"
#include "http/head.h"
#include "http/raw.h"
#include "ui/terminal.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_NS CLOCK_NS_PER_S /* for a connection to this machine */
/* What a path may have to be printed in a hint. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-"

#define AT(field) offsetof(struct route_options, field)
static const struct option route_rows[] = {
	{ 0, "to", "WHERE", "URL, :3000/hook, or an environment (default: sandbox)", OPTION_TEXT, COMPLETE_ENVIRONMENT,
	  .offset = AT(to),
	  .also = "server webhook webhook-url remote against url uri target dest destination host endpoint port env "
	          "environment profile "
	          "-p -t" },
	{ 'H', "header", "LINE|@FILE", "add a header; @FILE reads it from a file", OPTION_LIST, COMPLETE_AT_FILE,
	  .alters = true, .offset = AT(headers), .also = "headers hdr hdrs" },
	{ 'k', "insecure", NULL, "do not check the server's certificate", OPTION_FLAG, .unsafe = true,
	  .offset = AT(insecure), .alters = true,
	  .also = "no-verify skip-verify tls-skip-verify no-cert-check trust-all ignore-ssl" },
	{ 0, "cacert", "FILE", "certificate authorities to trust (PEM)", OPTION_TEXT, COMPLETE_FILE,
	  .offset = AT(cacert), .alters = true, .also = "ca ca-file" },
	{ 0, "cert", "FILE", "client certificate (PEM)", OPTION_TEXT, COMPLETE_FILE, .offset = AT(cert), .alters = true,
	  .also = "client-cert -E" },
	{ 0, "key", "FILE", "key of the client certificate (PEM)", OPTION_TEXT, COMPLETE_FILE, .offset = AT(key),
	  .alters = true, .needs = "cert", .also = "client-key" },
	{ 0, "connect-to", "HOST1:PORT1:HOST2:PORT2", "connect to HOST2:PORT2 instead of HOST1:PORT1", OPTION_LIST,
	  COMPLETE_NOTHING, .offset = AT(connect_to), .alters = true, .also = "resolve" },
	{ 'x', "proxy", "URL", "use this proxy (never taken from the environment)", OPTION_TEXT, COMPLETE_NOTHING,
	  .offset = AT(proxy), .alters = true, .also = "http-proxy socks5 socks" },
	{ 'm', "max-time", "DURATION", "timeout of one attempt (0: unlimited)", OPTION_DURATION, .offset = AT(max_time),
	  .alters = true, .initial = "30s", .also = "timeout connect-timeout request-timeout deadline retry-max-time" },
	{ 0, "wait", "DURATION", "wait for the listener to accept connections", OPTION_DURATION, .offset = AT(wait),
	  .also = "wait-for" },
};
static const struct option_way route_ways[] = {
	{ "method request -X", "always POST" },
	{ "authorization jwt password user token auth bearer api-key x-api-key basic oauth2-bearer -u",
	  "a header: -H 'Authorization: Bearer TOKEN', or -H @FILE" },
	{ "http1.1 http2 http3 http1.0 compressed", "always HTTP/1.1, not compressed: leave it out" },
	{ "ipv4 ipv6 -4 -6", "write the address in --to: http://127.0.0.1:3000, http://[::1]:3000" },
	{ "idempotency-key", "a header: -H 'NAME: VALUE'" },
	{ "cookie -b", "a header: -H 'Cookie: NAME=VALUE'" },
	{ "form get query params -F -G", "the body is a payload; a query stands in the URL of --to" },
	{ "write-out -w", "-v shows each exchange, --json has status and time" },
	{ "user-agent content-type -A", "a header: -H 'NAME: VALUE'" },
	{ "location follow max-redirs redirect -L", "redirects are not followed: give --to the last URL" },
	{ "tls ssl https", "write --to https://..." },
	{ "verify verify-tls cert-verify", "certificates are verified: leave it out; --cacert FILE has further ones" },
	{ "unix-socket", "socat TCP-LISTEN:8081,fork UNIX-CONNECT:PATH, and --to :8081" },
	{ NULL, NULL },
};
const struct option_group route_option_group = OPTION_GROUP_WITH("Connection", route_rows, 0, route_ways);

static int add_header(struct route *route, const char *line, size_t length, struct error *err)
{
	if (!ARRAY_ROOM(route->headers, route->header_capacity, route->header_count + 1))
		return error_no_memory(err);
	return header_read_option(line, length, &route->headers[route->header_count++], err);
}

/* A header of that line of a file, which an error names. */
static int add_header_line(struct route *route, const char *path, size_t number, const char *line, size_t length,
                           struct error *err)
{
	if (add_header(route, line, length, err) == 0)
		return 0;
	const struct error why = *err;
	error_set(err, why.code, "%s:%zu: %s", input_name(path), number, why.message);
	return why.hint[0] ? error_hint(err, "%s", why.hint) : -1;
}

/* Every line of the file that is not empty is a header. */
static int add_header_file(struct route *route, const char *path, const struct signals *signals, struct error *err)
{
	struct buffer text = BUFFER_INIT;
	int result = file_read_whole(path, &text, signals, err);
	const char *at = buffer_text(&text), *end = at + text.length;
	if (result < 0)
		buffer_release(&text);
	if (result < 0 || owned_texts_add(&route->files, text.data, err) < 0)
		return -1;
	for (size_t number = 1; result == 0 && at < end; number++) {
		size_t length = (size_t)(end - at);
		const char *newline = memchr(at, '\n', length);
		length = newline ? (size_t)(newline - at) : length;
		size_t kept = length > 0 && at[length - 1] == '\r' ? length - 1 : length;
		if (kept > 0)
			result = add_header_line(route, path, number, at, kept, err);
		at += length + (newline ? 1 : 0);
	}
	return result;
}

static const struct text *value_of(const struct route *route, const char *name)
{
	const struct message sent = { .headers = route->headers, .header_count = route->header_count };
	return message_header(&sent, name);
}

/* The command line's come first, and those of the environment that it does not set. */
static int collect_headers(struct route *route, const struct text_list *lines, const struct signals *signals,
                           struct error *err)
{
	const struct config_environment *e = route->destination.environment;
	for (size_t i = 0; i < lines->count; i++) {
		const char *given = lines->items[i];
		int result = given[0] == '@' ? add_header_file(route, given + 1, signals, err)
		                             : add_header(route, given, strlen(given), err);
		if (result < 0)
			return -1;
	}
	route->given_headers = route->header_count;
	for (size_t i = 0; e && i < e->header_count; i++) {
		const struct config_header *h = &e->headers[i];
		if (value_of(route, h->name))
			continue;
		if (!ARRAY_ROOM(route->headers, route->header_capacity, route->header_count + 1))
			return error_no_memory(err);
		route->headers[route->header_count++] =
		        (struct header){ text_of(h->name), text_of(*h->value ? h->value : NULL) };
	}
	return 0;
}

/* NULL: not set, or empty. libcurl does not read these itself, as OpenSSL's own programs do. */
static const char *environment(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : NULL;
}

int route_init(struct route *route, const struct route_options *o, const struct context *context, struct error *err)
{
	if (config_load(&route->config, context->global->config, context->global->no_config, err) < 0 ||
	    destination_resolve(&route->config, o->to ? o->to : context->to, &route->destination, err) < 0)
		return -1;
	for (size_t i = 0; i < o->connect_to.count; i++)
		if (detours_add_connect_to(&route->detours, o->connect_to.items[i], err) < 0)
			return -1;
	if (o->proxy && detours_set_proxy(&route->detours, o->proxy, err) < 0)
		return -1;
	if (collect_headers(route, &o->headers, context->signals, err) < 0)
		return -1;
	/* Who may send to production may say anything there. */
	bool guards_hosts = !o->allow_production && guard_is_set(&route->config);
	for (size_t i = 0; guards_hosts && i < route->header_count; i++)
		if (header_is(&route->headers[i], "Host") &&
		    detours_add_host_header(&route->detours, route->headers[i].value, err) < 0)
			return -1;
	if (guard_check(&route->config, &route->destination, &route->detours, o->allow_production, err) < 0) {
		route->is_refused = true;
		return -1;
	}
	url_append_masked(&route->masked_url, buffer_text(&route->destination.url));
	/* A machine may set it for everybody, and then plain HTTP does not fail for it. */
	bool is_tls = strcmp(route->destination.address.scheme, "https") == 0;
	route->http = (struct deliver_options){
		.url = buffer_text(&route->destination.url),
		.headers = route->headers,
		.header_count = route->header_count,
		.connect_to = route->detours.connect_to.list,
		.cacert = o->cacert ? o->cacert
		          : is_tls  ? environment("SSL_CERT_FILE")
		                    : NULL,
		.capath = o->cacert ? NULL : environment("SSL_CERT_DIR"),
		.cert = o->cert,
		.key = o->key,
		.proxy = route->detours.proxy,
		.may_connect = o->allow_production ? NULL : guard_allows_address,
		.may_connect_context = &route->config,
		.insecure = o->insecure,
		.connect_timeout_ns = ROUTE_CONNECT_TIMEOUT,
		.max_time_ns = o->max_time,
	};
	route->has_content_type = value_of(route, "Content-Type") != NULL;
	return route->masked_url.failed ? error_no_memory(err) : 0;
}

void route_release(struct route *route)
{
	owned_texts_release(&route->files);
	free(route->headers);
	destination_release(&route->destination);
	detours_release(&route->detours);
	config_release(&route->config);
	buffer_release(&route->masked_url);
}

void route_append_to(const char *to, struct buffer *out)
{
	if (url_is_secret(to))
		buffer_append_text(out, " --to URL");
	else
		shell_append_option(out, "--to", to);
}

void route_note(const struct route *route, struct terminal *terminal)
{
	if (!guard_is_set(&route->config) && !host_is_loopback(&route->destination.address.host))
		terminal_note(
		        terminal,
		        "no environment is marked as protected, so credhook does not know whether this is production");
}

void route_append_elsewhere(const struct route *route, const char *option_name, struct buffer *out)
{
	const struct destination *to = &route->destination;
	LOCAL_BUFFER url = BUFFER_FOR(out);
	struct exchange there = { .outcome = DELIVER_PENDING }, elsewhere = { .outcome = DELIVER_PENDING };
	struct deliver_options http = route->http;
	if (!to->is_bare_port || route->detours.proxy || route->detours.connect_to.list.count > 0)
		return;
	buffer_printf(&url, "%s://[::1]:%u/", to->address.scheme, to->address.port);
	http.url = buffer_text(&url);
	if (url.failed || raw_look(&route->http, LOOK_NS, NULL, &there) || there.failure != DELIVER_REFUSED ||
	    !raw_look(&http, LOOK_NS, NULL, &elsewhere))
		return;
	const char *path = strchr(strstr(buffer_text(&to->url), "://") + 3, '/');
	bool is_plain = !path || path[strspn(path, PLAIN)] == '\0'; /* nothing secret, nothing for a shell */
	buffer_printf(out, "something listens at [::1]:%u: --%s localhost:%u%s", to->address.port, option_name,
	              to->address.port, path && path[1] ? is_plain ? path : "/PATH" : "");
}

int route_wait(const struct route *route, int64_t most, struct context *context, struct error *err)
{
	struct exchange exchange = { .outcome = DELIVER_PENDING };
	LOCAL_BUFFER elsewhere = BUFFER_INIT;
	char span[CLOCK_DURATION_SIZE];
	if (most == 0)
		return 0;
	clock_format_duration(most, span);
	terminal_note(context->terminal, "waiting up to %s for %s", span, buffer_text(&route->masked_url));
	int reached = raw_wait(&route->http, most, context->signals, &exchange);
	if (reached > 0)
		return 0;
	if (reached < 0)
		return error_set(err, EXIT_CODE_INTERRUPTED, "interrupted");
	route_append_elsewhere(route, "to", &elsewhere);
	error_set(err, EXIT_CODE_UNDELIVERED, "no connection to '%s' within %s: %s", buffer_text(&route->masked_url),
	          span, exchange.message);
	return elsewhere.length > 0 ? error_hint(err, "%s", buffer_text(&elsewhere)) : -1;
}
