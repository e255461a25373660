#include "ui/pager.h"

#include "base/child.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	const struct child_policy how = { .words = (const char *const[]){ "/bin/sh", "-c", command, NULL },
		                          .input = CHILD_PIPE };
	struct child child;
	if (child_start(&child, &how) != 0)
		return false;
	feed(child.pipe_fd, text, length);
	close(child.pipe_fd);
	child_wait(&child, -1);
	return child.signal || child.code < CANNOT_EXECUTE;
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
