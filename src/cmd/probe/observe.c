/* --observe COMMAND: what the listener keeps, as a command prints it. */
#include "base/child.h"
#include "base/clock.h"
#include "cmd/probe/probe.h"
#include "probe/observation.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_NS      (10 * CLOCK_NS_PER_S)
#define END_PATIENCE_MS 100

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
			if (out->length <= OBSERVATION_MAX)
				buffer_append(out, bytes, (size_t)got);
		} else if (ready[1].revents) {
			return; /* what it left behind may hold its output open */
		}
	}
}

/* Runs the command once. */
static int observe(const struct probe_command *run, struct buffer *out, struct error *err)
{
	const struct child_policy how = {
		.words = (const char *const[]){ "/bin/sh", "-c", run->args->observe, NULL },
		.mask = &run->context->signals->before,
		.input = CHILD_NULL,
		.output = CHILD_PIPE,
		.errors = run->observe_fails ? CHILD_NULL : CHILD_OURS, /* it is tried again and again: said once */
		.own_group = true,
	};
	int64_t end = clock_monotonic_ns() + COMMAND_NS;
	struct child child;
	int failed = child_start(&child, &how);
	if (failed)
		return error_set(err, EXIT_CODE_IO, "--observe: %s", strerror(failed));
	read_output(&child, end, out);
	close(child.pipe_fd);
	int64_t left = (end - clock_monotonic_ns()) / CLOCK_NS_PER_MS;
	bool in_time = child_wait(&child, left > 0 ? (int)left : 0);
	child_end(&child, in_time ? END_PATIENCE_MS : 0); /* or what it left behind */
	if (!in_time)
		return error_set(err, EXIT_CODE_IO, "--observe: the command did not end within 10 s");
	if (child.code != 0)
		return error_set(err, EXIT_CODE_IO, "--observe: the command failed with exit code %d", child.code);
	if (out->length > OBSERVATION_MAX)
		return error_set(err, EXIT_CODE_IO, "--observe: the command prints more than 1 MiB; limit the rows");
	return out->failed ? error_no_memory(err) : 0;
}

int probe_observe(void *context, struct buffer *out, struct error *err)
{
	struct probe_command *run = context;
	int code = observe(run, out, err);
	run->observe_fails = code < 0;
	return code;
}
