/* help COMMAND at a terminal: the manual page, where man and the page are there. */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs man to its end, with no signal blocked: it and its pager are the user's. True: it ended well. */
static bool run_man(char *const *argv, bool silent)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t child;
	int status = -1;
	sigemptyset(&none);
	if (posix_spawn_file_actions_init(&actions) != 0)
		return false;
	if (posix_spawnattr_init(&attributes) != 0) {
		posix_spawn_file_actions_destroy(&actions);
		return false;
	}
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	for (int fd = STDOUT_FILENO; silent && fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
	if (posix_spawnp(&child, "man", &actions, &attributes, argv, environ) == 0) {
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			continue;
	}
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool command_show_manual(const char *name)
{
	char man[] = "man", where[] = "-w", page[64];
	snprintf(page, sizeof page, "credhook-%s", name);
	return run_man((char *[]){ man, where, page, NULL }, true) && run_man((char *[]){ man, page, NULL }, false);
}
