/* Where a delivery goes: what --to accepts, and the guard that keeps production out of reach. */
#ifndef CREDHOOK_CONFIG_ADDRESS_H
#define CREDHOOK_CONFIG_ADDRESS_H

#include "base/buffer.h"
#include "base/error.h"
#include "config/config.h"

#include <stdbool.h>

#define ADDRESS_HOST_SIZE 256

/* A place by the parts that decide who is reached, each in one spelling: lower case, without a trailing dot, an IDN in
 * its ASCII form, addresses in their shortest form, 127.0.0.1 for all names and addresses of this machine's loopback
 * (localhost and what ends in .localhost, ::1, and 0.0.0.0 and :: which connect there), the port always there. */
struct address {
	char scheme[8]; /* http or https */
	char host[ADDRESS_HOST_SIZE];
	unsigned port;
};

/* Reads an http or https URL (RFC 3986); what is read has :// behind its scheme, and then no other slash.
 * EXIT_CODE_USAGE: it is none. */
int address_of_url(const char *url, struct address *address, struct error *err);
/* Reads where a detour leads: HOST, HOST:PORT or a URL of any scheme (socks5h://HOST:PORT). The port is 0 where the
 * text has none. False: it cannot be read, and nor can libcurl then. */
bool address_of_detour(const char *text, struct address *address);
/* Whether both reach the same machine, whatever the scheme; 80 and 443 count as one port: `hooks.example.com/credit`
 * without a scheme is plain HTTP at port 80, and such a slip must not carry data to https://hooks.example.com in clear
 * text. */
bool address_same_place(const struct address *a, const struct address *b);

struct destination {
	struct buffer url;                            /* as it is used */
	const struct config_environment *environment; /* NULL: none was named */
};

/* Reads WHERE: a URL (http or https only), localhost:3000/hook, :3000, 3000/hook (http and 127.0.0.1 added), or an
 * environment's name. NULL: the environment `sandbox` where there is one. EXIT_CODE_USAGE otherwise, saying what to
 * write. */
int destination_resolve(const struct config *config, const char *where, struct destination *destination,
                        struct error *err);
void destination_release(struct destination *destination);

/* What else decides where bytes go: libcurl's HOST1:PORT1:HOST2:PORT2, HOST:PORT:ADDRESS, and a proxy's URL. */
struct detours {
	const char *const *connect_to;
	size_t connect_to_count;
	const char *const *resolve;
	size_t resolve_count;
	const char *proxy; /* NULL: none */
};

/* A protected environment, and what leads there: "the destination", "--connect-to"... */
struct guarded {
	const struct config_environment *environment;
	const char *way;
};
/* Whether the destination is protected (an environment that is, or any address whose host and port equal a protected
 * one's however spelled, under either scheme; 80 and 443 count as one port), or a detour (NULL: there are none) leads
 * to a protected host and port. 1: it does, to *found; 0: no; -1: a URL cannot be read (EXIT_CODE_USAGE). */
int guard_find(const struct config *config, const struct destination *destination, const struct detours *detours,
               struct guarded *found, struct error *err);

/* The production guard: EXIT_CODE_USAGE where guard_find() finds something and nobody `allowed` it
 * (--allow-production), or where a URL cannot be read. */
int guard_check(const struct config *config, const struct destination *destination, const struct detours *detours,
                bool allowed, struct error *err);

/* Appends a URL for printing: a password becomes ***, and so do a user without one (a token), the values of its
 * query, and its fragment. Of what has no scheme, all up to the last '@' is user and password. */
void address_append_masked(struct buffer *out, const char *url);
/* Whether that hides anything of the URL. */
bool address_is_secret(const char *url);
/* address_append_masked() for what a Location holds, a URL or a reference to another place of the same server:
 * //HOST/PATH, /PATH. */
void address_append_masked_reference(struct buffer *out, const char *reference);

#endif
