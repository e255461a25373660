#include "base/buffer.h"
#include "base/url.h"
#include "http/deliver_internal.h"
#include "http/head.h"
#include "http/tls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static size_t token_length(const char *line)
{
	return http_token_length(line, strlen(line));
}

static bool has_control(const char *text)
{
	return !http_is_value(text, strlen(text));
}

static bool is_named(const char *line, const char *name, size_t length)
{
	return token_length(line) == length && strncasecmp(line, name, length) == 0;
}

static bool lists_name(const struct deliver_list *headers, const char *name, size_t length)
{
	for (size_t i = 0; i < headers->count; i++)
		if (is_named(headers->items[i], name, length))
			return true;
	return false;
}

int deliver_check_header(const char *line, struct error *err)
{
	size_t name = token_length(line);
	bool has_name = name > 0 && line[name] == ':';
	if (has_control(line) && has_name)
		return error_set(err, EXIT_CODE_USAGE, "the header '%.*s' contains a control character", (int)name,
		                 line);
	if (has_control(line))
		return error_set(err, EXIT_CODE_USAGE, "a header contains a control character");
	bool empty_form = name > 0 && line[name] == ';' && line[name + 1] == '\0';
	if (has_name || empty_form)
		return 0;
	error_set(err, EXIT_CODE_USAGE, "a header is not of the form 'Name: value'");
	return error_hint(err, "a name consists of letters, digits and !#$%%&'*+-.^_`|~; "
	                       "the header is not shown because it may be secret");
}

static int check_option_header(const char *line, struct error *err)
{
	if (deliver_check_header(line, err) < 0)
		return -1;
	if (is_named(line, "Content-Length", 14))
		return error_set(err, EXIT_CODE_USAGE, "cannot set the header 'Content-Length'");
	if (is_named(line, "Transfer-Encoding", 17)) {
		const char *value = strchr(line, ':');
		value = value ? value + 1 + strspn(value + 1, " \t") : "";
		if (strcasecmp(value, "chunked") != 0)
			return error_set(err, EXIT_CODE_USAGE, "the header 'Transfer-Encoding' can only be 'chunked'");
	}
	return 0;
}

CURLU *parse_url(const char *url, struct error *err)
{
	struct url parsed;
	const char *why = url_parse(url, &parsed);
	if (!why && strcmp(parsed.scheme, "http") != 0 && strcmp(parsed.scheme, "https") != 0)
		why = "the scheme is not http or https";
	CURLU *parts = why ? NULL : curl_url();
	if (parts && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK)
		return parts;
	curl_url_cleanup(parts);
	error_set(err, EXIT_CODE_USAGE, "cannot send to '%s': %s", url, why ? why : "out of memory");
	return NULL;
}

const char *find_authorities(void)
{
	/* Where distributions keep them, for a libcurl that was built without knowing: the static binary's. */
	static const char *const places[] = { "/etc/ssl/certs/ca-certificates.crt", /* Debian, Arch, Alpine */
		                              "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",   /* Fedora */
		                              "/etc/ssl/cert.pem", "/etc/ssl/ca-bundle.pem", NULL }; /* SUSE */
	const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
	const char *const *place = places;
	if (curl->cainfo || curl->capath)
		return "";
	while (*place && access(*place, R_OK) != 0)
		place++;
	return *place;
}

void set_authorities(CURL *easy, const struct deliver_options *o)
{
	const char *found = find_authorities(), *file = found && *found ? found : NULL;
	if (o->cacert || (file && !o->capath))
		curl_easy_setopt(easy, CURLOPT_CAINFO, o->cacert ? o->cacert : file);
	if (o->capath)
		curl_easy_setopt(easy, CURLOPT_CAPATH, o->capath);
	if (!o->proxy) { /* or each request copies them */
		curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, NULL);
		curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, NULL);
	} else if (file) {
		curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, file);
	}
}

int check_options(const struct deliver_options *o, struct error *err)
{
	if (o->concurrency > DELIVER_MAX_CONCURRENCY)
		return error_set(err, EXIT_CODE_USAGE, "the concurrency %u is higher than %d", o->concurrency,
		                 DELIVER_MAX_CONCURRENCY);
	for (size_t i = 0; i < o->headers.count; i++)
		if (check_option_header(o->headers.items[i], err) < 0)
			return -1;
	if (http_check_file(o->cacert, err) < 0 || http_check_file(o->cert, err) < 0 ||
	    http_check_file(o->key, err) < 0)
		return -1;
	return 0;
}

/* The URL of a recorded request must not lead to another server than the one that was checked for all deliveries. */
static int check_own_url(const struct deliver_options *options, const struct exchange *exchange, struct error *err)
{
	struct url all, own;
	const char *why = url_parse(exchange->url, &own);
	bool same = !why && url_parse(options->url, &all) == NULL && strcmp(all.scheme, own.scheme) == 0 &&
	            all.port == own.port && host_is_equal(&all.host, &own.host);
	if (same)
		return 0;
	return error_set(err, EXIT_CODE_USAGE, "cannot send to '%s': %s", exchange->url,
	                 why ? why : "not the server of the destination");
}

