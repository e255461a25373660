#include "base/child.h"

#include "base/child_watch.h"
#include "base/clock.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE_MS 10 /* between two looks at what nothing can be waited for */

extern char **environ; /* which glibc declares for GNU programs only */

static int direct(posix_spawn_file_actions_t *actions, enum child_stream stream, int pipe_end, int fd)
{
	if (stream == CHILD_NULL)
		return posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
	if (stream == CHILD_OURS)
		return 0;
	return posix_spawn_file_actions_adddup2(actions, stream == CHILD_PIPE ? pipe_end : STDERR_FILENO, fd);
}

static int spawn(struct child *child, const struct child_policy *how, int pipe_end)
{
	static const int handled[] = { SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	struct rlimit ours;
	sigset_t none, defaults;
	sigemptyset(&none);
	sigemptyset(&defaults);
	for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
		sigaddset(&defaults, handled[i]);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, how->mask ? how->mask : &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes,
	                         (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
	                                 (how->own_group ? POSIX_SPAWN_SETPGROUP : 0))); /* the group 0: a new one */
	posix_spawn_file_actions_init(&actions);
	int failed = direct(&actions, how->input, pipe_end, STDIN_FILENO);
	if (!failed)
		failed = direct(&actions, how->output, pipe_end, STDOUT_FILENO);
	if (!failed && how->errors != CHILD_STDERR)
		failed = direct(&actions, how->errors, pipe_end, STDERR_FILENO);
	bool limits = how->files && getrlimit(RLIMIT_NOFILE, &ours) == 0;
	if (limits)
		setrlimit(RLIMIT_NOFILE, how->files);
	if (!failed)
		failed = posix_spawnp(&child->pid, how->words[0], &actions, &attributes,
		                      (char *const *)(uintptr_t)how->words, environ);
	if (limits)
		setrlimit(RLIMIT_NOFILE, &ours);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return failed;
}

int child_start(struct child *child, const struct child_policy *how)
{
	int ends[2] = { -1, -1 };
	*child = (struct child){ .own_group = how->own_group, .fd = -1, .pipe_fd = -1 };
	bool writes = how->input == CHILD_PIPE; /* this process does */
	if ((writes || how->output == CHILD_PIPE || how->errors == CHILD_PIPE) && system_pipe(ends, true) < 0)
		return errno;
	signal(SIGCHLD, SIG_DFL); /* ignored, it would take the exit code away */
	if (how->own_group)
		system_adopt_orphans();
	int failed = spawn(child, how, ends[writes ? 0 : 1]);
	child->runs = !failed;
	child->pid = failed ? 0 : child->pid;
	child->pipe_fd = ends[writes ? 1 : 0];
	if (ends[0] >= 0)
		close(ends[writes ? 0 : 1]);
	if (failed && child->pipe_fd >= 0)
		close(child->pipe_fd);
	if (!failed)
		child->fd = child_watch(child->pid);
	return failed;
}

static int left_ms(int64_t end)
{
	int64_t left = (end - clock_monotonic_ns() + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS;
	return left > 0 ? (int)left : 0;
}

bool child_wait(struct child *child, int timeout_ms)
{
	int64_t end = clock_monotonic_ns() + timeout_ms * CLOCK_NS_PER_MS;
	int status = 0;
	pid_t reaped = 0;
	while (child->runs) {
		reaped = waitpid(child->pid, &status, timeout_ms < 0 ? 0 : WNOHANG);
		if (reaped == child->pid || (reaped < 0 && errno != EINTR))
			break;
		int left = left_ms(end);
		if (timeout_ms >= 0 && left == 0)
			return false;
		if (timeout_ms >= 0)
			poll(&(struct pollfd){ .fd = child->fd, .events = POLLIN }, 1,
			     child->fd < 0 && left > PAUSE_MS ? PAUSE_MS : left);
	}
	if (child->runs) {
		child->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		child->code = child->signal ? 128 + child->signal : WEXITSTATUS(status);
	}
	child->runs = false;
	if (child->fd >= 0)
		close(child->fd);
	child->fd = -1;
	return true;
}

/* The group keeps its number as long as there is anything in it. The process may have left it. */
static void send_signal(const struct child *child, int number)
{
	if (child->own_group && child->pid > 0)
		kill(-child->pid, number);
	if (child->runs && (!child->own_group || getpgid(child->pid) != child->pid))
		kill(child->pid, number);
}

void child_kill(const struct child *child)
{
	send_signal(child, SIGKILL);
}

bool child_is_left(struct child *child)
{
	return !child_wait(child, 0) || (child->own_group && child->pid > 0 && kill(-child->pid, 0) == 0);
}

void child_signal(const struct child *child, int number)
{
	if (!child->runs)
		return;
	send_signal(child, number);
	send_signal(child, SIGCONT);
}

void child_end(struct child *child, int patience_ms)
{
	int64_t end = clock_monotonic_ns() + patience_ms * CLOCK_NS_PER_MS;
	send_signal(child, SIGTERM);
	send_signal(child, SIGCONT);
	child_wait(child, patience_ms);
	while (child->own_group && child->pid > 0 && kill(-child->pid, 0) == 0 && left_ms(end) > 0) {
		while (waitpid(-child->pid, NULL, WNOHANG) > 0) /* one that it left to us */
			continue;
		poll(NULL, 0, PAUSE_MS);
	}
	send_signal(child, SIGKILL);
	child_wait(child, -1);
}
