#include "base/buffer.h"
#include "base/url.h"
#include "http/deliver_internal.h"
#include "http/head.h"
#include "http/tls.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_option_header(const struct header *h, struct error *err)
{
	if (header_check(h, err) < 0)
		return -1;
	if (header_is(h, "Content-Length"))
		return error_set(err, EXIT_CODE_USAGE, "cannot set the header 'Content-Length'");
	if (header_is(h, "Transfer-Encoding") && !http_is_word(h->value.text, h->value.length, "chunked"))
		return error_set(err, EXIT_CODE_USAGE, "the header 'Transfer-Encoding' can only be 'chunked'");
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
	for (size_t i = 0; i < o->header_count; i++)
		if (check_option_header(&o->headers[i], err) < 0)
			return -1;
	if (http_check_file(o->cacert, err) < 0 || http_check_file(o->cert, err) < 0 ||
	    http_check_file(o->key, err) < 0)
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

int make_list(const struct text_list *list, struct curl_slist **out)
{
	struct lines lines = { .failed = false };
	for (size_t i = 0; i < list->count; i++)
		append(&lines, list->items[i]);
	*out = lines.first;
	return lines.failed ? -1 : 0;
}

struct curl_slist *make_headers(const struct deliver_options *options, const struct message *request,
                                struct buffer *scratch)
{
	struct lines lines = { .failed = false };
	struct header *headers;
	struct message sent;
	lines.failed = deliver_request(options, request, &headers, &sent) < 0;
	for (size_t i = 0; !lines.failed && i < sent.header_count; i++) {
		buffer_clear(scratch);
		header_append_option(&headers[i], scratch);
		lines.failed = scratch->failed;
		append(&lines, buffer_text(scratch));
	}
	free(headers);
	if (!lines.failed)
		return lines.first;
	curl_slist_free_all(lines.first);
	return NULL;
}
