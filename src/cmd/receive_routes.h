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
/* Once a receiver listens at the URL: no target may be this very receiver. (By another name of this machine it still
 * may be.) */
int receive_routes_check(const struct receive_routes *routes, const char *url, struct error *err);
void receive_routes_release(struct receive_routes *routes);

#endif
