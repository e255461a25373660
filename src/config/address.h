/* Where a delivery goes: what --to accepts, and the guard that keeps production out of reach. */
#ifndef CREDHOOK_CONFIG_ADDRESS_H
#define CREDHOOK_CONFIG_ADDRESS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/url.h"
#include "config/config.h"
#include "config/detours.h"

#include <stdbool.h>

struct sockaddr;

/* A place by the parts that decide who is reached. */
struct address {
	char scheme[URL_SCHEME_SIZE]; /* http or https */
	struct host host;             /* never HOST_NON_ASCII: an IDN is in its ASCII form */
	unsigned port;                /* always there */
};

/* Reads an http or https URL by the grammar of base/url.h. EXIT_CODE_USAGE: it is none. */
int address_of_url(const char *url, struct address *address, struct error *err);
/* Whether both reach the same machine, whatever the scheme; 80 and 443 count as one port: `hooks.example.com/credit`
 * without a scheme is plain HTTP at port 80, and such a mistake must not carry data to https://hooks.example.com in
 * clear text. */
bool address_same_place(const struct address *a, const struct address *b);

struct destination {
	struct buffer url;                            /* as it is used: what was read, written anew */
	struct address address;                       /* where that is */
	const struct config_environment *environment; /* NULL: none was named */
};

/* Reads WHERE: a URL (http or https only), localhost:3000/hook, :3000, 3000/hook (http and 127.0.0.1 added), or an
 * environment's name. NULL: the environment `sandbox` where there is one. EXIT_CODE_USAGE otherwise, saying what to
 * write. */
int destination_resolve(const struct config *config, const char *where, struct destination *destination,
                        struct error *err);
void destination_release(struct destination *destination);

/* A protected environment, and what leads there: "the destination", "--connect-to"... */
struct guarded {
	const struct config_environment *environment;
	const char *way;
};
/* Whether the destination is protected (an environment that is, or any address whose host and port equal a protected
 * one's, under either scheme; 80 and 443 count as one port), or a detour (NULL: there are none) leads to a protected
 * host and port; a Host header that names a protected host is enough, whatever the port. Whom a unix socket leads to
 * nobody knows: with one, a protected host is enough, whatever the port. 1: it does, to *found; 0: no; -1: a protected
 * URL cannot be read (EXIT_CODE_USAGE). */
int guard_find(const struct config *config, const struct destination *destination, const struct detours *detours,
               struct guarded *found, struct error *err);

/* The production guard: EXIT_CODE_USAGE where guard_find() finds something and nobody `allowed` it
 * (--allow-production), or where a URL cannot be read. */
int guard_check(const struct config *config, const struct destination *destination, const struct detours *detours,
                bool allowed, struct error *err);
/* Whether a connection may be made to what a name turned out to be: false where that is the address and port of a
 * protected environment whose URL has an address, not a name (or means this machine). */
bool guard_allows_address(const struct config *config, const struct sockaddr *to);
/* Whether there is a protected environment at all. */
bool guard_is_set(const struct config *config);

#endif
