/* --observe COMMAND: a number of the listener's own, the last line that a command prints. */
#include "base/child.h"
#include "base/clock.h"
#include "cmd/probe/probe.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_NS      (10 * CLOCK_NS_PER_S)
#define END_PATIENCE_MS 100
#define SETTLE_NS       (5 * CLOCK_NS_PER_S)
#define SETTLE_PAUSE    200 /* ms */
#define SETTLE_SAME     3   /* readings in a row */
#define OUTPUT_MAX      ((size_t)64 << 10)

/* What the command prints, until it ends or closes its output. */
static void read_output(struct child *child, int64_t end, struct buffer *out)
{
	for (;;) {
		char bytes[4096];
		int64_t left = (end - clock_monotonic_ns()) / CLOCK_NS_PER_MS;
		struct pollfd ready[] = { { child->pipe_fd, POLLIN, 0 }, { child->fd, POLLIN, 0 } };
		if (left <= 0 || (poll(ready, 2, (int)left) < 0 && errno != EINTR))
			return;
		if (ready[0].revents) {
			ssize_t got = read(child->pipe_fd, bytes, sizeof bytes);
			if (got <= 0)
				return;
			if (out->length < OUTPUT_MAX)
				buffer_append(out, bytes, (size_t)got);
		} else if (ready[1].revents) {
			return; /* what it left behind may hold its output open */
		}
	}
}

static int read_once(const struct probe_command *run, double *number, struct error *err)
{
	const struct child_policy how = {
		.words = (const char *const[]){ "/bin/sh", "-c", run->args->observe, NULL },
		.mask = &run->context->signals->before,
		.input = CHILD_NULL,
		.output = CHILD_PIPE,
		.own_group = true,
	};
	int64_t end = clock_monotonic_ns() + COMMAND_NS;
	LOCAL_BUFFER out = BUFFER_INIT;
	struct child child;
	int failed = child_start(&child, &how);
	if (failed)
		return error_set(err, EXIT_CODE_IO, "--observe: %s", strerror(failed));
	read_output(&child, end, &out);
	close(child.pipe_fd);
	int64_t left = (end - clock_monotonic_ns()) / CLOCK_NS_PER_MS;
	bool in_time = child_wait(&child, left > 0 ? (int)left : 0);
	child_end(&child, in_time ? END_PATIENCE_MS : 0); /* or what it left behind */
	if (!in_time)
		return error_set(err, EXIT_CODE_IO, "--observe: the command did not end within 10 s");
	if (child.code != 0)
		return error_set(err, EXIT_CODE_IO, "--observe: the command failed with exit code %d", child.code);
	char *rest;
	while (out.length > 0 && strchr(" \t\r\n", out.data[out.length - 1]))
		buffer_consume_end(&out, 1);
	const char *text = buffer_text(&out), *newline = strrchr(text, '\n');
	text = newline ? newline + 1 : text;
	*number = strtod(text, &rest);
	/* strtod() reads nan, inf and 0x10, too, and makes 1e400 infinite. */
	if (rest != text && rest == buffer_text(&out) + out.length && isfinite(*number) &&
	    text[strspn(text, " \t+-.0123456789eE")] == '\0')
		return 0;
	return error_set(err, EXIT_CODE_IO, "--observe: the last line is '%s', not a number", text);
}

int probe_observe(void *context, double *number, struct error *err)
{
	const struct probe_command *run = context;
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