const char *deliver_next_line(const struct text *lines, const char *line)
{
	const char *next = line ? line + strlen(line) + 1 : lines->text;
	return lines->length > 0 && next < lines->text + lines->length ? next : NULL;
}

int deliver_check(const struct deliver_options *options, const struct exchange *exchange, struct error *err)
{
	if (exchange->url && check_own_url(options, exchange, err) < 0)
		return -1;
	if (exchange->content_type && has_control(exchange->content_type))
		return error_set(err, EXIT_CODE_USAGE, "the header 'Content-Type' contains a control character");
	if (exchange->method) {
		size_t length = token_length(exchange->method);
		if (length == 0 || exchange->method[length] != '\0' || strcmp(exchange->method, "HEAD") == 0)
			return error_set(err, EXIT_CODE_USAGE, "cannot send a body with method '%s'", exchange->method);
	}
	for (const char *line = NULL; (line = deliver_next_line(&exchange->headers, line)) != NULL;)
		if (deliver_check_header(line, err) < 0)
			return -1;
	return 0;
}

/* Lines for libcurl, whose own function goes to the end for each. Zero-initialise. */
struct lines {
	struct curl_slist *first, *last;
	bool failed;
};

static void append(struct lines *lines, const char *line)
{
	struct curl_slist *one = curl_slist_append(NULL, line);
	lines->failed |= !one;
	if (!one)
		return;
	*(lines->last ? &lines->last->next : &lines->first) = one;
	lines->last = one;
}

int make_list(const struct deliver_list *list, struct curl_slist **out)
{
	struct lines lines = { .failed = false };
	for (size_t i = 0; i < list->count; i++)
		append(&lines, list->items[i]);
	*out = lines.first;
	return lines.failed ? -1 : 0;
}

bool has_own_headers(const struct exchange *exchange)
{
	return exchange->headers.length > 0 ||
	       (exchange->content_type && strcmp(exchange->content_type, "application/json") != 0);
}

static bool is_skipped(const struct deliver_options *options, const struct exchange *exchange, const char *line)
{
	size_t length = token_length(line);
	return http_is_hop_by_hop(line, length) || (exchange->content_type && is_named(line, "Content-Type", 12)) ||
	       lists_name(&options->headers, line, length);
}

/* A header of a recorded request. For libcurl "Name:" means to remove it, so an empty one is written "Name;". */
static void append_recorded(struct lines *lines, const char *line)
{
	LOCAL_BUFFER empty = BUFFER_INIT;
	size_t name = token_length(line);
	if (line[name] == ':' && line[name + 1 + strspn(line + name + 1, " \t")] == '\0') {
		buffer_printf(&empty, "%.*s;", (int)name, line);
		line = buffer_text(&empty);
	}
	append(lines, line);
	lines->failed |= empty.failed;
}

struct curl_slist *make_headers(const struct deliver_options *options, const struct exchange *exchange, bool big)
{
	LOCAL_BUFFER type_line = BUFFER_INIT;
	struct lines lines = { .failed = false };
	const char *type = exchange && exchange->content_type ? exchange->content_type : "application/json";
	bool has_type = lists_name(&options->headers, "Content-Type", 12);
	bool has_agent = lists_name(&options->headers, "User-Agent", 10);
	for (size_t i = 0; i < options->headers.count; i++)
		append(&lines, options->headers.items[i]);
	/* Only for large bodies, since each line costs time. */
	if (big && !lists_name(&options->headers, "Expect", 6))
		append(&lines, "Expect:");
	for (const char *line = NULL; exchange && (line = deliver_next_line(&exchange->headers, line)) != NULL;) {
		if (is_skipped(options, exchange, line))
			continue;
		has_type = has_type || is_named(line, "Content-Type", 12);
		has_agent = has_agent || is_named(line, "User-Agent", 10);
		append_recorded(&lines, line);
	}
	buffer_printf(&type_line, "Content-Type: %s", type);
	if (!has_type)
		append(&lines, buffer_text(&type_line));
	/* Not CURLOPT_USERAGENT, which formats the line again for each request. */
	if (!has_agent)
		append(&lines, "User-Agent: credhook/" CREDHOOK_VERSION);
	if (!lines.failed && !type_line.failed)
		return lines.first;
	curl_slist_free_all(lines.first);
	return NULL;
}

int deliver_each_header(const struct deliver_options *options, const struct exchange *exchange,
                        void (*take)(void *context, size_t index, const char *line), void *context)
{
	struct curl_slist *list = make_headers(options, exchange, exchange->body.length > EXPECT_ABOVE);
	size_t index = 0;
	for (const struct curl_slist *line = list; line; line = line->next)
		take(context, index++, line->data);
	curl_slist_free_all(list);
	return list ? 0 : -1;
}
