#include "cmd/receive_routes.h"

#include "base/loop.h"
#include "cmd/delivery_plan.h"
#include "cmd/kind.h"
#include "cmd/receive_options.h"
#include "config/address.h"

#include <stdlib.h>
#include <string.h>

#define CONCURRENCY   256
#define MOST_ROUTES   (2 * LOOP_TURN_ENDS / 3)
#define RESPONSE_MOST ((size_t)4 << 20) /* bytes of a target's response that are passed on */

struct receive_target {
	struct delivery_options options;
	struct delivery_plan plan;
	char *url; /* owned: the part after EVENT= */
};

static int open_target(struct receive_target *t, struct receive_route *route, const struct receive_args *a,
                       const char *url, const struct global_options *global, struct error *err)
{
	delivery_options_defaults(&t->options);
	t->options.to = url;
	t->options.allow_production = a->allow_production;
	t->options.cacert = a->forward_cacert;
	t->options.insecure = a->forward_insecure;
	t->options.max_time = a->forward_timeout;
	t->options.concurrency = CONCURRENCY;
	if (delivery_plan_init(&t->plan, &t->options, global->config, global->no_config, err) < 0)
		return -1;
	route->http = t->plan.http;
	route->http.response_keep = RESPONSE_MOST;
	route->http.keep_echoes = true; /* it goes on to the client, byte for byte */
	return 0;
}

/* EVENT=WHERE */
static int open_route(struct receive_target *t, struct receive_route *route, const struct receive_args *a,
                      const char *text, const struct global_options *global, struct error *err)
{
	const char *equals = strchr(text, '=');
	if (!equals || equals == text || !equals[1]) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is not EVENT=WHERE", text);
		return error_hint(err, "write --route bureau-alert=http://localhost:3000/alerts");
	}
	LOCAL(release_text) char *name = strndup(text, (size_t)(equals - text));
	t->url = strdup(equals + 1);
	int result = !name || !t->url ? error_no_memory(err) : kind_find(name, &route->kind, err);
	return result < 0 ? -1 : open_target(t, route, a, t->url, global, err);
}

int receive_routes_init(struct receive_routes *r, const struct receive_args *a, const struct global_options *global,
                        struct error *err)
{
	size_t count = a->routes.count + (a->forward_to != NULL);
	if (count == 0)
		return 0;
	if (count > MOST_ROUTES)
		return error_set(err, EXIT_CODE_USAGE, "%zu --route are too many: %d at most", count, MOST_ROUTES);
	r->list = calloc(count, sizeof *r->list);
	r->targets = calloc(count, sizeof *r->targets);
	if (!r->list || !r->targets)
		return error_no_memory(err);
	for (; r->count < a->routes.count; r->count++)
		if (open_route(&r->targets[r->count], &r->list[r->count], a, a->routes.items[r->count], global, err) <
		    0) {
			r->count++; /* released as far as it is made */
			return -1;
		}
	if (!a->forward_to)
		return 0;
	r->list[r->count].takes_all = true;
	r->count++;
	return open_target(&r->targets[count - 1], &r->list[count - 1], a, a->forward_to, global, err);
}

/* 127.0.0.1 and 127.0.0.2: somebody else may listen at the other address. */
static bool are_two_listeners(const struct address *a, const struct address *b)
{
	static const char any[] = "0.0.0.0";
	return a->host.kind == HOST_IPV4 && b->host.kind == HOST_IPV4 && strcmp(a->host.text, any) != 0 &&
	       strcmp(b->host.text, any) != 0 && strcmp(a->host.text, b->host.text) != 0;
}

int receive_routes_check(const struct receive_routes *r, const char *url, struct error *err)
{
	struct address own, there;
	struct error ignored;
	if (r->count == 0 || address_of_url(url, &own, &ignored) < 0) /* unix:PATH */
		return 0;
	for (size_t i = 0; i < r->count; i++) {
		const struct delivery_plan *plan = &r->targets[i].plan;
		if (address_of_url(plan->http.url, &there, err) < 0)
			return -1;
		/* The guard takes 80 and 443, and all loopback addresses, for one place; here they are several. */
		if (own.port != there.port || !address_same_place(&own, &there) || are_two_listeners(&own, &there))
			continue;
		error_set(err, EXIT_CODE_USAGE, "'%s' is this listener: it would forward every request to itself",
		          buffer_text(&plan->masked_url));
		return error_hint(err, "give %s another destination",
		                  r->list[i].takes_all ? "--forward-to" : "--route");
	}
	return 0;
}

void receive_routes_append(const struct receive_routes *r, struct buffer *out)
{
	for (size_t i = 0; i < r->count; i++) {
		char name[CATALOG_KIND_NAME_SIZE] = "";
		if (!r->list[i].takes_all)
			catalog_kind_name(r->list[i].kind, name);
		buffer_printf(out, ", %s%s%sto %s", i == 0 ? "forwarding " : "", name, name[0] ? " " : "",
		              buffer_text(&r->targets[i].plan.masked_url));
	}
}

void receive_routes_release(struct receive_routes *r)
{
	for (size_t i = 0; i < r->count; i++) {
		delivery_plan_release(&r->targets[i].plan);
		delivery_options_release(&r->targets[i].options);
		free(r->targets[i].url);
	}
	free(r->targets);
	free(r->list);
	*r = (struct receive_routes){ .list = NULL };
}
