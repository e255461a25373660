#include "ui/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define LESS           "command -v less >/dev/null || exit 127; exec less -FRX"
#define CANNOT_EXECUTE 126 /* and 127, of /bin/sh: there is no such command */

static int count_lines(const char *text, size_t length)
{
	int lines = 0;
	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

/* The command line of the pager; NULL: none is wanted. */
static const char *pager_command(void)
{
	const char *pager = getenv("PAGER"), *term = getenv("TERM");
	if (pager)
		return pager[0] == '\0' || strcmp(pager, "cat") == 0 ? NULL : pager;
	return term && strcmp(term, "dumb") != 0 ? LESS : NULL;
}

/* A shell that runs the command with the signals of a program that was just started. Returns 0, or an errno. */
static int spawn_shell(pid_t *child, const char *command, int input)
{
	char name[] = "sh", option[] = "-c";
	char *const words[] = { name, option, (char *)(uintptr_t)command, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t how;
	sigset_t none, defaults;
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGQUIT);
	posix_spawnattr_init(&how);
	posix_spawnattr_setsigmask(&how, &none);
	posix_spawnattr_setsigdefault(&how, &defaults);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	int failed = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	if (!failed)
		failed = posix_spawn(child, "/bin/sh", &actions, &how, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&how);
	return failed;
}

/* SIGPIPE is ignored (ui/terminal.h): a pager that was left ends the writing. */
static void feed(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t written = write(fd, text, length);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		text += written;
		length -= (size_t)written;
	}
}

/* Runs the pager to its end. False: it did not start. */
static bool run_pager(const char *command, const char *text, size_t length)
{
	int ends[2], status = -1;
	pid_t child;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	int failed = spawn_shell(&child, command, ends[0]);
	close(ends[0]);
	if (!failed)
		feed(ends[1], text, length);
	close(ends[1]);
	if (failed)
		return false;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return !WIFEXITED(status) || WEXITSTATUS(status) < CANNOT_EXECUTE;
}

void pager_show(struct terminal *t, const char *text, size_t length)
{
	int height = terminal_height(t);
	const char *command = pager_command();
	bool shown = false;
	if (height > 0 && count_lines(text, length) >= height && command) {
		struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
		terminal_flush(t);
		sigaction(SIGINT, &ignore, &interrupt);
		sigaction(SIGQUIT, &ignore, &quit);
		shown = run_pager(command, text, length);
		sigaction(SIGINT, &interrupt, NULL);
		sigaction(SIGQUIT, &quit, NULL);
	}
	if (!shown)
		terminal_write(t, text, length);
}
