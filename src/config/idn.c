#include "config/idn.h"

#include <curl/curl.h>
#include <string.h>

const char *host_to_ascii(struct host *host)
{
	static const char why[] = "its name outside ASCII cannot be read as an IDN";
	struct buffer url = BUFFER_INIT;
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
	/* It may even turn out to be an address, in full-width digits. */
	const char *failed = read ? host_parse(ascii, strlen(ascii), host) : why;
	curl_free(ascii); /* which libcurl may leave behind where it failed, too */
	buffer_release(&url);
	return failed ? failed : host->kind == HOST_NON_ASCII ? why : NULL;
}
