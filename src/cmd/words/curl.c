#include "cmd/words/curl.h"

#include "base/clock.h"
#include "base/shell_text.h"
#include "base/url.h"
#include "http/head.h"
#include "http/secrets.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* One argument of a command may have 128 KiB on Linux. */
#define ARGUMENT_MAX ((size_t)64 << 10)

/* More of a line is not searched for names in use: no server takes a longer head. */
#define SEARCHED_MAX ((size_t)16 << 10)

/* Appends "$CREDHOOK_X_TOKEN" for the name X-Token: a stranger may have chosen it, so without the prefix it could be
 * any variable that the user has. With _2 and so on where the line has the variable, or it is one of ours. */
static void append_variable(struct buffer *out, size_t begin, const struct text *name)
{
	static const char ours[] = "\"$CREDHOOK_CONFIG\" \"$CREDHOOK_PROXY\" \"$CREDHOOK_URL\"";
	LOCAL_BUFFER variable = BUFFER_FOR(out);
	buffer_append_text(&variable, "\"$CREDHOOK_");
	for (size_t i = 0; i < name->length; i++) {
		char c = name->text[i];
		buffer_append_byte(&variable, isalnum((unsigned char)c) ? (char)toupper((unsigned char)c) : '_');
	}
	size_t length = variable.length;
	buffer_append_byte(&variable, '"');
	for (unsigned n = 2;
	     !out->failed && out->length - begin < SEARCHED_MAX &&
	     (strstr(ours, buffer_text(&variable)) || strstr(buffer_text(out) + begin, buffer_text(&variable)));
	     n++) {
		buffer_consume_end(&variable, variable.length - length);
		buffer_printf(&variable, "_%u\"", n);
	}
	buffer_append(out, variable.data, variable.length);
}

/* A header as an -H option; a secret's value becomes a variable: -H 'X-Token: '"$CREDHOOK_X_TOKEN". The headers of the
 * line begin at `begin` of `out`. */
static void append_header_option(struct buffer *out, size_t begin, const struct header *header, bool *has_secrets)
{
	const struct text *name = &header->name;
	LOCAL_BUFFER shown = BUFFER_FOR(out);
	header_append_option(header, &shown);
	if (!header_is_secret(header)) {
		shell_append_option(out, "-H", buffer_text(&shown));
		return;
	}
	/* A name may hold ` and $ (RFC 9110, 5.6.2), and be a stranger's. */
	buffer_append_text(out, " -H ");
	shell_append(out, buffer_text(&shown), name->length + strlen(": "));
	append_variable(out, begin, name);
	*has_secrets = true;
}

/* -H as it was given, and then all others. A file stays @FILE. */
static int append_headers(struct buffer *out, const struct message *request, const struct route *route,
                          const struct text_list *given, bool *has_secrets)
{
	struct header *headers, one;
	struct message sent;
	struct error ignored;
	size_t begin = out->length;
	if (deliver_request(&route->http, request, &headers, &sent) < 0)
		return -1;
	for (size_t i = 0; i < given->count; i++) {
		const char *line = given->items[i];
		if (line[0] == '@')
			shell_append_option(out, "-H", line);
		else if (header_read_option(line, strlen(line), &one, &ignored) == 0)
			append_header_option(out, begin, &one, has_secrets);
	}
	for (size_t i = route->given_headers; i < sent.header_count; i++)
		append_header_option(out, begin, &headers[i], has_secrets);
	free(headers);
	return 0;
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
	} given[] = { { "--cacert", o->cacert }, { "--cert", o->cert }, { "--key", o->key } };
	if (!o->proxy)
		buffer_append_text(out, " --noproxy '*'");
	if (o->insecure)
		buffer_append_text(out, " -k");
	for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
		if (given[i].value)
			shell_append_option(out, given[i].option, given[i].value);
	for (size_t i = 0; i < detours->connect_to.list.count; i++)
		shell_append_option(out, "--connect-to", detours->connect_to.list.items[i]);
	if (detours->proxy) {
		buffer_append_text(out, " -x ");
		append_url_argument(out, detours->proxy, "CREDHOOK_PROXY", has_secrets);
	}
	buffer_printf(out, " --connect-timeout %.3f -m %.3f", (double)ROUTE_CONNECT_TIMEOUT / (double)CLOCK_NS_PER_S,
	              (double)o->max_time / (double)CLOCK_NS_PER_S);
}

int curl_append(struct curl_lines *lines, const struct message *request, const char *place, const struct route *route,
                const struct route_options *o, struct buffer *out, struct error *err)
{
	const struct text *body = &request->body;
	bool as_argument = body->length < ARGUMENT_MAX && shell_can_quote(body->text, body->length);
	bool *has_secrets = &lines->has_secrets;
	if (deliver_check(&route->http, request, err) < 0) {
		if (lines->terminal)
			terminal_warn(lines->terminal, "%s: %s", place, err->message);
		lines->has_refused = true;
		return 0;
	}
	if (!as_argument) {
		shell_append_printf(out, body->text, body->length);
		buffer_append_text(out, " | ");
	}
	buffer_append_text(out, "curl -q -g -sS --http1.1");
	if (request->target.text)
		buffer_append_text(out, " --path-as-is");
	append_transport(out, route, o, has_secrets);
	if (append_headers(out, request, route, &o->headers, has_secrets) < 0)
		buffer_fail_if(out, true);
	if (as_argument) {
		buffer_append_text(out, " --data-raw ");
		shell_append_quoted(out, body->text, body->length);
	} else {
		buffer_append_text(out, " --data-binary @-");
	}
	buffer_append_byte(out, ' ');
	append_url_argument(out, request->target.text ? request->target.text : route->http.url, "CREDHOOK_URL",
	                    has_secrets);
	buffer_append_byte(out, '\n');
	return out->failed ? error_no_memory(err) : 0;
}

int curl_append_record(struct curl_lines *lines, const struct capture_record *record, struct buffer *out,
                       struct error *err)
{
	static const struct route_options options = { .max_time = 30 * CLOCK_NS_PER_S };
	const struct message *from = &record->request;
	struct message request = *from;
	LOCAL_BUFFER url = BUFFER_INIT, place = BUFFER_INIT;
	struct header *headers = calloc(from->header_count + 1, sizeof *headers);
	if (!headers)
		return error_no_memory(err);
	for (size_t i = 0; i < from->header_count; i++)
		headers[i] = from->headers[i];
	if (!message_header(from, "Content-Type"))
		headers[request.header_count++] = (struct header){ TEXT("Content-Type"), { NULL, 0 } };
	capture_record_append_url(record, &url);
	request.method = text_of(NULL);
	request.target = (struct text){ buffer_text(&url), url.length };
	request.headers = headers;
	const struct route route = { .http.url = buffer_text(&url) };
	buffer_printf(&place, "#%llu", (unsigned long long)record->seq);
	int result = url.failed || place.failed
	                     ? error_no_memory(err)
	                     : curl_append(lines, &request, buffer_text(&place), &route, &options, out, err);
	free(headers);
	return result;
}

enum exit_code curl_end(const struct curl_lines *lines)
{
	if (lines->has_secrets)
		terminal_note(lines->terminal,
		              "secrets are variables: set each $NAME before running a command that has \"$NAME\"");
	return lines->has_refused ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}
