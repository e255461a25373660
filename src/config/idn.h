/* Internationalised domain names. */
#ifndef CREDHOOK_CONFIG_IDN_H
#define CREDHOOK_CONFIG_IDN_H

#include "base/url.h"

/* Converts a HOST_NON_ASCII to what libcurl would connect to; leaves others unchanged. Returns NULL, or the reason why
 * not, a constant phrase for an error. */
const char *host_to_ascii(struct host *host);

#endif
