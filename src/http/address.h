/* The address to listen on, as given on the command line, and the address of a client as text. Nothing is resolved. */
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
	in_port_t port;            /* 0: any free port */
	char path[sizeof((struct sockaddr_un *)0)->sun_path];
};

/* Reads HOST:PORT, [IPV6]:PORT, :PORT or PORT (both on 127.0.0.1), or unix:PATH. A URL without a path means its host
 * and port; its scheme is left to the caller. EXIT_CODE_USAGE: not an address. */
int http_address_parse(const char *text, struct http_address *address, struct error *err);
/* Whether the text is a URL with this scheme ("http", "https"), in any case. */
bool http_address_has_scheme(const char *text, const char *scheme);

#define HTTP_REMOTE_SIZE 56 /* [, at most 45 characters, ]:65535 and a NUL */
/* Writes 127.0.0.1:5123, [::1]:5123, or unix. An IPv4 client of an IPv6 socket is written as IPv4. */
void http_address_format(const struct sockaddr *address, char out[HTTP_REMOTE_SIZE]);

#endif
