/* COMMAND behind "--": started once it listens, watched by its loop, and never left behind. */
#include "cmd/listen/listen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* As sh(1) and env(1) exit. */
#define CANNOT_EXECUTE 126
#define NOT_FOUND      127

#define END_PATIENCE_MS 1000 /* between SIGTERM and SIGKILL when listen ends at once */

void listen_command_init(struct listen_command *c)
{
	*c = (struct listen_command){ .io = { .fd = -1 } };
	getrlimit(RLIMIT_NOFILE, &c->files);
}

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

/* With the mask and the limit that listen was started with, and the default actions of what it handles or ignores.
 * Returns 0, or an errno. */
static int spawn(struct listen *l, char *const *words)
{
	static const int defaults[] = { SIGINT, SIGTERM, SIGPIPE, SIGXFSZ };
	struct listen_command *c = &l->command;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t how;
	struct rlimit raised = c->files;
	sigset_t set;
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
		sigaddset(&set, defaults[i]);
	posix_spawnattr_init(&how);
	posix_spawnattr_setsigmask(&how, &l->context->signals->before);
	posix_spawnattr_setsigdefault(&how, &set);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	signal(SIGCHLD, SIG_DFL); /* ignored, it would take the exit code away */
	getrlimit(RLIMIT_NOFILE, &raised);
	setrlimit(RLIMIT_NOFILE, &c->files);
	/* NDJSON has stdout for itself. */
	int failed =
	        l->context->global->json ? posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO) : 0;
	if (!failed)
		failed = posix_spawnp(&c->pid, words[0], &actions, &how, words, environ);
	setrlimit(RLIMIT_NOFILE, &raised);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&how);
	c->pid = failed ? 0 : c->pid;
	return failed;
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
	int failed = spawn(l, (char *const *)(uintptr_t)words.items);
	if (failed)
		return cannot_run(c->name, failed, err);
	c->io = (struct loop_io){ pidfd_open(c->pid, 0), ended, l };
	if (c->io.fd < 0)
		return error_set(err, EXIT_CODE_INTERNAL, "cannot watch '%s': %s", c->name, strerror(errno));
	return loop_add(l->loop, &c->io, EPOLLIN, err);
}

void listen_command_signal(struct listen *l, int number, bool from_terminal)
{
	/* What the terminal sends, it sends to all that share its foreground. */
	if (l->command.pid > 0 && !(from_terminal && getpgid(l->command.pid) == getpgrp()))
		kill(l->command.pid, number);
}

void listen_command_reap(struct listen *l)
{
	struct listen_command *c = &l->command;
	int status = 0;
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	c->pid = 0;
	c->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	c->code = c->signal ? 128 + c->signal : WEXITSTATUS(status);
	if (c->io.fd < 0)
		return;
	loop_remove(l->loop, &c->io);
	close(c->io.fd);
	c->io.fd = -1;
}

void listen_command_stop(struct listen *l)
{
	struct listen_command *c = &l->command;
	if (c->pid == 0)
		return;
	kill(c->pid, SIGTERM);
	if (poll(&(struct pollfd){ .fd = c->io.fd, .events = POLLIN }, 1, END_PATIENCE_MS) <= 0)
		kill(c->pid, SIGKILL);
	listen_command_reap(l);
}
