/* Names outside ASCII. */
#ifndef CREDHOOK_CONFIG_IDN_H
#define CREDHOOK_CONFIG_IDN_H

#include "base/url.h"

/* Turns a HOST_NON_ASCII into what a connection would make of it, by libcurl; leaves others as they are. NULL: done;
 * else why not, as a phrase for an error. */
const char *host_to_ascii(struct host *host);

#endif
