/* Where a delivery goes: what --to accepts, and the production guard. */
#ifndef CREDHOOK_CONFIG_DESTINATION_H
#define CREDHOOK_CONFIG_DESTINATION_H

#include "base/buffer.h"
#include "base/error.h"
#include "config/config.h"
#include "config/detours.h"

#include <stdbool.h>

struct sockaddr;

struct destination {
	struct buffer url;                            /* in canonical form; owned */
	struct address address;                       /* of that URL */
	const struct config_environment *environment; /* borrowed; NULL: WHERE is not an environment */
	bool is_bare_port;                            /* WHERE has no host: 127.0.0.1 was added */
};

/* Reads WHERE: a URL (http or https), localhost:3000/hook, :3000, 3000/hook (http and 127.0.0.1 are added), or the name
 * of an environment. NULL means the environment `sandbox`. EXIT_CODE_USAGE: none of these. */
int destination_resolve(const struct config *config, const char *where, struct destination *destination,
                        struct error *err);
void destination_release(struct destination *destination);

/* A protected environment, and what leads there: "the destination", "--connect-to", ... A constant. */
struct guarded {
	const struct config_environment *environment;
	const char *option_name;
};
/* Whether a delivery would reach a protected environment: the destination is one or has the address of one (see
 * address_same_place()), or a detour (NULL: none) leads there. A Host header with a protected host is enough, whatever
 * the port. */
bool guard_find(const struct config *config, const struct destination *destination, const struct detours *detours,
                struct guarded *found);

/* The production guard. EXIT_CODE_USAGE: guard_find() finds something that is not `allowed` (--allow-production). */
int guard_check(const struct config *config, const struct destination *destination, const struct detours *detours,
                bool allowed, struct error *err);
/* Whether a connection to a resolved address is allowed: false when a protected environment's URL contains that address
 * and port, or both are the loopback. For deliver_options.may_connect: a struct config. */
bool guard_allows_address(const void *config, const struct sockaddr *to);
/* The protected environment that a request with this Host header was sent to; NULL: none, or it is the destination.
 * A header that our grammar cannot read is that of an environment if it has its host in it. */
const struct config_environment *guard_of_origin(const struct config *config, const struct destination *destination,
                                                 const char *host, size_t length);
/* Whether the configuration has a protected environment. */
bool guard_is_set(const struct config *config);

#endif
