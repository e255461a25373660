/*
 * Detours, the options besides the URL that decide where bytes go, read by a strict grammar.
 *
 *   --connect-to   [HOST1]:[PORT1]:[HOST2]:[PORT2]; an empty part 1 matches any, an empty part 2 is that of the URL
 *   -x             [SCHEME://][USER@]HOST[:PORT][/]; SCHEME is http (the default), https, socks4, socks4a, socks5 or
 *                  socks5h; PORT is 443 for https and 1080 for the others, as in curl
 *   Host header    HOST[:PORT]; servers with several names for one address choose by it
 *
 * HOST, PORT, IPV4, IPV6 and USER are those of base/url.h; a name may be an IDN. Everything else is an error. libcurl
 * gets the canonical form, never the original text, so that it cannot read it differently than the guard does.
 */
#ifndef CREDHOOK_CONFIG_DETOURS_H
#define CREDHOOK_CONFIG_DETOURS_H

#include "base/error.h"
#include "base/text.h"
#include "base/url.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a detour leads. */
struct detour {
	const char *option_name; /* for errors: "--connect-to", "the proxy" */
	struct host host;        /* empty: the URL's */
	unsigned port;           /* 0: the URL's */
	bool is_header;          /* a Host header: its name may reach a server whatever the port */
};

/* Zero-initialise. The texts are in libcurl's syntax, and owned. */
struct detours {
	struct owned_texts connect_to;
	char *proxy; /* NULL: none */
	struct detour *list;
	size_t count;
	size_t capacity;
};

/* Each reads the value of one option. EXIT_CODE_USAGE: not in the grammar. */
int detours_add_connect_to(struct detours *detours, const char *text, struct error *err);
int detours_set_proxy(struct detours *detours, const char *text, struct error *err);
/* The value of a Host header that replaces the URL's host. Empty, or a removed header, is an error too: the server
 * could not be known. */
int detours_add_host_header(struct detours *detours, struct text value, struct error *err);
void detours_release(struct detours *detours);

#endif
