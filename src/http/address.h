/* Where to listen, as it is written on a command line, and who connects, as it is shown. Pure: resolves nothing. */
#ifndef CREDHOOK_HTTP_ADDRESS_H
#define CREDHOOK_HTTP_ADDRESS_H

#include "base/error.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

#define HTTP_HOST_SIZE 256

struct http_address {
	bool is_unix;
	char host[HTTP_HOST_SIZE]; /* a name or an address; IPv6 without brackets */
	in_port_t port;            /* 0: any that is free */
	char path[sizeof((struct sockaddr_un *)0)->sun_path];
};

/* Reads HOST:PORT, [IPV6]:PORT, :PORT and PORT (both 127.0.0.1), or unix:PATH; a URL without a path stands for its host
 * and port, and its scheme is the caller's matter. Error: EXIT_CODE_USAGE, with a hint. */
int http_address_parse(const char *text, struct http_address *address, struct error *err);
/* Whether that text is a URL of this scheme ("http", "https"), in either case. */
bool http_address_has_scheme(const char *text, const char *scheme);

#define HTTP_REMOTE_SIZE 56 /* [, at most 45 characters, ]:65535 and a NUL */
/* Writes 127.0.0.1:5123, [::1]:5123, or unix. IPv4 that came in through an IPv6 socket is written as IPv4. */
void http_address_format(const struct sockaddr *address, char out[HTTP_REMOTE_SIZE]);

#endif
