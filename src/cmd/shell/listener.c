#include "cmd/shell/listener.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

/* The policy borrows from `args`, whose texts are words of a line that ends before it does. */
struct shell_listener {
	struct receive_args args;
	char *path; /* owned: args.path */
	struct receive_setup setup;
	struct background *background;
};

const char *shell_listener_url(const struct shell_listener *l)
{
	return background_url(l->background);
}

struct history_entry *shell_listener_take(struct shell_listener *l)
{
	return background_take(l->background);
}

void shell_listener_stop(struct shell_listener *l)
{
	background_stop(l->background);
}

void shell_listener_free(struct shell_listener *l)
{
	if (!l)
		return;
	background_free(l->background);
	receive_setup_release(&l->setup);
	receive_args_release(&l->args);
	free(l->path);
	free(l);
}

struct shell_listener *shell_listener_start(const char *address, const struct receive_args *args,
                                            const struct global_options *global, uint64_t first_number, int wake_fd,
                                            struct error *err)
{
	struct shell_listener *l = calloc(1, sizeof *l);
	if (!l) {
		struct receive_args unused = *args;
		receive_args_release(&unused);
		error_no_memory(err);
		return NULL;
	}
	l->args = *args;
	l->path = args->path ? strdup(args->path) : NULL;
	l->args.path = l->path;
	if (args->path && !l->path) {
		error_no_memory(err);
	} else if (receive_setup_init(&l->setup, &l->args, global, err) == 0) {
		l->setup.policy.first_number = first_number;
		l->setup.policy.drain = CLOCK_NS_PER_S;
		l->background = background_start(address, &l->setup.policy, wake_fd, err);
	}
	if (l->background)
		return l;
	shell_listener_free(l);
	return NULL;
}
