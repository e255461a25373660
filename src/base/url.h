/*
 * Hosts, ports and URLs by a strict grammar of our own. Pure: nothing is resolved, and there are no default ports.
 *
 *   URL    = SCHEME "://" [ USER "@" ] HOST [ ":" PORT ] [ REST ]
 *   SCHEME = a letter, then letters and digits
 *   USER   = the userinfo of RFC 3986, 3.2.1: USER[:PASSWORD], with other bytes as %XX
 *   HOST   = NAME | IPV4 | "[" IPV6 "]"
 *   NAME   = labels joined by dots, at most 253 bytes; a final dot is allowed. A label is 1 to 63 letters, digits, "-"
 *            and "_", with no "-" at either end. The last label is not a number (nor 0x7f), since some parsers would
 *            take that for an address
 *   IPV4   = four decimal numbers from 0 to 255 without leading zeros, joined by dots
 *   IPV6   = RFC 4291, 2.2, without a zone
 *   PORT   = 1 to 65535 in decimal, without leading zeros
 *   REST   = "/", "?" or "#", then bytes that are neither spaces nor control characters
 *
 * What was read can be written in canonical form: scheme and names in lower case, addresses as inet_ntop() writes them,
 * an IPv4-mapped IPv6 address as IPv4. Pass that form on, not the original text, so that no other parser can read it
 * differently.
 */
#ifndef CREDHOOK_BASE_URL_H
#define CREDHOOK_BASE_URL_H

#include "base/buffer.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>

#define HOST_SIZE       256 /* bytes with the NUL */
#define URL_SCHEME_SIZE 8

enum host_type {
	HOST_NAME,
	HOST_IPV4,
	HOST_IPV6,
	HOST_NON_ASCII, /* a name in UTF-8 as it was written; must be converted (config/url_address.h) before use */
};

struct host {
	enum host_type type;
	bool rooted;          /* the name ended in a dot */
	char text[HOST_SIZE]; /* in canonical form, without that dot and without brackets; empty: no host */
};

/* These read `length` bytes. They return NULL, or the reason why not, a constant phrase for an error. */
const char *host_parse(const char *text, size_t length, struct host *host);
const char *port_parse(const char *text, size_t length, unsigned *port);
/* HOST [ ":" PORT ]; without a port *port is 0. */
const char *host_port_parse(const char *text, size_t length, struct host *host, unsigned *port);
/* An IPv4 address, or an IPv6 one in brackets or without. */
const char *host_parse_address(const char *text, size_t length, struct host *host);

/* Whether the host is the loopback: 127.0.0.0/8, ::1, localhost, *.localhost (RFC 6761), and 0.0.0.0 and ::, which
 * connect there. */
bool host_is_loopback(const struct host *host);
/* Whether both are the same machine: the same host, or both the loopback. */
bool host_is_same(const struct host *a, const struct host *b);
/* Whether both are equal in canonical form. */
bool host_is_equal(const struct host *a, const struct host *b);
/* As in a URL: an IPv6 address in brackets. */
void host_append(struct buffer *out, const struct host *host);

struct url {
	char scheme[URL_SCHEME_SIZE]; /* lower case */
	const char *user;             /* points into the text that was read; NULL: none */
	size_t user_length;
	struct host host;
	unsigned port;    /* 0: none */
	const char *rest; /* points into the text that was read; empty: none */
};

/* Returns NULL, or the reason why not; the scheme is then set too if there was one. */
const char *url_parse(const char *text, struct url *url);
/* Without `rest`: "http://me@example.com:81". */
void url_append_origin(struct buffer *out, const struct url *url);

/* Appends a byte as a query may have it: as it is where RFC 3986 reserves it for nothing, else %XX. */
void url_append_encoded(struct buffer *out, char byte);

/*
 * URLs as they are printed: *** replaces a password, a user without a password (likely a token), the values of the
 * query, a part of the query without '=' (?TOKEN), and the fragment.
 *
 * error_set() and error_hint() apply this to whatever they quote.
 */
/* Appends a URL. Without a scheme, everything up to the last '@' counts as user and password. */
void url_append_masked(struct buffer *out, const char *url);
/* For a text that is not a valid URL: everything up to the last '@' may be a password. */
void url_append_masked_unparsed(struct buffer *out, const char *text);
/* For a target, or the value of a Location: a URL, //HOST/PATH or /PATH. A recorded target may hold a NUL. */
void url_append_masked_reference(struct buffer *out, struct text reference);
/* For any text: masks from the first SCHEME:// on; without one, nothing. */
void url_append_masked_text(struct buffer *out, const char *text, size_t length);
/* Whether url_append_masked() would mask a part of the URL. */
bool url_is_secret(const char *url);

#endif
