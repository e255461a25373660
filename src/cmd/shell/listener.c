/* The session's listener: `listen` in the background. */
#include "cmd/shell/listener.h"

#include "base/clock.h"
#include "cmd/shell/shell.h"
#include "http/address.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_ADDRESS "127.0.0.1:8080"

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

/* Takes the args over where it succeeds. */
static struct shell_listener *start(const struct shell *s, struct receive_args *args, const char *address,
                                    struct error *err)
{
	struct shell_listener *l = calloc(1, sizeof *l);
	if (!l) {
		error_no_memory(err);
		return NULL;
	}
	l->args = *args;
	*args = (struct receive_args){ .capture = NULL };
	l->path = l->args.path ? strdup(l->args.path) : NULL;
	if (l->args.path && !l->path) {
		error_no_memory(err);
		shell_listener_free(l);
		return NULL;
	}
	l->args.path = l->path;
	if (receive_setup_init(&l->setup, &l->args, s->context->global, err) == 0) {
		l->setup.policy.first_number = s->next_number;
		l->setup.policy.drain = CLOCK_NS_PER_S;
		l->background = background_start(address, &l->setup.policy, s->wake_fd, err);
	}
	if (l->background)
		return l;
	shell_listener_free(l);
	return NULL;
}

static int stop(struct shell *s, struct error *err)
{
	if (!s->listener)
		return error_set(err, EXIT_CODE_USAGE, "nothing listens in the background");
	shell_listener_stop(s->listener);
	shell_take_arrivals(s);
	terminal_note(s->context->terminal, "no longer listening on %s", shell_listener_url(s->listener));
	shell_listener_free(s->listener);
	s->listener = NULL;
	return EXIT_CODE_OK;
}

int shell_listen(struct shell *s, const struct shell_call *call, struct error *err)
{
	const char *address = call->operands->count > 0 ? call->operands->items[0] : DEFAULT_ADDRESS;
	if (strcmp(address, "stop") == 0)
		return stop(s, err);
	if (s->listener) {
		error_set(err, EXIT_CODE_USAGE, "already listening on %s", shell_listener_url(s->listener));
		return error_hint(err, "'listen stop' ends that");
	}
	if (http_address_has_scheme(address, "https")) {
		error_set(err, EXIT_CODE_USAGE, "'%s' is about TLS, and the shell's own listener has none", address);
		return error_hint(err, "in another terminal: credhook listen %s --tls-self-signed", address);
	}
	if (receive_args_check(&call->options->listen, address, err) < 0)
		return -1;
	s->listener = start(s, &call->options->listen, address, err);
	if (!s->listener)
		return -1;
	terminal_announce(s->context->terminal, "listening on %s", shell_listener_url(s->listener));
	return EXIT_CODE_OK;
}
