#include "config/idn.h"

#include <curl/curl.h>
#include <string.h>

const char *host_to_ascii(struct host *host)
{
	static const char why[] = "the host is not a valid internationalised domain name";
	LOCAL_BUFFER url = BUFFER_INIT;
	char *ascii = NULL;
	bool read = false;
	if (host->kind != HOST_NON_ASCII)
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
	return failed ? failed : host->kind == HOST_NON_ASCII ? why : NULL;
}
