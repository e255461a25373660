#include "config/url_address.h"

#include <curl/curl.h>
#include <string.h>

const char *host_to_ascii(struct host *host)
{
	static const char why[] = "the host is not a valid internationalised domain name";
	LOCAL_BUFFER url = BUFFER_INIT;
	char *ascii = NULL;
	bool read = false;
	if (host->type != HOST_NON_ASCII)
		return NULL;
#ifdef CURLU_PUNYCODE /* libcurl 7.88 */
	CURLU *handle = curl_url();
	buffer_printf(&url, "http://%s/", host->text);
	read = handle && !url.failed && curl_url_set(handle, CURLUPART_URL, buffer_text(&url), 0) == CURLUE_OK &&
	       curl_url_get(handle, CURLUPART_HOST, &ascii, CURLU_PUNYCODE) == CURLUE_OK;
	curl_url_cleanup(handle);
#endif
	/* The result may be an address (full-width digits), so parse it again. */
	const char *failed = read ? host_parse(ascii, strlen(ascii), host) : why;
	curl_free(ascii); /* may be set even after a failure */
	return failed ? failed : host->type == HOST_NON_ASCII ? why : NULL;
}

static int refuse_url(const char *url, const char *why, struct error *err)
{
	LOCAL_BUFFER masked = BUFFER_INIT;
	url_append_masked_unparsed(&masked, url);
	return error_set(err, EXIT_CODE_USAGE, "cannot send to '%s': %s", buffer_text(&masked), why);
}

int address_of_url(const char *text, struct address *address, struct error *err)
{
	struct url url;
	const char *why = url_parse(text, &url);
	bool secure = strcmp(url.scheme, "https") == 0;
	if (url.scheme[0] && !secure && strcmp(url.scheme, "http") != 0)
		return refuse_url(text, "the scheme is not http or https", err);
	if (!why)
		why = host_to_ascii(&url.host);
	if (why)
		return refuse_url(text, why, err);
	address->host = url.host;
	address->port = url.port > 0 ? url.port : secure ? 443 : 80;
	memcpy(address->scheme, url.scheme, sizeof address->scheme);
	return 0;
}

bool address_same_place(const struct address *a, const struct address *b)
{
	bool are_web_ports = (a->port == 80 || a->port == 443) && (b->port == 80 || b->port == 443);
	return (a->port == b->port || are_web_ports) && host_is_same(&a->host, &b->host);
}
