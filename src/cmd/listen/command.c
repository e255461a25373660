/* COMMAND behind "--": started once it listens, watched by its loop, and never left behind. */
#include "cmd/listen/listen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* As sh(1) and env(1) exit. */
#define CANNOT_EXECUTE 126
#define NOT_FOUND      127

#define END_PATIENCE_MS 1000 /* between SIGTERM and SIGKILL when listen ends at once */

/* Where notifications are accepted. */
static int set_url(const struct listen *l, struct error *err)
{
	const char *url = receiver_url(l->receiver), *path = l->args->receive.path;
	LOCAL_BUFFER whole = BUFFER_INIT;
	buffer_append_text(&whole, url);
	if (path && strcmp(path, "/") != 0 && strstr(url, "://"))
		buffer_append_text(&whole, path);
	return whole.failed || setenv("CREDHOOK_URL", buffer_text(&whole), 1) < 0 ? error_no_memory(err) : 0;
}

static int cannot_run(const char *name, int failed, struct error *err)
{
	int code = failed == ENOENT ? NOT_FOUND : CANNOT_EXECUTE;
	error_set(err, (enum exit_code)code, "cannot run '%s': %s", name, strerror(failed));
	if (failed == ENOEXEC)
		return error_hint(err, "a script needs a first line such as #!/bin/sh");
	if (strpbrk(name, " ;|&$"))
		return error_hint(err, "no shell reads COMMAND; where one has to, write -- sh -c '...'");
	return -1;
}

int listen_command_start(struct listen *l, void (*ended)(void *listen, uint32_t events), struct error *err)
{
	struct listen_command *c = &l->command;
	const struct text_list *operands = l->context->operands;
	size_t before = listen_address_count(l->context);
	LOCAL(text_list_release) struct text_list words = TEXT_LIST_INIT;
	if (before == operands->count)
		return 0;
	if (text_list_add_all(&words, operands->items + before, operands->count - before, err) < 0 ||
	    text_list_add(&words, NULL, err) < 0 || set_url(l, err) < 0)
		return -1;
	c->name = words.items[0];
	/* At a terminal it stays in our group, so that it can read there and Ctrl-Z stops both. */
	const struct child_policy how = {
		.words = words.items,
		.mask = &l->context->signals->before,
		.files = &c->files,
		.output = l->context->global->json ? CHILD_STDERR : CHILD_OURS, /* NDJSON has stdout for itself */
		.own_group = !isatty(STDIN_FILENO),
	};
	int failed = child_start(&c->child, &how);
	if (failed)
		return cannot_run(c->name, failed, err);
	c->io = (struct loop_io){ c->child.fd, ended, l };
	if (c->io.fd < 0)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot watch '%s': %s", c->name, strerror(errno));
	return loop_add(l->loop, &c->io, EPOLLIN, err);
}

void listen_command_signal(struct listen *l, int number, bool from_terminal)
{
	const struct child *child = &l->command.child;
	/* What the terminal sends, it sends to all that share its foreground. */
	if (child->runs && !(from_terminal && getpgid(child->pid) == getpgrp()))
		child_signal(child, number);
}

void listen_command_reap(struct listen *l)
{
	loop_remove(l->loop, &l->command.io);
	child_wait(&l->command.child, -1);
}

void listen_command_stop(struct listen *l)
{
	if (l->command.child.runs || l->command.timed_out)
		child_end(&l->command.child, END_PATIENCE_MS);
}
