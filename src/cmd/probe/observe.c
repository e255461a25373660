/* --observe COMMAND: a number of the listener's own, the last line that a command prints. */
#include "base/clock.h"
#include "cmd/probe/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_NS   (10 * CLOCK_NS_PER_S)
#define SETTLE_NS    (5 * CLOCK_NS_PER_S)
#define SETTLE_PAUSE 200 /* ms */
#define SETTLE_SAME  3   /* readings in a row */
#define OUTPUT_MAX   ((size_t)64 << 10)

static pid_t start_command(const struct test_run *run, int output)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	setpgid(0, 0);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0)
		_exit(127);
	sigprocmask(SIG_SETMASK, &run->context->signals->before, NULL);
	signal(SIGPIPE, SIG_DFL);
	execl("/bin/sh", "sh", "-c", run->args->observe, (char *)NULL);
	_exit(127);
}

/* What the command prints, until it ends. False: not in time. */
static bool read_output(int fd, struct buffer *out)
{
	int64_t end = clock_monotonic_ns() + COMMAND_NS;
	for (;;) {
		char bytes[4096];
		int64_t left = (end - clock_monotonic_ns()) / CLOCK_NS_PER_MS;
		struct pollfd ready = { fd, POLLIN, 0 };
		if (left <= 0 || (poll(&ready, 1, (int)left) < 0 && errno != EINTR))
			return false;
		if (!(ready.revents & (POLLIN | POLLHUP)))
			continue;
		ssize_t got = read(fd, bytes, sizeof bytes);
		if (got <= 0)
			return true;
		if (out->length < OUTPUT_MAX)
			buffer_append(out, bytes, (size_t)got);
	}
}

static int last_number(struct buffer *out, double *number, struct error *err)
{
	char *rest;
	while (out->length > 0 && strchr(" \t\r\n", out->data[out->length - 1]))
		buffer_consume_end(out, 1);
	const char *text = buffer_text(out), *newline = strrchr(text, '\n');
	text = newline ? newline + 1 : text;
	*number = strtod(text, &rest);
	if (rest != text && *rest == '\0')
		return 0;
	return error_set(err, EXIT_CODE_IO, "--observe: the last line is '%s', not a number", text);
}

static int read_once(const struct test_run *run, double *number, struct error *err)
{
	int ends[2], status = 0;
	struct buffer out = BUFFER_INIT;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(err, EXIT_CODE_IO, "--observe: %s", strerror(errno));
	pid_t pid = start_command(run, ends[1]);
	close(ends[1]);
	bool in_time = pid > 0 && read_output(ends[0], &out);
	close(ends[0]);
	if (pid > 0) {
		kill(-pid,
		     in_time ? SIGTERM : SIGKILL); /* what it left behind; the command itself has ended or is ended */
		waitpid(pid, &status, 0);
	}
	int result = 0;
	if (pid < 0)
		result = error_set(err, EXIT_CODE_IO, "--observe: %s", strerror(errno));
	else if (!in_time)
		result = error_set(err, EXIT_CODE_IO, "--observe: the command did not end within 10 s");
	else
		result = last_number(&out, number, err);
	buffer_release(&out);
	return result;
}

int test_observe(void *context, double *number, struct error *err)
{
	const struct test_run *run = context;
	int64_t end = clock_monotonic_ns() + SETTLE_NS;
	double before;
	if (read_once(run, number, err) < 0)
		return -1;
	for (int same = 1; same < SETTLE_SAME && clock_monotonic_ns() < end;) {
		before = *number;
		poll(NULL, 0, SETTLE_PAUSE);
		if (read_once(run, number, err) < 0)
			return -1;
		same = *number < before || *number > before ? 1 : same + 1;
	}
	return 0;
}
