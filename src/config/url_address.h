/* Which server a URL leads to. */
#ifndef CREDHOOK_CONFIG_URL_ADDRESS_H
#define CREDHOOK_CONFIG_URL_ADDRESS_H

#include "base/error.h"
#include "base/url.h"

#include <stdbool.h>

/* The parts of a URL that decide which server is reached. */
struct address {
	char scheme[URL_SCHEME_SIZE]; /* http or https */
	struct host host;             /* never HOST_NON_ASCII: an IDN is in its ASCII form */
	unsigned port;                /* never 0 */
};

/* Reads an http or https URL by the grammar of base/url.h. EXIT_CODE_USAGE: it is not one; the message says why. */
int address_of_url(const char *url, struct address *address, struct error *err);
/* Whether both reach the same server, whatever the scheme. 80 and 443 count as one port: `hooks.example.com/credit`
 * without a scheme is plain HTTP to port 80, which must not send data to https://hooks.example.com in clear text. */
bool address_same_place(const struct address *a, const struct address *b);

/* Converts a HOST_NON_ASCII (an internationalised domain name) to what libcurl would connect to; leaves others
 * unchanged. Returns NULL, or the reason why not, a constant phrase for an error. */
const char *host_to_ascii(struct host *host);

#endif
