#include "base/clock.h"
#include "base/url.h"
#include "cmd/route.h"
#include "cmd/shell_text.h"
#include "http/secrets.h"
#include "ui/terminal.h"

#include <ctype.h>
#include <string.h>

/* One argument of a command may have 128 KiB on Linux. */
#define ARGUMENT_MAX ((size_t)64 << 10)

/* A header as an -H option. "@FILE" stays so; a secret's value becomes a variable: -H 'X-Token: '"$X_TOKEN". */
static void append_header_option(struct buffer *out, const char *line, bool *has_secrets)
{
	size_t length = strcspn(line, ":;");
	if (line[0] == '@' || !secret_of_header_line(line)) {
		shell_append_option(out, "-H", line);
		return;
	}
	/* A name may hold ` and $ (RFC 9110, 5.6.2), and be a stranger's. */
	LOCAL_BUFFER shown = BUFFER_FOR(out);
	buffer_printf(&shown, "%.*s: ", (int)length, line);
	buffer_append_text(out, " -H ");
	shell_append(out, buffer_text(&shown), shown.length);
	buffer_printf(out, "\"$%s", isdigit((unsigned char)line[0]) ? "_" : "");
	for (size_t i = 0; i < length; i++)
		buffer_append_byte(out, isalnum((unsigned char)line[i]) ? (char)toupper((unsigned char)line[i]) : '_');
	buffer_append_byte(out, '"');
	*has_secrets = true;
}

/* A URL, or "$NAME" where it holds a secret. */
static void append_url_argument(struct buffer *out, const char *url, const char *name, bool *has_secrets)
{
	LOCAL_BUFFER masked = BUFFER_FOR(out);
	url_append_masked(&masked, url);
	if (strcmp(buffer_text(&masked), url) == 0) {
		shell_append(out, url, strlen(url));
		return;
	}
	buffer_printf(out, "\"$%s\"", name);
	*has_secrets = true;
}

/* How the request goes, and for how long. */
static void append_transport(struct buffer *out, const struct route *route, const struct route_options *o,
                             bool *has_secrets)
{
	const struct detours *detours = &route->detours;
	const struct {
		const char *option, *value;
	} given[] = { { "--cacert", o->cacert },
		      { "--cert", o->cert },
		      { "--key", o->key },
		      { "--unix-socket", detours->unix_socket } };
	if (!o->proxy)
		buffer_append_text(out, " --noproxy '*'");
	if (o->insecure)
		buffer_append_text(out, " -k");
	for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
		if (given[i].value)
			shell_append_option(out, given[i].option, given[i].value);
	for (size_t i = 0; i < detours->connect_to.count; i++)
		shell_append_option(out, "--connect-to", detours->connect_to.items[i]);
	if (detours->proxy) {
		buffer_append_text(out, " -x ");
		append_url_argument(out, detours->proxy, "PROXY", has_secrets);
	}
	buffer_printf(out, " --connect-timeout %.3f -m %.3f", (double)ROUTE_CONNECT_TIMEOUT / (double)CLOCK_NS_PER_S,
	              (double)o->max_time / (double)CLOCK_NS_PER_S);
}

struct curl_headers {
	struct buffer *out;
	size_t given; /* the first lines, which are -H's own and written already, those of files as @FILE */
	bool *has_secrets;
};

static void append_curl_header(void *context, size_t index, const char *line)
{
	struct curl_headers *headers = context;
	if (index >= headers->given)
		append_header_option(headers->out, line, headers->has_secrets);
}

int curl_append(struct curl_lines *lines, const struct exchange *d, const char *place, const struct route *route,
                const struct route_options *o, struct buffer *out, struct error *err)
{
	bool as_argument = d->body.length < ARGUMENT_MAX && shell_is_shown_as_is(d->body.text, d->body.length);
	bool *has_secrets = &lines->has_secrets;
	if (deliver_check(&route->http, d, err) < 0) {
		terminal_warn(lines->terminal, "%s: %s", place, err->message);
		lines->has_refused = true;
		return 0;
	}
	if (!as_argument) {
		shell_append_printf(out, d->body.text, d->body.length);
		buffer_append_text(out, " | ");
	}
	buffer_append_text(out, "curl -q -g -sS --http1.1");
	if (d->url)
		buffer_append_text(out, " --path-as-is");
	append_transport(out, route, o, has_secrets);
	struct curl_headers headers = { out, route->given_headers, has_secrets };
	for (size_t i = 0; i < o->headers.count; i++)
		append_header_option(out, o->headers.items[i], has_secrets);
	if (deliver_each_header(&route->http, d, append_curl_header, &headers) < 0)
		buffer_fail_if(out, true);
	if (as_argument) {
		buffer_append_text(out, " --data-raw ");
		shell_append_quoted(out, d->body.text, d->body.length);
	} else {
		buffer_append_text(out, " --data-binary @-");
	}
	buffer_append_byte(out, ' ');
	append_url_argument(out, d->url ? d->url : buffer_text(&route->destination.url), "CREDHOOK_URL", has_secrets);
	buffer_append_byte(out, '\n');
	return out->failed ? error_no_memory(err) : 0;
}

enum exit_code curl_end(const struct curl_lines *lines)
{
	if (lines->has_secrets)
		terminal_note(lines->terminal,
		              "secrets are variables: set each $NAME before running a command that has \"$NAME\"");
	return lines->has_refused ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}
