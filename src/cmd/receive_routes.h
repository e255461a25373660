/* --forward-to and --route: targets past the production guard, as routes of a receiver. */
#ifndef CREDHOOK_CMD_RECEIVE_ROUTES_H
#define CREDHOOK_CMD_RECEIVE_ROUTES_H

#include "cmd/cmd.h"
#include "receive/policy.h"

#include <stddef.h>

struct receive_args;
struct receive_target;

/* Zero-initialise. */
struct receive_routes {
	struct receive_route *list; /* one for each target */
	struct receive_target *targets;
	size_t count;
};

int receive_routes_init(struct receive_routes *routes, const struct receive_args *args,
                        const struct global_options *global, struct error *err);
/* Once a receiver listens at the URL: refuses it as a target. (Another name of this machine is not recognised.) */
int receive_routes_check(const struct receive_routes *routes, const char *url, struct error *err);
/* ", forwarding to URL, user-created to URL", without secrets; nothing where nothing is forwarded. */
void receive_routes_append(const struct receive_routes *routes, struct buffer *out);
void receive_routes_release(struct receive_routes *routes);

#endif
