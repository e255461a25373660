#include "base/child.h"

#include "base/clock.h"
#include "base/processes.h"
#include "base/system.h"
#include "base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE_MS      10    /* between two looks at what nothing can be waited for */
#define KILLED_MS     10000 /* for the end of what got SIGKILL: its memory may be large, its disk slow */
#define PAUSE_MOST_MS 100   /* each is longer than the one before: to look takes time where there are many processes */

extern char **environ; /* which glibc declares for GNU programs only */

/* How the end of a child is seen from a descriptor, on every system: a thread waits for it. */
struct watched {
	pid_t pid;
	int fd; /* closed as it ends */
};

static void *watch(void *context)
{
	struct watched child = *(struct watched *)context;
	siginfo_t unused;
	free(context);
	while (waitid(P_PID, (id_t)child.pid, &unused, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		continue;
	close(child.fd);
	return NULL;
}

/* A descriptor that can be read once this child has ended, which is not reaped; -1, with an errno: there is none. */
static int start_watch(pid_t child)
{
	int ends[2];
	pthread_t thread;
	struct watched *watched = malloc(sizeof *watched);
	if (!watched || system_pipe(ends, true) < 0) {
		free(watched);
		return -1;
	}
	*watched = (struct watched){ child, ends[1] };
	int failed = thread_start(&thread, watch, watched);
	if (failed == 0) {
		pthread_detach(thread);
		return ends[0];
	}
	close(ends[0]);
	close(ends[1]);
	free(watched);
	errno = failed;
	return -1;
}

struct start {
	const struct child_policy *how;
	int ends[2]; /* for the child: of the pipe, and of the one of its errors */
};

static int direct(posix_spawn_file_actions_t *actions, const struct start *start, enum child_stream stream, int fd)
{
	if (stream == CHILD_NULL)
		return posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
	if (stream == CHILD_OURS)
		return 0;
	return posix_spawn_file_actions_adddup2(
	        actions, stream == CHILD_STDERR ? STDERR_FILENO : start->ends[stream == CHILD_ERRORS], fd);
}

static int spawn(void *context, pid_t *pid)
{
	static const int handled[] = { SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGXFSZ };
	const struct start *start = context;
	const struct child_policy *how = start->how;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	struct rlimit ours;
	sigset_t none, defaults;
	sigemptyset(&none);
	sigemptyset(&defaults);
	for (size_t i = 0; i < sizeof handled / sizeof handled[0]; i++)
		sigaddset(&defaults, handled[i]);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, how->signals ? &how->signals->before : &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes,
	                         (short)(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
	                                 (how->own_group ? POSIX_SPAWN_SETPGROUP : 0))); /* the group 0: a new one */
	posix_spawn_file_actions_init(&actions);
	int failed = direct(&actions, start, how->input, STDIN_FILENO);
	if (!failed)
		failed = direct(&actions, start, how->output, STDOUT_FILENO);
	if (!failed && how->errors != CHILD_STDERR)
		failed = direct(&actions, start, how->errors, STDERR_FILENO);
	bool limits = how->files && getrlimit(RLIMIT_NOFILE, &ours) == 0;
	if (limits)
		setrlimit(RLIMIT_NOFILE, how->files);
	if (!failed)
		failed = posix_spawnp(pid, how->words[0], &actions, &attributes, (char *const *)(uintptr_t)how->words,
		                      environ);
	if (limits)
		setrlimit(RLIMIT_NOFILE, &ours);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return failed;
}

static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

int child_start(struct child *child, const struct child_policy *how)
{
	int pipes[2][2] = { { -1, -1 }, { -1, -1 } };
	*child = (struct child){ .signals = how->signals, .fd = -1, .pipe_fd = -1, .errors_fd = -1 };
	child->known.leads_group = how->own_group;
	size_t theirs = how->input == CHILD_PIPE ? 0 : 1; /* the end of the first one */
	bool is_needed = how->input == CHILD_PIPE || how->output == CHILD_PIPE || how->errors == CHILD_PIPE;
	if ((is_needed && system_pipe(pipes[0], true) < 0) ||
	    (how->errors == CHILD_ERRORS && system_pipe(pipes[1], true) < 0)) {
		int failed = errno;
		close_all(pipes[0], 2);
		return failed;
	}
	signal(SIGCHLD, SIG_DFL); /* ignored, it would take the exit code away */
	if (how->own_group)
		system_adopt_orphans();
	struct start start = { how, { pipes[0][theirs], pipes[1][1] } };
	int failed = signals_start_child(how->signals, &child->known, spawn, &start);
	const int ours[] = { pipes[0][1 - theirs], pipes[1][0] };
	close_all(start.ends, 2);
	if (failed) {
		close_all(ours, 2);
		return failed;
	}
	child->runs = true;
	child->pipe_fd = ours[0];
	child->errors_fd = ours[1];
	child->fd = start_watch(child->known.pid);
	return 0;
}

static int left_ms(int64_t end)
{
	int64_t left = (end - clock_monotonic_ns() + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS;
	return left > 0 ? (int)left : 0;
}

void child_release(struct child *child)
{
	if (child->known.pid > 0)
		signals_reap_child(child->signals, &child->known);
	child->known.pid = 0;
}

static void note_end(struct child *child, const siginfo_t *how)
{
	child->signal = how->si_code == CLD_EXITED ? 0 : how->si_status;
	child->code = child->signal ? 128 + child->signal : how->si_status;
	child->runs = false;
	if (child->fd >= 0)
		close(child->fd);
	child->fd = -1;
	if (!child->known.leads_group)
		child_release(child);
}

/* Signals end the wait where they are not NULL. */
static bool wait_or_signal(struct child *child, int timeout_ms, const struct signals *signals)
{
	int64_t end = clock_monotonic_ns() + timeout_ms * CLOCK_NS_PER_MS;
	while (child->runs) {
		siginfo_t how = { .si_pid = 0 };
		int failed =
		        waitid(P_PID, (id_t)child->known.pid, &how, WEXITED | WNOWAIT | (timeout_ms < 0 ? 0 : WNOHANG));
		if (failed ? errno != EINTR : how.si_pid != 0)
			note_end(child, &how);
		if (!child->runs || timeout_ms < 0)
			continue;
		int left = left_ms(end);
		if (left == 0 ||
		    !signals_wait_input(signals, child->fd, child->fd < 0 && left > PAUSE_MS ? PAUSE_MS : left))
			return false;
	}
	return true;
}

bool child_wait(struct child *child, int timeout_ms)
{
	return wait_or_signal(child, timeout_ms, child->signals);
}

/* The process may have left its group. */
static void send_signal(const struct child *child, int number)
{
	pid_t pid = child->known.pid;
	if (pid == 0)
		return;
	if (child->known.leads_group)
		kill(-pid, number);
	if (child->runs && (!child->known.leads_group || getpgid(pid) != pid))
		kill(pid, number);
}

void child_kill(const struct child *child)
{
	send_signal(child, SIGKILL);
}

/* Whether any process of the group that it has led is alive. */
static bool has_left_others(const struct child *child)
{
	struct pollfd others = { .fd = child->pipe_fd };
	if (child->known.pid == 0 || !child->known.leads_group)
		return false;
	switch (processes_look_for_group(child->known.pid)) {
	case PROCESS_GROUP_ALIVE:
		return true;
	case PROCESS_GROUP_GONE:
		return false;
	default:
		break;
	}
	if (child->pipe_fd >= 0)
		return poll(&others, 1, 0) == 0 || !(others.revents & POLLHUP);
	return kill(-child->known.pid, 0) == 0;
}

bool child_is_left(struct child *child)
{
	return !child_wait(child, 0) || has_left_others(child);
}

void child_signal(const struct child *child, int number)
{
	if (!child->runs)
		return;
	send_signal(child, number);
	send_signal(child, SIGCONT);
}

/* Whether it has ended, now that it got SIGKILL. What waits to be taken has ended the patience, not this. */
static bool is_killed(struct child *child)
{
	bool is_ours = kill(child->known.pid, 0) == 0 || errno != EPERM; /* sudo's user is another one */
	return wait_or_signal(child, is_ours ? KILLED_MS : 0, NULL);
}

static pid_t give_up(struct child *child)
{
	pid_t pid = child->known.pid;
	signals_forget_child(child->signals, &child->known);
	child->known.pid = 0;
	child->runs = false;
	if (child->fd >= 0)
		close(child->fd);
	child->fd = -1;
	return pid;
}

pid_t child_end(struct child *child, int patience_ms)
{
	int64_t end = clock_monotonic_ns() + patience_ms * CLOCK_NS_PER_MS;
	if (child->known.pid == 0)
		return 0;
	send_signal(child, SIGTERM);
	send_signal(child, SIGCONT);
	bool is_urged = patience_ms > 0 && !child_wait(child, patience_ms);
	for (int pause = PAUSE_MS; !is_urged && has_left_others(child) && left_ms(end) > 0; pause *= 2) {
		pause = pause < PAUSE_MOST_MS ? pause : PAUSE_MOST_MS;
		is_urged = !signals_wait_input(child->signals, -1, pause < left_ms(end) ? pause : left_ms(end));
	}
	send_signal(child, SIGKILL);
	if (!is_killed(child))
		return give_up(child);
	child_release(child);
	return 0;
}
