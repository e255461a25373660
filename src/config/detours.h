/*
 * What decides where bytes go besides the URL: --connect-to, --resolve, -x and --unix-socket, by a strict grammar.
 *
 *   --connect-to   [HOST1]:[PORT1]:[HOST2]:[PORT2]; what is left out means any host or port, and that of the URL
 *   --resolve      [+](HOST|*):PORT:ADDRESS[,ADDRESS]...; ADDRESS is IPV4, IPV6 or "[" IPV6 "]"; HOST is not IPV6
 *   -x             [SCHEME://][USER@]HOST[:PORT][/]; SCHEME is http (the default), https, socks4, socks4a, socks5 or
 *                  socks5h; PORT is 443 for https and 1080 for the others, as in curl
 *   --unix-socket  a path of 1 to 107 bytes
 *   Host header    HOST[:PORT]; a server that has several names for one address goes by it
 *
 * HOST, PORT, IPV4, IPV6 and USER are those of base/url.h; a name may be an IDN. What is outside of this is an error:
 * a text that libcurl reads otherwise than the guard does must not reach it. It gets what is written here.
 */
#ifndef CREDHOOK_CONFIG_DETOURS_H
#define CREDHOOK_CONFIG_DETOURS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/text_list.h"
#include "base/url.h"

#include <stdbool.h>
#include <stddef.h>

/* Where a detour leads. */
struct detour {
	const char *way;  /* for errors: "--connect-to", "--resolve", "the proxy" */
	struct host host; /* empty: the URL's */
	unsigned port;    /* 0: the URL's */
	bool is_header;   /* a Host header: a server may go by the name alone, whatever the port */
};

/* Zero-initialise. The texts are as libcurl takes them, and owned. */
struct detours {
	struct text_list connect_to;
	struct text_list resolve;
	char *proxy;       /* NULL: none */
	char *unix_socket; /* NULL: none */
	struct detour *list;
	size_t count;
	size_t capacity;
};

/* Each reads one option's value. EXIT_CODE_USAGE: outside of the grammar. */
int detours_add_connect_to(struct detours *detours, const char *text, struct error *err);
int detours_add_resolve(struct detours *detours, const char *text, struct error *err);
int detours_set_proxy(struct detours *detours, const char *text, struct error *err);
int detours_set_unix_socket(struct detours *detours, const char *text, struct error *err);
/* The value of a Host header that takes the place of the URL's; one that is empty, or removes the header, is outside of
 * the grammar too, since nobody can say who answers then. */
int detours_add_host_header(struct detours *detours, const char *value, struct error *err);
void detours_release(struct detours *detours);

#endif
