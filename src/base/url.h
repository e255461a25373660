/*
 * Hosts, ports and URLs by a strict grammar of our own. Pure: resolves nothing, and knows no scheme's default port.
 *
 *   URL    = SCHEME "://" [ USER "@" ] HOST [ ":" PORT ] [ REST ]
 *   SCHEME = a letter, then letters and digits
 *   USER   = the userinfo of RFC 3986, 3.2.1: USER[:PASSWORD], other bytes as %XX
 *   HOST   = NAME | IPV4 | "[" IPV6 "]"
 *   NAME   = labels of letters, digits, "-" and "_", of 63 at most, not with "-" at either end, joined by dots, 253 in
 *            all; a dot may follow. The last label is not a number (0x7f neither): that would be an address to some
 *   IPV4   = four decimal numbers from 0 to 255 without leading zeros, joined by dots
 *   IPV6   = RFC 4291, 2.2, without a zone
 *   PORT   = 1 to 65535 in decimal, without leading zeros
 *   REST   = "/", "?" or "#", then bytes that are neither spaces nor control characters
 *
 * What was read can be written anew, in one spelling: scheme and names in lower case, addresses as inet_ntop() has
 * them, an IPv4-mapped IPv6 address as the IPv4 address it stands for. Who hands on what is written here, and not the
 * text that was read, need not ask whether another parser reads that text as we do.
 */
#ifndef CREDHOOK_BASE_URL_H
#define CREDHOOK_BASE_URL_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

#define HOST_SIZE       256 /* bytes with the NUL */
#define URL_SCHEME_SIZE 8

enum host_kind {
	HOST_NAME,
	HOST_IPV4,
	HOST_IPV6,
	HOST_NON_ASCII, /* a name outside ASCII (UTF-8), as it was written: to be turned into another kind before its
	                 * use
	                 */
};

struct host {
	enum host_kind kind;
	bool rooted;          /* a dot stood behind the name */
	char text[HOST_SIZE]; /* in its one spelling, without that dot and without brackets; empty: no host */
};

/* These read `length` bytes. NULL: read; else why not, as a phrase for an error. */
const char *host_parse(const char *text, size_t length, struct host *host);
const char *port_parse(const char *text, size_t length, unsigned *port);
/* HOST [ ":" PORT ]; *port is 0 where none is written. */
const char *host_port_parse(const char *text, size_t length, struct host *host, unsigned *port);
/* An IPv4 address, or an IPv6 one in brackets or without. */
const char *host_parse_address(const char *text, size_t length, struct host *host);

/* Whether the host is this machine's loopback: 127.0.0.0/8, ::1, localhost and what ends in .localhost (RFC 6761), and
 * 0.0.0.0 and ::, which connect there. */
bool host_is_loopback(const struct host *host);
/* Whether both are one machine's: the same host, or both the loopback. */
bool host_is_same(const struct host *a, const struct host *b);
/* Whether they are written the same. */
bool host_is_equal(const struct host *a, const struct host *b);
/* As it stands in a URL. */
void host_append(struct buffer *out, const struct host *host);

struct url {
	char scheme[URL_SCHEME_SIZE]; /* lower case */
	const char *user;             /* in the text that was read; NULL: none */
	size_t user_length;
	struct host host;
	unsigned port;    /* 0: none was written */
	const char *rest; /* in the text that was read; empty: none */
};

/* NULL: read; else why not. The scheme is told then, too, if one stood there. */
const char *url_parse(const char *text, struct url *url);
/* Without `rest`: "http://me@example.com:81". */
void url_append_origin(struct buffer *out, const struct url *url);

#endif
